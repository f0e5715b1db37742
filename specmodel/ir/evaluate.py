"""Runs IR on ordinary values: for explaining, not for searching.

The values are those of the interpreter (structs, dicts, lists, sets), so a term can be evaluated in
any state of a trace. Failures are Python's own exceptions; a false `require` raises Disabled.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import product, repeat
from operator import itemgetter
from typing import Any

from specmodel.domains import (
    Bag,
    BagDomain,
    Domain,
    LocalSet,
    OptionDomain,
    SeqDomain,
    SparseMapDomain,
    TupleDomain,
    UnionDomain,
)
from specmodel.domains.sets import member
from specmodel.domains.shapes import is_set
from specmodel.errors import Disabled
from specmodel.ir import nodes as ir

Names = dict[str, Any]


class Returned(Exception):  # noqa: N818 - how a function ends, not an error
    """Leaves a function: by which statement, with what value, and the names as they were there."""

    def __init__(self, statement: ir.Return, value: Any, names: Names) -> None:
        super().__init__()
        self.statement = statement
        self.value = value
        self.names = names


class _LoopLeft(Exception):  # noqa: N818 - how a loop ends, not an error
    """Leaves a loop, or one round of it."""

    def __init__(self, again: bool) -> None:
        super().__init__()
        self.again = again


class Evaluator:
    """Evaluates the terms of a model, with its helper functions."""

    def __init__(self, model: ir.Lowered) -> None:
        self.model = model

    def run(self, function: ir.Function, args: Sequence[Any]) -> Any:
        """Calls a function; its result."""
        names: Names = dict(zip(function.parameters, args, strict=True))
        try:
            self.block(function.body, names)
        except Returned as end:
            return end.value
        return None

    # Statements

    def block(self, statements: Sequence[ir.Statement], names: Names) -> None:
        """Runs statements, changing names and what they refer to."""
        for statement in statements:
            self.statement(statement, names)

    def statement(self, statement: ir.Statement, names: Names) -> None:
        """Runs one statement."""
        if isinstance(statement, ir.Require):
            if not self.value(statement.condition, names):
                raise Disabled
        elif isinstance(statement, ir.Bind):
            names[statement.name] = self.value(statement.value, names)
        elif isinstance(statement, ir.Store):
            self._store(statement.target, self.value(statement.value, names), names)
        elif isinstance(statement, ir.If):
            holds = self.value(statement.condition, names)
            self.block(statement.then if holds else statement.other, names)
        elif isinstance(statement, ir.For):
            self._loop(statement, names)
        elif isinstance(statement, ir.Perform):
            self.value(statement.call, names)
        elif isinstance(statement, ir.Return):
            value = self.value(statement.value, names) if statement.value else None
            raise Returned(statement, value, names)
        elif isinstance(statement, ir.Refine):
            states = self.value(statement.before, names), self.value(statement.after, names)
            held = Evaluator(self.model).refines(statement, *states)
            raise Returned(ir.Return(statement.span, None), held, names)
        elif isinstance(statement, ir.Leave):
            raise _LoopLeft(statement.again)

    def refines(self, statement: ir.Refine, before: Any, after: Any) -> bool:
        """Whether two abstract states are equal, or a step leads from the first to the second."""
        return before == after or any(
            self._leads(self.model.helpers[name], before, after) for name in statement.actions
        )

    def _leads(self, function: ir.Function, before: Any, after: Any) -> bool:
        """Whether an action leads from a state to another with some arguments."""
        state, *others = function.parameters.values()
        for arguments in product(*(tuple(domain.values()) for domain in others)):
            scratch = state.copy(before)
            try:
                self.run(function, (scratch, *arguments))
            except Disabled:
                continue
            if scratch == after:
                return True
        return False

    def _loop(self, statement: ir.For, names: Names) -> None:
        generator = statement.generator
        for values in self.yields(generator.source, names):
            if generator.condition is not None and not self.value(generator.condition, names):
                break
            names.update(zip(generator.names, values, strict=True))
            try:
                self.block(statement.body, names)
            except _LoopLeft as leave:
                if not leave.again:
                    break

    def _store(self, target: ir.Term, value: Any, names: Names) -> None:
        if isinstance(target, ir.Name):
            held = names[target.name]
            if isinstance(target.type, SeqDomain):
                held.clear()
                held.extend(value)
            elif isinstance(target.type, SparseMapDomain):
                held.clear()
                for key, one in value.items():
                    held[key] = one
            else:
                names[target.name] = value
        elif isinstance(target, ir.Get):
            setattr(self.value(target.base, names), target.name, value)
        elif isinstance(target, ir.At):
            self.value(target.base, names)[self.value(target.key, names)] = value
        else:
            assert isinstance(target, ir.Apply)
            self._store(target.args[0], value, names)

    # Terms

    def value(self, term: ir.Term, names: Names) -> Any:
        """The value of a term."""
        return self._METHODS[type(term)](self, term, names)

    def _constant(self, term: ir.Constant, names: Names) -> Any:
        return term.value

    def _name(self, term: ir.Name, names: Names) -> Any:
        return names[term.name]

    def _get(self, term: ir.Get, names: Names) -> Any:
        return getattr(self.value(term.base, names), term.name)

    def _at(self, term: ir.At, names: Names) -> Any:
        return element(self.value(term.base, names), self.value(term.key, names))

    def _slice(self, term: ir.Slice, names: Names) -> Any:
        low = self.value(term.low, names) if term.low else None
        high = self.value(term.high, names) if term.high else None
        return list(self.value(term.base, names))[low:high]

    def _choose(self, term: ir.Choose, names: Names) -> Any:
        holds = self.value(term.condition, names)
        return self.value(term.then if holds else term.other, names)

    def _make(self, term: ir.Make, names: Names) -> Any:
        items = [self.value(item, names) for item in term.items]
        cls: Any = getattr(term.type, "cls", None)
        if cls is not None:
            return cls(*items)
        if isinstance(term.type, BagDomain):
            return Bag[Any](items)
        if isinstance(term.type, SparseMapDomain):
            return dict(items)
        if isinstance(term.type, TupleDomain):
            return tuple(items)
        return items if isinstance(term.type, SeqDomain) else frozenset(items)

    def _apply(self, term: ir.Apply, names: Names) -> Any:
        if term.op == "and":
            return all(self.value(a, names) for a in term.args)
        if term.op == "or":
            return any(self.value(a, names) for a in term.args)
        if term.op == "is":
            value, *tags = (self.value(a, names) for a in term.args)
            return tag_of(term.args[0].type, value) in tags
        return OPERATORS[term.op](*(self.value(a, names) for a in term.args))

    def _call(self, term: ir.Call, names: Names) -> Any:
        return self.run(
            self.model.helpers[term.function], [self.value(a, names) for a in term.args]
        )

    def _each(self, term: ir.Each, names: Names) -> Any:
        inner = dict(names)
        # Python evaluates a default before it goes through the elements.
        absent = [] if term.default is None else [self.value(term.default, names)]
        found = (self.value(term.body, inner) for _ in self.each(term.generators, inner))
        if term.kind in ("all", "any"):
            return all(found) if term.kind == "all" else any(found)
        if term.kind in ("sum", "count"):
            return sum(found)
        if term.kind in ("min", "max"):
            values = list(found) or absent
            return min(values) if term.kind == "min" else max(values)
        if term.kind in ("first", "least", "greatest"):
            ranked = found if term.kind == "first" else self._by_key(term, found, names)
            return next(iter(ranked), *absent)
        if term.kind in ("sorted", "descending"):
            return self._by_key(term, found, names)
        if term.kind == "map":
            keys = [generator.names[0] for generator in term.generators]
            of = itemgetter(*keys)  # of several names, a tuple
            return {of(inner): value for value in found}
        if term.kind == "entries":
            return dict(found)
        if term.kind == "bag":
            return Bag[Any](found)
        return frozenset(found) if term.kind == "set" else list(found)

    def _by_key(self, term: ir.Each, found: Iterable[Any], names: Names) -> list[Any]:
        """Values in the order of their keys, equal ones as they came."""
        key = term.key
        assert key is not None

        def rank(value: Any) -> list[Any]:
            return [self.value(part, {**names, key.name: value}) for part in key.terms]

        return sorted(found, key=rank, reverse=term.kind in ("greatest", "descending"))

    # Generators

    def each(self, generators: Sequence[ir.Generator], names: Names) -> Iterator[None]:
        """Runs over generators, binding their names at each stop."""
        if not generators:
            yield
            return
        first, rest = generators[0], generators[1:]
        for values in self.yields(first.source, names):
            names.update(zip(first.names, values, strict=True))
            if first.condition is None or self.value(first.condition, names):
                yield from self.each(rest, names)

    def yields(self, source: ir.Source, names: Names) -> Iterable[tuple[Any, ...]]:
        """The values of a source: a range lazily, other sources as they were at the start."""
        if source.kind == "domain":
            assert source.domain is not None
            return [(v,) for v in source.domain.values()]
        terms: list[Any] = [self.value(t, names) for t in source.terms]
        if source.kind == "while":
            return repeat(())
        if source.kind == "range":
            return zip(range(terms[0], terms[1]))
        if source.kind == "values":
            return [(v,) for v in terms[0].values()]
        if source.kind == "items":
            return list(terms[0].items())
        elements: Iterable[Any] = terms[0]
        if source.kind == "enumerate":
            return list(enumerate(elements))
        return [(v,) for v in elements]

    _METHODS: dict[type[ir.Term], Callable[[Evaluator, Any, Names], Any]] = {
        ir.Constant: _constant,
        ir.Name: _name,
        ir.Get: _get,
        ir.At: _at,
        ir.Slice: _slice,
        ir.Choose: _choose,
        ir.Make: _make,
        ir.Apply: _apply,
        ir.Call: _call,
        ir.Each: _each,
    }


def tag_of(domain: Domain, value: Any) -> int:
    """The number of a value's alternative among those of a type, -1 for None."""
    if value is None:
        return -1
    inner = domain.inner if isinstance(domain, OptionDomain) else domain
    return inner.tag(value) if isinstance(inner, UnionDomain) else 0


