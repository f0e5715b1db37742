---- MODULE NumbersBesideNames ----
\* A number that stands beside names is used as a number.
EXTENDS Integers
CONSTANT nil
VARIABLE x
Init == x \in {nil, 0, 1}
Held == [b |-> IF x = nil THEN nil ELSE x + 1]
Next ==
  \/ x = nil /\ x' = 0
  \/ x # nil /\ x' = IF Held.b < 3 THEN Held.b ELSE nil
Small == IF x = nil THEN TRUE ELSE Held.b < 4 /\ x < 3
====
