---- MODULE Counter ----
\* What Clock refines: a counter that only goes up, or starts again.
EXTENDS Naturals
CONSTANT Top
VARIABLE n
LOCAL Wrapped == Top + 1
Init == n = 0
Step == n' = (n + 1) % Wrapped
Spec == Init /\ [][Step]_n
Odd == n % 2 = 1
====
