"""The steps of a module by the evaluator, as replays, explanations and the explorer take them.

The bindings of a state are numbered in the order of evaluation: for each action, each combination
of its parameters' values has a number for every next state, or one if there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

from specmodel.behaviour.steps import Interpreter
from specmodel.errors import Span, SpecError
from specmodel.ir.guards import Guarded, Site
from specmodel.model.model import Rule
from specmodel.results import SpecFailure, Step, Trace
from specmodel.results.explanation import Explanation
from specmodel.results.lasso import Lasso
from specmodel.tla.calling import no_truth
from specmodel.tla.explaining import ExplainedPlace, TermExplainer
from specmodel.tla.model import TlaModel, TlaRule
from specmodel.tla.recursion import deeply, too_deep
from specmodel.tla.scopes import Run
from specmodel.tla.search import initial_states, refuse_missing
from specmodel.tla.specification import TlaProperty
from specmodel.tla.splitting import Action
from specmodel.tla.values import FALSE, TRUE, Value, settled
from specmodel.tla.written import WrittenValue, argument, values_of
from specmodel.traces.notation import Notation

TlaTuple = tuple[Value, ...]
T = TypeVar("T")

KEPT = 4096
"""The states whose bindings are kept."""

MOST_BINDINGS = 20_000
"""The most bindings of a state that are listed: with more, the state is a failure."""


class FoundBinding(NamedTuple):
    """An action with bound values in a state: its next state, its failure, or neither."""

    action: Action
    bound: Any
    after: TlaTuple | None
    failure: SpecFailure | None = None


class ModuleInterpreter(Interpreter):
    """The transition relation of a module."""

    def __init__(self, model: TlaModel) -> None:
        # Not the constructor of the base class, which lists the bindings that hold for all states.
        self.spec, self.domain, self.bindings = model, model.domain, ()
        self.module = model.specification
        self.explainer = TermExplainer(self.module.builder)
        self.rules = {rule.name: rule for rule in model.rules}
        self.blank: TlaTuple = (None,) * len(self.module.variables)
        self._found: dict[Any, list[FoundBinding]] = {}

    def initial(self) -> Iterator[Any]:
        model: Any = self.spec
        if model.starts is not None:
            yield from model.starts
            return
        try:
            found = deeply(lambda: list(initial_states(self.module)))
        except (SpecError, RecursionError) as wrong:
            raise _failure(wrong, "Init", None) from None
        yield from map(self._written, dict.fromkeys(found))

    def _written(self, values: TlaTuple) -> Any:
        return self.domain.build(list(map(WrittenValue, values)))

    def deeply(self, call: Callable[[], T]) -> T:
        return deeply(call)

    @property
    def bounded(self) -> bool:
        return bool(self.module.constraints)

    def key(self, state: Any) -> TlaTuple:
        return values_of(state)

    def keyed(self, key: Any) -> Any:
        return self._written(key)

    # Bindings

    def found_in(self, state: Any) -> list[FoundBinding]:
        """The bindings of a state by their numbers."""
        found = self._found.get(state)
        if found is None:
            if len(self._found) >= KEPT:
                self._found.pop(next(iter(self._found)), None)
            found = self._found[state] = deeply(lambda: self._bindings(state))
        return found

    def _bindings(self, state: Any) -> list[FoundBinding]:
        values, found = values_of(state), list[FoundBinding]()
        for action in self.module.actions:
            bound: Any = None
            try:
                for bound in action.contexts(values):
                    if len(found) >= MOST_BINDINGS:
                        what = f"a state has more than {MOST_BINDINGS:,} bindings"
                        raise SpecError(what, action.span, "check and simulate go on from it")
                    before = len(found)
                    for after in action.step(bound, values, self.blank):
                        refuse_missing(self.module, after, action.name, action.span)
                        if self._allowed(values, after):
                            found.append(FoundBinding(action, bound, after))
                    if len(found) == before:
                        found.append(FoundBinding(action, bound, None))
            except (SpecError, RecursionError) as wrong:
                failure = _failure(wrong, action.name, state)
                found.append(FoundBinding(action, bound, None, failure))
        return found

    def _allowed(self, before: TlaTuple, after: TlaTuple) -> bool:
        """Whether a step is within the ACTION_CONSTRAINTs."""
        return all(run((), before, after) is TRUE for _, run, _ in self.module.step_constraints)

    def numbers_in(self, state: Any) -> Sequence[int]:
        return range(len(self.found_in(state)))

    def rule_of(self, number: int, state: Any) -> Rule:
        return self.rules[self.found_in(state)[number].action.name]

    def outcomes(self, state: Any) -> Iterator[tuple[int, Any]]:
        for number, found in enumerate(self.found_in(state)):
            if found.failure is not None:
                yield number, found.failure
            elif found.after is not None:
                yield number, self._written(found.after)

    def successor(self, state: Any, number: int) -> Any | None:
        found = self.found_in(state)[number]
        if found.failure is not None:
            raise found.failure
        return None if found.after is None else self._written(found.after)

    def step(self, number: int, state: Any = None) -> Step:
        assert state is not None, "the bindings of a module are those of a state"
        found = self.found_in(state)[number]
        if found.bound is None:
            return Step(found.action.name, {})
        held = found.action.arguments(found.bound, values_of(state))
        return Step(found.action.name, {name: argument(value) for name, value in held.items()})

    def plain_step(self, number: int, state: Any) -> Step:
        return self.step(number, state)

    def numbers_of(self, text: str, state: Any) -> Sequence[int]:
        write = Notation().step
        return [n for n in self.numbers_in(state) if write(self.step(n, state)) == text]

    def number_of(self, text: str, state: Any) -> int | None:
        found = self.numbers_of(text, state)
        enabled = [n for n in found if self.found_in(state)[n].after is not None]
        return next(iter([*enabled, *found]), None)

    def number_taken(self, step: Step, before: Any, after: Any) -> int:
        numbers = self.numbers_of(Notation().step(step), before)
        wanted = values_of(after)
        return next(n for n in numbers if self.found_in(before)[n].after == wanted)

    # Properties and constraints

    def inside(self, state: Any) -> bool:
        values = values_of(state)
        held = self.module.constraints
        return all(self._true(run, (name, span), state, values) for name, run, span in held)

    def about(self, rule: Rule, states: Sequence[Any]) -> Sequence[Any]:
        claim = rule.claim if isinstance(rule, TlaRule) else None
        if claim is None:
            return ()
        said = claim.states or (claim.steps if states[1:] else claim.first)
        return states[-rule.states :] if said else ()

    def holds(self, rule: Rule, *states: Any) -> bool:
        """Whether a claim is true of a state or step; of one state, it is asked as if initial."""
        claim = rule.claim if isinstance(rule, TlaRule) else None
        assert claim is not None
        held = [values_of(state) for state in states]
        where = rule.name, rule.span
        asked = [*claim.states, *(claim.first if _begins(rule, claim, states) else ())]
        ok = all(self._true(run, where, states[-1], held[-1]) for run in asked)
        if len(held) < 2:
            return ok
        pair = held[0], held[1]
        return ok and all(self._true(run, where, states[0], *pair) for run in claim.steps)

    def lasso(self, rule: Rule, trace: Trace) -> Lasso | None:
        claim = rule.claim if isinstance(rule, TlaRule) else None
        if claim is None or not claim.temporal or trace.loop is None:
            return None
        from specmodel.tla.lassos import violated  # numpy takes a while to import

        states, loop = list(map(values_of, trace.states)), trace.loop
        return deeply(lambda: violated(self.module, claim.temporal, states, loop))

    def _true(
        self, run: Run, where: tuple[str, Span | None], state: Any, *values: TlaTuple
    ) -> bool:
        """Whether a formula is true; `where` is the name of its rule, and its place."""
        name, span = where
        before, after = values[0], values[1] if len(values) > 1 else None
        try:
            value = settled(run((), before, after))
            if value is not TRUE and value is not FALSE:
                assert span is not None
                raise no_truth(value, span)
        except (SpecError, RecursionError) as wrong:
            raise _failure(wrong, name, state) from None
        return value is TRUE

    # Explanations

    def guarded(self, number: int, state: Any) -> Guarded:
        found = self.found_in(state)[number]
        if found.bound is None:
            return Guarded((), complete=False, failure=str(found.failure or ""))
        read = deeply(lambda: self.explainer.guarded(found.action, found.bound, values_of(state)))
        if found.after is None or read.enabled:
            return read
        # It can happen in a way that was not looked at.
        return Guarded(tuple(guard for guard in read.guards if guard.holds))

    def sites(self, rule: Rule) -> tuple[Site, ...]:
        parts = [action for action in self.module.actions if action.name == rule.name]
        found = deeply(lambda: [site for part in parts for site in self.explainer.sites(part)])
        return tuple(replace(site, sometimes=True) if parts[1:] else site for site in found)

    def digest(self, rule: Rule) -> str:
        parts = [action for action in self.module.actions if action.name == rule.name]
        return deeply(lambda: "\n".join(map(self.explainer.syntax_of, parts)))

    def explained(self, rule: Rule, states: Sequence[Any]) -> Explanation:
        claim = rule.claim if isinstance(rule, TlaRule) else None
        assert claim is not None
        parts = [*claim.formulas, *(claim.beginning if _begins(rule, claim, states) else ())]
        found: list[Explanation] = []
        for part in parts:
            if part.kind != "step":
                place = ExplainedPlace(part.scope, 0, (), values_of(states[-1]))
            elif len(states) > 1:
                place = ExplainedPlace(part.scope, 0, (), *map(values_of, states))
            else:
                continue
            found.append(deeply(partial(self.explainer.why, part.term, place)))
        wrong = [each for each in found if each.value is False]
        if len(wrong) == 1:
            return wrong[0]
        holds = not wrong and self.holds(rule, *states)
        return Explanation(rule.name, holds, rule.span, parts=tuple(wrong), operator="and")


def _begins(rule: Rule, claim: TlaProperty, states: Sequence[Any]) -> bool:
    """Whether what a property says of the initial state is asked of some states."""
    return len(states) < rule.states or not (claim.states or claim.steps)


def _failure(wrong: BaseException, where: str, state: Any) -> SpecFailure:
    trace = None if state is None else Trace((state,), ())
    told = wrong if isinstance(wrong, SpecError) else too_deep()
    return SpecFailure(told.message, told.span, told.hint, trace=trace, where=where)
