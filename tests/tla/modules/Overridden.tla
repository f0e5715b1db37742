---- MODULE Overridden ----
\* What a configuration puts in place of constants and definitions, also of extended modules.
EXTENDS Counter
CONSTANTS Op(_, _), Start, Kind(_)
Down(p, q) == IF p >= q THEN p - q ELSE p
Four == 4
KindOf(k) == IF k = "a" THEN 3 ELSE 1
SmallNat == 0..3
VARIABLE m
First == n = Start /\ m \in Nat
Move == /\ n' = Op(n, 1) \/ Step
        /\ m' = (m + Kind("a")) % 4
====
