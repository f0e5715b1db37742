---- MODULE Denied ----
(* Behaviours of which a fairness is denied, by its name, directly and through LET. *)
EXTENDS Naturals
VARIABLE x
Up == x' = (x + 1) % 3
Any == x' \in 0..2
Spec == x = 0 /\ [][Any]_x
Fair == Spec /\ WF_x(Up)
Some == Spec /\ \E i \in 0..2 : WF_x(x' = i /\ x # i)
Or == Spec /\ (\/ WF_x(Up)
             \/ WF_x(x' = 1 /\ x # 1))
Moves == <>(x # 0)
Ones == []<>(x = 1)
Weak == WF_x(Up)
NotWeak == ~Weak
NotStrong == ~SF_x(Up)
Both == LET fair == WF_x(Any) IN ~(fair /\ NotWeak)
====
