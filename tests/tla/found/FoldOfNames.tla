---- MODULE FoldOfNames ----
\* A fold over model values: the greatest value has no order, a difference has, and fails.
EXTENDS Integers, Functions, FiniteSetsExt
CONSTANTS P
VARIABLES x, y
Init == x \in [P -> 0..2] /\ y \in {0, 1}
Next ==
  /\ x' = [x EXCEPT ![CHOOSE p \in P : x[p] = FoldFunction(LAMBDA a, b : IF a > b THEN a ELSE b, 0, x)] = 0]
  /\ y' = IF y = 0 THEN FoldFunction(LAMBDA a, b : a - b, 0, x) % 2
                   ELSE FoldSet(LAMBDA p, b : IF x[p] = 2 THEN 1 ELSE b, 0, P)
====
