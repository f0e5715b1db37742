---- MODULE FunctionInSet ----
\* A function that is not computed yet is compared with the members of a set.
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x' = IF [i \in 0..2 |-> x] \in {[i \in 0..2 |-> 1], [i \in 0..2 |-> 2]} THEN 2 ELSE 1
====
