---- MODULE Apalache ----
\* The operators of the model checker Apalache, as TLC has them.

LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSetsExt
LOCAL INSTANCE SequencesExt

\* Hints for Apalache, which change no value.

left := right == left = right
Skolem(formula) == formula
Expand(set) == set
ConstCardinality(formula) == formula

Guess(S) == CHOOSE member \in S : TRUE

\* The function of some pairs: of several with one argument, the least counts.
SetAsFun(pairs) ==
    [x \in {pair[1] : pair \in pairs} |-> (CHOOSE pair \in pairs : pair[1] = x)[2]]

MkSeq(size, item(_)) == [i \in 1..size |-> item(i)]

FunAsSeq(f, size, most) ==
    LET Item(i) == f[i]
    IN SubSeq(MkSeq(most, Item), 1, size)

ApaFoldSet(op(_, _), base, S) ==
    LET Apply(member, folded) == op(folded, member)
    IN FoldSet(Apply, base, S)

ApaFoldSeqLeft(op(_, _), base, s) ==
    LET Apply(item, folded) == op(folded, item)
    IN FoldSeq(Apply, base, s)

Repeat(op(_, _), times, base) ==
    LET Apply(number, folded) == op(folded, number)
    IN FoldSeq(Apply, base, [i \in 1..times |-> i])
====
