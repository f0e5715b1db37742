---- MODULE Arms ----
(* Actions whose IF and CASE give variables their next values: in all arms or in some, with
   conditions, choices, and expressions that have no value outside of their arm. *)
EXTENDS Integers, Sequences
VARIABLES queue, mode, level

vars == <<queue, mode, level>>

Init == queue = <<>> /\ mode = "idle" /\ level = 0

Work(n) ==
    /\ IF Len(queue) > 2
       THEN queue' = Tail(queue) /\ mode' = "late"
       ELSE IF mode = "idle"
            THEN queue' = Append(queue, n) /\ UNCHANGED mode
            ELSE mode' = "idle" /\ queue' = <<n>> \o queue
    /\ level' = CASE queue' = <<>> -> 0
                  [] Head(queue') = n -> (level + 1) % 4
                  [] OTHER -> level

Uneven ==
    /\ IF level > 1 THEN mode' = "late" ELSE level' = level + 1
    /\ mode' = "late"
    /\ level' = 2
    /\ UNCHANGED queue

Rest ==
    /\ CASE mode = "late" -> level > 0 /\ level' = level - 1 /\ UNCHANGED mode
         [] mode = "idle" /\ queue # <<>> -> level' = Head(queue) /\ mode' = "late"
         [] OTHER -> FALSE
    /\ queue' = IF level' = level THEN queue ELSE <<>>

Choose ==
    /\ IF mode = "idle" THEN \E n \in 1..2 : level' = n ELSE level' = 3
    /\ UNCHANGED <<queue, mode>>

Every ==
    /\ \A n \in 1..2 : IF n < level THEN TRUE ELSE mode = "late"
    /\ (level = 3 => mode' = "idle") /\ (level # 3 => mode' = "late")
    /\ UNCHANGED <<queue, level>>

RECURSIVE Any(_)
Any(n) == IF n = 0 THEN level = 0 ELSE level < n \/ Any(n - 1)

Recursive ==
    /\ IF mode = "idle" THEN Any(2) /\ mode' = "late" ELSE mode' = "idle"
    /\ UNCHANGED <<queue, level>>

Through(test(_), n) == test(n)
Beside(n) == level < n \/ level # n + 1

Given ==
    /\ IF mode = "late" THEN Through(Beside, 2) /\ mode' = "idle" ELSE UNCHANGED mode
    /\ UNCHANGED <<queue, level>>

RECURSIVE Some(_, _)
Some(n, test) == IF n = 0 THEN test ELSE Some(n - 1, test \/ level = n)
Twice(test) == test
Each(test(_)) == \A n \in 1..2 : test(n)

Counted ==
    /\ \A n \in 1..2 : Any(n)
    /\ Each(Beside) /\ Each(LAMBDA n : n < 3)
    /\ IF mode = "late" THEN Some(2, level = 1) ELSE Twice(Twice(level > 1 \/ level < 3))
    /\ mode' = "late"
    /\ UNCHANGED <<queue, level>>

Next == (\E n \in 1..2 : Work(n)) \/ Uneven \/ Rest \/ Choose \/ Every \/ Recursive \/ Given
        \/ Counted

Spec == Init /\ [][Next]_vars

Small == Len(queue) <= 3 /\ level \in 0..3
====
