---------------------------- MODULE FoldedBags ----------------------------
\* Bags of messages that wait at their senders until these send all of them at once.
EXTENDS Integers, Bags, BagsExt
CONSTANTS Nodes, Largest
VARIABLES waiting, sent

Of(node) ==
    FoldBag(LAMBDA bag, m : IF m.from = node THEN BagAdd(bag, m) ELSE bag, EmptyBag, waiting)

Init == waiting = EmptyBag /\ sent = EmptyBag
Put ==
    \E node \in Nodes, n \in 1..Largest :
        /\ BagCardinality(waiting) + BagCardinality(sent) < 3
        /\ waiting' = waiting (+) SetToBag({[from |-> node, number |-> n]})
        /\ UNCHANGED sent
Send(node) ==
    /\ Of(node) # EmptyBag
    /\ sent' = sent (+) Of(node)
    /\ waiting' = waiting (-) Of(node)
Next == Put \/ \E node \in Nodes : Send(node)

Apart == \A node \in Nodes : DOMAIN Of(node) = {m \in DOMAIN waiting : m.from = node}
===========================================================================
