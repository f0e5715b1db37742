"""A symbolic run: slots, names, path conditions, guards, failures.

Only `read`, `step` and `write` access the parts that names refer to; they check the rule of
`references`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from functools import partial
from typing import TypeVar

from specmodel.dataclass import dataclass
from specmodel.domains import Domain, SparseMapDomain
from specmodel.errors import Span, SpecError
from specmodel.ir.nodes import Lowered
from specmodel.ir.symbolic.algebra import Algebra
from specmodel.ir.symbolic.effects import Failure, GuardConjunct
from specmodel.ir.symbolic.frames import Frame, Slot, World
from specmodel.ir.symbolic.graph import Graph, Node
from specmodel.ir.symbolic.references import (
    NOWHERE,
    AccessStep,
    Binding,
    Either,
    Held,
    Mutation,
    Mutations,
    Place,
    Present,
    Ref,
    declared,
    element_of,
    is_union,
    mutable,
)
from specmodel.ir.symbolic.values import Composite, Nothing, Option, SymbolicSeq, Value, second

T = TypeVar("T")


@dataclass
class SymbolicRun:
    """A symbolic run of one function. `pure` runs (properties) have no guards."""

    model: Lowered
    graph: Graph
    pure: bool
    slots: dict[int, Slot] = field(default_factory=dict[int, Slot])
    path: list[Node] = field(default_factory=list[Node])
    guards: list[GuardConjunct] = field(default_factory=list[GuardConjunct])
    failures: list[Failure] = field(default_factory=list[Failure])

    def __post_init__(self) -> None:
        self.algebra = Algebra(self.graph)
        self.changes = Mutations(self.graph)
        self.world = World({}, [])

    @property
    def frame(self) -> Frame:
        return self.world.frames[-1]

    def new_frame(self, names: dict[str, Binding]) -> Frame:
        no = self.graph.false
        return Frame(names, no, no, no)

    def new_slot(self, value: Value, slot: Slot) -> Ref:
        """Makes a slot for a state or a local composite; a reference to it."""
        number = len(self.slots)
        self.slots[number] = slot
        self.world.slots[number] = value
        return Ref(Place(number), self.changes.count)

    def kept(self, binding: Binding, domain: Domain, span: Span | None = None) -> Binding:
        """The binding for a name: a new composite gets a slot, so it can change in place.

        A union's value cannot change in place: a name for it keeps it when its place changes.
        """
        if isinstance(binding, Ref) and is_union(domain):
            value, parts = self.read(binding, domain, span), self.parts(binding)
            binding = Held(value, self.changes.count, parts, own=False)
        if isinstance(binding, Held) and not binding.frozen:
            aliases = [(alias, binding.since) for alias in binding.aliases]
            return self.new_slot(binding.value, Slot(domain, False, binding.own, aliases, span))
        if isinstance(binding, Present):
            return Present(self.kept(binding.held, binding.inner, span), binding.inner)
        if isinstance(binding, Either):
            then = self.kept(binding.then, domain, span)
            other = self.kept(binding.other, domain, span)
            return Either(binding.condition, then, other)
        return binding

    # Conditions

    def assuming(self, *conditions: Node) -> Assuming:
        """While active, conditions are on the path; changes apply only where they are true."""
        return Assuming(self, conditions)

    @contextmanager
    def _on_path(self, *conditions: Node) -> Generator[None]:
        self.path.extend(conditions)
        try:
            yield
        finally:
            del self.path[len(self.path) - len(conditions) :]

    def on_path(self, condition: Node) -> bool:
        """Whether a condition is itself a part of the path, or a guard so far: then its contraries
        are false here. `holds` finds more, and takes longer."""
        return is_part(condition, self._here())

    def holds(self, condition: Node) -> bool:
        """Whether a condition is always true here."""
        return self.here(self.graph.negate(condition)) is self.graph.false

    def always(self, condition: Node) -> bool:
        """Whether a condition is always true on this path if all guards so far are true."""
        guards = (g.node for g in self.guards)
        denied = self.graph.both(*self.path, *guards, self.graph.negate(condition))
        return denied is self.graph.false

    def here(self, condition: Node) -> Node:
        """The conjunction of a condition, the path and the guards so far."""
        if condition is self.graph.false:
            return condition
        return self.graph.both(*self.path, *(g.node for g in self.guards), condition)

    def guard(self, condition: Node, span: Span | None) -> None:
        """Adds a guard on the current path."""
        off_path = [self.graph.negate(c) for c in self.path]
        self.guards.append(GuardConjunct(self.graph.either(*off_path, condition), span))

    def fail(self, condition: Node, message: str, span: Span | None) -> None:
        """Records that the spec fails if a condition is true here."""
        node = self.here(condition)
        if node is not self.graph.false:
            self.failures.append(Failure(node, message, span, len(self.guards)))

    def branch(self, condition: Node, then: Callable[[], None], other: Callable[[], None]) -> None:
        """Runs two functions, each under its outcome of a condition, and merges the results."""
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
                b.result = self.either(condition, a.result, b.result)
            b.result = b.result or a.result
            b.unbound = self._merged_unbound(condition, a, b)
            for name, binding in a.names.items():
                b.names[name] = self.either(condition, binding, b.names.get(name, binding))

    def _merged_unbound(self, condition: Node, a: Frame, b: Frame) -> dict[str, Node]:
        g = self.graph
        found: dict[str, Node] = {}
        for name in a.names | b.names:
            lacks = [f.unbound.get(name, g.false) if name in f.names else g.true for f in (a, b)]
            node = g.select(condition, *lacks)
            if node is not g.false:
                found[name] = node
        return found

    # References

    def either(self, condition: Node, a: Binding, b: Binding) -> Binding:
        """`a` where a condition is true, else `b`."""
        if a is b or a == b:
            return b
        if isinstance(a, Value) and isinstance(b, Value):
            return self.algebra.select(condition, a, b)
        if condition.constant:
            return a if condition.value else b
        if isinstance(a, Held) and isinstance(b, Held) and a.kind == b.kind:
            return replace(a, value=self.algebra.select(condition, a.value, b.value))
        return Either(condition, a, b)

    def _both_sides(self, binding: Either, do: Callable[[Binding], T]) -> tuple[T, T]:
        """The results of `do` for both sides, each computed under its condition."""
        with self._on_path(binding.condition):
            then = do(binding.then)
        with self._on_path(self.graph.negate(binding.condition)):
            other = do(binding.other)
        return then, other

    def read(self, binding: Binding, domain: Domain, span: Span | None) -> Value:
        """The current value of a binding. An element of a list that is always empty is any value of
        the type `domain`: every access to it has failed before.

        Raises SpecError if the rule of `references` does not allow it.
        """
        value = self._read(binding, span)
        return self.algebra.stand_in(domain) if isinstance(value, Nothing) else value

    def _read(self, binding: Binding, span: Span | None) -> Value:
        if isinstance(binding, Ref):
            self.check(binding, span)
            return self._at(binding.place)
        if isinstance(binding, Held):
            self._check_aliases([(p, binding.since) for p in binding.aliases], span)
            return binding.value
        if isinstance(binding, Present):
            return self.algebra.some(self.read(binding.held, binding.inner, span), binding.inner)
        if isinstance(binding, Either):
            sides = self._both_sides(binding, partial(self._read, span=span))
            return self.algebra.select(binding.condition, *sides)
        return binding

    def check(self, ref: Ref, span: Span | None) -> None:
        """Raises SpecError if the part of a reference may have moved, or changed elsewhere."""
        if aliases := self.slots[ref.place.slot].aliases:
            self._check_aliases(aliases, span)
        if not ref.place.steps or ref.since == self.changes.count:
            return
        if change := self.changes.lost(ref, self._here()):
            whole = "the state" if self.slots[ref.place.slot].state else "a value"
            what = f"{_called(span)} refers to a part of {whole} that was replaced{_line(change)}"
            raise SpecError(what, span, "read that part again", change.span)

    def _check_aliases(self, aliases: list[tuple[Place, int]], span: Span | None) -> None:
        for alias, since in aliases:
            if since < self.changes.count:
                change = self.changes.changed(alias, since, self._here())
                if change is not None:
                    what = f"{_called(span)} holds parts that were changed elsewhere{_line(change)}"
                    hint = "make it after the change, or of new values"
                    raise SpecError(what, span, hint, change.span)

    def check_length(self, binding: Binding, span: Span | None) -> None:
        """Raises SpecError if a list's length may have changed since its reference was taken."""
        if isinstance(binding, Ref):
            here = self._here()
            hint = "leave the loop after the change, or go through a new list"
            if binding.place.steps and (change := self.changes.lost(binding, here)):
                what = f"this goes through {_called(span)}, which is replaced{_line(change)}"
                raise SpecError(what, span, hint, change.span)
            self._check_size(binding, "this goes through", span, hint)
            self.check(binding, span)
        elif isinstance(binding, Either):
            self._both_sides(binding, partial(self.check_length, span=span))

    def check_element(self, binding: Binding, span: Span | None, counted: bool) -> None:
        """Raises SpecError if an element's list or map may have got another length or other keys
        since the element's reference was taken.

        If the element is `counted` from the front, its list may have grown at the end.
        """
        if isinstance(binding, Ref):
            place = binding.place
            if place.steps and place.steps[-1].kind != "field":
                whole = Ref(Place(place.slot, place.steps[:-1]), binding.since)
                hint = "give the value a name on a line before"
                self._check_size(whole, f"{_called(span)} lies in", span, hint, counted)
        elif isinstance(binding, Either):
            self._both_sides(binding, partial(self.check_element, span=span, counted=counted))

    def _check_size(
        self, ref: Ref, what: str, span: Span | None, hint: str, may_grow: bool = False
    ) -> None:
        if change := self.changes.resized(ref, self._here(), may_grow):
            kind = declared(self.slots[ref.place.slot].domain, ref.place.steps)[0]
            keyed = change.how == "shift" and isinstance(kind, SparseMapDomain)
            whose = "a map whose keys change" if keyed else "a list whose length changes"
            raise SpecError(f"{what} {whose}{_line(change)}", span, hint, change.span)

    def possible(self, *conditions: Node) -> bool:
        """Whether conditions may be true here, together with the path and the guards so far."""
        return self.changes.possible((*self._here(), *conditions))

    def _here(self) -> tuple[Node, ...]:
        return (*self.path, *(guard.node for guard in self.guards))

    def taken(self, binding: Binding, span: Span | None) -> Binding:
        """A binding taken again at this moment."""
        if isinstance(binding, Ref):
            self.check(binding, span)
            return Ref(binding.place, self.changes.count)
        if isinstance(binding, Either):
            sides = self._both_sides(binding, partial(self.taken, span=span))
            return Either(binding.condition, *sides)
        return binding

    def step(self, binding: Binding, step: AccessStep, span: Span | None) -> Binding:
        """The part of a binding that a step leads to."""
        if isinstance(binding, Ref):
            self.check(binding, span)
            return Ref(binding.place.then(step), self.changes.count)
        if isinstance(binding, Either):
            for side, rest in ((binding.then, binding.other), (binding.other, binding.then)):
                if isinstance(side, Held) and self._nothing_in(side.value):
                    return self.step(rest, step, span)
            sides = self._both_sides(binding, partial(self.step, step=step, span=span))
            return self.either(binding.condition, *sides)
        if isinstance(binding, Present):
            assert step.kind == "the"
            return binding.held
        assert isinstance(binding, Held)
        value = self._into(self._read(binding, span), step)
        return Held(value, binding.since, binding.aliases, False, binding.frozen)

    def _nothing_in(self, value: Value) -> bool:
        """Whether a value never has a part, so that a step into it has failed before."""
        if isinstance(value, Option):
            return value.present is self.graph.false
        return isinstance(value, SymbolicSeq) and not value.parts

    def parts(self, binding: Binding) -> tuple[Place, ...]:
        """The places that have the objects of a composite, at them or below."""
        if isinstance(binding, Ref):
            return (binding.place, *(place for place, _ in self.slots[binding.place.slot].aliases))
        if isinstance(binding, Held):
            return (NOWHERE,) if binding.frozen else binding.aliases
        if isinstance(binding, Present):
            return self.parts(binding.held)
        if isinstance(binding, Either):
            both = self.parts(binding.then) + self.parts(binding.other)
            return tuple(dict.fromkeys(both))
        return ()

    def elements(self, binding: Binding, domain: Domain) -> tuple[Place, ...]:
        """The places that have the elements of a list or map, if they may be shared."""
        if not mutable(element_of(domain)):
            return ()
        any_of = AccessStep("at", index=None)
        return tuple(
            place.then(any_of) if isinstance(binding, Ref) and place == binding.place else place
            for place in self.parts(binding)
        )

    def _at(self, place: Place) -> Value:
        value = self.world.slots[place.slot]
        for step in place.steps:
            value = self._into(value, step)
        return value

    def _into(self, value: Value, step: AccessStep) -> Value:
        if isinstance(value, Option):
            return value.held
        if isinstance(value, Nothing):
            return value
        assert isinstance(value, Composite | SymbolicSeq)
        if step.kind == "field":
            return value.parts[step.field]
        assert step.index is not None
        parts = map(second, value.parts) if step.kind == "value" else value.parts
        return self.algebra.at_index(step.index, tuple(parts)) if value.parts else Nothing()

    # Changes

    def write(
        self,
        target: Ref,
        new: Value,
        how: str,
        aliases: tuple[Place, ...],
        at: Span | None,
        span: Span | None,
    ) -> None:
        """Stores a value at a place; `at` is the source of the target.

        `aliases` are other places that have parts of the value, if it is not copied. Raises
        SpecError if the rule of `references` does not allow it.
        """
        place, slot = target.place, self.slots[target.place.slot]
        # A store may have replaced the part meanwhile; only its container has to be in place.
        lies_in = Ref(Place(place.slot, place.steps[:-1]), target.since)
        self.check(lies_in if how == "assign" else target, at)
        deep = len(place.steps) > 1 or (place.steps and how != "assign")
        if not slot.own or (slot.aliases and deep):
            what = f"{_called(at)} may be a part of something else too, which this would change"
            raise SpecError(what, at, "change it where it lies, or make a new value", slot.made)
        slot.aliases += [(alias, self.changes.count + 1) for alias in aliases]
        if how == "assign" and mutable(declared(slot.domain, place.steps)[0]):
            self._keep_taken(place)
        slots = self.world.slots
        slots[place.slot] = self._changed(slots[place.slot], place.steps, new)
        self.changes.add(place, how, self.path, span)

    def _keep_taken(self, place: Place) -> None:
        """Before a store to a place: turns references of `a, b = c, d` to it into values."""
        for name, binding in self.frame.names.items():
            if name.isidentifier() or not isinstance(binding, Ref) or binding.place != place:
                continue
            if self.changes.lost(binding, self._here()) is None:
                value, was = self._at(place), "what lay in another place before"
                self.frame.names[name] = Held(value, self.changes.count, frozen=was)

    def _changed(self, value: Value, steps: tuple[AccessStep, ...], new: Value) -> Value:
        if not steps:
            return new
        step, rest = steps[0], steps[1:]
        if isinstance(value, Nothing):
            return value
        if isinstance(value, Option):
            return Option(value.present, self._changed(value.held, rest, new))
        assert isinstance(value, Composite | SymbolicSeq)
        parts = value.parts
        if step.kind == "field":
            at = step.field
            changed = (*parts[:at], self._changed(parts[at], rest, new), *parts[at + 1 :])
        else:
            assert step.index is not None
            inner = partial(self._changed, steps=rest, new=new)
            if step.kind == "value":
                inner = partial(self._changed_entry, steps=rest, new=new)
            changed = self.algebra.store_at(step.index, parts, inner)
        return replace(value, parts=changed)

    def _changed_entry(self, entry: Value, steps: tuple[AccessStep, ...], new: Value) -> Value:
        assert isinstance(entry, Composite)
        return Composite((entry.parts[0], self._changed(entry.parts[1], steps, new)))


def is_part(condition: Node, known: Sequence[Node]) -> bool:
    """Whether a condition is one of some conditions, or a conjunct of one."""
    return any(c is condition or (c.op == "and" and condition in c.args) for c in known)


def _line(change: Mutation) -> str:
    return f" at line {change.span.line}" if change.span else ""


def _called(span: Span | None) -> str:
    return (span.text() if span else "") or "this"


class Assuming:
    """The context of `SymbolicRun.assuming`; a class, as runs of folds enter it 10^5 times."""

    __slots__ = ("before", "conditions", "run")

    def __init__(self, run: SymbolicRun, conditions: tuple[Node, ...]) -> None:
        self.run = run
        self.conditions = conditions
        self.before: dict[int, Value] = {}

    def __enter__(self) -> None:
        self.before = dict(self.run.world.slots)
        self.run.path.extend(self.conditions)

    def __exit__(self, *raised: object) -> None:
        run, before, slots = self.run, self.before, self.run.world.slots
        del run.path[len(run.path) - len(self.conditions) :]
        changed = [slot for slot, value in before.items() if slots[slot] is not value]
        if changed:
            holds = run.graph.both(*self.conditions)
            for slot in changed:
                slots[slot] = run.algebra.select(holds, slots[slot], before[slot])
