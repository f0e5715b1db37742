---- MODULE Least ----
(* CHOOSE among members of a set in the state, which have more values than can be listed. *)
EXTENDS Naturals, Sequences, FiniteSets
VARIABLES got, log, best
Init == got = {} /\ log = <<>> /\ best = <<>>
Add == /\ Cardinality(got) < 2
       /\ \E t \in 0..3, i \in 0..1, j \in 0..2 :
            got' = got \cup {<<t, <<i, j>>, i < j, IF t = 0 THEN <<>> ELSE <<j>> >>}
       /\ UNCHANGED <<log, best>>
Highest == CHOOSE m \in got : ~\E n \in got : n[2][2] > m[2][2]
Take == /\ got # {} /\ Len(log) < 1
        /\ log' = Append(log, Highest)
        /\ best' = CHOOSE m \in got : m[1] # 1 \/ \A n \in got : n[1] = 1
        /\ UNCHANGED got
Next == Add \/ Take
Small == \A m \in got : m[1] < 2 \/ m[2][1] = 0
Inv == log # <<>> => log[1][1] <= 3
====
