"""Sets of more possible elements than a mask holds: empty ones, and every way that a set goes.

Such a set is several masks. One without elements has as many, all 0.
"""

from __future__ import annotations

from pathlib import Path

from tests.kernel.forms import assert_agree

TEXT = """
class Node(ScalarSet, size=2):
    pass


class Msg(Struct):
    kind: Annotated[int, Range(0, 6)]
    to: Annotated[int, Range(1, 6)]


class Box(Struct):
    held: Set[Msg]
    full: bool


class State(Struct):
    waiting: Set[Msg]
    other: Set[Msg]
    some: Set[Msg] | None
    many: Annotated[list[Set[Msg]], Capacity(2)]
    of: dict[Node, Set[Msg]]
    box: Box
    last: Box | None
    msg: Msg
    yes: bool


@init
def start() -> State:
    one = {Msg(6, 6)}
    of = {n: one for n in Node}
    other = {Msg(0, 1), Msg(5, 4)}
    return State(one, other, None, [one], of, Box(one, True), None, Msg(1, 2), False)


def size(held: Set[Msg]) -> int:
    return len(held)


def passed(held: Set[Msg]) -> Set[Msg]:
    return held


def none() -> Set[Msg]:
    return set()


def early(held: Set[Msg]) -> Set[Msg]:
    if len(held) > 1:
        return set()
    return held

"""

FORMS = [
    "s.waiting = set()",
    "s.waiting = {m for m in s.waiting if m.kind > 6}",
    "s.waiting = {m for m in s.waiting if m.kind > 3} | {m for m in s.other if m.to == 4}",
    "s.yes = s.waiting == set()",
    "s.yes = set() != s.waiting",
    "s.yes = s.waiting <= set() or set() < s.other",
    "s.waiting = s.waiting | set()",
    "s.waiting = set() & s.waiting\ns.other -= set()\ns.other ^= set()",
    "s.waiting = set() if n == Node.nth(0) else s.other",
    "s.waiting = s.other if s.yes else set()",
    "s.box = Box(set(), True)",
    "s.box.held = set()\ns.of[n] = set()",
    "s.some = set()",
    "s.some = None if s.yes else set()",
    "require(s.some is not None)\ns.yes = s.some == set()",
    "s.many = [set()]",
    "s.many = [set(), s.waiting]\ns.yes = set() in s.many",
    "s.many.append(set())",
    "s.of = {k: set() for k in Node}",
    "s.yes = size(set()) == 0",
    "s.waiting = passed(set())\ns.other = none()",
    "s.waiting = early(s.waiting)",
    "s.last = Box(set(), s.yes)\ns.yes = s.last == Box(set(), False)",
    "held: Set[Msg] = set()\nfor m in s.waiting:\n    held |= {m}\ns.other = held",
    "held = set(s.waiting)\nheld = set()\ns.waiting = held",
    "s.yes = not (s.waiting - s.waiting) and s.waiting.isdisjoint(set())",
    "s.yes = len(s.waiting) in range(1, 3) and max((m.to for m in s.waiting), default=0) > 3",
    "s.waiting |= {s.msg}\ns.other -= {s.msg}",
    "s.yes = s.msg in s.waiting or s.msg not in s.other",
    "s.yes = Msg(6, 6) in s.waiting and Msg(0, 1) not in (s.waiting | s.other)",
    "for m in s.waiting:\n    s.other |= {Msg(m.kind, 1)}",
]


def test_large_sets(tmp_path: Path) -> None:
    """Stored, passed, returned, compared, chosen, in structs, options, lists and maps."""
    assert_agree(tmp_path, TEXT, FORMS)
