"""Termination detection on a ring, after Safra.

A node counts the messages that it has sent, less those that it has received. A token collects the
counts against the ring's order. A node that receives a message turns black, and blackens the token:
the token may have passed it before. When a white token brings a sum of 0 to node 0, no node is
active and no message is on its way.

Source: E. W. Dijkstra, Shmuel Safra's version of termination detection, EWD 998 (1987); the module
EWD998 of tlaplus/Examples.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Annotated

from specmodel.lang import (
    Lanes,
    Range,
    Set,
    Spec,
    Struct,
    action,
    constant,
    constraint,
    init,
    invariant,
    leads_to,
    reachable,
    require,
    weak,
)

nodes = constant("nodes", 3, low=2, high=5, doc="nodes of the ring")
most = constant("most", 3, low=1, high=5, doc="a node's count, and messages on their way to it")

Node = Annotated[int, Range(0, nodes - 1)]
Count = Annotated[int, Range(-nodes * (most + 1), most + 1)]
Sum = Annotated[int, Range(-nodes * nodes * (most + 1), 3 * most + most + 1)]


class Color(Enum):
    """White means: nothing happened that the token may have missed."""

    white = auto()
    black = auto()


class Token(Struct):
    """What goes round: where it is, and the sum of the counts that it has passed."""

    at: Node
    sum: Sum
    color: Color


class Ring(Struct):
    """Every node, the messages on their way to each, and the token."""

    active: dict[Node, bool]
    color: dict[Node, Color]
    count: dict[Node, Count]
    coming: dict[Node, Annotated[int, Range(0, most + 1)]]
    token: Token


@init
def started(active: Set[Node], black: Set[Node], at: Node) -> Ring:
    """Anyone may be active, of either color; no message is on its way, and the token is black."""
    return Ring(
        active={i: i in active for i in range(nodes)},
        color={i: Color.black if i in black else Color.white for i in range(nodes)},
        count={i: 0 for i in range(nodes)},
        coming={i: 0 for i in range(nodes)},
        token=Token(at=at, sum=0, color=Color.black),
    )


@action
def initiate(s: Ring) -> None:
    """Node 0 sends the token round again, unless the last round has told it what it asks."""
    require(s.token.at == 0)
    require(
        s.token.color == Color.black or s.color[0] == Color.black or s.count[0] + s.token.sum > 0
    )
    s.token = Token(at=nodes - 1, sum=0, color=Color.white)
    s.color[0] = Color.white


@action
def pass_token(s: Ring, i: Node) -> None:
    """A node that is not active adds its count to the token's, and hands it on."""
    require(i > 0 and s.token.at == i and not s.active[i])
    color = Color.black if s.color[i] == Color.black else s.token.color
    s.token = Token(at=i - 1, sum=s.token.sum + s.count[i], color=color)
    s.color[i] = Color.white


@action
def send(s: Ring, i: Node, to: Node) -> None:
    """An active node sends a message."""
    require(s.active[i] and i != to)
    s.count[i] += 1
    s.coming[to] += 1


@action
def receive(s: Ring, i: Node) -> None:
    """A message arrives: its receiver becomes active, and black."""
    require(s.coming[i] > 0)
    s.coming[i] -= 1
    s.count[i] -= 1
    s.color[i] = Color.black
    s.active[i] = True


@action
def receive_uncolored(s: Ring, i: Node) -> None:
    """The mistake: who receives a message stays white."""
    require(s.coming[i] > 0)
    s.coming[i] -= 1
    s.count[i] -= 1
    s.active[i] = True


@action
def deactivate(s: Ring, i: Node) -> None:
    """A node has nothing more to do."""
    require(s.active[i])
    s.active[i] = False


@constraint
def few_messages(s: Ring) -> bool:
    """The bound of the module's own model: counts grow for ever without one."""
    few = all(s.count[i] <= most and s.coming[i] <= most for i in range(nodes))
    return few and s.token.sum <= 3 * most


def detected(s: Ring) -> bool:
    """Node 0 concludes from the token that all is done."""
    white = s.token.color == Color.white and s.color[0] == Color.white
    return white and s.token.at == 0 and s.token.sum + s.count[0] == 0 and not s.active[0]


def done(s: Ring) -> bool:
    """No node is active and no message is on its way."""
    return not any(s.active[i] or s.coming[i] > 0 for i in range(nodes))


@invariant
def detected_is_done(s: Ring) -> bool:
    """Node 0 never concludes too early."""
    return done(s) if detected(s) else True


@invariant
def safra(s: Ring) -> bool:
    """Safra's invariant: either the token's sum is that of the nodes it has passed, all of them at
    rest, or something else tells that the round will not conclude."""
    at = s.token.at
    passed = all(not s.active[i] for i in range(nodes) if i > at)
    summed = s.token.sum == sum(s.count[i] for i in range(nodes) if i > at)
    return sum(s.coming[i] for i in range(nodes)) == sum(s.count[i] for i in range(nodes)) and (
        (passed and summed)
        or sum(s.count[i] for i in range(nodes) if i <= at) + s.token.sum > 0
        or any(s.color[i] == Color.black for i in range(nodes) if i <= at)
        or s.token.color == Color.black
    )


@reachable
def concludes(s: Ring) -> bool:
    """Node 0 can conclude after messages have been sent."""
    return detected(s) and any(s.count[i] != 0 for i in range(nodes))


@leads_to(when=done)
def is_detected(s: Ring) -> bool:
    """Once all is done, node 0 learns it, as the token goes round."""
    return detected(s)


ewd998 = Spec(
    state=Ring,
    init=started,
    actions=[initiate, pass_token, send, receive, deactivate],
    constraints=[few_messages],
    invariants=[detected_is_done, safra],
    reachable=[concludes],
    lanes=Lanes(
        actor=range(nodes), facts=("active", "color", "count", "coming"), status=("token",)
    ),
)

ewd998_live = ewd998.adding(liveness=[is_detected], fairness=[weak(initiate, pass_token)])

ewd998_white = ewd998.replacing("ewd998-white", receive=receive_uncolored)
