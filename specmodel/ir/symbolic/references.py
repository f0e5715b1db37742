"""What a name refers to: the rule for parts of states and of local values.

Python's names refer to objects. A state here has no objects: its parts are known by their places,
paths from a state or from a local value. The two agree as long as the object that a name refers to
stays where it was. So the rule is that of a borrow:

- a name for a part is a `Ref`, a place and the moment at which it was taken. It may be used until
  something on its path is replaced, moved or removed (`Mutations.lost`).
- a new list or map may hold parts that also lie elsewhere, its `aliases`. It may be read until one
  of these changes (`Mutations.changed`); its parts cannot be changed through it.
- nothing within a value of a union can be changed through it. A name for one so has that value for
  ever, and one for it as a value of an alternative has a part that also lies elsewhere.
- what no one may change, such as a member of a set, is frozen.
- a name that is one thing or another by a condition is an `Either`, followed on both sides.

Whatever the rule does not let in is refused with both places, where it is used and what was changed
before. docs/reference/names.md says it to the authors of specs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specmodel.domains import (
    Domain,
    MapDomain,
    OptionDomain,
    SeqDomain,
    SparseMapDomain,
    StructDomain,
    UnionDomain,
)
from specmodel.errors import Span
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.values import Value


@dataclass(frozen=True, slots=True)
class AccessStep:
    """One step into a value: a field by number, an index of a map or list, or into an optional.

    An index of None stands for any. A step of the kind "value" leads to the value of an entry of a
    map with a capacity, by the slot that the entry is in.
    """

    kind: str
    field: int = 0
    index: Node | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A path from a slot (a state, or a local composite)."""

    slot: int
    steps: tuple[AccessStep, ...] = ()

    def then(self, step: AccessStep) -> Place:
        return Place(self.slot, (*self.steps, step))

    def may_hold(self, other: Place) -> bool:
        """Whether the other may be this place or lie within it."""
        if self.slot != other.slot or len(self.steps) > len(other.steps):
            return False
        return all(_may_meet(a, b) for a, b in zip(self.steps, other.steps, strict=False))


def _may_meet(a: AccessStep, b: AccessStep) -> bool:
    if a.kind == "field":
        return a.field == b.field
    if a.index is not None and b.index is not None and a.index.constant and b.index.constant:
        return a.index.value == b.index.value
    return True


NOWHERE = Place(-1)
"""Stands for the place of what cannot change."""


@dataclass(frozen=True, slots=True)
class Ref:
    """The part at a place, as it was at a moment (a number of changes made before)."""

    place: Place
    since: int


@dataclass(frozen=True, slots=True)
class Held:
    """A composite without a place: a new one, or one that cannot be changed.

    Parts of it may lie at or below the `aliases`, as they were at the moment `since`. `own` says
    that its outermost container is new. `frozen` says what it is if it cannot be changed.
    """

    value: Value
    since: int
    aliases: tuple[Place, ...] = ()
    own: bool = True
    frozen: str = ""


@dataclass(frozen=True, slots=True)
class Present:
    """Something of a type as an optional of that type: the same object."""

    held: Binding
    inner: Domain


@dataclass(frozen=True, slots=True)
class Either:
    """One thing where a condition holds, else another."""

    condition: Node
    then: Binding
    other: Binding


Binding = Value | Ref | Held | Present | Either
"""What a name or a term stands for. Scalars and sets are values; composites are the others."""


def mutable(domain: Domain) -> bool:
    """Whether Python passes values of a domain by reference and they can change in place."""
    if isinstance(domain, OptionDomain):
        return mutable(domain.inner)
    if isinstance(domain, UnionDomain):
        return not domain.immutable
    return isinstance(domain, _COMPOSITES)


def is_union(domain: Domain) -> bool:
    """Whether values of a domain are of a union, or None."""
    inner = domain.inner if isinstance(domain, OptionDomain) else domain
    return isinstance(inner, UnionDomain)


