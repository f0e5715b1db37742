"""A Hypothesis strategy for specs whose actions loop over symmetric actors in all sorts of ways.

Every expression is of actors or of what they hold, and values stay within their domains: so if the
order of a loop's rounds can matter, it soon shows.
"""

from __future__ import annotations

from hypothesis import strategies as st

HEADER = '''
from typing import Annotated
from specmodel.lang import (
    Bag, Capacity, Range, ScalarSet, Set, Spec, Struct, action, init, invariant, pick, require,
)


class Node(ScalarSet, size=3, prefix="n", symmetric=True):
    """An actor."""


Small = Annotated[int, Range(0, 3)]


class Point(Struct):
    x: Small
    near: Node | None


class Mail(Struct):
    to: Node
    n: Small


class State(Struct):
    who: Node
    maybe: Node | None
    count: Small
    flag: bool
    seen: Set[Node]
    of: dict[Node, Small]
    point: dict[Node, Point]
    log: Annotated[list[Node], Capacity(2)]
    sent: Annotated[Set[Mail], Capacity(3)]
    got: Annotated[Bag[Mail | None], Capacity(4)]
    table: Annotated[dict[Node, Small], Capacity(3)]
    owner: Annotated[dict[Small, Node], Capacity(3)]
    entry: Annotated[dict[Mail, Point], Capacity(2)]


def mark(s: State, m: Node, value: int) -> None:
    s.of[m] = value % 4


def visit(s: State, m: Node) -> bool:
    require(s.of[m] != 3)
    s.seen |= {m}
    return s.flag


def point_of(s: State, m: Node) -> Point:
    return s.point[m]


def first_seen(s: State, m: Node) -> bool:
    for q in Node:
        if q in s.seen and s.of[q] < s.of[m]:
            return False
    return True


@init
def start(first: Node) -> State:
    return State(
        who=first, maybe=None, count=0, flag=False, seen=set(), of={m: 0 for m in Node},
        point={m: Point(0, None) for m in Node}, log=[],
        sent=set(), got=Bag(), table={}, owner={}, entry={},
    )
'''


