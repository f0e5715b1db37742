"""Statements and expressions one by one, in states from anywhere, against CPython."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.errors import SpecError
from specmodel.kernel.program import Program
from tests.kernel.forms import actions_of, assert_agree
from tests.written import design_of

TEXT = """
Small = Annotated[int, Range(-2, 3)]


class Node(ScalarSet, size=3):
    pass


class Colour(Enum):
    red = 1
    blue = 2


class Point(Struct):
    x: Small
    y: Annotated[int, Range(0, 3)] = 1


class State(Struct):
    x: Small
    y: Small
    maybe: Small | None
    truth: bool | None
    ints: Annotated[list[Small], Capacity(3)]
    more: Annotated[list[Small], Capacity(2)]
    points: Annotated[list[Point], Capacity(2)]
    point: Point
    far: dict[Node, Point]
    at: dict[Node, Small]
    nodes: Set[Node]
    nums: Set[Small]
    some: Set[Annotated[int, Range(0, 1)]]
    colour: Colour
    yes: bool


@init
def start() -> State:
    return State(
        1, 2, None, True, [1, 2], [0], [Point(1)], Point(0, 2), {n: Point(1) for n in Node},
        {n: 0 for n in Node}, set(), {1}, {0}, Colour.red, False,
    )


def sign(x: int) -> int:
    if x < 0:
        return -1
    if x == 0:
        return 0
    return 1


def moved(p: Point, by: int) -> None:
    p.x += by

