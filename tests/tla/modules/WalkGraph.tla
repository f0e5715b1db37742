---- MODULE WalkGraph ----
EXTENDS Naturals
CONSTANTS Node, Edges
ASSUME Edges \subseteq Node \X Node
Neighbours(n) == {m \in Node : <<n, m>> \in Edges}
====
