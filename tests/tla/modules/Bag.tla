---- MODULE Bag ----
\* Bags, functions as @@ and :>, tuples as patterns, products, UNION and SUBSET.
EXTENDS Naturals, Bags, FiniteSets, TLC
ASSUME /\ IsABag(<<1, 2>>) /\ IsABag(EmptyBag) /\ ~IsABag(<<0>>) /\ ~IsABag("a" :> "b")
       /\ ~IsABag(3) /\ ~IsABag({1})
ASSUME LET A == "a" :> 2 @@ "b" :> 1
           B == "b" :> 3 @@ "c" :> 1
       IN /\ A (+) B = "a" :> 2 @@ "b" :> 4 @@ "c" :> 1
          /\ A (-) B = "a" :> 2 /\ B (-) A = "b" :> 2 @@ "c" :> 1 /\ A (-) A = EmptyBag
          /\ "a" :> 1 \sqsubseteq A /\ ~(B \sqsubseteq A) /\ EmptyBag \sqsubseteq B
          /\ BagUnion({A, B, EmptyBag}) = A (+) B /\ BagUnion({}) = EmptyBag
          /\ SubBag(A) = {EmptyBag, "a" :> 1, "a" :> 2, "b" :> 1,
                          "a" :> 1 @@ "b" :> 1, A}
          /\ BagOfAll(LAMBDA e : e = "a", A (+) B) = TRUE :> 2 @@ FALSE :> 5
          /\ BagCardinality(B) = 4 /\ CopiesIn("b", B) = 3 /\ CopiesIn("a", B) = 0
          /\ BagIn("c", B) /\ ~BagIn("c", A) /\ BagToSet(B) = {"b", "c"}
          /\ SetToBag({"b"}) = "b" :> 1
VARIABLES bag, seen
Kinds == {"x", "y"}
Init == bag = EmptyBag /\ seen = {}
Put == \E k \in Kinds : /\ CopiesIn(k, bag) < 2
                        /\ bag' = bag (+) SetToBag({k})
                        /\ seen' = seen \cup {<<k, CopiesIn(k, bag)>>}
Take == \E k \in BagToSet(bag) : bag' = bag (-) (k :> 1) /\ seen' = {<<a, b>> \in seen : a # k}
Next == Put \/ Take
TypeOK == /\ IsABag(bag)
          /\ seen \in SUBSET (Kinds \X (0..1))
          /\ UNION {{a} : a \in {p[1] : p \in seen}} \subseteq Kinds
          /\ BagCardinality(bag) <= 4
Spread == \A <<k, i>> \in seen : i < 2
====
