---------------------------- MODULE AlternatingBit ----------------------------
(* The alternating bit protocol over channels that hold one message and may    *)
(* lose it. The same as tests/specs/alternating_bit.py.                         *)
EXTENDS Naturals

VARIABLES sending, expected, message, acknowledgement
vars == <<sending, expected, message, acknowledgement>>

Nothing == 2

Init ==
    /\ sending = 0
    /\ expected = 0
    /\ message = Nothing
    /\ acknowledgement = Nothing

Send ==
    /\ message' = sending
    /\ UNCHANGED <<sending, expected, acknowledgement>>

LoseMessage ==
    /\ message # Nothing
    /\ message' = Nothing
    /\ UNCHANGED <<sending, expected, acknowledgement>>

Receive ==
    /\ message # Nothing
    /\ expected' = IF message = expected THEN 1 - expected ELSE expected
    /\ message' = Nothing
    /\ UNCHANGED <<sending, acknowledgement>>

Acknowledge ==
    /\ acknowledgement' = 1 - expected
    /\ UNCHANGED <<sending, expected, message>>

LoseAcknowledgement ==
    /\ acknowledgement # Nothing
    /\ acknowledgement' = Nothing
    /\ UNCHANGED <<sending, expected, message>>

HearAcknowledgement ==
    /\ acknowledgement # Nothing
    /\ sending' = IF acknowledgement = sending THEN 1 - sending ELSE sending
    /\ acknowledgement' = Nothing
    /\ UNCHANGED <<expected, message>>

Next ==
    \/ Send \/ LoseMessage \/ Receive
    \/ Acknowledge \/ LoseAcknowledgement \/ HearAcknowledgement

Unfair == Init /\ [][Next]_vars
Moving == Unfair /\ WF_vars(Next)
Talking == Unfair /\ WF_vars(Send) /\ WF_vars(Acknowledge)
Weak == Talking /\ WF_vars(Receive) /\ WF_vars(HearAcknowledgement)
Half == Talking /\ SF_vars(Receive) /\ WF_vars(HearAcknowledgement)
Strong == Talking /\ SF_vars(Receive) /\ SF_vars(HearAcknowledgement)

first_arrives == <>(expected = 1)
goes_on == []<>(sending = 0)
both_agree == []<>(sending = expected)
stands_still == <>[](sending = 0)
something_is_sent == <>[](message # Nothing)
each_arrives == \A bit \in 0 .. 1 : (sending = bit) ~> (expected = 1 - bit)
each_is_sent == \A bit \in 0 .. 1 : (sending = bit) ~> (message = bit)
===============================================================================
