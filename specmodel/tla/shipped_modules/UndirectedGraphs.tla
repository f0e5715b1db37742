---- MODULE UndirectedGraphs ----
\* Undirected graphs: [node |-> N, edge |-> E], in which an edge is the set of its two nodes, or of
\* one node.
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE SequencesExt

UndirectedGraphs(S) == [node : {S}, edge : SUBSET {{s, t} : s, t \in S}]
IsUndirectedGraph(G) ==
    /\ G = [node |-> G.node, edge |-> G.edge]
    /\ \A e \in G.edge : \E a, b \in G.node : e = {a, b}
IsLoopFreeUndirectedGraph(G) ==
    /\ G = [node |-> G.node, edge |-> G.edge]
    /\ \A e \in G.edge : \E a, b \in G.node : a # b /\ e = {a, b}
UndirectedSubgraph(G) ==
    {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : IsUndirectedGraph(H)}

LOCAL Neighbours(G, n) == {m \in G.node : {n, m} \in G.edge}
RECURSIVE Reached(_, _)
LOCAL Reached(G, S) ==
    LET more == S \cup UNION {Neighbours(G, n) : n \in S}
    IN IF more = S THEN S ELSE Reached(G, more)
AreConnectedIn(m, n, G) == m \in G.node /\ n \in Reached(G, {m})
ConnectedComponents(G) == {Reached(G, {n}) : n \in G.node}
IsStronglyConnected(G) == ConnectedComponents(G) = {G.node}
SimplePath(G) ==
    LET RECURSIVE Longer(_)
        Longer(paths) ==
            LET more == UNION {{Append(p, n) : n \in Neighbours(G, p[Len(p)]) \ ToSet(p)} :
                               p \in paths}
            IN IF more = {} THEN paths ELSE paths \cup Longer(more)
    IN Longer({<<n>> : n \in G.node})
====
