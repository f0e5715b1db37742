------------------------------- MODULE Window -------------------------------
\* Messages in the order of time, of which the last nine are kept: 66 different ones in all.
EXTENDS Integers, FiniteSets
CONSTANTS Last, Kept
VARIABLES time, sent

Urgent == {m \in sent : m.urgent}

Init == time = 0 /\ sent = {}
Put ==
    /\ time < 7 * Last
    /\ time' = time + 7
    /\ \E urgent \in BOOLEAN :
        /\ urgent => Cardinality(Urgent) < 2
        /\ sent' = {m \in sent : m.at > time + 7 - 7 * Kept}
                       \cup {[at |-> time + 7, urgent |-> urgent]}
Read == \E m \in Urgent : Cardinality(sent) = Kept /\ sent' = sent \ {m} /\ UNCHANGED time
Next == Put \/ Read

Few == Cardinality(sent) <= Kept /\ \A m, other \in sent : m.at = other.at => m = other
=============================================================================
