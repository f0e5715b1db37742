"""A lock that a server lends by messages refines a lock that is taken at once.

The same as tests/oracle/LentLock.tla and TakenLock.tla, whose properties TLC has judged.
"""

from typing import Annotated

from specmodel.lang import (
    Capacity,
    ScalarSet,
    Set,
    Spec,
    Struct,
    action,
    always_eventually,
    eventually,
    eventually_always,
    init,
    leads_to,
    pick,
    refines,
    require,
    strong,
    weak,
)


class Client(ScalarSet, size=2):
    """Whoever uses the lock."""


class Lock(Struct):
    """Who holds the lock."""

    holder: Client | None


@init
def free() -> Lock:
    """Nobody holds the lock."""
    return Lock(holder=None)


@action
def acquire(s: Lock, c: Client) -> None:
    """A client gets the lock."""
    require(s.holder is None)
    s.holder = c


@action
def release(s: Lock) -> None:
    """The client gives the lock back."""
    require(s.holder is not None)
    s.holder = None


@always_eventually
def is_free(s: Lock) -> bool:
    """The lock is free again and again."""
    return s.holder is None


@eventually
def is_taken(s: Lock) -> bool:
    """Someone gets it."""
    return s.holder is not None


def has(s: Lock, c: Client) -> bool:
    """The client has it."""
    return s.holder == c


@leads_to(when=has)
def gives_back(s: Lock, c: Client) -> bool:
    """Nobody keeps it."""
    return s.holder != c


@eventually_always
def is_left(s: Lock) -> bool:
    """Nobody takes it any more."""
    return s.holder is None


lock = Spec(state=Lock, init=free, actions=[acquire, release])


class Grant(Struct):
    """The server lends the lock to a client."""

    client: Client


class Return(Struct):
    """A client sends the lock back."""

    client: Client


class System(Struct):
    """To whom the server has lent the lock, who uses it, and the messages on their way."""

    lent: Client | None
    using: Set[Client]
    network: Annotated[Set[Grant | Return], Capacity(4)]


@init
def idle() -> System:
    """The server has the lock."""
    return System(lent=None, using=set(), network=set())


@action
def lend(s: System, c: Client) -> None:
    """The server lends the lock."""
    require(s.lent is None)
    s.lent = c
    s.network |= {Grant(c)}


@action
def receive(s: System) -> None:
    """A message arrives."""
    m = pick(s.network)
    s.network -= {m}
    match m:
        case Grant(client):
            s.using |= {client}
        case Return():
            s.lent = None


@action
def finish(s: System, c: Client) -> None:
    """A client has used the lock."""
    require(c in s.using)
    s.using -= {c}
    s.network |= {Return(c)}


def held(s: System) -> Lock:
    """The client that uses the lock holds it."""
    for c in Client:
        if c in s.using:
            return Lock(holder=c)
    return Lock(holder=None)


@refines(lock)
def steps(s: System) -> Lock:
    """Every step."""
    return held(s)


@refines(lock.under(weak(release)))
def weak_release(s: System) -> Lock:
    """Weak fairness of an action."""
    return held(s)


@refines(lock.under(weak(acquire, per="c")))
def weak_acquire(s: System) -> Lock:
    """Weak fairness for each client."""
    return held(s)


@refines(lock.under(strong(acquire, per="c")))
def strong_acquire(s: System) -> Lock:
    """Strong fairness for each client."""
    return held(s)


@refines(lock.under(weak(acquire)))
def some_acquire(s: System) -> Lock:
    """Weak fairness of all clients together."""
    return held(s)


@refines(lock.adding(liveness=[is_free]))
def comes_free(s: System) -> Lock:
    """A temporal property of each kind."""
    return held(s)


@refines(lock.adding(liveness=[is_taken]))
def is_held(s: System) -> Lock:
    """Someone gets it."""
    return held(s)


@refines(lock.adding(liveness=[gives_back]))
def lets_go(s: System) -> Lock:
    """Nobody keeps it."""
    return held(s)


@refines(lock.adding(liveness=[is_left]))
def stays_free(s: System) -> Lock:
    """Nobody takes it any more."""
    return held(s)


unfair = Spec(
    state=System,
    init=idle,
    actions=[lend, receive, finish],
    transitions=[steps],
    liveness=[
        weak_release,
        weak_acquire,
        strong_acquire,
        some_acquire,
        comes_free,
        is_held,
        lets_go,
        stays_free,
    ],
)
moving = unfair.under("moving", weak(receive), weak(finish, per="c"))
lending = moving.adding("lending", fairness=[weak(lend)])
strong_lending = moving.adding("strong_lending", fairness=[strong(lend, per="c")])
