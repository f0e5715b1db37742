---- MODULE Behaviours ----
(* Two clients of a lock, and a counter that stops at its end. *)
EXTENDS Naturals

Client == 1..2
VARIABLES pc, n

vars == <<pc, n>>
Init == pc = [c \in Client |-> "idle"] /\ n = 0
Want(c) == pc[c] = "idle" /\ pc' = [pc EXCEPT ![c] = "wants"] /\ UNCHANGED n
Take(c) == /\ pc[c] = "wants" /\ \A d \in Client : pc[d] # "has"
           /\ pc' = [pc EXCEPT ![c] = "has"]
           /\ n' = IF n < 3 THEN n + 1 ELSE n
Free(c) == pc[c] = "has" /\ pc' = [pc EXCEPT ![c] = "idle"] /\ UNCHANGED n
Next == \E c \in Client : Want(c) \/ Take(c) \/ Free(c)

Unfair == Init /\ [][Next]_vars
Weak == Unfair /\ \A c \in Client : WF_vars(Take(c)) /\ WF_vars(Free(c))
Strong == Unfair /\ (\A c \in Client : SF_vars(Take(c)) /\ WF_vars(Free(c))) /\ WF_pc(Want(1))
Whole == Unfair /\ WF_vars(Next)
Served == Unfair /\ WF_vars(Next) /\ []<><<Take(2)>>_vars
Given == Whole /\ (<>[](pc[1] = "idle") \/ []<>(pc[1] = "has")) /\ (n = 0 => <>(n = 1))

Served1 == pc[1] = "wants" ~> pc[1] = "has"
ServedEach == \A c \in Client : pc[c] = "wants" ~> pc[c] = "has"
Response == \A c \in Client : [](pc[c] = "wants" => <>(pc[c] = "has"))
Begins == <>(n = 1)
Ends == <>[](n = 3)
EndsToo == []<>[](n = 3)
Frees == []<>(\E c \in Client : pc[c] = "has")
FreesToo == <>[]<>(\E c \in Client : pc[c] = "has")
Both == (n = 0 ~> n = 1) /\ [](n < 4) /\ [][n' >= n]_n
Grows == []<><<Take(1)>>_pc
FairTake == WF_vars(Take(1))
StrongTake == \A c \in Client : SF_vars(Take(c))
IfAsked == []<>(pc[1] = "wants") => []<>(pc[1] = "has")
IfFair == (SF_vars(Take(1)) /\ WF_vars(Want(1)) /\ SF_vars(Free(1)) /\ SF_vars(Free(2)))
            => Served1
IfStays == <>[](pc[2] = "idle") => (pc[1] = "wants" ~> pc[1] = "has")
Let == LET has(c) == pc[c] = "has" IN <>(has(1) \/ has(2))
Settles == [](n = 1 => <>[](pc[2] # "has"))
Either == <>[](pc[1] = "idle") \/ []<>(pc[1] = "has")
EitherStep == []<>(pc[1] # "wants") \/ []<><<Take(1)>>_pc
FromStart == n = 0 => <>(n = 1)
Chosen == IF n = 0 THEN <>(n = 3) ELSE [](n = 3)
SomeServed == \E c \in Client : []<>(pc[c] = "has")
NotAlways == ~<>[](n = 0)
Sequence == [](pc[1] = "wants" => <>(pc[1] = "has" /\ <>(pc[1] = "idle")))
Quiet == (<>[][~\E c \in Client : Take(c)]_vars) => <>[](pc[1] # "has")
IfMixed == (WF_vars(Take(1)) /\ (<>[](pc[2] = "idle") \/ []<>(n = 0)))
             => (<>[](pc[1] = "wants") \/ []<>(pc[1] = "idle"))
Stays == [](n = 3 => [](n = 3))
IfGrows == [](n = 2 => <>(n = 3)) => <>(n = 3)

Small == n < 2

----
(* The counter alone: pc is not seen. *)
Count == INSTANCE Count
Counted == Count!Spec
CountedFairly == Count!FairSpec
====
