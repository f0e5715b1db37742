---- MODULE Bag ----
\* Bags, functions as @@ and :>, tuples as patterns, products, UNION and SUBSET.
EXTENDS Naturals, Bags, FiniteSets, TLC
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
