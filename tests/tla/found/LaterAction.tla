---- MODULE LaterAction ----
\* An action without a possible step fails in a state in which others have steps.
EXTENDS Integers
VARIABLE x
Init == x = {}
First == x' = x
Last == x' = x /\ FALSE
Next == First \/ \E i \in {CHOOSE j \in x : TRUE} : i > 5 /\ Last
====
