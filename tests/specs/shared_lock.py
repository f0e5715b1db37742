"""Clients share a lock and want it now and then; one may give up waiting.

The same as tests/oracle/SharedLock.tla, whose properties TLC has judged.
"""

from specmodel.lang import (
    ScalarSet,
    Set,
    Spec,
    Struct,
    action,
    always_eventually,
    constant,
    eventually,
    eventually_always,
    init,
    leads_to,
    require,
    strong,
    weak,
)

clients = constant("clients", 3, low=1, high=4)


class Client(ScalarSet, size=clients):
    """Whoever wants the lock."""


class Lock(Struct):
    """Who wants it, and who has it."""

    wanted: Set[Client]
    holder: Client | None


@init
def free() -> Lock:
    """Nobody has it or wants it."""
    return Lock(wanted=set(), holder=None)


@action
def want(s: Lock, c: Client) -> None:
    """A client asks."""
    require(c not in s.wanted and s.holder != c)
    s.wanted |= {c}


@action
def give_up(s: Lock, c: Client) -> None:
    """A client waits no longer."""
    require(c in s.wanted)
    s.wanted -= {c}


@action
def acquire(s: Lock, c: Client) -> None:
    """A client that asks gets it."""
    require(c in s.wanted and s.holder is None)
    s.wanted -= {c}
    s.holder = c


@action
def release(s: Lock, c: Client) -> None:
    """Whoever has it lets go."""
    require(s.holder == c)
    s.holder = None


@eventually
def is_held(s: Lock) -> bool:
    """Someone gets it."""
    return s.holder is not None


@always_eventually
def comes_free(s: Lock) -> bool:
    """It comes free again and again."""
    return s.holder is None


@eventually_always
def stays_free(s: Lock) -> bool:
    """Nobody wants it any more."""
    return s.holder is None


def wants(s: Lock, c: Client) -> bool:
    """The client asks for it."""
    return c in s.wanted


def has(s: Lock, c: Client) -> bool:
    """The client has it."""
    return s.holder == c


@leads_to(when=wants)
def is_decided(s: Lock, c: Client) -> bool:
    """A client that asks does not ask for ever."""
    return s.holder == c or c not in s.wanted


@leads_to(when=wants)
def gets_it(s: Lock, c: Client) -> bool:
    """A client that asks gets it."""
    return s.holder == c


@leads_to(when=has)
def lets_go(s: Lock, c: Client) -> bool:
    """Nobody keeps it."""
    return s.holder != c


unfair = Spec(
    state=Lock,
    init=free,
    actions=[want, give_up, acquire, release],
    liveness=[is_held, comes_free, stays_free, is_decided, gets_it, lets_go],
)
releasing = unfair.under("releasing", weak(release))
some = releasing.adding("some", fairness=[weak(acquire)])
weakly = releasing.adding("weakly", fairness=[weak(acquire, per="c")])
some_strongly = releasing.adding("some_strongly", fairness=[strong(acquire)])
strongly = releasing.adding("strongly", fairness=[strong(acquire, per="c")])
patient = strongly.adding("patient", fairness=[weak(want, per="c")])
