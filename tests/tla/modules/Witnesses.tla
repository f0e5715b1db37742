---- MODULE Witnesses ----
\* Conditions with several true disjuncts or witnesses, before and after all variables have values.
EXTENDS Naturals
VARIABLES x, y
Init == /\ x = 0
        /\ \E i \in 1..3 : i > 1
        /\ y = 0
        /\ \E i \in 1..3 : i > 0
Before == x = 0 /\ (\E i \in 1..3 : i > 0) /\ x' = 1 /\ y' = 1
Between == x = 0 /\ x' = 2 /\ (\E i \in 1..4 : i > 0) /\ y' = 1
After == x = 0 /\ x' = 3 /\ y' = 1 /\ (x = 0 \/ y = 0 \/ \E i \in 1..4 : i > 0)
Value(i) == x' = i /\ y' = i
Both == x = 0 \/ y = 0
Apart == x = 1 /\ \E i \in 4..5 : Value(i) /\ Both
Chosen == x = 2 /\ \A i \in {6} : (x' = i /\ y' = i) /\ (y = 1 \/ x = 2)
Again == x = 3 /\ x' = 7 /\ y' = 7 /\ x' \in {7, 8} /\ (y' = 7 \/ y' \in {7, 9})
Named == x = 3 /\ LET next == y IN next' = 8 /\ x' = next + 7 /\ (x' = 8 \/ x = 3)
Decided == /\ x = 3
           /\ x' = 9
           /\ y' = 9
           /\ CASE x = 3 -> \E i \in 1..3 : i > 1
                [] OTHER -> FALSE
Next == Before \/ Between \/ After \/ Apart \/ Chosen \/ Again \/ Named \/ Decided
====
