----------------------------- MODULE DirectMail -----------------------------
(* Numbers that arrive at once: the abstract design of LossyMail.             *)
EXTENDS Naturals

VARIABLES sent, got
vars == <<sent, got>>

Init == sent = 0 /\ got = 0
Send == sent = got /\ sent' = (sent + 1) % 3 /\ UNCHANGED got
Get == sent # got /\ got' = sent /\ UNCHANGED sent
Unfair == Init /\ [][Send \/ Get]_vars

WeakGet == WF_vars(Get)
StrongGet == SF_vars(Get)
WeakSend == WF_vars(Send)
StrongSend == SF_vars(Send)

arrives == (sent # got) ~> (sent = got)
goes_on == []<>(sent # got)
settles == <>[](sent = got)
begins == <>(sent = 1)
=============================================================================
