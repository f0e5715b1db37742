---- MODULE GivenActions ----
\* Actions that are arguments of operators, of which some are actions with names.
EXTENDS Integers
VARIABLES x, y
Do(act, k) == /\ act
              /\ y' = k
Same(act) == act
Either(one, other) == one \/ other
If(test, act) == test /\ act /\ UNCHANGED y
Unread(act, spare) == act /\ x < 3
Each(act(_)) == \E i \in 1..2 : act(i)
Up == x < 3 /\ x' = x + 1
To(i) == x = 0 /\ x' = i /\ y' = i
Init == x = 0 /\ y = 0
Next == \/ Do(Up, 1)
        \/ Do(x' = 0 /\ y > 0, 2)
        \/ Same(Either(Do(Up, 3), If(y = 3, x' = 2)))
        \/ Each(To)
        \/ Unread(Do(Up, 4), CHOOSE v \in 5 : FALSE)
Changes == [][x' # x \/ y' # y]_<<x, y>>
====
