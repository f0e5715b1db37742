-------------------------------- MODULE Hours --------------------------------
(* A clock with hours: the abstract design of Minutes.                          *)
EXTENDS Naturals

VARIABLE hour

Init == hour = 0
Pass(from) == hour = from /\ hour' = (hour + 1) % 3
Unfair == Init /\ [][\E from \in 0..2 : Pass(from)]_hour

WeakPass == WF_hour(\E from \in 0..2 : Pass(from))
WeakFirst == WF_hour(Pass(0))
StrongFirst == SF_hour(Pass(0))

strikes == []<>(hour = 0)
rests == <>[](hour = 0)
moves == <>(hour = 1)
follows == \A n \in 0..2 : (hour = n) ~> (hour = (n + 1) % 3)
==============================================================================