"""

FORMS = [
    "s.yes = s.x in range(s.y) or s.x not in range(-1, 2)",
    "s.yes = s.x in range(s.y, s.x + 1) and s.y in range(3, 0)",
    "s.yes = s.maybe in range(1, 3)",
    "s.x = s.maybe or s.y",
    "s.maybe = s.x or s.maybe or None",
    "s.y = (s.maybe or s.ints[0]) + (s.x or 1)",
    "s.yes = s.maybe == (s.maybe or 2) or (s.maybe or s.y) > 1",
    "s.yes = s.maybe not in range(s.y) and s.truth in range(1, 2)",
    "s.yes = None in range(3) or True in range(2)",
    "s.yes = s.x in range(s.maybe)",
    "s.yes = s.x in (0, 1 // s.y)",
    "s.yes = s.x in [s.x, s.ints[2]]",
    "s.yes = s.x in (0, 3) or s.y in (1, s.x)",
    "s.yes = s.x in {0, 3} and s.y not in {0}",
    "s.yes = s.x in {0} or s.x in {-2, 1, 3}",
    "s.yes = s.x + s.y in s.nums or s.x * 9 in s.some",
    "s.yes = s.x in s.some",
    "s.some = {x for x in s.some if x == s.x}\ns.nums |= s.some",
    "s.some = s.nums",
    "s.yes = s.some <= s.nums and s.some != s.nums",
    "s.yes = s.nums < {0, 1, 2} or {s.x, s.y} == s.nums",
    "s.x = s.x - s.y\ns.y -= 1",
    "s.x = s.x // s.y",
    "s.x = s.x % s.y",
    "s.x = (s.x * 7 + 3) % 4 - 2\ns.y = (s.y * 5) // 4 // 2",
    "s.x = -s.x // 2\ns.y = s.y % -3",
    "s.x = min(s.x, s.y, 1)\ns.y = max(s.y, s.x, -1)",
    "s.x = abs(s.x) - 2\ns.y = sign(s.y)",
    "s.yes = s.x < s.y <= 2 or s.x >= s.y > -1",
    "s.yes = not s.x < 1 and s.y <= s.x",
    "s.yes = (s.x if s.yes else s.y) == 1",
    "s.ints.append(s.x)",
    "s.ints = s.ints[s.x:]",
    "s.ints = s.ints[:s.x]",
    "s.ints = s.ints[1:s.y]",
    "s.ints = s.ints[s.x:2] + [s.y]",
    "del s.ints[s.x:]",
    "del s.ints[:s.x]",
    "s.ints = s.more + s.ints[:1]",
    "s.ints += s.more",
    "s.ints.extend(s.more[:1])",
    "s.ints[0] = s.y\ns.ints[-1] = s.x",
    "s.ints[s.x] = s.y",
    "s.x = s.ints[s.y]",
    "s.yes = s.ints == s.more or s.ints[:1] == s.more[:1]",
    "s.yes = s.x in s.ints and s.y not in s.more",
    "s.ints.clear()\ns.more = s.more[1:]",
    "s.points.append(Point(s.x, 2))\ns.points[0].y = 0",
    "s.points[-1].x = s.y\ns.point = s.points[0]",
    "s.point = Point(y=2, x=s.x)\ns.far[n] = s.point",
    "s.far[n].x = s.x\ns.point.y = s.far[n].y",
    "moved(s.far[n], 1)\nmoved(s.point, -1)",
    "s.yes = s.point == s.far[n] or s.point in s.points",
    "s.at[n], s.x = s.x, s.at[n]",
    "s.at = {k: s.far[k].x for k in Node}",
    "s.yes = s.at == {k: s.x for k in Node}",
    "for k in Node:\n    if s.at[k] > 1:\n        break\n    s.at[k] += 1",
    "for k in Node:\n    if k == n:\n        continue\n    s.at[k] = s.x",
    "for i in range(s.x, s.y):\n    if i == 2:\n        return\n    s.x = i",
    "for i in range(2):\n    for k in Node:\n        if s.at[k] == i:\n            break\n"
    "        s.at[k] = i",
    "for i, x in enumerate(s.ints):\n    s.x = x\n    if i == s.y:\n        return",
    "for k, p in s.far.items():\n    p.y = 0 if k == n else 3",
    "if s.yes:\n    s.x = 1\nelif s.x > 0:\n    s.y = 0\nelse:\n    return\ns.yes = not s.yes",
    "s.x = sum(s.ints) - sum(1 for x in s.ints if x > 0 if x < 3)",
    "s.x = sum(x == y for x in s.ints for y in s.more if x != 2)",
    "s.x = max((x for x in s.ints if x < s.y), default=s.x)",
    "s.x = min(s.at.values())\ns.y = max(s.ints)",
    "s.yes = all(x < 2 for x in s.ints) and any(x > s.y for x in s.more)",
    "s.yes = any(s.at[a] == s.at[b] for a in Node for b in Node if a != b)",
    "s.nodes = {k for k in Node if s.at[k] > 0}\ns.x = len(s.nodes)",
    "s.nodes ^= {n}\ns.yes = n in s.nodes",
    "s.nodes -= {n}\ns.nodes |= {Node.nth(0)}\ns.nodes &= {n, Node.nth(2)}",
    "s.nums = {x + 1 for x in s.nums}",
    "s.ints = [x for x in s.ints if x != s.x]",
    "s.ints = [x + y for x in s.ints for y in s.more if x < y]",
    "require(s.x > 0)\ns.x -= 1\nrequire(s.x != s.y)\ns.y = s.x",
    "if s.maybe is not None:\n    s.x = s.maybe\ns.maybe = None if s.yes else s.y",
    "s.x = s.maybe + 1",
    "s.yes = s.maybe == s.x or s.maybe != 1",
    "s.x = require_some(s.maybe)",
    "s.colour = Colour.blue if s.colour == Colour.red else Colour.red",
    "s.x = len(s.ints) + len(s.nums) - len(Node)",
    "x = s.ints[1:]\nx.append(s.y)\ns.more = x",
    "x = s.point.x\ns.point.x = 3\ns.y = x",
    "s.x = int(s.yes) + int(s.x > 1)",
    "s.yes = s.x in {0, 1099511627776} or s.y not in {s.x, 2}",
]


def test_forms(tmp_path: Path) -> None:
    """Arithmetic, comparisons, lists, sets, maps, structs, loops, folds, guards, failures."""
    assert_agree(tmp_path, TEXT, FORMS, states=120)


SUMS = """
class State(Struct):
    big: Annotated[int, Range(0, (1 << 61) - 1)]
    yes: bool


class Node(ScalarSet, size=2):
    pass


@init
def start() -> State:
    return State(0, False)

"""


@pytest.mark.parametrize(
    "form",
    [
        "s.yes = sum(s.big for i in range(9)) > 1",
        "s.yes = s.big * 4 > s.big",
    ],
)
def test_what_cannot_be_compiled_exactly_is_refused(tmp_path: Path, form: str) -> None:
    """With the place: numbers beyond 64 bits, sets of more than can be."""
    design = design_of(tmp_path, SUMS + actions_of([form]))
    with pytest.raises(SpecError, match=r"grow beyond 62 bits|more than 4,096") as refused:
        list(Program(design.spec, ()).moves())
    assert refused.value.span is not None
