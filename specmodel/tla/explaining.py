"""Says why an expression of TLA+ is true or false in a state, and why an action cannot happen."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator, Sequence
from dataclasses import is_dataclass, replace
from itertools import islice
from typing import Any, NamedTuple, cast

from specmodel.errors import Span, SpecError
from specmodel.ir.guards import Guard, Guarded, Site
from specmodel.results.explanation import Explanation
from specmodel.tla import binders
from specmodel.tla import nodes as syntax
from specmodel.tla.actions import ActionReader
from specmodel.tla.building import Builder
from specmodel.tla.calling import ACTION, TemporalFormula, Thunk
from specmodel.tla.nodes import Applied, TlaTerm
from specmodel.tla.scopes import (
    ConstantSymbol,
    NativeSymbol,
    OperatorSymbol,
    SlotSymbol,
    TermSymbol,
    TlaScope,
    VariableSymbol,
)
from specmodel.tla.splitting import Action
from specmodel.tla.tlc_get import LEVEL
from specmodel.tla.values import FALSE, TRUE, Boolean, Value, settled, text_of
from specmodel.tla.written import WrittenValue, argument

DEEPEST = 12
"""Definitions within definitions are told up to this depth."""

_COMPARED = {
    "=": "==", "#": "!=", "<": "<", ">": ">", "\\leq": "<=", "\\geq": ">=", "\\in": "in",
}  # fmt: skip

_LINE_COMMENT = re.compile(r"\\\*.*")
_COMMENT = re.compile(r"\(\*(?:(?!\(\*|\*\)).)*\*\)", re.DOTALL)
LONGEST = 160
"""The most characters of an expression that are shown."""

_WORD = re.compile(r"[A-Za-z_]\w*")

MOST_TRIED = 10_000
"""The most witnesses that are looked at."""

MOST_FOLLOWED = 200
"""The most next states, as far as they are known, that the guards behind them are asked of."""

TlaTuple = tuple[Value, ...]


class ExplainedPlace(NamedTuple):
    """Where an expression stands: what it sees, and the values there."""

    scope: TlaScope
    depth: int
    bound: Any
    state: Any
    after: Any = None


class TermExplainer:
    """Explains expressions of a module."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.left = DEEPEST

    def why(self, term: TlaTerm, place: ExplainedPlace) -> Explanation:
        """Why an expression is true or false; the explanation has no value where it has none."""
        plain = Explanation(_text(term), None, term.span)
        try:
            value = self._value(term, place)
        except (SpecError, RecursionError) as wrong:
            return replace(plain, failure=type(wrong).__name__)
        held = value is TRUE if isinstance(value, Boolean) else WrittenValue(value)
        plain = replace(plain, value=held, ground=plain.text)
        try:
            ground, reads = self._ground(term, place), self._reads(term, place)
            plain = replace(plain, ground=ground, reads=reads)
            return self._explained(term, place, plain, value)
        except (SpecError, RecursionError):
            return plain  # the value is known; what it comes from is not told

    def _explained(
        self, term: TlaTerm, place: ExplainedPlace, plain: Explanation, value: Value
    ) -> Explanation:
        if isinstance(term, syntax.Numeral | syntax.StringLiteral):
            return replace(plain, operator="constant")
        if not isinstance(value, Boolean) or not self.left:
            return plain
        self.left -= 1
        try:
            return self._with_parts(term, place, plain)
        finally:
            self.left += 1

    def _with_parts(self, term: TlaTerm, place: ExplainedPlace, plain: Explanation) -> Explanation:
        if isinstance(term, syntax.Junction):
            return self._joined(plain, term.operator, term.items, place)
        if isinstance(term, syntax.Quantification):
            return self._quantified(plain, term, place)
        if isinstance(term, syntax.IfTerm):
            test = self.why(term.test, place)
            taken = self.why(term.then if test.value is True else term.other, place)
            return replace(plain, operator="choose", parts=(test, taken))
        if isinstance(term, syntax.LetTerm):
            return self._within_let(plain, term, place)
        if not isinstance(term, Applied):
            return plain
        symbol = self.builder.resolved(term, place.scope, place.depth)
        if isinstance(symbol, TermSymbol) and not symbol.arity:
            return self.why(symbol.term, place._replace(scope=symbol.scope))
        if isinstance(symbol, OperatorSymbol):
            if symbol.body is None or symbol.recursive or symbol.bounds:
                return plain
            inner = self.builder.placed(symbol, term, place.scope)
            part = self.why(symbol.body, place._replace(scope=inner))
            return replace(plain, operator="call", parts=(part,))
        if symbol is not None and not isinstance(symbol, NativeSymbol):
            return plain
        return self._built_in(plain, term, place)

    def _within_let(
        self, plain: Explanation, term: syntax.LetTerm, place: ExplainedPlace
    ) -> Explanation:
        """A LET, by its body."""
        scope, runs = self.builder.let_scope(term, place.scope, place.depth, False, 99)
        bound = place.bound
        for run in runs:
            bound = (*bound, Thunk(run, bound, place.state, place.after))
        inner = place._replace(scope=scope, depth=place.depth + len(runs), bound=bound)
        return replace(plain, operator="call", parts=(self.why(term.body, inner),))

    def _built_in(self, plain: Explanation, term: Applied, place: ExplainedPlace) -> Explanation:
        name, arguments = term.name, term.arguments
        if name in ("/\\", "\\/"):
            return self._joined(plain, name, arguments, place)
        if name == "~":
            return replace(plain, operator="not", parts=(self.why(arguments[0], place),))
        if name == "=>":
            cause = self.why(arguments[0], place)
            first = replace(cause, value=cause.value is False, operator="not", parts=(cause,))
            parts = (first,) if first.value else (first, self.why(arguments[1], place))
            return replace(plain, operator="or", parts=parts)
        if name == "\\notin":
            parts = tuple(self.why(each, place) for each in arguments)
            inner = replace(plain, value=not plain.value, operator="in", parts=parts)
            return replace(plain, operator="not", parts=(inner,))
        if name in _COMPARED:
            parts = tuple(self.why(each, place) for each in arguments)
            if all(part.failure == "" and not _is_truth(part) for part in parts):
                return replace(plain, operator=_COMPARED[name], parts=parts)
        return plain

    def _joined(
        self, plain: Explanation, operator: str, items: Sequence[TlaTerm], place: ExplainedPlace
    ) -> Explanation:
        """A junction: its parts up to the one that decides it."""
        ending = operator == "\\/"
        parts: list[Explanation] = []
        for item in items:
            parts.append(self.why(item, place))
            if parts[-1].value is ending:
                break
        return replace(plain, operator="or" if ending else "and", parts=tuple(parts))

    def _quantified(
        self, plain: Explanation, term: syntax.Quantification, place: ExplainedPlace
    ) -> Explanation:
        """A quantifier: the witness that decides it, if one does."""
        universal = term.quantifier == "\\A"
        operator = "all" if universal else "any"
        if plain.value is universal:
            return replace(plain, operator=operator)
        bound = binders.binding(self.builder, term.bounds, place.scope, place.depth, False)
        body = self.builder.meaning(term.body, bound.scope, bound.depth, False).run
        for values in islice(bound.each(place.bound, place.state, place.after), MOST_TRIED):
            if body(values, place.state, place.after) is (FALSE if universal else TRUE):
                names = [name for held in term.bounds for name in held.names]
                found = zip(names, values[place.depth :], strict=True)
                witness = {name: argument(value) for name, value in found}
                inner = ExplainedPlace(bound.scope, bound.depth, values, place.state, place.after)
                part = self.why(term.body, inner)
                return replace(plain, operator=operator, witness=witness, parts=(part,))
        return replace(plain, operator=operator)

    # Actions

    def _blank(self, state: Any) -> Any:
        """A next state of which nothing is known but its level."""
        blank = (None,) * len(state)
        leveled = self.builder.resolver.variables[-1].name == LEVEL
        return (*blank[:-1], state[-1] + 1) if leveled else blank

    def guarded(self, action: Action, bound: Any, state: Any) -> Guarded:
        """The guards of an action for bound values in a state, in order."""
        found: list[Guard] = []
        place = ExplainedPlace(action.scope, action.depth, bound, state)
        try:
            self._guards(action.term, place, [self._blank(state)], found, ())
        except (SpecError, RecursionError) as wrong:
            failing = all(guard.holds for guard in found)
            failure = str(getattr(wrong, "message", wrong)) if failing else ""
            return Guarded(_placed(action, found), complete=False, failure=failure)
        return Guarded(_placed(action, found))

    def _guards(
        self,
        term: TlaTerm,
        place: ExplainedPlace,
        known: Sequence[TlaTuple],
        found: list[Guard],
        via: tuple[str, ...],
    ) -> Sequence[TlaTuple]:
        """Adds the guards of an action.

        `known` are the next states as far as the parts before give them; returns them with what
        this part gives. After a false guard they are as before it.
        """
        if isinstance(term, syntax.Junction) and term.operator == "/\\":
            for item in term.items:
                known = self._guards(item, place, known, found, via)
            return known
        if isinstance(term, Applied):
            symbol = self.builder.resolved(term, place.scope, place.depth)
            if symbol is None and term.name == "/\\":
                both = syntax.Junction(term.span, "/\\", term.arguments)
                return self._guards(both, place, known, found, via)
            if isinstance(symbol, TermSymbol) and not symbol.arity:
                inner = place._replace(scope=symbol.scope)
                return self._guards(symbol.term, inner, known, found, via)
            if isinstance(symbol, OperatorSymbol) and self._is_put_in_place(symbol, term, place):
                assert symbol.body is not None
                inner = place._replace(scope=self.builder.placed(symbol, term, place.scope))
                return self._guards(symbol.body, inner, known, found, (*via, symbol.name))
        if self._level(term, place) < ACTION:
            found.append(Guard(self.why(term, place), via))
            return known
        step = ActionReader(self.builder).step(term, place.scope, place.depth)
        steps = (after for n in known for after in step(place.bound, place.state, n))
        if following := list(islice(dict.fromkeys(islice(steps, MOST_TRIED)), MOST_FOLLOWED)):
            return following
        found.append(Guard(self._impossible(term, place, known), via))
        return known

    def sites(self, action: Action) -> Iterator[Site]:
        """The guards of an action in the source, those of the operators that it applies too."""
        place = ExplainedPlace(action.scope, action.depth, (), ())
        for site in self._sites(action.term, place, Site("", None)):
            yield replace(site, via=_within(action, site.via))

    def _sites(self, term: TlaTerm, place: ExplainedPlace, way: Site) -> Iterator[Site]:
        """The guards of a term; `way` says how it is come to."""
        if isinstance(term, Applied) and term.name in ("/\\", "\\/") and not term.path:
            term = syntax.Junction(term.span, term.name, term.arguments)
        joined = isinstance(term, syntax.Junction)
        if not (joined and term.operator == "/\\") and self._level(term, place) < ACTION:
            yield replace(way, text=_text(term), span=term.span)
        elif isinstance(term, syntax.Junction):
            within = replace(way, sometimes=way.sometimes or term.operator == "\\/")
            for item in term.items:
                yield from self._sites(item, place, within)
        elif isinstance(term, syntax.IfTerm):
            for branch in (term.then, term.other):
                yield from self._sites(branch, place, replace(way, sometimes=True))
        elif isinstance(term, syntax.Quantification) and term.quantifier == "\\E":
            bound = binders.binding(self.builder, term.bounds, place.scope, place.depth, False)
            inner = place._replace(scope=bound.scope, depth=bound.depth)
            yield from self._sites(term.body, inner, way)
        elif isinstance(term, syntax.LetTerm):
            scope, runs = self.builder.let_scope(term, place.scope, place.depth, False, 99)
            inner = place._replace(scope=scope, depth=place.depth + len(runs))
            yield from self._sites(term.body, inner, way)
        elif isinstance(term, Applied):
            symbol = self.builder.resolved(term, place.scope, place.depth)
            if isinstance(symbol, TermSymbol) and not symbol.arity:
                yield from self._sites(symbol.term, place._replace(scope=symbol.scope), way)
            elif isinstance(symbol, OperatorSymbol) and self._is_put_in_place(symbol, term, place):
                assert symbol.body is not None
                inner = place._replace(scope=self.builder.placed(symbol, term, place.scope))
                yield from self._sites(
                    symbol.body, inner, replace(way, via=(*way.via, symbol.name))
                )

    def syntax_of(self, action: Action) -> str:
        """The text of an action with all definitions and constants that it comes to, without
        layout, comments and its own name."""
        found, seen = [repr(held) for held, _ in action.ranges], set[int]()
        waiting: list[tuple[Any, TlaScope]] = [*action.ranges, (action.term, action.scope)]
        while waiting:
            part, scope = waiting.pop()
            own = part is action.term
            held = self._meant(part, scope) if isinstance(part, Applied) else None
            if own:
                found.append(repr(part if held is None else part.arguments))
            if held is not None and id(held) not in seen:
                seen.add(id(held))
                name = "" if own else part.name
                if isinstance(held, ConstantSymbol):
                    found.append(f"{name} = {'' if held.value is None else text_of(held.value)}")
                else:
                    body, parameters = _body(held)
                    found.append(f"{name}{parameters} == {body!r}")
                    waiting.append((body, held.scope))
            waiting += [(inner, scope) for inner in _parts(part)]
        return "\n".join(found)

    def _meant(
        self, term: Applied, scope: TlaScope
    ) -> OperatorSymbol | TermSymbol | ConstantSymbol | None:
        """The definition or constant that a name stands for, if it is one of a module."""
        try:
            found = self.builder.resolved(term, scope, 0) if term.path else scope.find(term.name)
        except SpecError:  # of a bound name, which is no definition
            return None
        if found is not None:
            found = self.builder.overrides.get(found, found)
        return found if isinstance(found, OperatorSymbol | TermSymbol | ConstantSymbol) else None

    def _is_put_in_place(
        self, symbol: OperatorSymbol, term: Applied, place: ExplainedPlace
    ) -> bool:
        """Whether the guards of an operator are those of its body."""
        if symbol.body is None or symbol.recursive or symbol.bounds:
            return False
        return self._level(term, place) >= ACTION

    def _impossible(
        self, term: TlaTerm, place: ExplainedPlace, known: Sequence[TlaTuple]
    ) -> Explanation:
        """Why no step is possible: of a disjunction, the first false guard of each disjunct."""
        parts: list[Explanation] = []
        if isinstance(term, syntax.Junction) and term.operator == "\\/":
            for item in term.items:
                inner: list[Guard] = []
                self._guards(item, place, known, inner, ())
                parts += [guard.why for guard in inner if not guard.holds][:1]
        text = _text(term)
        if parts:
            return Explanation(text, False, term.span, parts=tuple(parts), operator="or")
        told = f"no step by {text}"
        return Explanation(text, False, term.span, operator="refinement", ground=told)

    def _level(self, term: TlaTerm, place: ExplainedPlace) -> int:
        try:
            return self.builder.meaning(term, place.scope, place.depth, False).level
        except TemporalFormula:
            return ACTION

    # Parts of expressions

    def _value(self, term: TlaTerm, place: ExplainedPlace) -> Value:
        run = self.builder.meaning(term, place.scope, place.depth, False).run
        return settled(run(place.bound, place.state, place.after))

    def _ground(self, term: TlaTerm, place: ExplainedPlace) -> str:
        """The text of an expression, with the values of bound names and constants."""
        if isinstance(term, syntax.FunctionCall):
            inner = ", ".join(self._ground(each, place) for each in term.arguments)
            return f"{self._ground(term.function, place)}[{inner}]"
        if isinstance(term, syntax.FieldAccess):
            return f"{self._ground(term.record, place)}.{term.name}"
        if isinstance(term, Applied) and not term.path:
            symbol = self.builder.resolved(term, place.scope, place.depth)
            if isinstance(symbol, TermSymbol) and not symbol.arity:
                return self._ground(symbol.term, place._replace(scope=symbol.scope))
            if isinstance(symbol, VariableSymbol):
                return term.name
            if not term.arguments and isinstance(symbol, SlotSymbol):
                return self._shown(term, place)
            if symbol is not None and term.arguments:
                parts = [self._ground(each, place) for each in term.arguments]
                if len(parts) == 2 and not term.name[0].isidentifier():
                    return f"{parts[0]} {term.name} {parts[1]}"
                return f"{term.name}({', '.join(parts)})"
        try:
            level = self.builder.meaning(term, place.scope, place.depth, False)
            return self._shown(term, place) if level.level == 0 and level.closed else _text(term)
        except SpecError:
            return _text(term)

    def _shown(self, term: TlaTerm, place: ExplainedPlace) -> str:
        try:
            return repr(WrittenValue(self._value(term, place)))
        except (SpecError, RecursionError):
            return _text(term)

    def _reads(self, term: TlaTerm, place: ExplainedPlace) -> tuple[str, ...]:
        """The variables that an expression names itself."""
        words = dict.fromkeys(_WORD.findall(_text(term)))
        found = [word for word in words if isinstance(place.scope.find(word), VariableSymbol)]
        if isinstance(term, Applied) and not term.arguments:
            symbol = self.builder.resolved(term, place.scope, place.depth)
            if isinstance(symbol, TermSymbol):
                return self._reads(symbol.term, place._replace(scope=symbol.scope))
        return tuple(found)


