---- MODULE NestedForAll ----
\* The set of the inner quantifier has a value only for members of the outer one.
EXTENDS Integers, Sequences
VARIABLE z
Init == z \in {<<>>, <<<<FALSE>>>>}
Next ==
  /\ \A i \in DOMAIN z : \A j \in 1..Len(z[i]) : z[i][j] \in BOOLEAN
  /\ z' = z
====
