---- MODULE Primes ----
\* Primes over operators, parameters and definitions; values that depend on both states.
EXTENDS Naturals, Sequences
VARIABLES p, q, log
vars == <<p, q, log>>
both == p + q
pair == <<p, q>>
Set(v, to) == v' = to
After(v) == v'
Larger(u, v) == IF u > v THEN u ELSE v
Keep(S) == UNCHANGED S
Init == p = 0 /\ q \in {0, 1} /\ log = <<>>
Add == /\ Set(p, (p + 1) % 4)
       /\ Keep(q)
       /\ log' = IF both' > both THEN Append(log, both') ELSE log
       /\ Len(log) < 3
Copy == /\ p' \in {q, 2}
        /\ LET new == Larger(After(p), q)
           IN q' = new
        /\ log' = <<>>
Swap == /\ q' = p /\ p' = q
        /\ pair' # pair
        /\ UNCHANGED log
Angle == <<(p > 0 /\ p' = 0 /\ UNCHANGED <<q, log>>)>>_pair
Boxed == p = 3 /\ [q' = 0 /\ p' = 1 /\ UNCHANGED log]_vars
Next == Add \/ Copy \/ Swap \/ Angle \/ Boxed
Spec == Init /\ [][Next]_vars /\ SF_vars(Add) /\ \A i \in {1, 2} : WF_vars(Copy /\ p = i)
Moves == [][pair' # pair \/ Len(log') >= 0]_vars
Steps == [][<<Next>>_vars]_vars
====
