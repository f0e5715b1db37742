---- MODULE Apalache ----
\* The operators of the model checker Apalache, as TLC has them.

LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences

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

Repeat(op(_, _), times, base) ==
    LET RECURSIVE Until(_)
        Until(number) == IF number <= 0 THEN base ELSE op(Until(number - 1), number)
    IN Until(times)
====
