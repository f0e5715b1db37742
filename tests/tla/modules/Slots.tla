---- MODULE Slots ----
\* Sets of pairs, too many for a bit each, of which others are made that lack some members.
EXTENDS Naturals, FiniteSets
VARIABLES sent, left
Turned(p) == <<p[2], (p[1] + 7) % 20>>
Init == sent = {} /\ left = 5
Send == \E a \in 0..19 : left = 5 /\ sent' = {<<a, 0>>, <<0, a>>, <<7, 1>>} /\ left' = 4
Swap(p) == sent' = (sent \cup {Turned(p)}) \ {p}
Without(p) == sent' = {q \in sent \cup {Turned(p)} : q[1] # p[1]}
Twice(p) == sent' = {q \in {r \in sent : r[1] # p[1]} : q[2] # p[2]} \cup {Turned(Turned(p))}
Filtered(p) == sent' = {q \in {r \in sent : r # p} : q # Turned(p)}
Either(p) ==
    sent' = (IF p[1] > p[2] THEN sent \cup {Turned(p)} ELSE sent \ {Turned(p)}) \ {p, <<0, 0>>}
Taken(p) == left > 0 /\ left' = left - 1
            /\ (Swap(p) \/ Without(p) \/ Twice(p) \/ Filtered(p) \/ Either(p))
Next == Send \/ \E p \in sent : Taken(p)
Spec == Init /\ [][Next]_<<sent, left>>
Few == Cardinality(sent) <= 6
====
