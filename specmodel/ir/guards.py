"""The guards of an action: their places in the source, and their values in a state.

An action is enabled if all `require` and `require_some` that it reaches hold, in the action and in
the helpers that it calls. To show all guards that are false, evaluation continues after a false
guard as far as it can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.errors import Span
from specmodel.ir import nodes as ir
from specmodel.ir.children import parts, statements, terms
from specmodel.ir.digest import digest
from specmodel.ir.evaluate import Evaluator, Names, Returned
from specmodel.ir.explain import Explainer
from specmodel.ir.origins import Origin, Origins, Scope
from specmodel.ir.printer import source_text
from specmodel.results.explanation import Explanation


@dataclass(frozen=True)
class Site:
    """A conjunct of a guard in the source.

    `via` are the calls of helpers that lead to it, the action's call first. `sometimes`: it is in a
    branch or a loop.
    """

    text: str
    span: Span | None
    via: tuple[str, ...] = ()
    sometimes: bool = False


def sites(model: ir.Lowered, action: str) -> Iterator[Site]:
    """The guards of an action and of the helpers it calls, in the order of the source.

    A pick in a branch has several guards in one place; the first stands for them.
    """
    found: dict[tuple[str, Span | None, tuple[str, ...]], Site] = {}
    for site in _sites(model, model.actions[action].body, (), False):
        found.setdefault((site.text, site.span, site.via), site)
    return iter(found.values())


def conjuncts(condition: ir.Term) -> Iterator[ir.Term]:
    """The operands of a condition's outermost `and`, or the condition itself.

    A chain of comparisons, `0 < x < 3`, is one conjunct.
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
    """A conjunct of a guard in a state, and the explanation of its value. `via` is as in `Site`."""

    why: Explanation
    via: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return self.why.value is True


@dataclass(frozen=True)
class Guarded:
    """A binding in a state: the guards that its evaluation reached, in order.

    `enabled`: it can happen. `complete`: the evaluation reached the end; it cannot if a false guard
    leaves no value to continue with. `failure` is the exception with which the spec fails although
    no guard is false. `effect` is the state that the action makes, as if its false guards were
    true; None if the evaluation did not reach the end.
    """

    guards: tuple[Guard, ...]
    complete: bool = True
    failure: str = ""
    effect: Any = field(default=None, compare=False, repr=False)

    @property
    def enabled(self) -> bool:
        return not self.failure and all(guard.holds for guard in self.guards)

    @property
    def false(self) -> tuple[Guard, ...]:
        """The guards that are false, in order."""
        return tuple(guard for guard in self.guards if not guard.holds)


class Guards:
    """Finds and evaluates the guards of a model's actions."""

    def __init__(self, model: ir.Lowered) -> None:
        self.model = model

    def sites(self, action: str) -> tuple[Site, ...]:
        """The guards of an action in the source."""
        return tuple(sites(self.model, action))

    def digest(self, action: str) -> str:
        """Equal for actions with the same meaning: names of actions and of files do not count."""
        function = self.model.actions[action]
        state = next(iter(function.parameters.values()))
        helpers = {f.name: f for f in _reached(self.model, function)}
        anonymous = {"": replace(function, name="")}
        return digest(
            replace(self.model, state=state, actions=anonymous, properties={}, helpers=helpers)
        )

    def read(self, action: str, state: Any, arguments: Sequence[Any]) -> Guarded:
        """The guards of an action with a binding in a state, which is not changed."""
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
        effect = scratch if complete else None
        return Guarded(tuple(recorder.found), complete, failure, effect)


def _reached(model: ir.Lowered, function: ir.Function) -> Iterator[ir.Function]:
    """The helpers that a function calls, directly or not."""
    for name in dict.fromkeys(_called(function)):
        helper = model.helpers[name]
        yield helper
        yield from _reached(model, helper)


def _called(function: ir.Function) -> Iterator[str]:
    waiting = [term for statement in statements(function.body) for term in terms(statement)]
    while waiting:
        term = waiting.pop()
        waiting += parts(term)
        if isinstance(term, ir.Call):
            yield term.function


class _Ended(Exception):  # noqa: N818 - how the evaluation ends, not an error
    """The evaluation cannot continue: a required value is None."""


class _Lenient(Origins):
    """Finds origins of values after a false guard too."""

    def statement(self, statement: ir.Statement, names: Names) -> None:
        if not isinstance(statement, ir.Require):
            super().statement(statement, names)

    def _unneeded(self, term: ir.Apply, names: Names) -> Any:
        if term.op == "need":
            return self.value(term.args[0], names)
        return Evaluator._METHODS[ir.Apply](self, term, names)

    _METHODS: dict[type[ir.Term], Callable[..., Any]] = {**Origins._METHODS, ir.Apply: _unneeded}


class _Whole(Explainer):
    """Explains a conjunction by all its parts, also the ones that do not affect the outcome."""

    def _apply(self, term: ir.Apply, value: bool, names: Names) -> tuple[Explanation, ...]:
        if term.op == "and":
            return tuple(self._if_it_can(part, names) for part in conjuncts(term))
        return super()._apply(term, value, names)

    def _if_it_can(self, term: ir.Term, names: Names) -> Explanation:
        try:
            return self.term(term, names)
        except Exception as wrong:  # such as an index past the end, which an earlier part rules out
            return Explanation(source_text(term), None, term.span, failure=type(wrong).__name__)


def _of_pick(condition: ir.Term, holds: bool, names: Names) -> Explanation | None:
    """The explanation of a condition that a value is picked only where a path reaches the pick."""
    if not isinstance(condition, ir.Apply) or condition.op not in ("not", "or"):
        return None
    absent, reached = condition.args[-1], condition.op == "not"
    if not isinstance(absent, ir.Apply) or absent.op != "is_none":
        return None
    choice = absent.args[0]
    if not isinstance(choice, ir.Name) or not choice.name.endswith(ir.OPEN):
        return None
    text, picks = source_text(condition), "picks a value here" if reached else "does not pick here"
    told = f"the action {picks}, and {choice.name.removesuffix(ir.OPEN)} is {names[choice.name]}"
    return Explanation(text, holds, condition.span, operator="pick", ground=told)


class _Recorder(Origins):
    """Runs an action and collects the guards that it reaches."""

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
                why = _of_pick(condition, holds, names) or self.explainer.term(condition, names)
                assert why.value == holds
                self.found.append(Guard(why, self.via))
        elif isinstance(statement, ir.Bind) and isinstance(names, Scope):
            value = self.value(statement.value, names)
            origin = self.lenient.origin_of_name(statement, names)  # before the name is bound again
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
    """The guards that the evaluation of a term reaches."""
    for part in parts(term):
        yield from _within_term(model, part, via, sometimes)
    if isinstance(term, ir.Apply) and term.op == "need":
        yield Site(f"{source_text(term.args[0])} is not None", term.span, via, sometimes)
    elif isinstance(term, ir.Call):
        body = model.helpers[term.function].body
        yield from _sites(model, body, (*via, term.function), sometimes)
