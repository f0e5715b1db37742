---- MODULE Recursion ----
\* Recursive operators and functions, operators as arguments, LAMBDA, infix definitions.
EXTENDS Integers, Sequences, FiniteSets
VARIABLES done, total, order
RECURSIVE Sum(_), Fold(_, _, _)
Sum(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN x + Sum(S \ {x})
Fold(Op(_, _), base, seq) ==
  IF seq = << >> THEN base ELSE Fold(Op, Op(base, Head(seq)), Tail(seq))
Factorial[n \in 0..6] == IF n = 0 THEN 1 ELSE n * Factorial[n - 1]
Gcd[m, n \in 0..24] == IF n = 0 THEN m ELSE Gcd[n, m % n]
Apply(F(_), v) == F(v)
a (+) b == (a + b) % 7
Items == {1, 2, 3, 4}
Init == done = {} /\ total = 0 /\ order = << >>
Do(i) == /\ i \notin done
         /\ done' = done \cup {i}
         /\ total' = total (+) Apply(LAMBDA v : v * v, i)
         /\ order' = IF Gcd[i, 4] = 2 THEN Append(order, i) ELSE order
Undo == /\ Cardinality(done) = 3
        /\ LET Drop(n, S) == {s \in S : s # n}
           IN \E i \in done : done' = Drop(i, done)
        /\ UNCHANGED <<total, order>>
        /\ Len(order) < 3
Next == (\E i \in Items : Do(i)) \/ Undo
SumOK == Sum(done) <= 10 /\ Factorial[5] = 120
FoldOK == Fold(LAMBDA p, q : p + q, 0, order) = 2 * Len(order)
====
