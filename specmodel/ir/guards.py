"""The guards of an action: where they stand, and which of them hold in a state.

An action happens if every `require` and `require_some` on its way holds, its own and those of the
helpers it calls. A person who asks why it cannot happen wants to see all of them, so evaluation
goes on past those that are false, as far as it can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from specmodel.errors import Span
from specmodel.ir import nodes as ir
from specmodel.ir.children import parts, terms
from specmodel.ir.evaluate import Evaluator, Names, Returned
from specmodel.ir.explain import Explainer
from specmodel.ir.origins import Origin, Origins, Scope
from specmodel.ir.printer import source_text
from specmodel.results.explanation import Explanation


@dataclass(frozen=True)
class Site:
    """A conjunct of a guard as the spec has it.

    `via` are the helpers it stands in, the one called by the action first; `sometimes` says that it
    stands in a branch or a loop.
    """

    text: str
    span: Span | None
    via: tuple[str, ...] = ()
    sometimes: bool = False


def sites(model: ir.Lowered, action: str) -> Iterator[Site]:
    """The guards of an action and of the helpers it calls, in the order of the source."""
    return _sites(model, model.actions[action].body, (), False)


def conjuncts(condition: ir.Term) -> Iterator[ir.Term]:
    """The parts of a condition that must all hold: those joined by `and` on top.

    A chain of comparisons, `0 < x < 3`, is one.
    """
    if (
        isinstance(condition, ir.Apply)
        and condition.op == "and"
        and any(arg.span != condition.span for arg in condition.args)
    ):
        for arg in condition.args:
            yield from conjuncts(arg)
    else:
        yield condition


@dataclass(frozen=True)
class Guard:
    """A conjunct of a guard in a state: whether it holds, and why. `via` is as in `Site`."""

    why: Explanation
    via: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return self.why.value is True


@dataclass(frozen=True)
class Guarded:
    """An action with a binding in a state: the guards that were met, in order.

    `enabled` is whether it can happen. `complete` says that every guard on the way was evaluated;
    some cannot be past a false one, as when there is no request to look into. `failure` is what
    went wrong with no guard false: the spec itself fails there.
    """

    guards: tuple[Guard, ...]
    complete: bool = True
    failure: str = ""

    @property
    def enabled(self) -> bool:
        return not self.failure and all(guard.holds for guard in self.guards)

    @property
    def false(self) -> tuple[Guard, ...]:
        """The guards that do not hold, in order."""
        return tuple(guard for guard in self.guards if not guard.holds)


class Guards:
    """Reads the guards of a model's actions."""

    def __init__(self, model: ir.Lowered) -> None:
        self.model = model

    def sites(self, action: str) -> tuple[Site, ...]:
        """Where the guards of an action stand."""
        return tuple(sites(self.model, action))

    def read(self, action: str, state: Any, arguments: Sequence[Any]) -> Guarded:
        """The guards of an action with a binding in a state, which stays as it is."""
        function = self.model.actions[action]
        scratch = self.model.state.copy(state)
        recorder = _Recorder(self.model, next(iter(function.parameters)), scratch)
        complete, failure = True, ""
        try:
            recorder.block(function.body, recorder.enter(function, (scratch, *arguments), ()))
        except Returned:
            pass
        except _Ended:
            complete = False
        except Exception as wrong:  # whatever Python raises for a term that has no value
            complete = False
            if all(guard.holds for guard in recorder.found):
                failure = f"{type(wrong).__name__}: {wrong}"
        return Guarded(tuple(recorder.found), complete, failure)


class _Ended(Exception):  # noqa: N818 - how the evaluation ends, not an error
    """There is nothing to go on with: a value that is required is None."""


class _Lenient(Origins):
    """Evaluates past false guards, to say where values come from."""

    def statement(self, statement: ir.Statement, names: Names) -> None:
        if not isinstance(statement, ir.Require):
            super().statement(statement, names)

    def _unneeded(self, term: ir.Apply, names: Names) -> Any:
        if term.op == "need":
            return self.value(term.args[0], names)
        return Evaluator._METHODS[ir.Apply](self, term, names)

    _METHODS: dict[type[ir.Term], Callable[..., Any]] = {**Origins._METHODS, ir.Apply: _unneeded}


