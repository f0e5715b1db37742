---- MODULE FiniteSetsExt ----
EXTENDS Integers, FiniteSets, Folds, Functions

Quantify(S, P(_)) == Cardinality({x \in S : P(x)})
SumSet(S) == FoldSet(LAMBDA x, y : x + y, 0, S)
ProductSet(S) == FoldSet(LAMBDA x, y : x * y, 1, S)
ReduceSet(op(_, _), S, base) == FoldSet(op, base, S)
MapThenSumSet(f(_), S) == FoldSet(LAMBDA x, sum : f(x) + sum, 0, S)
FlattenSet(S) == UNION S
SymDiff(S, T) == (S \ T) \cup (T \ S)
Choices(Sets) == {Range(f) : f \in {g \in [Sets -> UNION Sets] : \A S \in Sets : g[S] \in S}}
ChooseUnique(S, P(_)) == CHOOSE x \in S : P(x) /\ \A y \in S : P(y) => y = x
====
