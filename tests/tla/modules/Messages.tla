---- MODULE Messages ----
\* A bag of messages as a function from those that are under way, too many for a place for each.
EXTENDS Naturals, FiniteSets, Sequences, TLC
CONSTANTS Node
VARIABLES messages, log, seen
vars == <<messages, log, seen>>
With(m, bag) == IF m \in DOMAIN bag THEN [bag EXCEPT ![m] = bag[m] + 1] ELSE bag @@ (m :> 1)
Without(m, bag) ==
    IF m \in DOMAIN bag
    THEN IF bag[m] <= 1 THEN [i \in DOMAIN bag \ {m} |-> bag[i]] ELSE [bag EXCEPT ![m] = @ - 1]
    ELSE bag
Init == /\ messages = [m \in {} |-> 0]
        /\ log = [n \in Node |-> <<>>]
        /\ seen = [r \in {} |-> {}]
Write(n) == /\ Len(log[n]) < 1
            /\ \E v \in {"x", "y"} : log' = [log EXCEPT ![n] = Append(@, v)]
            /\ UNCHANGED <<messages, seen>>
Send(n, to) == /\ n # to
               /\ messages' = With([kind |-> "log", from |-> n, to |-> to, log |-> log[n]], messages)
               /\ UNCHANGED <<log, seen>>
Take(m) == /\ m.kind = "log"
           /\ log' = [log EXCEPT ![m.to] = m.log]
           /\ messages' = Without(m, With([kind |-> "ok", to |-> m.from, size |-> Len(m.log)], messages))
           /\ seen' = (m.log :> {m.to}) @@ seen
Answer(m) == /\ m.kind = "ok"
             /\ messages' = [i \in {j \in DOMAIN messages : j # m /\ j.kind = "log"} |-> messages[i]]
             /\ seen' = [s \in DOMAIN seen |-> seen[s] \cup {m.to}]
             /\ UNCHANGED log
Double == /\ messages' = [i \in DOMAIN messages |-> 2]
          /\ seen' = [s \in {log[n] : n \in Node} |-> {}]
          /\ UNCHANGED log
Next == \/ \E n \in Node : Write(n)
        \/ \E n, to \in Node : Send(n, to)
        \/ \E m \in DOMAIN messages : Take(m) \/ Answer(m)
        \/ Double
Spec == Init /\ [][Next]_vars
Few == \A m \in DOMAIN messages : messages[m] <= 3 - Cardinality(DOMAIN messages)
Typed == /\ \A m \in DOMAIN messages : m.kind = "ok" => m.size <= 2
         /\ seen \in [DOMAIN seen -> SUBSET Node]
         /\ messages = [m \in DOMAIN messages |-> messages[m]]
Changed == [][messages' # messages => DOMAIN messages' # DOMAIN messages
                  \/ \E m \in DOMAIN messages : messages'[m] # messages[m]]_vars
====
