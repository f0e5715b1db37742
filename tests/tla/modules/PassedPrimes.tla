---- MODULE PassedPrimes ----
\* Operators that prime a parameter, applied to the parameters of others, and to names for them.
EXTENDS Integers

VARIABLE x

Later(p) == p'
Twice(q) == Later(q)
Named(q) == LET r == q + 1 IN LET t == r IN Later(t)
Added(q, n) == Twice(q) + Named(q) + n

Init == x = 0
Next == x < 4 /\ x' = x + 1

OneMore == [][Twice(x) = x + 1 /\ Twice(3) = 3]_x
TwoMore == [][\A k \in {1, 2} : Named(x) = x + 2 /\ Named(k) = k + 1]_x
Sum == [][\A k \in {1, 2} : Added(x, k) = 2 * x + 3 + k]_x
Same == [][Twice(x) = x]_x
====
