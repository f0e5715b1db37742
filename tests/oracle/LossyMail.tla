------------------------------ MODULE LossyMail ------------------------------
(* Numbers sent over a line that loses them, and acknowledged, refine numbers   *)
(* that arrive at once. The same as tests/specs/lossy_mail.py.                  *)
EXTENDS Naturals

VARIABLES sent, got, acked, line, back
vars == <<sent, got, acked, line, back>>

None == 9

Init == sent = 0 /\ got = 0 /\ acked = 0 /\ line = None /\ back = None

Send == acked = sent /\ sent' = (sent + 1) % 3 /\ UNCHANGED <<got, acked, line, back>>
Transmit == sent # acked /\ line = None /\ line' = sent /\ UNCHANGED <<sent, got, acked, back>>
Lose == line # None /\ line' = None /\ UNCHANGED <<sent, got, acked, back>>
Deliver ==
    /\ line # None
    /\ got' = line
    /\ back' = line
    /\ line' = None
    /\ UNCHANGED <<sent, acked>>
Hear == back # None /\ acked' = back /\ back' = None /\ UNCHANGED <<sent, got, line>>

Next == Send \/ Transmit \/ Lose \/ Deliver \/ Hear

Unfair == Init /\ [][Next]_vars
Talking == Unfair /\ WF_vars(Send) /\ WF_vars(Transmit) /\ WF_vars(Hear)
Weak == Talking /\ WF_vars(Deliver)
Strong == Talking /\ SF_vars(Deliver)
Silent == Unfair /\ WF_vars(Transmit) /\ WF_vars(Hear) /\ SF_vars(Deliver)

Mail == INSTANCE DirectMail

steps == Mail!Unfair
weak_get_liveness == Mail!WeakGet
strong_get_liveness == Mail!StrongGet
weak_send_liveness == Mail!WeakSend
strong_send_liveness == Mail!StrongSend
arrives_liveness == Mail!arrives
goes_on_liveness == Mail!goes_on
settles_liveness == Mail!settles
begins_liveness == Mail!begins
==============================================================================