def _body(symbol: OperatorSymbol | TermSymbol) -> tuple[TlaTerm | None, str]:
    """The body of a definition, and its parameters as text."""
    if isinstance(symbol, TermSymbol):
        return symbol.term, ""
    return symbol.body, f"{symbol.parameters!r}{symbol.bounds!r}"


def _parts(part: Any) -> list[Any]:
    """The parts of a term or of what it is made of."""
    if isinstance(part, tuple):
        return list(cast(tuple[Any, ...], part))
    if not is_dataclass(part) or isinstance(part, Span):
        return []
    return list(vars(part).values())


def _within(action: Action, via: tuple[str, ...]) -> tuple[str, ...]:
    """The operators that lead to a guard, without the one that the action has its name of."""
    return via[1:] if via[:1] == (action.name,) else via


def _placed(action: Action, found: Sequence[Guard]) -> tuple[Guard, ...]:
    return tuple(replace(guard, via=_within(action, guard.via)) for guard in found)


def _is_truth(part: Explanation) -> bool:
    return isinstance(part.value, bool)


def _text(term: TlaTerm) -> str:
    """The source of an expression on one line, without comments, cut where it is long."""
    span = term.span
    lines = [linecache.getline(span.file, n) for n in range(span.line, span.end_line + 1)]
    if not lines or not lines[0]:
        return ""
    lines[-1] = lines[-1][: span.end_column]
    lines[0] = lines[0][span.column :]
    text = "".join(_LINE_COMMENT.sub("", line) for line in lines)
    count = 1
    while count:
        text, count = _COMMENT.subn(" ", text)
    text = " ".join(text.partition("(*")[0].split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
