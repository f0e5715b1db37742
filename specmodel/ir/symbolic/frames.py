"""What a symbolic run carries: slots, names, path conditions, guards, failures."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from specmodel.domains import Domain
from specmodel.errors import Span
from specmodel.ir.nodes import Model
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.places import Binding, Dead, Place, Snapshot, Step
from specmodel.ir.symbolic.values import Map, Option, Seq, Struct, Value


@dataclass(frozen=True)
class Guard:
    """A guard conjunct: its condition (true off its path), and the source of the `require`."""

    node: Node
    span: Span | None


@dataclass(frozen=True)
class Failure:
    """A condition under which the spec itself fails. `guards` is how many guards came before it."""

    node: Node
    message: str
    span: Span | None
    guards: int


@dataclass
class Frame:
    """A function being run: its names, whether it has returned or left a loop, and with what.

    `unbound` says for some of the names under which condition they have no value after all.
    """

    names: dict[str, Binding]
    returned: Node
    broke: Node
    again: Node
    result: Value | None = None
    sources: tuple[Place, ...] = ()
    fresh: bool = True
    unbound: dict[str, Node] = field(default_factory=dict[str, Node])

    def bind(self, name: str, binding: Binding) -> None:
        """Gives a name a value for certain."""
        self.names[name] = binding
        self.unbound.pop(name, None)

    def copy(self) -> Frame:
        return Frame(
            dict(self.names),
            self.returned,
            self.broke,
            self.again,
            self.result,
            self.sources,
            self.fresh,
            dict(self.unbound),
        )


@dataclass
class World:
    """Everything that a branch may change: slots and frames."""

    slots: dict[int, Value]
    frames: list[Frame]

    def copy(self) -> World:
        return World(dict(self.slots), [f.copy() for f in self.frames])


@dataclass
class Run:
    """A symbolic run of one function. `pure` runs (properties) have no guards."""

    model: Model
    graph: Graph
    pure: bool
    domains: dict[int, Domain] = field(default_factory=dict[int, Domain])
    states: set[int] = field(default_factory=set[int])
    path: list[Node] = field(default_factory=list[Node])
    guards: list[Guard] = field(default_factory=list[Guard])
    failures: list[Failure] = field(default_factory=list[Failure])

    def __post_init__(self) -> None:
        self.algebra = Algebra(self.graph)
        self.world = World({}, [])

    @property
    def frame(self) -> Frame:
        return self.world.frames[-1]

    def new_frame(self, names: dict[str, Binding]) -> Frame:
        no = self.graph.false
        return Frame(names, no, no, no)

    def new_slot(self, value: Value, domain: Domain) -> Place:
        """A local composite, reachable by name."""
        number = len(self.domains)
        self.domains[number] = domain
        self.world.slots[number] = value
        return Place(number)

    # Conditions

    @contextmanager
    def assuming(self, *conditions: Node) -> Generator[None]:
        """Evaluates terms under conditions; what a helper among them changes is changed there."""
        before = dict(self.world.slots)
        try:
            with self._on_path(*conditions):
                yield
        finally:
            slots = self.world.slots
            changed = [slot for slot, value in before.items() if slots[slot] is not value]
            holds = self.graph.both(*conditions) if changed else self.graph.true
            for slot in changed:
                slots[slot] = self.algebra.select(holds, slots[slot], before[slot])

    @contextmanager
    def once_more(self, slots: dict[int, Value]) -> Generator[None]:
        """Evaluates once more what was evaluated when slots were these, changing nothing again."""
        changed, self.world.slots = self.world.slots, dict(slots)
        try:
            yield
        finally:
            self.world.slots |= changed

    @contextmanager
    def _on_path(self, *conditions: Node) -> Generator[None]:
        self.path.extend(conditions)
        try:
            yield
        finally:
            del self.path[len(self.path) - len(conditions) :]

    def holds(self, condition: Node) -> bool:
        """Whether a condition is certain here."""
        return self.here(self.graph.negate(condition)) is self.graph.false

    def always(self, condition: Node) -> bool:
        """Whether a condition is certain wherever the action happens, as far as it has come."""
        guards = (g.node for g in self.guards)
        denied = self.graph.both(*self.path, *guards, self.graph.negate(condition))
        return denied is self.graph.false

    def here(self, condition: Node) -> Node:
        """A condition together with all that is known here: the path, and the guards so far."""
        if condition is self.graph.false:
            return condition
        return self.graph.both(*self.path, *(g.node for g in self.guards), condition)

    def guard(self, condition: Node, span: Span | None) -> None:
        """Adds a guard under the present path."""
        off_path = [self.graph.negate(c) for c in self.path]
        self.guards.append(Guard(self.graph.either(*off_path, condition), span))

    def fail(self, condition: Node, message: str, span: Span | None) -> None:
        """Notes that the spec fails if the condition is true here."""
        node = self.here(condition)
        if node is not self.graph.false:
            self.failures.append(Failure(node, message, span, len(self.guards)))

    def branch(self, condition: Node, then: Callable[[], None], other: Callable[[], None]) -> None:
        """Runs one of two pieces of code by a condition, and merges what they leave."""
        if condition.constant:
            (then if condition.value else other)()
            return
        before = self.world
        self.world = before.copy()
        with self._on_path(condition):
            then()
        one, self.world = self.world, before
        with self._on_path(self.graph.negate(condition)):
            other()
        self._merge(condition, one, self.world)

    def _merge(self, condition: Node, one: World, two: World) -> None:
        select = self.algebra.select
        for slot, value in one.slots.items():
            two.slots[slot] = select(condition, value, two.slots.get(slot, value))
        for a, b in zip(one.frames, two.frames, strict=True):
            b.returned = self.graph.select(condition, a.returned, b.returned)
            b.broke = self.graph.select(condition, a.broke, b.broke)
            b.again = self.graph.select(condition, a.again, b.again)
            if a.result is not None and b.result is not None:
                b.result = select(condition, a.result, b.result)
            b.result = b.result or a.result
            b.sources = tuple(dict.fromkeys(a.sources + b.sources))
            b.fresh = a.fresh and b.fresh
            b.unbound = self._merged_unbound(condition, a, b)
            for name, binding in a.names.items():
                b.names[name] = self._merged(condition, binding, b.names.get(name, binding))

    def _merged_unbound(self, condition: Node, a: Frame, b: Frame) -> dict[str, Node]:
        g = self.graph
        found: dict[str, Node] = {}
        for name in a.names | b.names:
            lacks = [f.unbound.get(name, g.false) if name in f.names else g.true for f in (a, b)]
            node = g.select(condition, *lacks)
            if node is not g.false:
                found[name] = node
        return found

    def _merged(self, condition: Node, a: Binding, b: Binding) -> Binding:
        if a == b:
            return b
        if isinstance(a, Dead) or isinstance(b, Dead):
            return a if isinstance(a, Dead) else b
        sources = tuple(dict.fromkeys([*_sources(a), *_sources(b)]))
        value = self.algebra.select(condition, self.read(a), self.read(b))
        return Snapshot(value, sources) if sources else value

    # Places

    def read(self, binding: Binding) -> Value:
        """The value that a binding has now."""
        if isinstance(binding, Place):
            value = self.world.slots[binding.slot]
            domain = self.domains[binding.slot]
            for step in binding.steps:
                value, domain = self._into(value, domain, step)
            return value
        if isinstance(binding, Snapshot):
            return binding.value
        assert isinstance(binding, Value)
        return binding

    def _into(self, value: Value, domain: Any, step: Step) -> tuple[Value, Domain]:
        if step.kind == "field":
            assert isinstance(value, Struct)
            return value.fields[step.field], tuple(domain.fields.values())[step.field]
        if step.kind == "the":
            return self.algebra.held(value, domain.inner), domain.inner
        assert step.index is not None
        if isinstance(value, Map):
            return self.algebra.at_index(step.index, value.values), domain.value
        assert isinstance(value, Seq)
        return self.algebra.at_index(step.index, value.elements), domain.element

    def write(self, place: Place, new: Value, span: Span | None, inside: bool) -> None:
        """Stores a value, and kills the references that the store detaches."""
        slots = self.world.slots
        slots[place.slot] = self._changed(slots[place.slot], place.steps, new)
        for frame in self.world.frames:
            for name, binding in frame.names.items():
                if isinstance(binding, Place):
                    under = place.may_hold(binding) and (not inside or binding != place)
                    if under and not (binding.slot == place.slot and not binding.steps):
                        frame.names[name] = Dead(span)
                elif isinstance(binding, Snapshot) and any(map(place.overlaps, binding.sources)):
                    frame.names[name] = Dead(span)

    def _changed(self, value: Value, steps: tuple[Step, ...], new: Value) -> Value:
        if not steps:
            return new
        step, rest = steps[0], steps[1:]
        if isinstance(value, Struct):
            fields = list(value.fields)
            fields[step.field] = self._changed(fields[step.field], rest, new)
            return Struct(tuple(fields))
        if isinstance(value, Option):
            return Option(value.present, self._changed(value.held, rest, new))
        assert step.index is not None
        if isinstance(value, Map):
            return Map(self._changed_at(step.index, value.values, rest, new))
        assert isinstance(value, Seq)
        return Seq(
            value.length, self._changed_at(step.index, value.elements, rest, new), value.blank
        )

    def _changed_at(
        self, index: Node, values: tuple[Value, ...], rest: tuple[Step, ...], new: Value
    ) -> tuple[Value, ...]:
        return self.algebra.store_at(index, values, lambda held: self._changed(held, rest, new))


def _sources(binding: Binding) -> tuple[Place, ...]:
    if isinstance(binding, Place):
        return (binding,)
    return binding.sources if isinstance(binding, Snapshot) else ()