class _Whole(Explainer):
    """Explains a conjunction by all of its parts, whether they matter or not."""

    def _apply(self, term: ir.Apply, value: bool, names: Names) -> tuple[Explanation, ...]:
        if term.op == "and":
            return tuple(self._if_it_can(part, names) for part in conjuncts(term))
        return super()._apply(term, value, names)

    def _if_it_can(self, term: ir.Term, names: Names) -> Explanation:
        try:
            return self.term(term, names)
        except Exception as wrong:  # an index past the end, say, that an earlier part rules out
            return Explanation(source_text(term), None, term.span, failure=type(wrong).__name__)


class _Recorder(Origins):
    """Runs an action and notes the guards it meets."""

    def __init__(self, model: ir.Lowered, name: str, state: Any) -> None:
        super().__init__(model, {name: state})
        self.lenient = _Lenient(model, self.states)
        self.explainer = _Whole(self.lenient)
        self.found: list[Guard] = []
        self.via: tuple[str, ...] = ()

    def statement(self, statement: ir.Statement, names: Names) -> None:
        if isinstance(statement, ir.Require):
            for condition in conjuncts(statement.condition):
                holds = bool(self.value(condition, names))
                why = self.explainer.term(condition, names)
                assert why.value == holds
                self.found.append(Guard(why, self.via))
        elif isinstance(statement, ir.Bind) and isinstance(names, Scope):
            value = self.value(statement.value, names)
            origin = self.lenient.origin_of_name(statement, names)  # by what names meant before
            names[statement.name], names.origins[statement.name] = value, origin
        else:
            super().statement(statement, names)

    def _called(self, term: ir.Call, names: Names) -> Any:
        helper = self.model.helpers[term.function]
        args = [self.value(a, names) for a in term.args]
        origins: list[Origin] = [self.lenient.origin(a, names) for a in term.args]
        self.via = (*self.via, term.function)
        try:
            self.block(helper.body, self.enter(helper, args, origins))
        except Returned as end:
            return end.value
        finally:
            self.via = self.via[:-1]
        return None

    def _needed(self, term: ir.Apply, names: Names) -> Any:
        if term.op != "need":
            return Evaluator._METHODS[ir.Apply](self, term, names)
        inner = term.args[0]
        value = self.value(inner, names)
        ground, reads = self.lenient.ground(inner, names), self.lenient.reads(inner, names)
        operand = Explanation(source_text(inner), value, inner.span, ground=ground, reads=reads)
        why = Explanation(
            f"{source_text(inner)} is not None",
            value is not None,
            term.span,
            parts=(operand,),
            operator="need",
            ground=f"{ground} is not None",
            reads=reads,
        )
        self.found.append(Guard(why, self.via))
        if value is None:
            raise _Ended
        return value

    _METHODS: dict[type[ir.Term], Callable[..., Any]] = {
        **Origins._METHODS,
        ir.Call: _called,
        ir.Apply: _needed,
    }


def _sites(
    model: ir.Lowered, body: Iterable[ir.Statement], via: tuple[str, ...], sometimes: bool
) -> Iterator[Site]:
    for statement in body:
        for term in terms(statement):
            yield from _within_term(model, term, via, sometimes)
        if isinstance(statement, ir.Require):
            for condition in conjuncts(statement.condition):
                yield Site(source_text(condition), condition.span, via, sometimes)
        elif isinstance(statement, ir.If):
            yield from _sites(model, (*statement.then, *statement.other), via, True)
        elif isinstance(statement, ir.For):
            yield from _sites(model, statement.body, via, True)


def _within_term(
    model: ir.Lowered, term: ir.Term, via: tuple[str, ...], sometimes: bool
) -> Iterator[Site]:
    """The guards that the evaluation of a term meets."""
    for part in parts(term):
        yield from _within_term(model, part, via, sometimes)
    if isinstance(term, ir.Apply) and term.op == "need":
        yield Site(f"{source_text(term.args[0])} is not None", term.span, via, sometimes)
    elif isinstance(term, ir.Call):
        body = model.helpers[term.function].body
        yield from _sites(model, body, (*via, term.function), sometimes)
