---- MODULE Doubled ----
\* A height is twice a number, so it never rises by one: steps of one are possible and never taken.
EXTENDS Naturals
CONSTANT Top
VARIABLES half, side
S == INSTANCE Steps WITH height <- 2 * half
vars == <<half, side>>
Init == half = 0 /\ side = 0
Rise == half < Top /\ half' = half + 1 /\ UNCHANGED side
Turn == side' = 1 - side /\ UNCHANGED half
Next == Rise \/ Turn
Unfair == Init /\ [][Next]_vars
Spec == Unfair /\ WF_vars(Rise) /\ WF_vars(Turn)
Fair == S!Fair
FairTop == S!FairFrom(3)
FairEach == S!FairEach
FairTurn == S!FairTurn
CanUp == S!CanUp <=> half < 2
====
