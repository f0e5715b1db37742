---- MODULE Walk ----
\* The abstract module extends the same module of constants, and gets them by their names.
EXTENDS WalkGraph
VARIABLES place, steps
Limit == 3
Ring == {<<n, (n + 1) % 4>> : n \in Node} \cup {<<0, 2>>}
Init == place = 0 /\ steps = 0
Go(n) == place' = n /\ steps' = steps + 1
Next == steps < Limit /\ \E n \in Neighbours(place) : Go(n)
Abstract == INSTANCE WalkAbstract WITH at <- place
Refines == Abstract!Spec
Inside == place \in Abstract!Neighbours(place) \cup Node
====
