---- MODULE EnabledFirst ----
\* The first next state is enough for ENABLED: one after it would fail.
EXTENDS Integers, Sequences
VARIABLES x, y
Init == x \in {0, 1, 2} /\ y = 0
Act == /\ y' \in 0..2
       /\ x' = 7 \div (x - y')
       /\ x' > 3
Next == x < 2 /\ x' = x + 1 /\ y' = y
Inv == x = 0 \/ ENABLED Act
====
