---- MODULE Levels ----
\* Recursive definitions that read the state only through one another: none of them is a constant,
\* and no value of theirs is that of another state.
EXTENDS Integers

VARIABLE x

RECURSIVE Even(_)
Odd(n) == \E y \in {1, 2} : y > 0 /\ \A z \in {n} : Even(z - 1)
Even(n) == IF n = 0 THEN \E k \in {n} : x = 2 + k ELSE Odd(n)

Init == x = 0
Next == x < 4 /\ x' = x + 1

Called == \A k \in {1, 2} : Even(k) <=> x = 2
Never == ~ \E k \in {2} : Odd(k)
====
