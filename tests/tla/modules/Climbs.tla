------------------------------- MODULE Climbs -------------------------------
(* A forest of trees, whose nodes know their parents. How far it is to a root, and what is below
   a node, is found by recursion on the state, which only the shape of the trees ends. *)
EXTENDS Integers, FiniteSets

CONSTANTS Nodes, Far

VARIABLES parent, mark

RECURSIVE Root(_)
Root(n) == IF parent[n] = n THEN n ELSE Root(parent[n])

RECURSIVE Height(_)
Height(n) == IF parent[n] = n THEN 0 ELSE 1 + Height(parent[n])

RECURSIVE Below(_)
Below(some) ==
    LET more == some \cup {n \in Nodes : parent[n] \in some}
    IN IF more = some THEN some ELSE Below(more)

Init == parent = [n \in Nodes |-> n] /\ mark = CHOOSE n \in Nodes : TRUE

Join(n, other) ==
    /\ parent[n] = n
    /\ Root(other) # n
    /\ parent' = [parent EXCEPT ![n] = other]
    /\ UNCHANGED mark

Climb == mark' = parent[mark] /\ mark' # mark /\ UNCHANGED parent

Jump(n) == mark = Root(mark) /\ n \in Below({mark}) \ {mark} /\ mark' = n /\ UNCHANGED parent

Next == (\E n, other \in Nodes : Join(n, other)) \/ Climb \/ \E n \in Nodes : Jump(n)

Spec == Init /\ [][Next]_<<parent, mark>> /\ WF_<<parent, mark>>(Climb)

Near == Height(mark) < Far
Rooted == \A n \in Nodes : n \in Below({Root(n)})
UpOrIn == [][Root(mark)' = Root(mark)' /\ (mark' \in Below({mark}) \/ Height(mark)' < Height(mark))]_mark
Arrives == Height(mark) > 2 ~> Height(mark) < 2
=============================================================================
