"""The reads and writes of a loop's rounds, and whether the order of the rounds matters.

A loop over the members of a set runs in the order of their positions, which renaming changes. Its
rounds commute if no round writes a part that another round reads or writes. A part that several
rounds write is allowed if all update it by one commuting operation, or write the same constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from specmodel.dataclass import dataclass
from specmodel.errors import Span
from specmodel.ir import nodes as ir

COMMUTING = {
    "|": 2,
    "&": 2,
    "^": 2,
    "+": 2,
    "*": 2,
    "min": 2,
    "max": 2,
    "and": 2,
    "or": 2,
    "without": 1,
    "-": 1,
    "plus": 2,
    "minus": 1,
    "drop": 1,
}
"""Operations x = x op y that may be done in any order. 2: also as y op x, 1: only as x op y."""

OTHER = ("other", 0)
"""A step to any entry of a map or element of a list."""

Step = tuple[str, int | str]
"""A field, the entry of a map at a round's own key, or any other entry."""


def field_step(name: str) -> Step:
    """A step to a field."""
    return ("field", name)


def own_step(loop: int) -> Step:
    """A step to the entry at the key of one round of a loop."""
    return ("own", loop)


@dataclass(frozen=True)
class AccessPath:
    """A part of a variable: its frame (0: the states), its name, and steps from it."""

    frame: int
    name: str
    steps: tuple[Step, ...] = ()

    def then(self, step: Step) -> AccessPath:
        return AccessPath(self.frame, self.name, (*self.steps, step))

    def meets(self, other: AccessPath, loop: int) -> bool:
        """Whether this part in one round may overlap the other part in another round of a loop."""
        if (self.frame, self.name) != (other.frame, other.name):
            return False
        for mine, its in zip(self.steps, other.steps, strict=False):
            if mine == its == own_step(loop):
                return False
            if mine != its and mine[0] == its[0] == "field":
                return False
        return True


@dataclass(frozen=True)
class AccessedThing:
    """The parts that a term may refer to. `own`: the loop whose round's member it is.

    `doubtful` marks a name that has a value on some paths only.
    """

    paths: frozenset[AccessPath] = frozenset()
    own: int | None = None
    doubtful: bool = False

    def then(self, step: Step) -> AccessedThing:
        """The part that a step leads to."""
        return AccessedThing(frozenset(path.then(step) for path in self.paths))

    def joined(self, other: AccessedThing) -> AccessedThing:
        """The parts of either."""
        own = self.own if self.own == other.own else None
        return AccessedThing(self.paths | other.paths, own, self.doubtful or other.doubtful)


@dataclass(frozen=True)
class Access:
    """A read (`way` is None) or a write: an operation, "= constant", or "" for any value."""

    path: AccessPath
    way: str | None
    span: Span | None


@dataclass
class Footprint:
    """Accesses, guards, and early ends of a loop or function: "break", or "return" and a value.

    The value of a return is "" if it is not constant.
    """

    accesses: list[Access] = field(default_factory=list[Access])
    guards: list[Span | None] = field(default_factory=list[Span | None])
    ends: list[tuple[str, str, Span | None]] = field(
        default_factory=list[tuple[str, str, Span | None]]
    )

    def add(self, inner: Footprint, accesses: Iterable[Access], ends: Iterable[str]) -> None:
        """Adds accesses, the guards of an inner footprint, and its ends of the given kinds."""
        self.accesses += accesses
        self.guards += inner.guards
        self.ends += [end for end in inner.ends if end[0] in set(ends)]

    def outside(self, known: set[tuple[int, str]]) -> list[Access]:
        """The accesses to the states and to the names in `known`."""
        return [
            a for a in self.accesses if not a.path.frame or (a.path.frame, a.path.name) in known
        ]


@dataclass(frozen=True)
class Objection:
    """A reason why the order of rounds matters: its place, and the message."""

    span: Span | None
    what: str


def objections(
    footprint: Footprint, known: set[tuple[int, str]], loop: int, early: bool
) -> Iterator[Objection]:
    """The reasons why the order of a loop's rounds matters; none if it does not.

    `early`: the loop may end after any round (all, any). `known` are the names that had a value
    before the loop.
    """
    accesses = footprint.outside(known)
    writes = [a for a in accesses if a.way is not None]
    returned = {value for kind, value, _ in footprint.ends if kind == "return"}
    for kind, value, span in footprint.ends:
        if kind == "return" and (not value or len(returned) > 1):
            yield Objection(span, "which value is returned depends on who comes first")
        elif kind == "break" and returned:
            yield Objection(span, "whether this is reached before a return depends on the order")
    if footprint.ends or early:
        spans = [w.span for w in writes] + footprint.guards
        for span in spans:
            yield Objection(span, "whether this is reached depends on who comes first")
    for write in writes:
        for other in accesses:
            same = write.path == other.path and write.way == other.way and write.way != ""
            if not same and write.path.meets(other.path, loop):
                yield Objection(write.span, "what is left here depends on who comes last")


def accumulated(target: ir.Term, value: ir.Term) -> tuple[str, ir.Term] | None:
    """The operation and operand of `target = target op operand`, if it commutes, else None."""
    if not isinstance(value, ir.Apply) or value.op not in COMMUTING or len(value.args) != 2:
        return None
    left, right = value.args
    if left == target:
        return value.op, right
    if right == target and COMMUTING[value.op] == 2:
        return value.op, left
    return None


def constant_text(term: ir.Term) -> str:
    """A text that identifies a constant or a composite of constants; "" for other terms."""
    if isinstance(term, ir.Constant):
        return repr(term.value)
    inner = term.items if isinstance(term, ir.Make) else None
    if isinstance(term, ir.Apply) and term.op in ("some", "as", "as_sure"):
        inner = term.args
    if inner is None:
        return ""
    texts = [constant_text(item) for item in inner]
    return f"{term.type}({', '.join(texts)})" if all(texts) else ""
