---- MODULE Folds ----
\* A fold over a set: `choose` says which member comes next.

MapThenFoldSet(op(_, _), base, f(_), choose(_), S) ==
    LET RECURSIVE Fold(_)
        Fold(rest) ==
            IF rest = {} THEN base
            ELSE LET next == choose(rest)
                 IN op(f(next), Fold(rest \ {next}))
    IN Fold(S)
====
