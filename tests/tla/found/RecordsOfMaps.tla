---- MODULE RecordsOfMaps ----
\* Functions with names as arguments are records: their arguments may depend on the state.
EXTENDS Integers, TLC
VARIABLE m
Init == m = [n \in {"a"} |-> 0]
Next ==
  \/ m' = ("b" :> 1) @@ m
  \/ m' = [n \in DOMAIN m \ {"b"} |-> (m[n] + 1) % 2]
Typed == m \in [a : 0..1] \/ m \in [a : 0..1, b : 0..1]
====
