"""A spec that means nothing and uses everything the language has, for comparing its readings."""

from enum import Enum, auto
from typing import Annotated

from specmodel.lang import (
    Capacity,
    Range,
    ScalarSet,
    Set,
    Spec,
    Struct,
    action,
    constant,
    constraint,
    init,
    invariant,
    reachable,
    require,
    require_some,
    transition,
)

most = constant("most", 3, low=1, high=5, doc="the largest small number")

Small = Annotated[int, Range(0, most)]
Signed = Annotated[int, Range(-3, 4)]


class Colour(Enum):
    red = auto()
    green = auto()
    blue = auto()


class Node(ScalarSet, size=3, symmetric=True):
    """An actor."""


class Point(Struct):
    x: Small
    y: Signed = 1


class Pair(Struct):
    left: Point
    right: Node | None


class State(Struct):
    n: Small
    signed: Signed
    on: bool
    colour: Colour
    node: Node | None
    mark: Colour | None
    maybe: Small | None
    point: Point
    far: Point | None
    of: dict[Node, Point]
    log: Annotated[list[Point], Capacity(3)]
    ints: Annotated[list[Signed], Capacity(3)]
    logs: dict[Colour, Annotated[list[Node], Capacity(2)]]
    seen: Set[Node]
    numbers: Set[Signed]
    pairs: Set[Pair]
    by: dict[Small, Set[Colour] | None]


FAVOURITES = frozenset({Colour.red, Colour.blue})


@init
def start(first: Node, on: bool) -> State:
    require(on or first == Node.nth(0))
    return State(
        n=0,
        signed=-1,
        on=on,
        colour=Colour.red,
        node=first,
        mark=None,
        maybe=None,
        point=Point(0),
        far=None,
        of={n: Point(0, 2) for n in Node},
        log=[],
        ints=[1, -1],
        logs={c: [] for c in Colour},
        seen=set(),
        numbers={0},
        pairs=set(),
        by={i: None for i in range(most + 1)},
    )


# Helpers: with early returns, with effects, giving references, calling one another.


def sign(a: int) -> int:
    if a < 0:
        return -1
    if a == 0:
        return 0
    return 1


def first_free(s: State) -> Node | None:
    """The first actor that is not in `seen`."""
    for n in Node:
        if n not in s.seen:
            return n
    return None


def place(s: State, n: Node) -> Point:
    """A reference to a part of the state."""
    return s.of[n]


def push(s: State, p: Point) -> None:
    """Makes room at the head when full."""
    if len(s.log) == 3:
        del s.log[:1]
    s.log.append(p)


def total(s: State) -> int:
    return sum(p.x for p in s.log) + sum(sign(i) for i in s.ints)


