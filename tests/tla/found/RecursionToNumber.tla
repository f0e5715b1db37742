---- MODULE RecursionToNumber ----
\* A recursion that ends at a number of the state: it has one of its few values.
EXTENDS Integers, FiniteSets
VARIABLES a, b
Init == a \in [0..2 -> 0..1] \cup [0..3 -> 0..1] /\ b = 0
Size(f) == Cardinality(DOMAIN f)
RECURSIVE FirstOne(_, _, _)
FirstOne(f, n, i) == CASE i = n -> n
                       [] f[i] = 1 -> i
                       [] OTHER -> FirstOne(f, n, i + 1)
Next == b' = FirstOne(a, Size(a), 0) /\ a' = a
====
