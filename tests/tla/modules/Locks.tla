---- MODULE Locks ----
\* Clients take locks from a server: records, EXCEPT, sets of records, symmetry, a view.
EXTENDS Naturals, FiniteSets, TLC
CONSTANTS Client, Lock, None
VARIABLES holder, messages, served
vars == <<holder, messages, served>>
Message == [kind : {"ask", "give"}, client : Client, lock : Lock]
TypeOK == /\ holder \in [Lock -> Client \cup {None}]
          /\ messages \subseteq Message
          /\ served \in Nat
Init == /\ holder = [l \in Lock |-> None]
        /\ messages = {}
        /\ served = 0
Ask(c, l) == /\ ~\E m \in messages : m.client = c
             /\ holder[l] # c
             /\ messages' = messages \cup {[kind |-> "ask", client |-> c, lock |-> l]}
             /\ UNCHANGED <<holder, served>>
Give == \E m \in messages :
          /\ m.kind = "ask"
          /\ holder[m.lock] = None
          /\ holder' = [holder EXCEPT ![m.lock] = m.client]
          /\ messages' = (messages \ {m}) \cup {[m EXCEPT !.kind = "give"]}
          /\ served' = IF served < 2 THEN served + 1 ELSE served
Take(c) == LET mine == {m \in messages : m.client = c /\ m.kind = "give"} IN
           /\ mine # {}
           /\ messages' = messages \ mine
           /\ UNCHANGED <<holder, served>>
Release(c, l) == /\ holder[l] = c
                 /\ holder' = [holder EXCEPT ![l] = None]
                 /\ UNCHANGED <<messages, served>>
Next == \/ \E c \in Client, l \in Lock : Ask(c, l) \/ Release(c, l)
        \/ Give
        \/ \E c \in Client : Take(c)
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
OneEach == \A l \in Lock : Cardinality({c \in Client : holder[l] = c}) <= 1
Few == Cardinality(messages) < 2
Unserved == <<holder, messages>>
Numbered == <<Unserved, served + 0>>
Symmetric == Permutations(Client) \cup Permutations(Lock)
NeverBoth == ~\E c \in Client : \A l \in Lock : holder[l] = c
Counted == [][served' >= served]_vars
Polite == [][\A l \in Lock : holder[l] # None => holder'[l] \in {holder[l], None}]_vars
Kept == [][\A c \in Client : (\A l \in Lock : holder[l] = c) => \A l \in Lock : holder'[l] = c]_vars
====