@action
def count(s: State) -> None:
    """Arithmetic, augmented assignment, chained comparison."""
    require(0 <= s.n < most)
    s.n += 1
    a, b = s.signed, s.n
    s.signed = (a * 3 - b) // 2 % 5 - 3
    s.ints = [abs(a), -b + 4, min(a, b, 1), max(a % 3, -(b // 3))][:3]


@action
def divide(s: State, by: Signed) -> None:
    """May fail: by zero, or leaving the domain."""
    require(s.on)
    s.signed = s.n // by + s.n % by


@action
def choose(s: State, n: Node, c: Colour) -> None:
    """Conditions of every kind, on names and optionals."""
    if s.node is None or s.node == n:
        s.colour = c
    elif c in (Colour.green, s.mark) and s.colour != c:
        s.mark = s.colour
        s.colour = Colour.blue if s.on else c
    else:
        require(not s.on or c in FAVOURITES)
        s.mark = None
    s.node = first_free(s)


@action
def change_maybe(s: State) -> None:
    """Optional ints: compared, unwrapped where they are there, failing where they are not."""
    if s.maybe is not None and s.maybe > 1:
        s.n = s.maybe
        s.maybe = None
    else:
        s.maybe = require_some(s.maybe) + 1 if s.on else 0
    if s.mark is None:
        return
    s.far = Point(s.n)


@action
def refer(s: State, n: Node) -> None:
    """Names that refer to parts of the state, changed through them."""
    p = s.of[n]
    p.x, p.y = s.n, p.x
    q = place(s, n)
    q.y -= 1
    log = s.logs[s.colour]
    log.append(n)
    if len(log) > 1:
        del log[1:]
    s.point = p
    s.point.y = 0
    for other in s.of.values():
        other.x = 0
    maybe = s.log[s.signed] if 0 <= s.signed < len(s.log) else None
    near = s.point if s.on else s.of[n]
    if maybe is not None and maybe.x == near.x:
        s.maybe = near.x


@action
def touch_far(s: State) -> None:
    """Through an optional struct: fails where it is absent and the guard lets it."""
    require(s.on or s.far is not None)
    far = s.far
    assert_there = far is not None
    if assert_there:
        s.n = far.x
    s.far.x = most - s.n  # pyright: ignore[reportOptionalMemberAccess] - it may fail


@action
def record(s: State, n: Node) -> None:
    """Lists of structs: append, extend, clear, negative index, slices, deletion."""
    push(s, s.of[n])
    if s.on:
        s.log.extend([Point(0, 0)])
    if s.log[-1].x == 0:
        s.log = s.log[1:]
    elif len(s.log) > s.n:
        s.log[s.n].y = 2
        s.log[0] = Point(1)
    else:
        s.ints.clear()
    s.ints = s.ints[-2:] + [total(s) % 3]  # noqa: RUF005 - concatenation is the point
    for i, p in enumerate(s.log):
        p.x = i


@action
def gather(s: State, n: Node) -> None:
    """Sets: literals, operators, methods, comprehensions, sets of structs."""
    s.seen |= {n}
    s.seen = s.seen - {Node.nth(0)} if s.on else s.seen ^ {m for m in Node if m != n}
    s.numbers = {i + 1 for i in s.numbers if i < 4} | {p.y for p in s.log} & {0, 1, 2}
    s.pairs |= {Pair(s.of[n], s.node)}
    s.pairs = {p for p in s.pairs if p.left.x <= s.n and p.right in s.seen}
    if s.seen.issubset({n}) or s.seen.isdisjoint({n}) or not s.pairs:  # pyright: ignore[reportAttributeAccessIssue] - Set has operators, frozenset the names too
        s.by[s.n] = {c for c in Colour if s.logs[c]}
    elif s.seen > {n}:
        s.by[0] = None
    else:
        s.by[0] = s.by[s.n]


@action
def loop(s: State, c: Colour) -> None:
    """Loops with break, continue and return, over domains, ranges, sets, maps."""
    sum_: int = 0
    for i in range(s.n + 1):
        if i == 2:
            continue
        sum_ += i
        if sum_ > 2:
            break
    for n, p in s.of.items():
        if n in s.logs[c]:
            p.x = min(sum_, most)
        elif p.x == most:
            s.signed = -3
            return
    for k in s.by:
        s.by[k] = FAVOURITES if k % 2 == 0 else s.by[k]
    for i in s.numbers:
        s.signed = i
    s.of = {n: Point(p.x) for n, p in s.of.items()}
    s.on = not s.on


@action
def never(s: State) -> None:
    require(most > 9)
    s.n = 0


@invariant
def quantified(s: State) -> bool:
    """all, any, nested generators, conditions."""
    return all(
        s.of[n].x <= most and any(m == n or m not in s.seen for m in Node) for n in Node
    ) and not any(p == q for p in s.log for q in s.log if p.x < q.x)


@invariant
def folded(s: State) -> bool:
    """len, min, max, sum, with and without defaults; abs, bool, int."""
    longest = max(len(log) for log in s.logs.values())
    least = min((i for i in s.ints if i != 0), default=s.signed)
    numbers = sum(1 for n in s.numbers if n > 0) + sum(n == 1 for n in s.numbers)
    return longest <= 2 and abs(least) < 4 and numbers + len(s.of) + int(s.on) >= len(Colour)


@invariant
def stepwise(s: State) -> bool:
    """Statements in a property, with an early end and a local that changes."""
    found = 0
    for p in s.log:
        if p.y == s.signed:
            found += 1
        if found > 1:
            return s.node is None
    if s.far is None:
        return found == 0 or bool(s.ints)
    return s.far != s.point and s.by[s.far.x] != s.by[s.n]


@invariant
def fails(s: State) -> bool:
    """May fail to be evaluated: the list may be empty."""
    return s.on or s.ints[0] >= s.signed or [s.ints[-1], 0] == s.ints


@reachable
def busy(s: State) -> bool:
    return len(s.log) == 3 and s.seen == {n for n in Node} and s.numbers >= {0, 1}


@transition
def steady(before: State, after: State) -> bool:
    """Of two states."""
    return before.n <= after.n + most or before.log == after.log


@constraint
def within(s: State) -> bool:
    return s.n < most or s.signed != 3


tour = Spec(
    state=State,
    init=start,
    actions=[
        count,
        divide,
        choose,
        change_maybe,
        refer,
        touch_far,
        record,
        gather,
        loop,
        never,
    ],
    invariants=[quantified, folded, stepwise, fails],
    reachable=[busy],
    transitions=[steady],
    constraints=[within],
)
