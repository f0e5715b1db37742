---- MODULE Bags ----
\* A bag is a function from its members to their numbers of copies, which are above 0.
EXTENDS TLC
LOCAL INSTANCE Functions

BagToSet(B) == DOMAIN B
BagIn(e, B) == e \in DOMAIN B
CopiesIn(e, B) == IF e \in DOMAIN B THEN B[e] ELSE 0
BagCardinality(B) == SumFunction(B)
SetToBag(S) == [e \in S |-> 1]
EmptyBag == SetToBag({})
A (+) B == [e \in DOMAIN A \cup DOMAIN B |-> CopiesIn(e, A) + CopiesIn(e, B)]
A (-) B == [e \in {d \in DOMAIN A : A[d] > CopiesIn(d, B)} |-> A[e] - CopiesIn(e, B)]
A \sqsubseteq B == \A e \in DOMAIN A : A[e] <= CopiesIn(e, B)
SubBag(B) ==
    UNION {{A \in [S -> 1 .. BagCardinality(B)] : A \sqsubseteq B} : S \in SUBSET DOMAIN B}
BagUnion(S) == [e \in UNION {DOMAIN B : B \in S} |-> SumFunction([B \in S |-> CopiesIn(e, B)])]
BagOfAll(F(_), B) ==
    [e \in {F(d) : d \in DOMAIN B} |-> SumFunctionOnSet(B, {d \in DOMAIN B : F(d) = e})]
====
