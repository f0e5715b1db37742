"""Reading expressions over the state of a spec from text.

An expression may use the fields of the state by their names, the spec's helper functions, constants
and classes, and the members of its domains. The text is never run as Python: it is lowered to the
IR like the spec's own functions, and the IR is evaluated.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import hashlib
import inspect
import linecache
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from types import FunctionType
from typing import Any

from specmodel.domains import (
    Domain,
    NamedDomain,
    StructDomain,
)
from specmodel.domains.shapes import written
from specmodel.errors import ExpressionError, SpecError, suggestion
from specmodel.ir.expression import STATE, Expression
from specmodel.ir.nodes import Get, Name, Term
from specmodel.lang.lowering.calls import Calls
from specmodel.lang.lowering.model import SpecLowering
from specmodel.lang.lowering.source import Text
from specmodel.lang.lowering.types import widened
from specmodel.lang.lowering.written import WrittenSpec
from specmodel.lang.packages import own_name
from specmodel.lang.picking import Pick
from specmodel.syntax import parsed_expression

MOST_CHARACTERS = 10_000


class ExpressionReader:
    """Reads expressions over the state of a spec. Raises SpecError if the spec has no IR."""

    def __init__(self, spec: WrittenSpec) -> None:
        self.spec = spec
        self.lowering = SpecLowering()
        self.code = self.lowering.model(spec)
        self.aliases = {STATE, *_names_of_state(spec)}
        self.scope = _ExpressionScope(spec, self.lowering.lowered)

    def read(self, text: str, what: str = "expression") -> Expression:
        """The expression of a text; `what` is its origin, for messages.

        Raises ExpressionError, with the place in the text.
        """
        return self._read(text, what, lambda lowering, node: lowering.term(node))

    def condition(self, text: str, what: str = "expression") -> Expression:
        """As `read`, for Python's truth of the expression."""
        return self._read(text, what, lambda lowering, node: lowering.condition(node))

    def _read(
        self, text: str, what: str, lower: Callable[[_TextLowering, ast.expr], Term]
    ) -> Expression:
        text = " ".join(text.split())
        node = _parsed(text, what)
        file = f"<expression {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
        linecache.cache[file] = (len(text), None, [text + "\n"], file)  # for who quotes the source
        try:
            term = lower(_TextLowering(Text(file, text, self.scope.names), self), node)
        except SpecError as wrong:
            if wrong.span is None or wrong.span.file != file:
                raise
            place = wrong.span.column, wrong.span.end_column
            raise ExpressionError(what, text, wrong.message, *place, wrong.hint) from None
        except RecursionError:
            raise ExpressionError(what, text, "too deeply nested", 0, 1) from None
        return Expression(text, term.type, term, self.code, what)


def _parsed(text: str, what: str) -> ast.expr:
    if not text:
        raise ExpressionError(what, text, "there is no expression", 0, 1)
    if len(text) > MOST_CHARACTERS:
        message = f"an expression has at most {MOST_CHARACTERS} characters"
        raise ExpressionError(what, text[:40] + " ...", message, 0, 1)
    try:
        return parsed_expression(text)
    except SyntaxError as wrong:
        start = min(wrong.offset - 1, len(text)) if wrong.offset else len(text)  # 0: at the end
        end = (wrong.end_offset or 0) - 1
        raise ExpressionError(what, text, f"not Python: {wrong.msg}", start, end) from None
    except (ValueError, RecursionError, MemoryError) as wrong:
        reason = str(wrong) or "too deeply nested"
        raise ExpressionError(what, text, f"not Python: {reason}", 0, 1) from None


