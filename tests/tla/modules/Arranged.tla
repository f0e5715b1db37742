---- MODULE Arranged ----
EXTENDS Integers, Sequences, FiniteSets

\* Sets of functions whose arguments depend on the state are gone through: a set becomes a sequence,
\* a sequence is permuted, and a function takes any values.
CONSTANTS Item
VARIABLES chosen, line, marks

Different(f) == \A a, b \in DOMAIN f : f[a] = f[b] => a = b
SetToSeq(S) == CHOOSE f \in [1..Cardinality(S) -> S] : Different(f)
Permutations(S) == {f \in [S -> S] : \A y \in S : \E x \in S : f[x] = y}

Init == chosen = {} /\ line = <<>> /\ marks = <<>>
Add(i) == i \notin chosen /\ chosen' = chosen \cup {i} /\ UNCHANGED <<line, marks>>
Drop(i) == i \in chosen /\ chosen' = chosen \ {i} /\ UNCHANGED <<line, marks>>
Arrange == line' = SetToSeq(chosen) /\ UNCHANGED <<chosen, marks>>
Backwards ==
    LET pairs == SetToSeq({<<-i, IF i \in DOMAIN line THEN line[i] ELSE 0>> : i \in chosen}) IN
    line' = [n \in 1..Len(pairs) |-> -pairs[n][1]] /\ UNCHANGED <<chosen, marks>>
Permute == \E f \in Permutations(DOMAIN line) :
    line' = [n \in DOMAIN f |-> line[f[n]]] /\ UNCHANGED <<chosen, marks>>
Mark == marks' \in [chosen -> {1, 2}] /\ UNCHANGED <<chosen, line>>
Next == (\E i \in Item : Add(i) \/ Drop(i)) \/ Arrange \/ Backwards \/ Permute \/ Mark
Spec == Init /\ [][Next]_<<chosen, line, marks>>

EachOnce == Different(line) /\ Len(line) <= Cardinality(Item)
OneIsMarks == Cardinality({f \in [chosen -> {1, 2}] : f = marks}) <= 1
====
