---- MODULE Named ----
\* Conditions that have a name, in which several alternatives are true.
EXTENDS Naturals
VARIABLES x, y
Small(m) == \/ m <= 2
            \/ LET e == m IN e + x >= 0
Once == \E m \in {1, 2} :
    LET v == Small(m) IN (v = TRUE) /\ x < 3 /\ v /\ LET n == x + 1 IN x' = n /\ y' = m
Twice == \E m \in {1, 2} : LET v == Small(m) IN x < 3 /\ v /\ v /\ x' = x + 1 /\ y' = m
Given(v, m) == x < 3 /\ v /\ x' = x + 1 /\ y' = m
Argument == \E m \in {1, 2} : Given(Small(m), m)
Init == x \in {0, 1} /\ LET w == (x < 5 \/ x = 0) IN w /\ y = 0
Either == LET w == IF x = 0 THEN (x = 0 \/ x < 7) ELSE \E q \in {1, 2} : q > x - 1
          IN x < 3 /\ w /\ Small(x) /\ x' = x + 1 /\ y' = 0
====
