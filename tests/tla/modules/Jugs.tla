---- MODULE Jugs ----
\* Two jugs without marks: disjunctions, IF, an operator with parameters, `x \in a..b`.
EXTENDS Naturals
VARIABLES big, small
vars == <<big, small>>
Min(m, n) == IF m < n THEN m ELSE n
Full == small = 3 \/ big = 5
TypeOK == small \in 0..3 /\ big \in 0..5
Init == big = 0 /\ small = 0
Fill == \/ small' = 3 /\ UNCHANGED big
        \/ big' = 5 /\ UNCHANGED small
Empty == \/ small' = 0 /\ big' = big
         \/ big' = 0 /\ small' = small
ToBig == /\ big' = Min(big + small, 5)
         /\ small' = small - (big' - big)
ToSmall == /\ small' = Min(big + small, 3)
           /\ big' = big - (small' - small)
Next == Fill \/ Empty \/ ToBig \/ ToSmall
Spec == Init /\ [][Next]_vars
NotSolved == big # 4
Grows == [][big' >= big \/ big' = 0 \/ small' > small]_vars
Slow == [][big' - big < 4]_vars
====
