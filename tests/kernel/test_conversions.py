"""Plain values where optionals are wanted, and the like: in literals, lists, sets, maps, helpers.

Under CPython a value is the same whatever the type of the place it goes to. Compiled code writes it
differently there, wherever it lies in a composite and however it was made.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.errors import SpecError
from specmodel.kernel.program import Program
from tests.kernel.forms import actions_of, assert_agree
from tests.written import design_of

TEXT = """
Small = Annotated[int, Range(0, 2)]


class Node(ScalarSet, size=2):
    pass


class Colour(Enum):
    red = 1
    blue = 2


class Part(Struct):
    flags: Annotated[list[bool], Capacity(1)]
    low: Small


class State(Struct):
    nodes: Annotated[list[Node | None], Capacity(2)]
    plain: Annotated[list[Node], Capacity(2)]
    numbers: Annotated[list[Small | None], Capacity(2)]
    ints: Annotated[list[Small], Capacity(2)]
    parts: Set[Part]
    part: Part
    last: Part | None
    flag: bool | None
    flags: Set[bool | None]
    truths: Set[bool]
    colour: Colour | None
    colours: Set[Colour | None]
    few: Set[Small | None]
    lists: dict[Node, Annotated[list[Node | None], Capacity(1)]]
    maybe: Annotated[list[Small | None], Capacity(1)] | None
    sets: Set[Set[bool]]
    yes: bool


@init
def start() -> State:
    return State(
        [None], [Node.nth(0)], [1, None], [2], set(), Part([], 0), None, None, {None}, {True}, None,
        {Colour.red}, {None, 1}, {n: [] for n in Node}, None, set(), False,
    )


def first(nodes: Annotated[list[Node | None], Capacity(2)]) -> Node | None:
    return nodes[0] if len(nodes) > 0 else None


def taken(nodes: Annotated[list[Node], Capacity(2)]) -> Annotated[list[Node | None], Capacity(2)]:
    return nodes


def among(numbers: Annotated[list[Small | None], Capacity(2)], x: Small | None) -> bool:
    return x in numbers


def known(held: Set[bool | None]) -> int:
    return len(held)


def either(s: State) -> Annotated[list[Node | None], Capacity(2)]:
    if s.yes:
        return s.plain
    return [None]

