---- MODULE Branches ----
\* What counts as generated: each true disjunct and each witness, also of what has no primes.
EXTENDS Naturals
VARIABLES x, y
Init == x \in {0, 1} /\ (y = 0 \/ y = x \/ y = 2)
Twice == /\ x < 3 \/ y < 3
         /\ \E i \in 1..2 : i > x
         /\ x' \in {x, x + 1}
         /\ IF x = 1 THEN y' = 0 \/ y' = 1 ELSE UNCHANGED y
Every == /\ \A i \in {0, 1} : x # i \/ y # i
         /\ y' = (y + 1) % 4
         /\ UNCHANGED x
Chosen == LET next(v) == y' = (v + x) % 4
              same == x' = x
          IN /\ next(2) \/ next(3)
             /\ same
             /\ y > 2 => x > 0
Case == CASE x = 0 -> x' = 1 /\ y' = y
          [] x = 1 -> \E z \in {y, 1} : x' = z /\ y' = x
          [] OTHER -> x' = 0 /\ y' \in {1}
Enabled == /\ ENABLED Twice
           /\ ~ENABLED (x' = 5 /\ x > 0)
           /\ x' = 3 /\ y' = y
Next == Twice \/ Every \/ Chosen \/ Case \/ Enabled
====
