---- MODULE Leveled ----
(* TLCGet("level") is the level of the state: 1 of an initial state. *)
EXTENDS Naturals, TLC
VARIABLES n, seen
vars == <<n, seen>>
Level == TLCGet("level")
Init == n \in {0, 10} /\ seen = 0
Up == n' = n + 1 /\ seen' = IF Level % 2 = 0 THEN Level ELSE TLCGet("level")'
Far == Level > 2 /\ n' = n + 5 /\ UNCHANGED seen
Next == Up \/ Far
Near == Level < 6
Step == TLCGet("level")' <= 4
Later == [][TLCGet("level")' = Level + 1 /\ seen' <= Level + 1]_vars
Kept == seen \in {0, Level - 1, Level} \cup 2..4
Below == n < 20 \/ Level < 5
====
