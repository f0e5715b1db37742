---- MODULE Community ----
\* Operators of community modules: each ASSUME is true in TLC.
EXTENDS Integers, Sequences, FiniteSets, SequencesExt, BagsExt, TLC
R == INSTANCE Relation
G == INSTANCE Graphs
U == INSTANCE UndirectedGraphs
D == INSTANCE DyadicRationals

Less(x, y) == x < y
Even(x) == x % 2 = 0
Minus(x, y) == x - y

ASSUME RestrictDomain(<<5, 6, 7>>, Even) = (2 :> 6)
ASSUME RestrictValues(<<5, 6, 7>>, Even) = (2 :> 6)
ASSUME IsRestriction(<<5>>, <<5, 6>>) /\ ~IsRestriction(<<6>>, <<5, 6>>)
ASSUME Pointwise(<<5, 6>>, <<1, 2>>, Minus) = <<4, 4>>
ASSUME Inverse(<<5, 6>>, {1, 2}, {5, 6}) = (5 :> 1) @@ (6 :> 2)
ASSUME Cardinality(Injection({1, 2}, {1, 2, 3})) = 6
ASSUME Cardinality(Surjection({1, 2, 3}, {1, 2})) = 6
ASSUME Bijection({1, 2}, {"a", "b"}) = {<<"a", "b">>, <<"b", "a">>}
ASSUME ExistsInjection({1}, {2, 3}) /\ ~ExistsSurjection({1}, {2, 3})
ASSUME ExistsBijection({1, 2}, {3, 4}) /\ ~ExistsBijection({1}, {3, 4})
ASSUME SumFunction(<<4, 5, 6>>) = 15 /\ SumFunctionOnSet(<<4, 5, 6>>, {1, 3}) = 10

ASSUME Restrict(<<5, 6>>, {2}) = (2 :> 6) /\ AntiFunction(<<5, 6>>) = (5 :> 1) @@ (6 :> 2)
ASSUME IsInjective(<<5, 6>>) /\ ~IsInjective(<<5, 5>>) /\ Range(<<5, 5>>) = {5}
ASSUME FoldFunction(LAMBDA x, y : x - y, 0, <<1, 5>>) = 4
ASSUME FoldFunctionOnSet(LAMBDA x, y : x - y, 0, <<1, 5, 9>>, {1, 3}) = 8

ASSUME SumSet({2, 3}) = 5 /\ Quantify({1, 2, 4}, Even) = 2 /\ kSubset(2, 1..3) = {{1, 2}, {1, 3}, {2, 3}}
ASSUME Max({1, 3}) = 3 /\ Min({1, 3}) = 1 /\ FoldSet(Minus, 0, {1, 5}) = 4
ASSUME ProductSet({2, 3, 4}) = 24 /\ ReduceSet(LAMBDA x, y : x + y, {1, 2}, 10) = 13
ASSUME MapThenSumSet(LAMBDA x : x * x, {1, 2, 3}) = 14
ASSUME FlattenSet({{1}, {2, 3}}) = {1, 2, 3} /\ SymDiff({1, 2}, {2, 3}) = {1, 3}
ASSUME Choices({{1, 2}, {2, 3}}) = {{1, 2}, {1, 3}, {2}, {2, 3}}
ASSUME ChooseUnique({1, 2, 3}, Even) = 2
ASSUME MapThenFoldSet(LAMBDA x, y : <<x>> \o y, <<>>, LAMBDA x : x * 10,
                      LAMBDA S : CHOOSE x \in S : \A y \in S : y <= x, {1, 2, 3}) = <<30, 20, 10>>

