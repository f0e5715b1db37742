---- MODULE NamesWithin ----
\* A condition of an action whose definition binds names: in a LET, by quantifiers, in functions.
EXTENDS Integers
VARIABLES x, y
Table(n) == IF n = 0 THEN [i \in {1, 2} |-> i = x] ELSE LET F(v) == [i \in {1, 2} |-> \E k \in {v} : i >= k] IN F(n + x)
Init == x = 0 /\ y = 0
Move == /\ Table(1)[2]
        /\ \A k \in {1, 2} : LET G(v) == v + k IN G(x) < 5
        /\ x' = x + 1
        /\ y' \in {0, 1}
Next == Move \/ (x > 0 /\ x' = 0 /\ Table(0)[2] /\ y' = y)
====
