------------------------------ MODULE TakenLock ------------------------------
(* A lock that a client takes at once: the abstract design of LentLock.         *)
EXTENDS Naturals

CONSTANT Client
VARIABLE holder

None == 0

Init == holder = None
Acquire(c) == holder = None /\ holder' = c
Release == holder # None /\ holder' = None
Next == Release \/ \E c \in Client : Acquire(c)
Unfair == Init /\ [][Next]_holder

WeakRelease == WF_holder(Release)
WeakAcquire == \A c \in Client : WF_holder(Acquire(c))
StrongAcquire == \A c \in Client : SF_holder(Acquire(c))
SomeAcquire == WF_holder(\E c \in Client : Acquire(c))

comes_free == []<>(holder = None)
is_held == <>(holder # None)
lets_go == \A c \in Client : (holder = c) ~> (holder # c)
stays_free == <>[](holder = None)
==============================================================================