ASSUME ToBag(<<"a", "b", "a">>) = [a |-> 2, b |-> 1]
ASSUME SetToSeq({3, 1, 2}) = <<1, 2, 3>> /\ SetToSeq({}) = <<>>
ASSUME SetToSeqs({1, 2}) = {<<1, 2>>, <<2, 1>>}
ASSUME SetToSortSeq({3, 1, 2}, LAMBDA x, y : x > y) = <<3, 2, 1>>
ASSUME SetToAllKPermutations({1, 2}) = {<<>>, <<1>>, <<2>>, <<1, 2>>, <<2, 1>>}
ASSUME TupleOf({1, 2}, 1) = {<<1>>, <<2>>} /\ Cardinality(SeqOf({1, 2}, 2)) = 7
ASSUME Cardinality(BoundedSeq({1, 2}, 2)) = 7 /\ <<1, 2>> \in BoundedSeq({1, 2}, 2)
ASSUME Contains(<<1, 2>>, 2) /\ ~Contains(<<1, 2>>, 3) /\ ToSet(<<1, 2, 1>>) = {1, 2}
ASSUME Last(<<1, 2>>) = 2 /\ Front(<<1, 2>>) = <<1>> /\ Reverse(<<1, 2>>) = <<2, 1>>
ASSUME ReplaceAt(<<1, 2>>, 2, 9) = <<1, 9>> /\ RemoveAt(<<1, 2, 3>>, 2) = <<1, 3>>
ASSUME IsPrefix(<<1>>, <<1, 2>>) /\ ~IsPrefix(<<2>>, <<1, 2>>) /\ ~IsPrefix(<<1, 2>>, <<1>>)
ASSUME LongestCommonPrefix({<<1, 2, 3>>, <<1, 2, 4>>}) = <<1, 2>>
ASSUME FoldSeq(Minus, 0, <<1, 5>>) = 4
ASSUME IsSorted(<<1, 2, 5>>, Less) /\ ~IsSorted(<<1, 5, 2>>, Less)
ASSUME Remove(<<1, 2, 1>>, 1) = <<2>> /\ ReplaceAll(<<1, 2, 1>>, 1, 3) = <<3, 2, 3>>
ASSUME SelectInSeq(<<1, 4, 6>>, Even) = 2 /\ SelectInSeq(<<1>>, Even) = 0
ASSUME SelectLastInSeq(<<1, 4, 6>>, Even) = 3 /\ SelectLastInSeq(<<>>, Even) = 0
ASSUME SelectInSubSeq(<<2, 1, 4, 6>>, 2, 4, Even) = 3 /\ SelectInSubSeq(<<2, 1>>, 2, 2, Even) = 0
ASSUME SelectLastInSubSeq(<<2, 4, 6>>, 2, 3, LAMBDA i : i < 6) = 2
ASSUME SelectLastInSubSeq(<<2, 4, 1>>, 3, 2, Even) = 0
ASSUME InsertAt(<<1, 2>>, 2, 9) = <<1, 9, 2>> /\ InsertAt(<<1, 2>>, 3, 9) = <<1, 2, 9>>
ASSUME RemoveFirst(<<1, 2, 1>>, 1) = <<2, 1>> /\ RemoveFirst(<<1>>, 2) = <<1>>
ASSUME RemoveFirstMatch(<<1, 2, 4>>, Even) = <<1, 4>>
ASSUME Cons(1, <<2>>) = <<1, 2>> /\ Snoc(1, <<2>>) = <<2, 1>> /\ SeqMod(6, 3) = 3
ASSUME IsStrictPrefix(<<1>>, <<1, 2>>) /\ ~IsStrictPrefix(<<1>>, <<1>>)
ASSUME IsSuffix(<<2>>, <<1, 2>>) /\ ~IsSuffix(<<1>>, <<1, 2>>) /\ IsSuffix(<<>>, <<>>)
ASSUME IsStrictSuffix(<<2>>, <<1, 2>>) /\ ~IsStrictSuffix(<<2>>, <<2>>)
ASSUME Prefixes(<<1, 2>>) = {<<>>, <<1>>, <<1, 2>>}
ASSUME CommonPrefixes({<<1, 2>>, <<1, 3>>}) = {<<>>, <<1>>}
ASSUME Suffixes(<<1, 2>>) = {<<>>, <<2>>, <<1, 2>>}
ASSUME SubSeqs(<<1, 2>>) = {<<>>, <<1>>, <<2>>, <<1, 2>>}
ASSUME AllSubSeqs(<<1, 2, 3>>) =
        {<<>>, <<1>>, <<2>>, <<3>>, <<1, 2>>, <<1, 3>>, <<2, 3>>, <<1, 2, 3>>}
