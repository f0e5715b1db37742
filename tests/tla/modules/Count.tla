---- MODULE Count ----
EXTENDS Naturals
VARIABLE n
Up == n < 3 /\ n' = n + 1
Spec == n = 0 /\ [][Up]_n
FairSpec == Spec /\ WF_n(Up)
====
