---- MODULE SequencesExt ----
EXTENDS Sequences, Naturals, FiniteSets, FiniteSetsExt, Folds, Functions, Bags, TLC

\* Sets and bags as sequences, and back.
ToBag(s) == [x \in ToSet(s) |-> Cardinality({i \in DOMAIN s : s[i] = x})]
RECURSIVE SetToSeq(_)
SetToSeq(S) ==
    IF S = {} THEN <<>>
    ELSE LET next == CHOOSE x \in S : TRUE
         IN <<next>> \o SetToSeq(S \ {next})
SetToSeqs(S) == {s \in [1..Cardinality(S) -> S] : IsInjective(s)}
SetToSortSeq(S, op(_, _)) == SortSeq(SetToSeq(S), op)
SetToAllKPermutations(S) == UNION {SetToSeqs(T) : T \in SUBSET S}
TupleOf(S, n) == [1..n -> S]
SeqOf(S, n) == UNION {[1..m -> S] : m \in 0..n}
BoundedSeq(S, n) == SeqOf(S, n)

\* Items and places.
Contains(s, x) == x \in ToSet(s)
Last(s) == s[Len(s)]
Front(s) == SubSeq(s, 1, Len(s) - 1)
Reverse(s) == [i \in 1..Len(s) |-> s[Len(s) - i + 1]]
IsSorted(s, op(_, _)) == \A i, j \in 1..Len(s) : i < j => op(s[i], s[j])
Remove(s, x) == SelectSeq(s, LAMBDA y : y # x)
ReplaceAll(s, old, new) == [i \in 1..Len(s) |-> IF s[i] = old THEN new ELSE s[i]]
SelectInSeq(s, Test(_)) ==
    LET found == {i \in 1..Len(s) : Test(s[i])}
    IN IF found = {} THEN 0 ELSE Min(found)
SelectLastInSeq(s, Test(_)) ==
    LET found == {i \in 1..Len(s) : Test(s[i])}
    IN IF found = {} THEN 0 ELSE Max(found)
\* The places in s of items between two places, as TLC's Java code has them.
InSubSeq(i, from) == IF i = 0 THEN 0 ELSE i + from - 1
SelectInSubSeq(s, from, to, Test(_)) == InSubSeq(SelectInSeq(SubSeq(s, from, to), Test), from)
SelectLastInSubSeq(s, from, to, Test(_)) ==
    InSubSeq(SelectLastInSeq(SubSeq(s, from, to), Test), from)
InsertAt(s, i, x) == SubSeq(s, 1, i - 1) \o <<x>> \o SubSeq(s, i, Len(s))
ReplaceAt(s, i, x) == [s EXCEPT ![i] = x]
RemoveAt(s, i) == SubSeq(s, 1, i - 1) \o SubSeq(s, i + 1, Len(s))
RemoveFirstMatch(s, Test(_)) ==
    LET i == SelectInSeq(s, Test)
    IN IF i = 0 THEN s ELSE RemoveAt(s, i)
RemoveFirst(s, x) == RemoveFirstMatch(s, LAMBDA y : y = x)
Cons(x, s) == <<x>> \o s
Snoc(x, s) == Append(s, x)
SeqMod(a, b) == IF a % b = 0 THEN b ELSE a % b

\* Folds, and several sequences as one.
FoldLeft(op(_, _), base, s) == FoldSeq(LAMBDA x, y : op(y, x), base, s)
FoldRight(op(_, _), s, base) == FoldSeq(op, base, Reverse(s))
FoldLeftDomain(op(_, _), base, s) == FoldLeft(op, base, [i \in DOMAIN s |-> i])
FoldRightDomain(op(_, _), s, base) == FoldRight(op, [i \in DOMAIN s |-> i], base)
FlattenSeq(ss) == FoldLeft(LAMBDA s, t : s \o t, <<>>, ss)
Zip(s, t) ==
    [i \in 1..(IF Len(s) <= Len(t) THEN Len(s) ELSE Len(t)) |-> <<s[i], t[i]>>]
Interleave(s, t) ==
    CASE Len(s) = Len(t) /\ Len(s) > 0 ->
            FlattenSeq([i \in 1..Len(s) |-> << <<s[i]>>, <<t[i]>> >>])
      [] Len(s) = 0 /\ Len(t) = 0 -> << <<>>, <<>> >>

\* Parts of sequences.
IsPrefix(s, t) == Len(s) <= Len(t) /\ s = SubSeq(t, 1, Len(s))
IsStrictPrefix(s, t) == IsPrefix(s, t) /\ s # t
IsSuffix(s, t) == Len(s) <= Len(t) /\ s = SubSeq(t, Len(t) - Len(s) + 1, Len(t))
IsStrictSuffix(s, t) == IsSuffix(s, t) /\ s # t
Prefixes(s) == {SubSeq(s, 1, n) : n \in 0..Len(s)}
CommonPrefixes(S) == {p \in UNION {Prefixes(s) : s \in S} : \A s \in S : IsPrefix(p, s)}
LongestCommonPrefix(S) ==
    LET common == CommonPrefixes(S)
    IN CHOOSE p \in common : \A q \in common : Len(q) <= Len(p)
Suffixes(s) == {SubSeq(s, n + 1, Len(s)) : n \in 0..Len(s)}
SubSeqs(s) == {SubSeq(s, i + 1, j) : i, j \in 0..Len(s)}
AllSubSeqs(s) ==
    {FoldLeftDomain(LAMBDA t, i : IF i \in places THEN Append(t, s[i]) ELSE t, <<>>, s) :
     places \in SUBSET DOMAIN s}
IndexFirstSubSeq(s, t) ==
    CHOOSE i \in 1..(Len(t) - Len(s) + 1) :
        /\ SubSeq(t, i, i + Len(s) - 1) = s
        /\ \A j \in 1..(i - 1) : SubSeq(t, j, j + Len(s) - 1) # s
ReplaceSubSeqAt(i, r, s, t) == SubSeq(t, 1, i - 1) \o r \o SubSeq(t, i + Len(s), Len(t))
ReplaceFirstSubSeq(r, s, t) ==
    IF s \in SubSeqs(t) THEN ReplaceSubSeqAt(IndexFirstSubSeq(s, t), r, s, t) ELSE t
====
