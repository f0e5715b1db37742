---- MODULE Nested ----
\* Nested modules, instances with parameters and without names, LOCAL, what an instance hides.
EXTENDS Naturals
VARIABLES x, y
---- MODULE Cell ----
CONSTANT Limit
VARIABLE v
LOCAL Next(w) == IF w < Limit THEN w + 1 ELSE 0
Start == v = 0
Turn == v' = Next(v)
Full == v = Limit
====
A == INSTANCE Cell WITH v <- x, Limit <- 2
B(limit) == INSTANCE Cell WITH v <- y, Limit <- limit
Limit == 3
LOCAL INSTANCE Bits
Init == A!Start /\ B(3)!Start
MoveX == A!Turn /\ UNCHANGED y
MoveY == /\ ~B(Limit)!Full \/ A!Full
         /\ B(Limit)!Turn
         /\ x' = x
Flip == x' = Not(x % 2) /\ UNCHANGED <<y>>
Next == MoveX \/ MoveY \/ (x < 2 /\ Flip)
Spec == Init /\ [][Next]_<<x, y>>
InRange == x \in 0..2 /\ y \in 0..Limit /\ And(x, 0) = 0
====
