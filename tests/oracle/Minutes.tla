------------------------------- MODULE Minutes -------------------------------
(* A clock with minutes that may stand still, and be set back within an hour,   *)
(* refines a clock with hours. The same as tests/specs/minutes.py.              *)
EXTENDS Naturals

VARIABLES hour, minute, stands
vars == <<hour, minute, stands>>

Init == hour = 0 /\ minute = 0 /\ stands = FALSE

Tick ==
    /\ ~stands
    /\ minute' = (minute + 1) % 3
    /\ hour' = IF minute = 2 THEN (hour + 1) % 3 ELSE hour
    /\ UNCHANGED stands
Stop == ~stands /\ stands' = TRUE /\ UNCHANGED <<hour, minute>>
Wind == stands /\ stands' = FALSE /\ UNCHANGED <<hour, minute>>
SetBack == minute = 2 /\ minute' = 0 /\ UNCHANGED <<hour, stands>>

Next == Tick \/ Stop \/ Wind \/ SetBack

Unfair == Init /\ [][Next]_vars
Ticking == Unfair /\ WF_vars(Tick)
Wound == Ticking /\ WF_vars(Wind)
Strong == Unfair /\ WF_vars(Wind) /\ SF_vars(Tick)
Through == Unfair /\ WF_vars(Wind) /\ SF_vars(minute = 2 /\ Tick) /\ SF_vars(minute < 2 /\ Tick)

Clock == INSTANCE Hours

steps == Clock!Unfair
weak_pass_liveness == Clock!WeakPass
weak_first_liveness == Clock!WeakFirst
strong_first_liveness == Clock!StrongFirst
strikes_liveness == Clock!strikes
rests_liveness == Clock!rests
moves_liveness == Clock!moves
follows_liveness == Clock!follows
==============================================================================
