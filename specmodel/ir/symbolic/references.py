"""References: what a name refers to, for parts of states and of local values.

A name of Python refers to an object. A symbolic state has no objects: a part is known by its place,
a path from a state or from a local value. Both agree as long as the object that a name refers to
stays at its place. So the rule is the rule of a borrow:

- A name for a part is a `Ref`: a place and the moment at which it was taken. It may be used until
  a part on its path is replaced, moved or removed (`Mutations.lost`).
- A new list or map may contain parts that also have a place elsewhere, its `aliases`. It may be
  read until one of them changes (`Mutations.changed`); its parts cannot be changed through it.
- No part of a union's value can be changed through it. So a name for the union keeps its value,
  and a name for it as a value of an alternative has a part that also has a place elsewhere.
- A value that a spec may not change, such as a member of a set, is frozen.
- A name that is one of two things, by a condition, is an `Either`; both are followed.

A use that the rule does not allow is refused. The message names the use and the change before it.
docs/reference/names.md explains the rule to the authors of specs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from specmodel.dataclass import dataclass
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

    An index of None is any index. A step of the kind "value" leads to the value of an entry of a
    map with a capacity; its index is the entry's slot.
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
        """Whether the other place may be this place or be within it."""
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
"""The place of a value that cannot change."""


@dataclass(frozen=True, slots=True)
class Ref:
    """The part at a place, at a moment: after the first `since` changes of the run."""

    place: Place
    since: int


@dataclass(frozen=True, slots=True)
class Held:
    """A composite without a place: a new one, or one that cannot be changed.

    Parts of it may be at or below the places `aliases`, at the moment `since`. `own`: its outermost
    container is new. `frozen` is its name in messages if it cannot be changed, else "".
    """

    value: Value
    since: int
    aliases: tuple[Place, ...] = ()
    own: bool = True
    frozen: str = ""

    @property
    def kind(self) -> tuple[object, ...]:
        """All but the value."""
        return self.since, self.aliases, self.own, self.frozen


@dataclass(frozen=True, slots=True)
class Present:
    """A binding as an optional of its type: the same object."""

    held: Binding
    inner: Domain


@dataclass(frozen=True, slots=True)
class Either:
    """`then` where a condition is true, else `other`."""

    condition: Node
    then: Binding
    other: Binding


Binding = Value | Ref | Held | Present | Either
"""The binding of a name or term. Scalars and sets are values, composites the other kinds."""

Bound = Callable[[], tuple[Binding, ...]]
"""Returns the values that the names of a generator are bound to."""

Stop = tuple[Node, Bound, Callable[[], None]]
"""A stop of a generator: its condition, its bindings, and a function to call at its end."""


def mutable(domain: Domain) -> bool:
    """Whether the values of a domain are objects that Python can change in place."""
    if isinstance(domain, OptionDomain):
        return mutable(domain.inner)
    if isinstance(domain, UnionDomain):
        return not domain.immutable
    return isinstance(domain, _COMPOSITES)


def is_union(domain: Domain) -> bool:
    """Whether a domain is a union or an optional of one."""
    inner = domain.inner if isinstance(domain, OptionDomain) else domain
    return isinstance(inner, UnionDomain)


_COMPOSITES = (StructDomain, MapDomain, SparseMapDomain, SeqDomain)


def element_of(domain: Domain) -> Domain:
    """The domain of a list's elements or a map's values."""
    if isinstance(domain, OptionDomain):
        return element_of(domain.inner)
    return domain.parts[-1]


def declared(domain: Domain, steps: tuple[AccessStep, ...]) -> tuple[Domain, bool]:
    """The domain at the end of a path, and whether a struct on the path declares its bounds.

    If a struct does, a stored value is checked and copied. Otherwise the container is an ordinary
    list or dict of Python, which keeps the object that it is given.
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
    """A store at a place, on a path of conditions.

    `how`: "assign" replaced the value; "grow" added to the end of a list; "shift" removed elements
    of a list, or changed the keys of a map with a capacity.
    """

    number: int
    place: Place
    how: str
    path: tuple[Node, ...]
    span: Span | None


class Mutations:
    """All changes of a run, by slot, in their order."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.count = 0
        self.by_slot: dict[int, list[Mutation]] = {}

    def add(self, place: Place, how: str, path: list[Node], span: Span | None) -> None:
        self.count += 1
        change = Mutation(self.count, place, how, tuple(path), span)
        self.by_slot.setdefault(place.slot, []).append(change)

    def lost(self, ref: Ref, here: tuple[Node, ...]) -> Mutation | None:
        """The last change that may have moved or removed the part that a reference refers to."""
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
        """The last change that may have changed a part of the object that was at a place.

        Assigning another object to the place does not change the object that was there.
        """
        for change in self._since(alias.slot, since):
            within = alias.may_hold(change.place) and (
                change.how != "assign" or len(change.place.steps) > len(alias.steps)
            )
            if within and self._together(change, here):
                return change
        return None

    def resized(self, ref: Ref, here: tuple[Node, ...], may_grow: bool) -> Mutation | None:
        """The last change of a list's length that may have come after its reference was taken; if
        the list `may_grow`, the last that is no addition at its end."""
        for change in self._since(ref.place.slot, ref.since):
            same = len(change.place.steps) == len(ref.place.steps)
            if (
                same
                and change.how not in ("assign", "grow" if may_grow else "")
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
        """Whether a change may have happened on the path `here`."""
        return self.possible((*change.path, *here))

    def possible(self, conditions: tuple[Node, ...]) -> bool:
        """Whether conditions may all be true. False only if that can be proved."""
        return self.graph.both(*self._parts(conditions)) is not self.graph.false

    def _parts(self, conditions: tuple[Node, ...]) -> Iterator[Node]:
        """Conditions and their conjuncts: not (a or b) as it is, and as not a, not b."""
        for node in conditions:
            if node.op == "and":
                yield from self._parts(node.args)
            elif node.op == "not" and node.args[0].op == "or":
                yield node
                yield from self._parts(tuple(map(self.graph.negate, node.args[0].args)))
            else:
                yield node