"""

FORMS = [
    "s.nodes = [n, Node.nth(1)][:1]",
    "s.nodes = [n] + [Node.nth(1)]",
    "s.nodes = list(Node)",
    "s.nodes = [k for k in Node if k != n]",
    "s.nodes = s.plain",
    "s.nodes = s.plain[:1] + s.nodes[:1]",
    "s.nodes = s.nodes[1:] + s.plain[:1]",
    "s.nodes.extend(s.plain[:1])",
    "s.nodes += s.plain[1:]",
    "s.nodes = s.plain if s.yes else s.nodes",
    "s.nodes = ([n] if s.yes else [None]) + [None]",
    "s.nodes = [None, None]\ns.nodes = [None] if s.yes else [n]",
    "s.yes = s.nodes == s.plain",
    "s.yes = s.plain != s.nodes or s.nodes == [n] or [None] == s.nodes",
    "s.plain = s.nodes",
    "s.plain = [k for k in s.nodes if k is not None]",
    "s.plain = [require_some(k) for k in s.nodes]",
    "s.numbers = [1, 2][:1]",
    "s.numbers = ([1] if s.flag is None else s.numbers)",
    "require(len(s.numbers) < 2)\ns.numbers = [1] + s.numbers",
    "s.numbers = s.ints",
    "s.yes = s.numbers == s.ints or s.numbers == [1, None]",
    "s.yes = among(s.ints, 2) or among([1, None], None) or among(s.numbers, 1)",
    "s.yes = 2 in s.numbers or None in s.numbers",
    "s.yes = s.numbers[0] in s.ints",
    "s.yes = s.nodes in [s.plain, [None]]",
    "s.parts = {s.part}",
    "s.parts |= {s.part, Part([True], 1)}\ns.yes = s.part in s.parts",
    "s.parts = {p for p in s.parts if p.flags == [True] or p.low == 2}",
    "s.part = Part([s.yes], 2)\ns.last = s.part",
    "s.last = s.part if s.yes else None\ns.yes = s.last == s.part",
    "s.flag = True if s.part.flags else None",
    "s.flags = {True}",
    "s.flags = s.truths",
    "s.flags = s.truths | s.flags",
    "s.flags |= {s.yes, None}\ns.yes = known(s.truths) > known({None}) - 1",
    "s.truths = s.flags",
    "s.yes = s.flags == s.truths or s.truths < s.flags",
    "require(True in s.flags)",
    "require(None in s.flags and s.flag in s.flags)",
    "s.yes = s.flag in s.truths",
    "s.yes = s.yes in s.flags or s.flags.isdisjoint(s.truths)",
    "s.flags = {s.flag, s.yes}",
    "s.flags = set(s.truths)\ns.flags = set()",
    "s.flags = {True, None} if s.yes else {None}",
    "s.colours = {c for c in Colour} if s.yes else {s.colour, Colour.blue}",
    "s.colours = {None}\ns.yes = s.colours == {Colour.red}",
    "s.colour = Colour.red if s.yes else None\ns.yes = s.colour in {Colour.blue}",
    "s.yes = s.colour in (Colour.red, None) and s.colour in [Colour.red]",
    "s.yes = 0 not in {None} and None in {None}",
    "s.yes = s.colour in {None} or s.flag not in {None}",
    "s.yes = s.part in [None] or s.lists[n][0] in [None]",
    "s.yes = None in [None] and None not in s.plain and n in (None, n)",
    "s.few = {1, None}\ns.yes = 2 in s.few",
    "s.few = {x for x in s.ints} | {None}",
    "s.few = {x for x in s.numbers}\ns.yes = s.few == {0, 2}",
    "s.lists = {k: [k] for k in Node}",
    "s.lists = {k: s.plain[:1] for k in Node}",
    "s.lists[n] = s.plain[:1]",
    "s.lists[n] = [None] if s.yes else [n]\ns.yes = s.lists == {k: [n] for k in Node}",
    "s.maybe = s.ints[:1]",
    "s.maybe = None if s.yes else [1]",
    "s.yes = s.maybe == s.ints or s.maybe == [None]",
    "s.sets = {frozenset({True}), frozenset(s.truths)}",
    "s.yes = frozenset({True}) in s.sets or s.truths in s.sets",
    "s.nodes = taken(s.plain)",
    "s.nodes = either(s)\nx: Node | None = first(s.plain)\ns.yes = x == first(s.nodes)",
    "x: Annotated[list[Node | None], Capacity(2)] = [n]\nx.append(None)\ns.nodes = x",
    "x: Annotated[list[Node | None], Capacity(2)] = s.plain\ns.nodes = x",
    "x = [n, None]\nfor k in s.plain:\n    x = [k]\ns.nodes = x",
    "for k in [n, None]:\n    s.yes = k is None",
    "s.yes = any(k is None or k == n for k in s.nodes + s.plain)",
    "s.yes = (None if s.yes else n) == (n if s.flag is None else None)",
]


def test_conversions(tmp_path: Path) -> None:
    """Stored, passed, returned, compared, joined by `if` and `+`, looked for, run over."""
    assert_agree(tmp_path, TEXT, FORMS)


def test_a_part_that_was_converted_is_not_changed_by_name(tmp_path: Path) -> None:
    """CPython would change the part of the state; a conversion is another value."""
    text = TEXT + (
        "def grown(nodes: Annotated[list[Node | None], Capacity(2)], n: Node) -> None:\n"
        "    nodes.append(n)\n"
    )
    design = design_of(tmp_path, text + actions_of(["grown(s.plain, n)"]))
    with pytest.raises(SpecError, match="may be a part of something else too"):
        list(Program(design.spec, ()).moves())