class _TextLowering(Calls):
    """Lowers an expression; its names may be fields of the state."""

    def __init__(self, source: Text, reader: ExpressionReader) -> None:
        super().__init__(source, {}, reader.lowering)
        self.reader = reader
        self.fields = reader.spec.domain.fields

    def local(self, name: str) -> bool:
        return name in self.types or name in self.fields or name in self.reader.aliases

    def choices(self, node: ast.Call, helper: str, picks: Mapping[str, Pick]) -> tuple[Term, ...]:
        what = "only actions pick, and the functions that they call"
        raise self.source.unsupported(node, what, "quantify: any(... for m in s.messages)")

    def term(self, node: ast.expr, expected: Domain | None = None) -> Term:
        """As for a spec; the name of a function of the state alone is a call of it."""
        if isinstance(node, ast.Name) and isinstance(self.static(node), FunctionType):
            state = ast.copy_location(ast.Name(STATE, ast.Load()), node)
            node = ast.copy_location(ast.Call(node, [state], []), node)
        return super().term(node, expected)

    def _name(self, node: ast.Name, expected: Domain | None) -> Term:
        name, span = node.id, self.source.span(node)
        if name in self.types:
            return super()._name(node, expected)
        whole = Name(self.reader.spec.domain, span, STATE)
        if name in self.fields:
            return Get(widened(self.fields[name]), span, whole, name)
        if name in self.reader.aliases:
            return whole
        if name in self.reader.scope.ambiguous:
            places = " and ".join(self.reader.scope.ambiguous[name])
            raise self.source.wrong(node, f"{name} may be of {places}")
        known = [*self.types, *self.fields, *self.reader.scope.known]
        near = difflib.get_close_matches(name, known, n=1)
        hint = suggestion(name, known if near else self.fields)
        raise self.source.wrong(node, f"{name} is not defined{hint}")


class _ExpressionScope:
    """The global names that an expression may use, with their values.

    They are the names of the modules of the spec's functions, and the members of its domains. A
    name with several values is not among them: `ambiguous` has its places.
    """

    def __init__(self, spec: WrittenSpec, helpers: Iterable[Callable[..., Any]]) -> None:
        rules = [spec.start, *spec.rules, *spec.properties, *spec.bounds]
        functions = [rule.function for rule in rules]
        modules = _Names()
        for rule in rules:
            modules.add(rule.name, rule.function, "the spec")
        for function in dict.fromkeys([*functions, *helpers]):
            names, module = function.__globals__, own_name(function.__module__)
            for name, value in names.items():
                if not name.startswith("__"):
                    modules.add(name, value, module)
        members = _Names()
        for domain in _domains(spec):
            if isinstance(domain, StructDomain | NamedDomain):
                members.add(domain.cls.__name__, domain.cls, own_name(domain.cls.__module__))
            if isinstance(domain, NamedDomain):
                for member in domain.members:
                    members.add(written(member), member, domain.cls.__name__)
        self.known = members.clear | modules.clear
        self.ambiguous = {**members.ambiguous, **modules.ambiguous}
        self.names = dict(vars(builtins)) | self.known


class _Names:
    """Names with their values in several places."""

    def __init__(self) -> None:
        self._held: dict[str, dict[str, Any]] = {}

    def add(self, name: str, value: Any, place: str) -> None:
        self._held.setdefault(name, {}).setdefault(place, value)

    @property
    def clear(self) -> dict[str, Any]:
        """The names with one value."""
        firsts = {name: next(iter(held.values())) for name, held in self._held.items()}
        return {name: value for name, value in firsts.items() if name not in self.ambiguous}

    @cached_property
    def ambiguous(self) -> dict[str, list[str]]:
        """The places of the names with several values."""
        return {
            n: list(held) for n, held in self._held.items() if len(_distinct(held.values())) > 1
        }


def _distinct(values: Iterable[Any]) -> set[Any]:
    """The different values: ints by value, others by identity."""
    return {value if type(value) is int else ("", id(value)) for value in values}


def _names_of_state(spec: WrittenSpec) -> Iterator[str]:
    """The names of the state in the spec's functions."""
    for rule in [*spec.rules, *spec.properties, *spec.bounds]:
        if rule.states == 1:
            yield next(iter(inspect.signature(rule.function).parameters))


def _domains(spec: WrittenSpec) -> Iterable[Domain]:
    """The domains of the state and of the parameters of actions, with their parts, each once."""
    whole = [spec.domain, *(d for rule in spec.rules for d in rule.parameters.values())]
    found: dict[str, Domain] = {}
    for part in (part for domain in whole for part in domain.nested()):
        found.setdefault(str(part), part)
    return found.values()
