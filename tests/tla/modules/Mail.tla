---- MODULE Mail ----
\* Letters, too many for a bit each, of which an action takes one or two, among all or some.
EXTENDS Naturals, FiniteSets, TLC
CONSTANTS Node, Most, Room, Careless
VARIABLES mail, copies, got
vars == <<mail, copies, got>>
Letter(a, b, n) == [kind |-> "letter", from |-> a, to |-> b, number |-> 9 * n]
Receipt(a, n) == [kind |-> "receipt", to |-> a, number |-> 9 * n]
Letters == {m \in mail : m.kind = "letter"}
Init == mail = {} /\ copies = [m \in {} |-> 0] /\ got = [n \in Node |-> 0]
Send(a, b) == \E n \in 1..Most :
    /\ a # b /\ Cardinality(mail) < Room /\ got[b] < Most
    /\ Letter(a, b, n) \notin mail
    /\ mail' = mail \cup {Letter(a, b, n)}
    /\ UNCHANGED <<copies, got>>
Receive == \E m \in Letters :
    /\ m.number > 9 * got[m.to]
    /\ got' = [got EXCEPT ![m.to] = m.number \div 9]
    /\ mail' = (mail \ {m}) \cup {Receipt(m.from, m.number \div 9 + 2)}
    /\ UNCHANGED copies
Later == \E a, b \in mail :
    /\ a # b /\ a.kind = b.kind /\ a.to = b.to /\ a.number < b.number
    /\ \/ mail' = mail \ {a} /\ UNCHANGED copies
       \/ mail' = mail \ {a, b} /\ b \notin DOMAIN copies
          /\ Cardinality(DOMAIN copies) < 2 /\ copies' = copies @@ (b :> 0)
    /\ UNCHANGED got
Settle == \E a \in mail : \E b \in mail \ {a} :
    /\ a.kind = "receipt" /\ b.kind = "letter" /\ a.to = b.from
    /\ mail' = IF a.number = 9 * (b.number \div 9 + 2) THEN mail \ {a, b} ELSE {x \in mail : x # a}
    /\ UNCHANGED <<copies, got>>
Again == \E m \in DOMAIN copies :
    /\ copies[m] < 2
    /\ copies' = [copies EXCEPT ![m] = @ + 1]
    /\ UNCHANGED <<mail, got>>
Both == \E m \in DOMAIN copies, x \in mail :
    /\ copies[m] > 0 /\ x.to = m.to
    /\ copies' = [copies EXCEPT ![m] = @ - 1]
    /\ mail' = IF x = m THEN mail ELSE {y \in mail \ {x} : y.number >= x.number}
    /\ UNCHANGED got
Drop == \E m \in {x \in DOMAIN copies : copies[x] = 2} :
    /\ copies' = [x \in DOMAIN copies \ {m} |-> copies[x]]
    /\ UNCHANGED <<mail, got>>
Check == \E m \in mail :
    /\ Careless /\ \E n \in Node : got[n] = Most
    /\ m.from \in Node /\ UNCHANGED vars
Next == (\E a, b \in Node : Send(a, b)) \/ Receive \/ Later \/ Settle \/ Again \/ Both \/ Drop \/ Check
Spec == Init /\ [][Next]_vars
Few == Cardinality(mail) <= Room /\ \A m \in DOMAIN copies : copies[m] <= 2
Open == ENABLED Receive => \E m \in mail : m.kind = "letter"
Nodes == Permutations(Node)
====
