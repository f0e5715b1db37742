---- MODULE Denied ----
(* Behaviours of which a fairness is denied, by its name, directly and through LET. *)
EXTENDS Naturals
VARIABLE x
Up == x' = (x + 1) % 3
Any == x' \in 0..2
Spec == x = 0 /\ [][Any]_x
Fair == Spec /\ WF_x(Up)
Weak == WF_x(Up)
NotWeak == ~Weak
NotStrong == ~SF_x(Up)
Both == LET fair == WF_x(Any) IN ~(fair /\ NotWeak)
====
