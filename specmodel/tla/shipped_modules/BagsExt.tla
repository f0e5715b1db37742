---- MODULE BagsExt ----
LOCAL INSTANCE Folds
LOCAL INSTANCE FiniteSetsExt
LOCAL INSTANCE Integers

BagAdd(B, x) ==
    [y \in DOMAIN B \cup {x} |-> IF y # x THEN B[y] ELSE IF x \in DOMAIN B THEN B[x] + 1 ELSE 1]
BagRemove(B, x) ==
    IF x \notin DOMAIN B THEN B
    ELSE IF B[x] = 1 THEN [y \in DOMAIN B \ {x} |-> B[y]]
    ELSE [B EXCEPT ![x] = @ - 1]
BagRemoveAll(B, x) == [y \in DOMAIN B \ {x} |-> B[y]]
MapThenFoldBag(op(_, _), base, f(_), choose(_), B) ==
    LET RECURSIVE Fold(_, _)
        Fold(x, n) == IF n = 0 THEN base ELSE op(Fold(x, n - 1), f(x))
    IN MapThenFoldSet(op, base, LAMBDA x : Fold(x, B[x]), choose, DOMAIN B)
\* As in TLC's Java code, the accumulated value is the first argument.
FoldBag(op(_, _), base, B) ==
    LET Times(x, value) == FoldSet(LAMBDA n, held : op(held, x), value, 1..B[x])
    IN FoldSet(Times, base, DOMAIN B)
SumBag(B) == FoldBag(LAMBDA x, y : x + y, 0, B)
ProductBag(B) == FoldBag(LAMBDA x, y : x * y, 1, B)
====
