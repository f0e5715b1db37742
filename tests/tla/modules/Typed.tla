---- MODULE Typed ----
\* Values of many shapes in one state: variants, sets of sets, functions of tuples, unions.
EXTENDS Integers, Sequences, FiniteSets
CONSTANTS Node, Nil
VARIABLES cell, groups, table, word
Variant == [kind : {"none"}] \cup [kind : {"some"}, of : Node]
TypeOK == /\ cell \in Variant \cup {Nil}
          /\ groups \in SUBSET SUBSET Node
          /\ table \in [Node \X BOOLEAN -> -1..1]
          /\ word \in UNION {[1..i -> {"a", "b"}] : i \in 0..2} \cup {Nil}
Init == /\ cell = Nil
        /\ groups = {{}}
        /\ table = [n \in Node, w \in BOOLEAN |-> IF w THEN 1 ELSE 0]
        /\ word = Nil
Begin == word = Nil /\ word' = <<>> /\ UNCHANGED <<cell, groups, table>>
Fill == /\ word # Nil /\ \E v \in Variant : cell' = v
        /\ groups' = IF cell' = [kind |-> "none"] THEN {{}}
                     ELSE groups \cup {{cell'.of} \cup g : g \in groups}
        /\ UNCHANGED <<table, word>>
Write == \E n \in Node :
           /\ table[n, TRUE] > -1
           /\ table' = [table EXCEPT ![n, TRUE] = @ - 1, ![<<n, FALSE>>] = -1]
           /\ UNCHANGED <<cell, groups, word>>
Spell == /\ word # Nil /\ Len(word) < 2
         /\ \E s \in {"a", "b"} : word' = word \o <<s>>
         /\ UNCHANGED <<groups, table>> /\ cell' = Nil
Next == Begin \/ Fill \/ Write \/ Spell
NotAll == Node \notin groups
====
