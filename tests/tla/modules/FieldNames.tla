---- MODULE FieldNames ----
(* Fields that have the names of sets, which tree-sitter takes for these. *)
EXTENDS Integers
VARIABLE r
T == [Nat : {1, 2}, Int : 0..3]
Init == r = [Nat |-> 1, Int |-> 0]
Next == r' = [r EXCEPT !.Int = (@ + r.Nat) % 4]
Inv == r \in T /\ r.Nat \in Nat /\ \A b \in BOOLEAN : b \in BOOLEAN
====