ASSUME IndexFirstSubSeq(<<2>>, <<1, 2, 2>>) = 2 /\ IndexFirstSubSeq(<<>>, <<1>>) = 1
ASSUME ReplaceSubSeqAt(2, <<9, 9>>, <<2>>, <<1, 2, 3>>) = <<1, 9, 9, 3>>
ASSUME ReplaceFirstSubSeq(<<9>>, <<2, 3>>, <<1, 2, 3, 2, 3>>) = <<1, 9, 2, 3>>
ASSUME ReplaceFirstSubSeq(<<9>>, <<4>>, <<1, 2>>) = <<1, 2>>
ASSUME FoldLeft(Minus, 10, <<1, 2>>) = 7 /\ FoldRight(Minus, <<5, 2>>, 1) = 4
ASSUME FoldLeftDomain(Minus, 10, <<7, 7>>) = 7 /\ FoldRightDomain(Minus, <<7, 7>>, 1) = 0
ASSUME FlattenSeq(<<<<1>>, <<>>, <<2, 3>>>>) = <<1, 2, 3>> /\ FlattenSeq(<<>>) = <<>>
ASSUME Zip(<<1, 2>>, <<3, 4, 5>>) = <<<<1, 3>>, <<2, 4>>>>
ASSUME Interleave(<<1, 2>>, <<3, 4>>) = <<<<1>>, <<3>>, <<2>>, <<4>>>>
ASSUME Interleave(<<>>, <<>>) = <<<<>>, <<>>>>

ASSUME BagAdd([a |-> 1], "a") = [a |-> 2] /\ BagAdd([a |-> 1], "b") = [a |-> 1, b |-> 1]
ASSUME BagRemove([a |-> 2], "a") = [a |-> 1] /\ BagRemove([a |-> 1], "a") = <<>>
ASSUME BagRemove([a |-> 1], "b") = [a |-> 1]
ASSUME BagRemoveAll([a |-> 2, b |-> 1], "a") = [b |-> 1]
ASSUME FoldBag(LAMBDA held, x : Append(held, x), <<>>, (3 :> 2) @@ (4 :> 1)) = <<3, 3, 4>>
ASSUME SumBag((3 :> 2) @@ (4 :> 1)) = 10 /\ ProductBag((3 :> 2) @@ (4 :> 1)) = 36

Next3 == [x, y \in 1..3 |-> y = x + 1]
Below == [x, y \in 1..3 |-> x < y]
ASSUME R!IsIrreflexive(Next3, 1..3) /\ ~R!IsReflexive(Next3, 1..3)
ASSUME ~R!IsSymmetric(Next3, 1..3) /\ R!IsAntiSymmetric(Next3, 1..3)
ASSUME R!IsAsymmetric(Next3, 1..3) /\ ~R!IsTransitive(Next3, 1..3)
ASSUME R!IsStrictlyTotallyOrdered(Below, 1..3) /\ R!IsStrictlyPartiallyOrdered(Below, 1..3)
ASSUME R!IsTotallyOrderedUnder(LAMBDA x, y : x <= y, 1..3) /\ ~R!IsPartiallyOrdered(Below, 1..3)
ASSUME R!TransitiveClosure(Next3, 1..3) = Below
ASSUME R!ReflexiveTransitiveClosure(Next3, 1..3) = [x, y \in 1..3 |-> x <= y]
ASSUME ~R!IsConnected(Next3, 1..3) /\ R!IsConnected([x, y \in 1..3 |-> y = (x % 3) + 1], 1..3)

