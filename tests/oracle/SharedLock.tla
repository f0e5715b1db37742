------------------------------ MODULE SharedLock ------------------------------
(* Clients share a lock and want it now and then; one may give up waiting.     *)
(* The same as tests/specs/shared_lock.py.                                      *)
EXTENDS Naturals

CONSTANT Client
VARIABLES wanted, holder
vars == <<wanted, holder>>

None == 0
ASSUME None \notin Client

Init == wanted = {} /\ holder = None

Want(c) ==
    /\ c \notin wanted
    /\ holder # c
    /\ wanted' = wanted \cup {c}
    /\ UNCHANGED holder

GiveUp(c) ==
    /\ c \in wanted
    /\ wanted' = wanted \ {c}
    /\ UNCHANGED holder

Acquire(c) ==
    /\ c \in wanted
    /\ holder = None
    /\ wanted' = wanted \ {c}
    /\ holder' = c

Release(c) ==
    /\ holder = c
    /\ holder' = None
    /\ UNCHANGED wanted

Next == \E c \in Client : Want(c) \/ GiveUp(c) \/ Acquire(c) \/ Release(c)

Unfair == Init /\ [][Next]_vars
Releasing == Unfair /\ WF_vars(\E c \in Client : Release(c))
Some == Releasing /\ WF_vars(\E c \in Client : Acquire(c))
Weak == Releasing /\ \A c \in Client : WF_vars(Acquire(c))
SomeStrong == Releasing /\ SF_vars(\E c \in Client : Acquire(c))
Strong == Releasing /\ \A c \in Client : SF_vars(Acquire(c))
Patient == Strong /\ \A c \in Client : WF_vars(Want(c))

is_held == <>(holder # None)
comes_free == []<>(holder = None)
stays_free == <>[](holder = None)
is_decided == \A c \in Client : (c \in wanted) ~> (holder = c \/ c \notin wanted)
gets_it == \A c \in Client : (c \in wanted) ~> (holder = c)
lets_go == \A c \in Client : (holder = c) ~> (holder # c)
===============================================================================
