---- MODULE Starts ----
\* Initial states from sets of every kind, with conditions between them.
EXTENDS Integers, FiniteSets, Sequences, TLC
CONSTANTS Node, None
VARIABLES leader, votes, log, clock, phase, pair
vars == <<leader, votes, log, clock, phase, pair>>

Clock == [hour : 0..2, minute : {0, 30}]
Renamings == Permutations(Node)
Early(c) == c.hour * 60 + c.minute < 100
Lists == UNION {[1..n -> {"a", "b"}] : n \in 0..2}

Init ==
  /\ leader \in Node \cup {None}
  /\ votes \in [Node -> SUBSET Node]
  /\ leader # None => Cardinality(votes[leader]) > 0
  /\ log \in Lists
  /\ clock \in {c \in Clock : Early(c)}
  /\ phase = IF Len(log) > 1 THEN "full" ELSE "open"
  \* Both ways may give one pair, which is then generated twice.
  /\ \/ pair = <<leader, Len(log)>>
     \/ pair \in Node \X {0, 7}
  \* Every variable has its value: true disjuncts do not count.
  /\ \/ log = <<>>
     \/ \E n \in Node : votes[n] = {}
     \/ \E n \in Node : n \in votes[n]

Resign == /\ leader # None
          /\ leader' = None
          /\ votes' = [votes EXCEPT ![leader] = {}]
          /\ UNCHANGED <<log, clock, phase, pair>>
Next == Resign

TypeOK == /\ leader \in Node \cup {None}
          /\ votes \in [Node -> SUBSET Node]
          /\ log \in Lists
          /\ clock \in Clock
          /\ pair \in (Node \cup {None}) \X (0..2 \cup {7})
Elected == leader # None => votes[leader] # {}
====