_COMPOSITES = (StructDomain, MapDomain, SparseMapDomain, SeqDomain)


def element_of(domain: Domain) -> Domain:
    """What a list or a map holds."""
    if isinstance(domain, OptionDomain):
        return element_of(domain.inner)
    return domain.parts[-1]


def declared(domain: Domain, steps: tuple[AccessStep, ...]) -> tuple[Domain, bool]:
    """The domain at the end of a path, and whether a struct on the way declares its bounds.

    Where one does, what is stored is checked and copied; else the container is an ordinary list or
    dict of Python, which holds what it is given.
    """
    bounded = False
    for step in steps:
        if isinstance(domain, OptionDomain) and step.kind != "the":
            domain = domain.inner
        if isinstance(domain, StructDomain):
            domain = domain.places[step.field]
            bounded = True
        else:
            domain = domain.parts[-1]
    return domain, bounded


@dataclass(frozen=True, slots=True)
class Mutation:
    """Something was stored at a place, on a path of conditions.

    `how`: "assign" replaced what was there; "grow" added to the end of a list; "shift" removed from
    one, or gave a map with a capacity other keys.
    """

    number: int
    place: Place
    how: str
    path: tuple[Node, ...]
    span: Span | None


class Mutations:
    """All changes of a run, by slot, in the order in which they were made."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.count = 0
        self.by_slot: dict[int, list[Mutation]] = {}

    def add(self, place: Place, how: str, path: list[Node], span: Span | None) -> None:
        self.count += 1
        change = Mutation(self.count, place, how, tuple(path), span)
        self.by_slot.setdefault(place.slot, []).append(change)

    def lost(self, ref: Ref, here: tuple[Node, ...]) -> Mutation | None:
        """The change that took away what a reference refers to, if there may have been one."""
        depth = len(ref.place.steps)
        for change in self._since(ref.place.slot, ref.since):
            above = len(change.place.steps) < depth
            taken = (change.how == "assign" and change.place.steps) or (
                change.how == "shift" and above
            )
            if taken and change.place.may_hold(ref.place) and self._together(change, here):
                return change
        return None

    def changed(self, alias: Place, since: int, here: tuple[Node, ...]) -> Mutation | None:
        """The change within the object at a place, if there may have been one.

        That the place got another object meanwhile changes nothing within the one that was there.
        """
        for change in self._since(alias.slot, since):
            within = alias.may_hold(change.place) and (
                change.how != "assign" or len(change.place.steps) > len(alias.steps)
            )
            if within and self._together(change, here):
                return change
        return None

    def resized(self, ref: Ref, here: tuple[Node, ...]) -> Mutation | None:
        """The change of a list's length since a reference to it was taken, if there may be one."""
        for change in self._since(ref.place.slot, ref.since):
            same = len(change.place.steps) == len(ref.place.steps)
            if (
                same
                and change.how != "assign"
                and change.place.may_hold(ref.place)
                and self._together(change, here)
            ):
                return change
        return None

    def _since(self, slot: int, since: int) -> Iterator[Mutation]:
        for change in reversed(self.by_slot.get(slot, ())):
            if change.number <= since:
                return
            yield change

    def _together(self, change: Mutation, here: tuple[Node, ...]) -> bool:
        """Whether a change may have been made on the way to here."""
        return self.possible((*change.path, *here))

    def possible(self, conditions: tuple[Node, ...]) -> bool:
        """Whether conditions may all hold, as far as can be seen."""
        return self.graph.both(*self._parts(conditions)) is not self.graph.false

    def _parts(self, conditions: tuple[Node, ...]) -> Iterator[Node]:
        """Conditions and their pieces: not (a or b) as it is, and as not a, not b."""
        for node in conditions:
            if node.op == "and":
                yield from self._parts(node.args)
            elif node.op == "not" and node.args[0].op == "or":
                yield node
                yield from self._parts(tuple(map(self.graph.negate, node.args[0].args)))
            else:
                yield node
