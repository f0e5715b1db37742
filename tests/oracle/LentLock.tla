------------------------------ MODULE LentLock ------------------------------
(* A lock that a server lends by messages refines a lock that is taken at once. *)
(* The same as tests/specs/lent_lock.py.                                        *)
EXTENDS Naturals

CONSTANT Client
VARIABLES lent, using, network
vars == <<lent, using, network>>

None == 0
ASSUME None \notin Client

Init == lent = None /\ using = {} /\ network = {}

Lend(c) ==
    /\ lent = None
    /\ lent' = c
    /\ network' = network \cup {<<"grant", c>>}
    /\ UNCHANGED using

Receive ==
    \E m \in network :
        /\ network' = network \ {m}
        /\ IF m[1] = "grant"
              THEN using' = using \cup {m[2]} /\ UNCHANGED lent
              ELSE lent' = None /\ UNCHANGED using

Finish(c) ==
    /\ c \in using
    /\ using' = using \ {c}
    /\ network' = network \cup {<<"return", c>>}
    /\ UNCHANGED lent

Next == Receive \/ \E c \in Client : Lend(c) \/ Finish(c)

Unfair == Init /\ [][Next]_vars
Moving == Unfair /\ WF_vars(Receive) /\ \A c \in Client : WF_vars(Finish(c))
Lending == Moving /\ WF_vars(\E c \in Client : Lend(c))
StrongLending == Moving /\ \A c \in Client : SF_vars(Lend(c))

Lock == INSTANCE TakenLock WITH
    holder <- IF using = {} THEN None ELSE CHOOSE c \in using : TRUE

steps == Lock!Unfair
weak_release_liveness == Lock!WeakRelease
weak_acquire_liveness == Lock!WeakAcquire
strong_acquire_liveness == Lock!StrongAcquire
some_acquire_liveness == Lock!SomeAcquire
comes_free_liveness == Lock!comes_free
is_held_liveness == Lock!is_held
lets_go_liveness == Lock!lets_go
stays_free_liveness == Lock!stays_free
=============================================================================
