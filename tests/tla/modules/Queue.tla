---- MODULE Queue ----
\* A queue between two processes: sequences, CASE, LET, CHOOSE, operators on sequences.
EXTENDS Integers, Sequences
CONSTANTS Value, Most
VARIABLES queue, sent, last
Smallest(S) == CHOOSE x \in S : \A y \in S : x <= y
Even(n) == n % 2 = 0
Odd(n) == ~Even(n)
Init == queue = << >> /\ sent = 0 /\ last \in {-1}
Send == \E v \in Value :
          /\ queue' = Append(queue, v)
          /\ sent' = (sent + 1) % 3
          /\ UNCHANGED last
Receive == /\ queue # << >>
           /\ LET head == Head(queue)
                  rest == Tail(queue)
              IN /\ last' = CASE Even(head) -> head
                              [] head = 1 -> -1
                              [] OTHER -> Smallest(Value)
                 /\ queue' = rest
           /\ sent' = sent
Drop == /\ Len(queue) > 1
        /\ queue' = SelectSeq(queue, Even)
        /\ queue' # queue
        /\ UNCHANGED <<sent, last>>
Turn == /\ Len(queue) = 2
        /\ queue' = [i \in 1..2 |-> queue[3 - i]]
        /\ sent' = sent /\ last' = last
Next == Send \/ Receive \/ Drop \/ Turn
Short == Len(queue) <= Most
NotGrown == Len(queue') <= Most
InRange == \A i \in DOMAIN queue : queue[i] \in Value
Known == queue \in Seq(Value)
====