def _needed(value: Any) -> Any:
    if value is None:
        raise Disabled
    return value


def _same(value: Any) -> Any:
    return value


def _absent(value: Any) -> bool:
    return value is None


def element(held: Any, key: Any) -> Any:
    """The value of a list or a map at a key; the member of a set at a place of its order."""
    return tuple(held)[key] if is_set(held) else held[key]


def _among(value: Any, values: Container[Any]) -> bool:
    return value in values


def _union(a: AbstractSet[Any], b: AbstractSet[Any]) -> AbstractSet[Any]:
    return a | b


def _common(a: AbstractSet[Any], b: AbstractSet[Any]) -> AbstractSet[Any]:
    return a & b


def _different(a: AbstractSet[Any], b: AbstractSet[Any]) -> AbstractSet[Any]:
    return a ^ b


def _quotient(a: int, b: int) -> int:
    return a // b


def _joined(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [*a, *b]


def _appended(values: Sequence[Any], value: Any) -> list[Any]:
    return [*values, value]


def _dropped(held: dict[Any, Any], key: Any) -> dict[Any, Any]:
    left = dict(held)
    del left[key]
    return left


OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": _quotient,
    "%": operator.mod,
    "neg": operator.neg,
    "abs": abs,
    "min": min,
    "max": max,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "not": operator.not_,
    "in": _among,
    "is_none": _absent,
    "some": _same,
    "as": _same,
    "as_sure": _same,
    "the": _same,
    "sure": _same,
    "need": _needed,
    "picked": member,
    "narrow": _same,
    "len": len,
    "range": range,
    "|": _union,
    "&": _common,
    "^": _different,
    "without": operator.sub,
    "plus": operator.add,
    "minus": operator.sub,
    "members": LocalSet,
    "drop": _dropped,
    "get": dict[Any, Any].get,
    "part": operator.getitem,
    "concat": _joined,
    "append": _appended,
}
"""The operators of `Apply` on ordinary values, except the two that stop early."""
