---- MODULE WalkAbstract ----
EXTENDS WalkGraph
VARIABLE at
Start == at \in Node
Move == at' \in Node /\ at' # at /\ at' \in Neighbours(at)
Spec == Start /\ [][Move]_at
====