Line == [node |-> 1..3, edge |-> {<<1, 2>>, <<2, 3>>}]
Ring == [node |-> 1..3, edge |-> {<<1, 2>>, <<2, 3>>, <<3, 1>>}]
ASSUME G!IsDirectedGraph(Line) /\ ~G!IsUndirectedGraph(Line) /\ G!IsDag(Line) /\ ~G!IsDag(Ring)
ASSUME G!Transpose(Line) = [node |-> 1..3, edge |-> {<<2, 1>>, <<3, 2>>}]
ASSUME Cardinality(G!DirectedSubgraph(Line)) = 13 /\ Cardinality(G!Graphs({1, 2})) = 16
ASSUME G!Successors(Line, 1) = {2} /\ G!Predecessors(Line, 1) = {}
ASSUME G!AllSuccessors(Line, {1, 2}) = {2, 3} /\ G!AllPredecessors(Line, {2, 3}) = {1, 2}
ASSUME G!InDegree(Line, 1) = 0 /\ G!OutDegree(Line, 1) = 1
ASSUME G!Roots(Line) = {1} /\ G!Leaves(Line) = {3}
ASSUME G!Descendants(Line, 1) = {2, 3} /\ G!Ancestors(Line, 3) = {1, 2}
ASSUME G!Descendants(Ring, 1) = 1..3
ASSUME G!AreConnectedIn(1, 3, Line) /\ ~G!AreConnectedIn(3, 1, Line)
ASSUME G!IsStronglyConnected(Ring) /\ ~G!IsStronglyConnected(Line)
ASSUME G!SimplePath(Line) = {<<1>>, <<2>>, <<3>>, <<1, 2>>, <<2, 3>>, <<1, 2, 3>>}
ASSUME G!ConnectionsIn(Line)[1, 3] /\ ~G!ConnectionsIn(Line)[3, 1]
ASSUME G!IsTreeWithRoot(Line, 3) /\ ~G!IsTreeWithRoot(Line, 1)
ASSUME G!GraphUnion(Line, Ring) = Ring /\ G!EmptyGraph = [node |-> {}, edge |-> {}]
ASSUME G!IsBipartiteWithPartitions(Line, {1, 3}, {2})

Tie == [node |-> 1..4, edge |-> {{1, 2}, {2, 3}, {4}}]
ASSUME U!IsUndirectedGraph(Tie) /\ ~U!IsLoopFreeUndirectedGraph(Tie)
ASSUME U!ConnectedComponents(Tie) = {1..3, {4}} /\ ~U!IsStronglyConnected(Tie)
ASSUME U!AreConnectedIn(3, 1, Tie) /\ ~U!AreConnectedIn(3, 4, Tie)
ASSUME Cardinality(U!SimplePath(Tie)) = 10 /\ Cardinality(U!UndirectedGraphs({1, 2})) = 8
ASSUME Cardinality(U!UndirectedSubgraph(Tie)) = 39

ASSUME D!Half(D!One) = [num |-> 1, den |-> 2] /\ D!Add(D!Half(D!One), D!Half(D!One)) = D!One
ASSUME D!Add(D!Zero, D!One) = D!One /\ D!IsDyadicRational(D!Half(D!Half(D!One)))
ASSUME D!PrettyPrint(D!Half(D!One)) = "1/2" /\ D!PrettyPrint(D!Zero) = "0"

\* The same in actions, which are compiled.
VARIABLES queue, weight
vars == <<queue, weight>>
Init == queue = <<>> /\ weight = [p \in 1..2 |-> IF p = 1 THEN D!One ELSE D!Zero]
Put == \E x \in 1..4 : Len(queue) < 4 /\ queue' = Snoc(x, queue) /\ UNCHANGED weight
Drop == \E x \in 1..4 : Contains(queue, x) /\ queue' = RemoveFirst(queue, x) /\ UNCHANGED weight
Swap == /\ queue # <<>> /\ FoldLeft(LAMBDA x, y : x + y, 0, queue) < 12
        /\ queue' = InsertAt(Remove(queue, Head(queue)), 1, 4)
        /\ UNCHANGED weight
Send == \E p, q \in 1..2 :
            /\ p # q /\ weight[p] # D!Zero /\ weight[p].den < 4
            /\ weight' = [weight EXCEPT ![p] = D!Half(@), ![q] = D!Add(@, D!Half(weight[p]))]
            /\ UNCHANGED queue
Next == Put \/ Drop \/ Swap \/ Send
Spec == Init /\ [][Next]_vars
Whole == D!Add(weight[1], weight[2]) = D!One
Sums == SumFunction(queue) = FoldRight(LAMBDA x, y : x + y, queue, 0)
Suffixed == \A s \in Suffixes(queue) : IsSuffix(s, queue)
====
