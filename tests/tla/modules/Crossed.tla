---- MODULE Crossed ----
\* A recursive operator that is used by one that is not declared as recursive, and that uses it.
EXTENDS Integers

VARIABLE x

RECURSIVE Below(_)
Sum(n) == IF n = 0 THEN x ELSE Below(n - 1) + x
Below(n) == IF n = 0 THEN 0 ELSE Sum(n)

Init == x = 0
Next == x < 4 /\ x' = x + 1

Twice == Sum(2) = 2 * x + IF x = 0 THEN 0 ELSE Below(1) - x
Zero == Below(1) = 0
====
