"""The origin of a value: its place in the state, and its expression with names replaced by values.

If `state` is a local name for `s.replica[leader]`, the origin of `state.epoch` is
`replica[r1].epoch`, as the place is written in a trace.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.domains import Map, Seq, SeqDomain
from specmodel.domains.records import Record
from specmodel.domains.scalars import ScalarSet
from specmodel.domains.shapes import written
from specmodel.ir import nodes as ir
from specmodel.ir.evaluate import Evaluator, Names, element
from specmodel.ir.printer import source_text

_INFIX = {
    **{op: op for op in ("+", "-", "*", "//", "%", "==", "!=", "<", "<=", ">", ">=", "in")},
    "and": "and",
    "or": "or",
    "|": "|",
    "&": "&",
    "^": "^",
    "without": "-",
    "concat": "+",
    "plus": "+",
    "minus": "-",
}
_SAME = ("some", "as", "as_sure", "the", "need", "sure", "narrow", "picked", "members")


@dataclass(frozen=True)
class Origin:
    """The expression of a local name, with values for the names in it, and the places it reads."""

    ground: str
    reads: tuple[str, ...]


class Scope(dict[str, Any]):
    """The names of a function with their values, and the origins of the names that it binds."""

    def __init__(self, names: Mapping[str, Any], origins: Mapping[str, Origin]) -> None:
        super().__init__(names)
        self.origins = dict(origins)

    def inner(self) -> Scope:
        """A scope within this one, for example the scope of a comprehension."""
        return Scope(self, self.origins)


class Origins(Evaluator):
    """Evaluates terms over `states`, by name, and finds the origins of their values.

    If there is one state, its name is left out of the places.
    """

    def __init__(self, model: ir.Lowered, states: Mapping[str, Any]) -> None:
        super().__init__(model)
        self.states = states
        self._read: list[str] | None = None

    def enter(self, function: ir.Function, args: Sequence[Any], origins: Sequence[Origin]) -> Scope:
        """The scope in which a function's body begins."""
        names = zip(function.parameters, args, strict=True)
        return Scope(dict(names), dict(zip(function.parameters, origins, strict=False)))

    def statement(self, statement: ir.Statement, names: Names) -> None:
        if isinstance(statement, ir.Bind) and isinstance(names, Scope):
            origin = self.origin_of_name(statement, names)
            super().statement(statement, names)
            names.origins[statement.name] = origin
        else:
            super().statement(statement, names)

    def origin(self, term: ir.Term, names: Names) -> Origin:
        """The origin of a term's value."""
        return Origin(self.ground(term, names), self.reads(term, names))

    def origin_of_name(self, binding: ir.Bind, names: Names) -> Origin:
        """The origin of a local name's value; the name itself replaces a long expression."""
        term = binding.value
        if isinstance(term, ir.Choose | ir.Each | ir.Make | ir.Slice):
            return Origin(binding.name, self.reads(term, names))
        return self.origin(term, names)

    def place(self, term: ir.Term, names: Names) -> str | None:
        """The place in the state that a term denotes; None if it is no place."""
        if isinstance(term, ir.Get):
            base = self.place(term.base, names)
            return None if base is None else f"{base}.{term.name}".lstrip(".")
        if isinstance(term, ir.At):
            base = self.place(term.base, names)
            return None if base is None else f"{base}[{self._key(term, names)}]"
        if isinstance(term, ir.Apply) and term.op in _SAME:
            return self.place(term.args[0], names)
        if isinstance(term, ir.Name):
            return self._found(names[term.name])
        return None

    def reads(self, term: ir.Term, names: Names) -> tuple[str, ...]:
        """The smallest places that the evaluation of a term reads."""
        before, self._read = self._read, []
        try:
            self.value(term, names)
            read = self._read
        finally:
            self._read = before
        found = dict.fromkeys(p for p in read if not any(within(q, p) and q != p for q in read))
        return tuple(found)

    def ground(self, term: ir.Term, names: Names) -> str:
        """A term's text, with names and indices replaced by their values; `s` is left out."""
        place = self.place(term, names)
        if place:
            return place
        if isinstance(term, ir.Name):
            value = names[term.name]
            if isinstance(names, Scope) and not isinstance(value, ScalarSet | enum.Enum):
                origin = names.origins.get(term.name)
                return origin.ground if origin else written(value)
            return written(value)
        if isinstance(term, ir.Constant):
            return written(term.value)
        if isinstance(term, ir.Get):
            return f"{self.ground(term.base, names)}.{term.name}"
        if isinstance(term, ir.At):
            return f"{self.ground(term.base, names)}[{self._key(term, names)}]"
        if isinstance(term, ir.Call):
            args = [a for a in term.args if self.place(a, names) != ""]
            return f"{term.function}({', '.join(self.ground(a, names) for a in args)})"
        if isinstance(term, ir.Apply):
            return self._applied(term, [self.ground(a, names) for a in term.args])
        return source_text(term)

    def _applied(self, term: ir.Apply, args: list[str]) -> str:
        if term.op in _SAME:
            return args[0]
        if term.op in _INFIX:
            inner = [_bracketed(a, text) for a, text in zip(term.args, args, strict=True)]
            return f" {_INFIX[term.op]} ".join(inner)
        if term.op in ("not", "neg"):
            word = "not " if term.op == "not" else "-"
            return f"{word}{_bracketed(term.args[0], args[0])}"
        if term.op == "is_none":
            return f"{args[0]} is None"
        return f"{term.op}({', '.join(args)})"

    def _key(self, term: ir.At, names: Names) -> str:
        key = self.value(term.key, names)
        if isinstance(term.base.type, SeqDomain) and key < 0:
            key += len(self.value(term.base, names))
        return written(key)

    def _found(self, value: Any) -> str | None:
        """The place of an object of a state, None for other values. No object has two places."""
        if isinstance(value, Record | Map | Seq):
            for name, state in self.states.items():
                for path, held in places(state, name if len(self.states) > 1 else ""):
                    if held is value:
                        return path
        return None

    # The places read while `reads` evaluates a term

    def _note_name(self, term: ir.Name, names: Names) -> Any:
        if self._read is not None and isinstance(names, Scope) and term.name in names.origins:
            self._read.extend(names.origins[term.name].reads)
        return names[term.name]

    def _note_field(self, term: ir.Get, names: Names) -> Any:
        self._note(term, names)
        return getattr(self.value(term.base, names), term.name)

    def _note_element(self, term: ir.At, names: Names) -> Any:
        self._note(term, names)
        base = self.value(term.base, names)
        before, self._read = self._read, None  # the key only decides which element is read
        try:
            return element(base, self.value(term.key, names))
        finally:
            self._read = before

    def _note(self, term: ir.Get | ir.At, names: Names) -> None:
        if self._read is None:
            return
        before, self._read = self._read, None
        place = self.place(term, names)
        self._read = before
        if place:
            before.append(place)

    _METHODS: dict[type[ir.Term], Callable[..., Any]] = {
        **Evaluator._METHODS,
        ir.Name: _note_name,
        ir.Get: _note_field,
        ir.At: _note_element,
    }


def within(inner: str, outer: str) -> bool:
    """Whether a place is another place or a part of it: `log[r1][0]` is within `log[r1]`."""
    return inner == outer or (inner.startswith(outer) and inner[len(outer)] in ".[")


def _bracketed(term: ir.Term, text: str) -> str:
    infix = isinstance(term, ir.Apply) and term.op in _INFIX and len(term.args) > 1
    return f"({text})" if infix else text


def places(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """A value and all its parts, with their paths; members of sets are left out."""
    yield path, value
    if isinstance(value, Record):
        for name, held in vars(value).items():
            yield from places(held, f"{path}.{name}".lstrip("."))
    elif isinstance(value, Map):
        for key, held in value.items():
            yield from places(held, f"{path}[{written(key)}]")
    elif isinstance(value, Seq):
        for position, held in enumerate(value):
            yield from places(held, f"{path}[{position}]")
