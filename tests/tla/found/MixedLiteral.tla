---- MODULE MixedLiteral ----
\* The members of a set are compared where it is made, also if none of them is used.
EXTENDS Integers
VARIABLES x, y
Init == x = 0 /\ y = [i \in {"b"} |-> 3]
Next ==
  \E v \in {w \in {[i \in {"b"} |-> y["a"]], x} : FALSE} : x' = 1 /\ y' = y
====