class _Loops:
    """Writes statements. `members` and `points` are names in scope."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.members = ["n", "s.who", "x"]
        self.points: list[str] = []
        self.fresh = 0
        self.within = 0

    def pick(self, options: list[str]) -> str:
        return self.draw(st.sampled_from(options))

    def member(self) -> str:
        # The innermost loop's more often than others: only so may rounds be independent.
        return self.pick([*self.members, *self.members[-1:] * 4])

    def number(self) -> str:
        m = self.member()
        point = [f"{p}.x" for p in self.points]
        return self.pick(
            ["1", "total", "s.count", "len(s.seen)", f"s.of[{m}]", f"s.point[{m}].x", *point]
        )

    def truth(self, deep: bool = True) -> str:
        m, number = self.member(), self.number()
        options = [
            f"{m} in s.seen",
            f"{m} == {self.member()}",
            f"s.of[{m}] > {number}",
            f"s.point[{m}].near == {self.member()}",
            f"{number} == {self.number()}",
            "s.flag",
            "found",
            f"first_seen(s, {m})",
            f"{m} in s.log",
            f"Mail({m}, 1) in s.sent",
            f"s.got[Mail({m}, {self.number()} % 4)] > 0",
            f"s.table.get({m}, 0) == {self.number()}",
            f"{m} in s.table",
            f"any(e.to == {m} for e in s.sent)",
            "all(e is None or e.n < 2 for e in s.got)",
            f"sum(e.n for e in s.sent) == {self.number()}",
            f"len(s.entry) < {self.number()}",
        ]
        if deep:
            word = self.pick(["any", "all"])
            self.members.append("j")
            body, source = self.truth(False), self.pick(["Node", "s.seen", "s.of", "s.log"])
            self.members.pop()
            options += [f"{word}({body} for j in {source})"] * 2
        return self.pick(options)

    def statement(self, indent: str, depth: int) -> list[str]:
        m, number, truth = self.member(), self.number(), self.truth()
        inner = indent + "    "
        plain = [
            f"s.seen |= {{{m}}}",
            f"s.seen -= {{{m}}}",
            f"s.of[{m}] = {number} % 4",
            f"s.of[{m}] = (s.of[{m}] + {number}) % 4",
            f"s.point[{m}].x = {number} % 4",
            f"s.point[{m}].near = {self.member()}",
            f"s.point[{m}] = Point({number} % 4, {self.member()})",
            f"s.who = {m}",
            f"s.maybe = {self.pick([m, 'None'])}",
            f"s.flag = {self.pick(['True', 'False', truth])}",
            f"s.log = {self.pick([f'[{m}]', '[]', '[q for q in Node if q in s.seen][:2]'])}",
            f"x = {m}",
            f"total += {number}",
            f"total = {self.pick(['min', 'max'])}(total, {number})",
            f"total -= {number}",
            f"found = found {self.pick(['or', 'and'])} {truth}",
            f"found = {truth} or found",
            f"found = {self.pick(['True', 'False', truth])}",
            f"found = found or visit(s, {m})",
            f"mark(s, {m}, {number})",
            f"visit(s, {m})",
            f"require({truth})",
            f"s.of = {{j: s.of[{self.pick(['j', m])}] for j in Node}}",
            f"s.seen = {{j for j in s.seen if {self.truth()}}}",
            "s.count = sum(s.of[j] for j in s.seen) % 4",
        ]
        mail = self.pick([f"Mail({m}, {number} % 4)", f"Mail({m}, 1)", "letter"])
        plain += [
            f"s.sent |= {{{mail}}}",
            f"s.sent -= {{{mail}}}",
            f"s.sent = {{Mail(e.to, (e.n + 1) % 4) for e in s.sent if {truth}}}",
            f"s.got += {{{mail}}}",
            f"s.got -= {{{mail}}}",
            "s.got = Bag(e for e in s.sent)",
            f"s.table[{m}] = {number} % 4",
            f"s.table[{m}] = (s.table.get({m}, 0) + 1) % 4",
            f"s.table = {{j: {number} % 4 for j in s.seen}}",
            "s.owner = {s.of[j]: j for j in s.seen}",
            "s.owner = {e.n: e.to for e in s.sent}",
            f"s.owner[{number} % 4] = {m}",
            f"s.entry[{mail}] = Point({number} % 4, {m})",
            f"s.entry = {{e: Point(e.n, {m}) for e in s.sent if e.n < 2}}",
            f"letter = {mail}",
            "s.who = letter.to",
            "s.who = max((e for e in s.sent), key=lambda e: e.n, default=letter).to",
            "s.log = [e.to for e in sorted(s.sent, key=lambda e: e.n)][:2]",
        ]
        if mail != "letter":
            plain += [f"if {m} in s.table: del s.table[{m}]"]
        plain += [f"{p}.x = {number} % 4" for p in self.points]
        kinds = ["plain"] * 4 + ["if", "refer"] + ["for"] * bool(depth)
        kind = self.pick(kinds + ["leave"] * bool(self.within))
        if kind == "if":
            made = [f"{indent}if {truth}:", *self.statement(inner, 0)]
            if self.draw(st.booleans()):
                made += [f"{indent}else:", *self.statement(inner, 0)]
            return made
        if kind == "leave":
            word = self.pick(["break", "continue", "continue", "return"])
            return [f"{indent}if {truth}:", inner + self.pick(["pass", *plain]), inner + word]
        if kind == "refer":
            self.fresh += 1
            self.points.append(f"p{self.fresh}")
            place = self.pick([f"s.point[{m}]", f"point_of(s, {m})"])
            return [f"{indent}p{self.fresh} = {place}"]
        if kind == "for":
            return self.loop(indent, depth - 1)
        return [indent + self.pick(plain)]

    def loop(self, indent: str, depth: int) -> list[str]:
        self.fresh += 1
        name, points = f"r{self.fresh}", list(self.points)
        head = self.pick(
            [
                *[f"for {name} in Node:"] * 3,
                f"for {name} in s.seen:",
                f"for {name} in s.log:",
                f"for {name}, v{self.fresh} in s.point.items():",
                f"for p{self.fresh} in s.point.values():",
                f"for i{self.fresh} in range(2):",
                f"for {name} in s.table:",
                f"for {name}, t{self.fresh} in s.table.items():",
                "for letter in s.sent:",
                "for letter in s.entry:",
                f"for letter, p{self.fresh} in s.entry.items():",
                f"for p{self.fresh} in s.entry.values():",
                f"for n{self.fresh}, {name} in s.owner.items():",
            ]
        )
        members = list(self.members)
        if name in head:
            self.members.append(name)
        if "point.items" in head:
            self.points.append(f"v{self.fresh}")
        elif f"p{self.fresh}" in head:
            self.points.append(f"p{self.fresh}")
        body: list[str] = []
        self.within += 1
        for _ in range(self.draw(st.integers(1, 2))):
            body += self.statement(indent + "    ", depth)
        self.within -= 1
        self.members, self.points = members, points
        return [indent + head, *body]


@st.composite
def loop_sources(draw: st.DrawFn) -> str:
    """The text of a module with a spec named `spec`, of one action and one invariant."""
    loops = _Loops(draw)
    lines = [HEADER, "", "@action", "def act(s: State, n: Node) -> None:"]
    lines += ["    total: int = 0", "    found: bool = False", "    x: Node = n"]
    source = draw(st.sampled_from(["s.sent", "s.entry", ""]))
    lines += ["    letter: Mail = Mail(n, 0)"] if not source else [f"    letter = pick({source})"]
    lines += loops.loop("    ", 1)
    loops.points = []
    lines += loops.statement("    ", 0)
    lines += ["    s.count = total % 4", "    s.flag = found", ""]
    loops.members, loops.points = ["s.who"], []
    truth = loops.truth().replace("found", "s.flag").replace("total", "s.count")
    lines += ["", "@invariant", "def fine(s: State) -> bool:", f"    return {truth}", ""]
    lines += ["", "spec = Spec(state=State, init=start, actions=[act], invariants=[fine])", ""]
    return "\n".join(lines)
