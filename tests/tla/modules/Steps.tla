---- MODULE Steps ----
\* What Doubled instantiates with an expression for a variable: fairness is about the variable.
EXTENDS Climb
VARIABLE side
Step == Up /\ UNCHANGED side
Turn == side' = 1 - side /\ UNCHANGED height
Fair == WF_<<height, side>>(Step)
FairFrom(n) == SF_height(height >= n /\ Up)
FairEach == \A n \in 0 .. 3 : WF_height(LET low == n IN height = low /\ Up)
FairTurn == WF_side(Turn)
====
