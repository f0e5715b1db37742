---- MODULE Bits ----
\* Operators that other modules get without a name.
EXTENDS Integers
Not(b) == 1 - b
And(p, q) == p * q
====
