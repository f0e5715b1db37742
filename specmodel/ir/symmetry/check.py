"""The check that a spec treats the members of a symmetric set alike.

The language compares members for equality only. So a spec can tell them apart in two ways: by a
constant that names some of them, and by a loop that depends on their order. Loops are followed
through calls, with the reads and writes of each round (`specmodel.ir.symmetry.footprints`). Slots
are in the order of their keys, so a loop over slots whose keys contain members is such a loop. A
pick takes any slot, and all slots have a binding.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import field

from specmodel.dataclass import dataclass
from specmodel.domains import (
    EntryDomain,
    MapDomain,
    ScalarDomain,
    SetDomain,
    SlottedDomain,
    SparseMapDomain,
)
from specmodel.domains.renaming import involves, renamed, scalar_sets, swaps_of
from specmodel.errors import Span, SpecError
from specmodel.ir import nodes as ir
from specmodel.ir.children import parts, statements
from specmodel.ir.symbolic.references import mutable
from specmodel.ir.symmetry.footprints import (
    OTHER,
    Access,
    AccessedThing,
    AccessPath,
    Footprint,
    accumulated,
    constant_text,
    field_step,
    objections,
    own_step,
)

HINT = (
    "let each round change only what belongs to its member, as in s.x[member]; gather with |=, &=, "
    "+=, min or max; or write all(...), any(...) or a comprehension"
)

_LISTED = (
    "the order of this list is that of the members",
    "make a set, or keep a list in the state that is appended to as things happen",
)
_CHOSEN = (
    "which of the members this is may depend on their order",
    "take their smallest number with min(...), or make a set of all that have it",
)
_OVERWRITTEN = (
    "which value a key gets may depend on the order of the members",
    "let each key contain the member of its round: {m: ... for m in s.members}",
)
_IN_ORDER = {kind: _LISTED for kind in ("list", "sorted", "descending")} | {
    kind: _CHOSEN for kind in ("first", "least", "greatest")
}
"""The folds whose value depends on the order of the elements, with a message and a hint."""


def refuse_asymmetric(
    model: ir.Lowered, properties: Collection[str], sets: Sequence[ScalarDomain]
) -> None:
    """Raises SpecError, with the place, if a spec may depend on the names of the sets' members.

    It checks actions, constraints and the named properties: that their values do not depend on the
    names. Whether they fail still may: `all` and `any` may reach a failure in one order of the
    members and not in another.
    """
    walk = _SymmetryCheck(model, sets)
    checked = [model.properties[name][1] for name in properties]
    for function in (*model.actions.values(), *checked, *model.constraints.values()):
        walk.enter(function)


@dataclass
class _CheckedFrame:
    """A function that is checked.

    `gone` are names whose value depends on the order of a loop's rounds, `left` the names at each
    `break` or `continue`. `loops` is the number of loops over members around the current statement.
    """

    number: int
    names: dict[str, AccessedThing]
    gone: set[str] = field(default_factory=set[str])
    left: list[dict[str, AccessedThing]] = field(default_factory=list[dict[str, AccessedThing]])
    loops: int = 0
    result: AccessedThing = field(default_factory=AccessedThing)


class _SymmetryCheck:
    def __init__(self, model: ir.Lowered, sets: Sequence[ScalarDomain]) -> None:
        self.model = model
        self.sets = frozenset(sets)
        self.swaps = swaps_of(sets)
        self.frames: list[_CheckedFrame] = []
        self.footprints: list[Footprint] = []
        self.numbers = 0
        self.known: dict[
            tuple[str, tuple[AccessedThing, ...]], tuple[AccessedThing, Footprint]
        ] = {}

    @property
    def frame(self) -> _CheckedFrame:
        return self.frames[-1]

    def enter(self, function: ir.Function) -> None:
        """Checks a function that a search calls."""
        things = [
            AccessedThing(frozenset([AccessPath(0, name)])) if mutable(domain) else AccessedThing()
            for name, domain in function.parameters.items()
        ]
        self._function(function, things)

    def _function(
        self, function: ir.Function, things: Iterable[AccessedThing]
    ) -> tuple[AccessedThing, Footprint]:
        """The result of a function, and its footprint outside its own names."""
        self.numbers += 1
        self.frames.append(_CheckedFrame(self.numbers, {}))
        for name, thing in zip(function.parameters, things, strict=True):
            own = AccessPath(self.numbers, name)
            self.frame.names[name] = (
                thing if thing.paths else AccessedThing(frozenset([own]), thing.own)
            )
        self.footprints.append(Footprint())
        self.block(function.body)
        frame, inner = self.frames.pop(), self.footprints.pop()
        made = Footprint()
        made.add(inner, (a for a in inner.accesses if a.path.frame != frame.number), ())
        paths = frozenset(p for p in frame.result.paths if p.frame != frame.number)
        return AccessedThing(paths, frame.result.own), made

    # Recording

    def note(self, thing: AccessedThing, way: str | None, span: Span | None) -> None:
        """Records a read or write of the parts that a term refers to."""
        self.footprints[-1].accesses += [Access(path, way, span) for path in thing.paths]

    def refuse(self, what: str, span: Span | None, sets: Iterable[ScalarDomain], hint: str) -> None:
        names = ", ".join(dict.fromkeys(s.name for s in sets if s in self.sets))
        raise SpecError(f"not symmetric in {names}: {what}", span, hint)

    # Statements

    def block(self, statements: Sequence[ir.Statement]) -> bool:
        """Checks statements; whether the end of them can be reached."""
        return all(self.statement(statement) for statement in statements)

    def statement(self, statement: ir.Statement) -> bool:
        if isinstance(statement, ir.Require):
            self.use(statement.condition)
            self.footprints[-1].guards.append(statement.span)
        elif isinstance(statement, ir.Bind):
            self._bind(statement)
        elif isinstance(statement, ir.Store):
            self._store(statement)
        elif isinstance(statement, ir.If):
            return self._branch(statement)
        elif isinstance(statement, ir.For):
            self._for(statement)
        elif isinstance(statement, ir.Perform):
            self.thing(statement.call)
        elif isinstance(statement, ir.Return):
            text = "None" if statement.value is None else constant_text(statement.value)
            if statement.value is not None:
                self.frame.result = self.frame.result.joined(self.use(statement.value))
            self.footprints[-1].ends.append(("return", text, statement.span))
            return False
        elif isinstance(statement, ir.Refine):
            self._refine(statement)
            return False
        elif isinstance(statement, ir.Leave):
            self.frame.left.append(dict(self.frame.names))
            if not statement.again:
                self.footprints[-1].ends.append(("break", "", statement.span))
            return False
        return True

    def _refine(self, statement: ir.Refine) -> None:
        """Checks both states and the abstract actions, each of which changes a state of its own.

        All bindings of an action are tried, so their order changes no value.
        """
        for term in (statement.before, statement.after):
            self.use(term)
        for name in statement.actions:
            function = self.model.helpers[name]
            self._function(function, [AccessedThing() for _ in function.parameters])

    def _written(self, target: ir.Term, value: ir.Term) -> str:
        """Checks a value that is stored in a target; the `way` of the write (`Access`)."""
        gathered = accumulated(target, value)
        if gathered and self._pure(gathered[1]):
            return gathered[0]
        self.use(value)
        text = constant_text(value)
        return f"= {text}" if text else ""

    def _pure(self, term: ir.Term) -> bool:
        """Checks a term; whether it has no effects and guards, which `and` and `or` might skip."""
        self.footprints.append(inner := Footprint())
        self.use(term)
        self.footprints.pop()
        self.footprints[-1].add(inner, inner.accesses, ())
        return not inner.guards and all(access.way is None for access in inner.accesses)

    def _bind(self, statement: ir.Bind) -> None:
        name, value, names = statement.name, statement.value, self.frame.names
        own = AccessedThing(frozenset([AccessPath(self.frame.number, name)]))
        if mutable(value.type) and (referred := self.thing(value)).paths:
            way, made = "", referred
        else:
            way = self._written(ir.Name(value.type, value.span, name), value)
            member = names.get(value.name) if isinstance(value, ir.Name) else None
            made = AccessedThing(own.paths, member.own if member else None)
        self.note(own, way, statement.span)
        names[name] = made
        self.frame.gone.discard(name)

    def _store(self, statement: ir.Store) -> None:
        way = self._written(statement.target, statement.value)
        self.note(self.thing(statement.target), way, statement.span)

    def _branch(self, statement: ir.If) -> bool:
        self.use(statement.condition)
        frame, before, gone = self.frame, self.frame.names, set(self.frame.gone)
        frame.names = dict(before)
        then, names = self.block(statement.then), frame.names
        frame.names, frame.gone, gone = dict(before), gone, frame.gone
        other = self.block(statement.other)
        frame.gone |= gone
        if then:
            frame.names = _joined(names, frame.names) if other else names
        return then or other

    def _for(self, statement: ir.For) -> None:
        generator, frame = statement.generator, self.frame
        if not self.unordered(generator.source):
            self._ordered(statement)
            return
        before = set(frame.names)
        with self.rounds(generator, statement.span, early=False):
            self.block(statement.body)
        names = {s.name for s in statements(statement.body) if isinstance(s, ir.Bind)} - before
        frame.gone |= names | set(generator.names)
        for name in generator.names:
            frame.names.pop(name, None)

    def _ordered(self, statement: ir.For) -> None:
        """Checks two rounds: the second may read a value that the first left in a name."""
        frame, outer = self.frame, self.frame.left
        self.footprints.append(inner := Footprint())
        before = frame.names
        for _ in range(2):
            frame.names, frame.left = dict(before), []
            self.bind_names(statement.generator, self.source(statement.generator), None)
            ends = [frame.names] if self.block(statement.body) else []
            for names in [*ends, *frame.left]:
                before = _joined(before, names)
        frame.names, frame.left = before, outer
        self.footprints.pop()
        self.footprints[-1].add(inner, inner.accesses, ("return",))

    # Loops over members

    def unordered(self, source: ir.Source) -> bool:
        """Whether a source yields values in an order that renaming changes."""
        if source.kind == "domain":
            assert source.domain is not None
            return involves(source.domain, self.sets)
        if source.kind == "while":
            return False
        kind = source.terms[0].type
        if isinstance(kind, SlottedDomain | SetDomain | MapDomain):
            return involves(kind.parts[0], self.sets)
        return False

    @contextmanager
    def rounds(self, generator: ir.Generator, span: Span | None, early: bool) -> Generator[None]:
        """Checks a loop over members; inside, its names are bound as in any one round.

        `early`: the loop may end after any round.
        """
        frame, outer, left = self.frame, dict(self.frame.names), self.frame.left
        known = {(f.number, name) for f in self.frames for name in f.names}
        held = self.source(generator)
        self.numbers += 1
        loop = self.numbers
        self.footprints.append(inner := Footprint())
        frame.loops += 1
        self.bind_names(generator, held, loop)
        yield
        frame.loops -= 1
        frame.names, frame.left = outer, left
        self.footprints.pop()
        for objection in objections(inner, known, loop, early):
            loop_at = f" in the loop at line {span.line}" if span else ""
            what = f"{objection.what}{loop_at}"
            self.refuse(what, objection.span, self.looped(generator.source), HINT)
        self.footprints[-1].add(inner, inner.outside(known), ("return",))

    def looped(self, source: ir.Source) -> list[ScalarDomain]:
        """The scalar sets in the values or keys that a source yields."""
        kind = source.domain or source.terms[0].type.parts[0]
        return list(scalar_sets(kind))

    def source(self, generator: ir.Generator) -> AccessedThing:
        """Checks the source of a generator, once; the list or map whose parts it yields."""
        source = generator.source
        if source.kind == "range":
            for term in source.terms:
                self.use(term)
        elif source.terms:
            if isinstance(source.terms[0].type, SetDomain | SlottedDomain):
                held = self.use(source.terms[0])
                return AccessedThing() if isinstance(source.terms[0].type, SetDomain) else held
            return self.thing(source.terms[0])
        return AccessedThing()

    def bind_names(self, generator: ir.Generator, held: AccessedThing, loop: int | None) -> None:
        """Binds the names of a generator; `loop` is a loop over members, else None."""
        member = AccessedThing(own=loop)
        part = held.then(OTHER if loop is None else own_step(loop))
        kind, mapped = generator.source.kind, len(generator.names) == 2
        first = part if held.paths and kind in ("values", "elements") else member
        things = (first, part) if mapped else (first,)
        for name, thing in zip(generator.names, things, strict=False):  # `while` binds none
            self.frame.gone.discard(name)
            self.frame.names[name] = thing
        if generator.condition is not None:
            self.use(generator.condition)

    # Terms

    def use(self, term: ir.Term) -> AccessedThing:
        """Checks a term whose value is read, and records the read."""
        thing = self.thing(term)
        self.note(thing, None, term.span)
        return thing

    def thing(self, term: ir.Term) -> AccessedThing:
        """Checks a term; the parts that it refers to, without reading them."""
        if isinstance(term, ir.Constant):
            self._constant(term)
        elif isinstance(term, ir.Name):
            return self._name(term)
        elif isinstance(term, ir.Get):
            return self.thing(term.base).then(field_step(term.name))
        elif isinstance(term, ir.At):
            base, key = self.thing(term.base), self.use(term.key)
            mapped = isinstance(term.base.type, MapDomain | SparseMapDomain)
            return base.then(OTHER if key.own is None or not mapped else own_step(key.own))
        elif isinstance(term, ir.Slice | ir.Make):
            for part in parts(term):
                self.use(part)
        elif isinstance(term, ir.Apply):
            return self._apply(term)
        elif isinstance(term, ir.Choose):
            self.use(term.condition)
            return self.thing(term.then).joined(self.thing(term.other))
        elif isinstance(term, ir.Each):
            self._each(term)
        elif isinstance(term, ir.Call):
            return self._call(term)
        else:
            raise AssertionError(term)
        return AccessedThing()

    def _constant(self, term: ir.Constant) -> None:
        if not involves(term.type, self.sets):
            return
        for swap in self.swaps:
            if renamed(term.type, term.value, swap) != term.value:
                what = f"{_shown(term)} is not the same when members exchange their names"
                hint = "take members from parameters, from the state, or from all of the set"
                self.refuse(what, term.span, swap, hint)

    def _name(self, term: ir.Name) -> AccessedThing:
        frame = self.frame
        found = frame.names.get(term.name)
        if term.name in frame.gone or (found and found.doubtful and frame.loops):
            what = f"what {term.name} is here depends on which member came last"
            self.refuse(what, term.span, self.sets, HINT)
        return found or AccessedThing()

    def _apply(self, term: ir.Apply) -> AccessedThing:
        if term.op in ("the", "need", "sure", "some", "as", "as_sure", "narrow", "picked"):
            if term.op == "need":
                self.footprints[-1].guards.append(term.span)
            return self.thing(term.args[0])
        things = [self.use(arg) for arg in term.args]
        if term.op == "get":  # a part of the map, or the default
            return things[0].then(OTHER).joined(things[2])
        return AccessedThing()

    def _each(self, term: ir.Each) -> None:
        frame, names, gone = self.frame, self.frame.names, set(self.frame.gone)
        frame.names = dict(names)
        self._folded(term, 0, names, ())
        frame.names, frame.gone = names, gone
        if term.default is not None:
            self.use(term.default)

    def _folded(
        self,
        term: ir.Each,
        position: int,
        outer: dict[str, AccessedThing],
        loops: tuple[tuple[int, ir.Generator], ...],
    ) -> None:
        """Checks a fold from one of its generators on, within the given loops over members."""
        if position == len(term.generators):
            element = self.thing(term.body)
            for loop, generator in loops:
                if term.kind == "entries" and not self._tells_apart(term.body, loop):
                    what, hint = _OVERWRITTEN
                    self.refuse(what, term.span, self.looped(generator.source), hint)
            self.note(element, None, term.body.span)
            if term.key is not None:
                inner = self.frame.names  # the key is evaluated outside of the generators
                self.frame.names = {**outer, term.key.name: element}
                for part in term.key.terms:
                    self.use(part)
                self.frame.names = inner
            return
        generator = term.generators[position]
        if not self.unordered(generator.source):
            self.bind_names(generator, self.source(generator), None)
            self._folded(term, position + 1, outer, loops)
            return
        if term.kind in _IN_ORDER:
            what, hint = _IN_ORDER[term.kind]
            self.refuse(what, term.span, self.looped(generator.source), hint)
        with self.rounds(generator, term.span, early=term.kind in ("all", "any")):
            self._folded(term, position + 1, outer, (*loops, (self.numbers, generator)))

    def _tells_apart(self, term: ir.Term, loop: int) -> bool:
        """Whether the values of a term, or keys of an entry, differ in any two rounds of a loop."""
        if isinstance(term, ir.Make):
            items = term.items[:1] if isinstance(term.type, EntryDomain) else term.items
            return any(self._tells_apart(item, loop) for item in items)
        if isinstance(term, ir.Apply) and term.op in ("some", "as", "as_sure"):
            return self._tells_apart(term.args[0], loop)
        return isinstance(term, ir.Name) and self.frame.names[term.name].own == loop

    def _call(self, term: ir.Call) -> AccessedThing:
        things = [
            self.thing(arg) if mutable(arg.type) else AccessedThing(own=self.use(arg).own)
            for arg in term.args
        ]
        key = (term.function, tuple(things))
        if key not in self.known:
            self.known[key] = self._function(self.model.helpers[term.function], things)
        result, made = self.known[key]
        self.footprints[-1].add(made, made.accesses, ())
        return result


def _joined(a: dict[str, AccessedThing], b: dict[str, AccessedThing]) -> dict[str, AccessedThing]:
    """The names after one of two paths."""
    found: dict[str, AccessedThing] = {}
    for name in a.keys() | b.keys():
        if name in a and name in b:
            found[name] = a[name].joined(b[name])
        else:
            known = a.get(name) or b[name]
            found[name] = AccessedThing(known.paths, None, True)
    return found


def _shown(term: ir.Constant) -> str:
    return term.span.text() if term.span else repr(term.value)
