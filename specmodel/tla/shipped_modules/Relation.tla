---- MODULE Relation ----
\* Relations on a set as functions R[x, y] to truth values, or as operators.
EXTENDS Naturals, FiniteSets

LOCAL Of(op(_, _), S) == [x, y \in S |-> op(x, y)]

IsReflexive(R, S) == \A x \in S : R[x, x]
IsIrreflexive(R, S) == \A x \in S : ~R[x, x]
IsSymmetric(R, S) == \A x, y \in S : R[x, y] <=> R[y, x]
IsAntiSymmetric(R, S) == \A x, y \in S : R[x, y] /\ R[y, x] => x = y
IsAsymmetric(R, S) == \A x, y \in S : ~(R[x, y] /\ R[y, x])
IsTransitive(R, S) == \A x, y, z \in S : R[x, y] /\ R[y, z] => R[x, z]
IsStrictlyPartiallyOrdered(R, S) ==
    IsIrreflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsPartiallyOrdered(R, S) ==
    IsReflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsStrictlyTotallyOrdered(R, S) ==
    IsStrictlyPartiallyOrdered(R, S) /\ \A x, y \in S : x # y => R[x, y] \/ R[y, x]
IsTotallyOrdered(R, S) ==
    IsPartiallyOrdered(R, S) /\ \A x, y \in S : R[x, y] \/ R[y, x]

IsReflexiveUnder(op(_, _), S) == IsReflexive(Of(op, S), S)
IsIrreflexiveUnder(op(_, _), S) == IsIrreflexive(Of(op, S), S)
IsSymmetricUnder(op(_, _), S) == IsSymmetric(Of(op, S), S)
IsAntiSymmetricUnder(op(_, _), S) == IsAntiSymmetric(Of(op, S), S)
IsAsymmetricUnder(op(_, _), S) == IsAsymmetric(Of(op, S), S)
IsTransitiveUnder(op(_, _), S) == IsTransitive(Of(op, S), S)
IsStrictlyPartiallyOrderedUnder(op(_, _), S) == IsStrictlyPartiallyOrdered(Of(op, S), S)
IsPartiallyOrderedUnder(op(_, _), S) == IsPartiallyOrdered(Of(op, S), S)
IsStrictlyTotallyOrderedUnder(op(_, _), S) == IsStrictlyTotallyOrdered(Of(op, S), S)
IsTotallyOrderedUnder(op(_, _), S) == IsTotallyOrdered(Of(op, S), S)

\* Each round doubles the length of the paths that are known.
RECURSIVE Closed(_, _)
LOCAL Closed(R, S) ==
    LET longer == [x, y \in S |-> R[x, y] \/ \E z \in S : R[x, z] /\ R[z, y]]
    IN IF longer = R THEN R ELSE Closed(longer, S)
TransitiveClosure(R, S) == Closed([x, y \in S |-> R[x, y]], S)
ReflexiveTransitiveClosure(R, S) ==
    LET closure == TransitiveClosure(R, S)
    IN [x, y \in S |-> x = y \/ closure[x, y]]
IsConnected(R, S) ==
    LET closure == ReflexiveTransitiveClosure(R, S)
    IN \A x, y \in S : closure[x, y]
====
