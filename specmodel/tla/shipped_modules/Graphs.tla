---- MODULE Graphs ----
\* Directed graphs: [node |-> N, edge |-> E], in which E is a set of pairs of nodes.
EXTENDS Naturals, Sequences, FiniteSets, SequencesExt, Relation

EmptyGraph == [node |-> {}, edge |-> {}]
Graphs(S) == [node : {S}, edge : SUBSET (S \X S)]
IsDirectedGraph(G) ==
    G = [node |-> G.node, edge |-> G.edge] /\ G.edge \subseteq G.node \X G.node
DirectedSubgraph(G) ==
    {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : H.edge \subseteq H.node \X H.node}
Transpose(G) == [node |-> G.node, edge |-> {<<e[2], e[1]>> : e \in G.edge}]
IsUndirectedGraph(G) == IsDirectedGraph(G) /\ \A e \in G.edge : <<e[2], e[1]>> \in G.edge
UndirectedSubgraph(G) == {H \in DirectedSubgraph(G) : IsUndirectedGraph(H)}
GraphUnion(G, H) == [node |-> G.node \cup H.node, edge |-> G.edge \cup H.edge]

\* Neighbours.
Successors(G, n) == {m \in G.node : <<n, m>> \in G.edge}
Predecessors(G, n) == {m \in G.node : <<m, n>> \in G.edge}
AllSuccessors(G, S) == UNION {Successors(G, n) : n \in S}
AllPredecessors(G, S) == UNION {Predecessors(G, n) : n \in S}
OutDegree(G, n) == Cardinality(Successors(G, n))
InDegree(G, n) == Cardinality(Predecessors(G, n))
Roots(G) == {n \in G.node : Predecessors(G, n) = {}}
Leaves(G) == {n \in G.node : Successors(G, n) = {}}

\* Paths.
RECURSIVE Reached(_, _)
LOCAL Reached(G, S) ==
    LET more == S \cup AllSuccessors(G, S)
    IN IF more = S THEN S ELSE Reached(G, more)
Descendants(G, n) == Reached(G, Successors(G, n))
Ancestors(G, n) == Descendants(Transpose(G), n)
AreConnectedIn(m, n, G) == m \in G.node /\ n \in Reached(G, {m})
IsStronglyConnected(G) == \A m \in G.node : G.node \subseteq Reached(G, {m})
ConnectionsIn(G) == [m, n \in G.node |-> n \in Reached(G, {m})]
SimplePath(G) ==
    LET RECURSIVE Longer(_)
        Longer(paths) ==
            LET more == UNION {{Append(p, n) : n \in Successors(G, p[Len(p)]) \ ToSet(p)} :
                               p \in paths}
            IN IF more = {} THEN paths ELSE paths \cup Longer(more)
    IN Longer({<<n>> : n \in G.node})

\* Kinds of graphs.
HasCycle(G) ==
    \/ \E n \in G.node : <<n, n>> \in G.edge
    \/ \E m, n \in G.node : m # n /\ ConnectionsIn(G)[m, n] /\ ConnectionsIn(G)[n, m]
IsDag(G) == IsDirectedGraph(G) /\ ~HasCycle(G)
IsTreeWithRoot(G, r) ==
    /\ IsDirectedGraph(G)
    /\ r \in G.node
    /\ \A e \in G.edge : e[1] # r /\ \A f \in G.edge : e[1] = f[1] => e = f
    /\ \A n \in G.node : AreConnectedIn(n, r, G)
IsBipartiteWithPartitions(G, U, V) ==
    /\ U \cap V = {}
    /\ G.node \subseteq U \cup V
    /\ \A e \in G.edge : (e[1] \in U /\ e[2] \in V) \/ (e[2] \in U /\ e[1] \in V)
====
