"""A protocol with all that can happen to a message: sent, taken, kept, copied, lost, for nobody."""

from __future__ import annotations

from typing import Annotated

from specmodel.lang import (
    Bag,
    Capacity,
    Range,
    ScalarSet,
    Set,
    Spec,
    Struct,
    action,
    init,
    pick,
    require,
)

Count = Annotated[int, Range(0, 3)]


class Node(ScalarSet, size=3, prefix="n"):
    """A machine with a counter."""


class Client(ScalarSet, size=2, prefix="c"):
    """Someone without a part of the state."""


class Ask(Struct):
    """From a client to a node."""

    source: Client
    to: Node
    number: Count


class Tell(Struct):
    """From a node to another one, or to several."""

    source: Node
    to: Set[Node]


class Answer(Struct):
    """From a node to a client."""

    source: Node
    to: Client


class News(Struct):
    """For whoever takes it."""

    source: Node


class Noise(Struct):
    """Of nobody."""

    number: Count


class Entry(Struct):
    """What a node has written down is no message, whatever its fields are called."""

    source: Node
    number: Count


class Post(Struct):
    """Counters, what was written down, what is in flight, and what was lost."""

    count: dict[Node, Count]
    log: dict[Node, Annotated[list[Entry], Capacity(2)]]
    net: Annotated[Bag[Ask | Tell | Answer | News | Noise], Capacity(4)]
    losses: Count


@init
def quiet() -> Post:
    """A question is on its way from the start."""
    return Post(
        count={n: 0 for n in Node},
        log={n: [] for n in Node},
        net=Bag([Ask(c, n, 3) for c in Client for n in Node][:1]),
        losses=0,
    )


@action
def ask(s: Post, c: Client, n: Node) -> None:
    """A client asks a node."""
    s.net += {Ask(c, n, 0)}


@action
def take_ask(s: Post) -> None:
    """A node counts a question, and answers."""
    m = pick(s.net, Ask)
    s.count[m.to] += 1
    s.net = s.net + {Answer(m.to, m.source)} - {m}


@action
def look(s: Post) -> None:
    """A node counts a question that stays on its way."""
    m = pick(s.net, Ask)
    s.count[m.to] += 1


@action
def take_answer(s: Post) -> None:
    """A client gets its answer: it has no part of the state, but the number of losses is reset."""
    m = pick(s.net, Answer)
    s.losses = 0 if s.losses > 0 else 1
    s.net -= {m}


@action
def tell(s: Post, n: Node, to: Set[Node]) -> None:
    """A node writes down, and tells others, that it has."""
    require(len(to) > 0)
    s.log[n].append(Entry(n, 0))
    s.net += {Tell(n, to)}


@action
def take_tell(s: Post, n: Node) -> None:
    """A node hears what was told to it; the message stays for the others."""
    m = pick(s.net, Tell)
    require(n in m.to)
    s.count[n] += 1


@action
def shout(s: Post, n: Node) -> None:
    """A node sends to whoever listens."""
    s.net += {News(n), Noise(1)}


@action
def hear(s: Post, n: Node) -> None:
    """A node takes what is for whoever listens."""
    m = pick(s.net, News, Noise)
    s.count[n] += 1
    s.net -= {m}


@action
def copy(s: Post) -> None:
    """The network copies a message."""
    m = pick(s.net)
    s.net += {m}


@action
def lose(s: Post) -> None:
    """The network loses a message, and counts that."""
    m = pick(s.net)
    s.net -= {m}
    s.losses += 1


@action
def crash(s: Post, n: Node) -> None:
    """All messages to a node are lost; another node notices."""
    require(any(isinstance(m, Ask) and m.to == n for m in s.net))
    s.net = Bag([m for m in s.net if not (isinstance(m, Ask) and m.to == n)])
    for other in Node:
        if other != n:
            s.count[other] = 3


mail = Spec(
    state=Post,
    init=quiet,
    actions=[ask, take_ask, look, take_answer, tell, take_tell, shout, hear, copy, lose, crash],
)
