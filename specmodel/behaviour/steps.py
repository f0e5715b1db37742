"""The steps of a spec, by running its own functions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from specmodel.behaviour.formulas import bindings
from specmodel.domains import Position, StructDomain, Writes
from specmodel.domains.records import Record
from specmodel.errors import (
    BoundExceeded,
    Disabled,
    SpecError,
    SpecmodelError,
    described,
    span_of_traceback,
)
from specmodel.ir.explain import explain
from specmodel.ir.guards import Guarded, Guards, Site
from specmodel.model.model import Model, Rule, abstract_name
from specmodel.results import SpecFailure, Step, Trace
from specmodel.results.explanation import Explanation
from specmodel.results.lasso import Lasso
from specmodel.traces.notation import Notation

T = TypeVar("T")

NO_GUARDS = "a property has no guards"

_OWN_FOLDER = str(Path(__file__).resolve().parents[1])


def _is_spec(file: str) -> bool:
    """Whether a file has code of a spec; generated code, as of a dataclass, has no file."""
    return not file.startswith((_OWN_FOLDER, "<"))


class Interpreter:
    """The transition relation of a spec under CPython."""

    def __init__(self, spec: Model) -> None:
        self.spec = spec
        self.domain: StructDomain = spec.domain
        self.bindings = bindings(spec)

    @staticmethod
    def of(spec: Model) -> Interpreter:
        """The interpreter of any model: its own, if it has one."""
        own: Callable[[], Interpreter] | None = getattr(spec, "interpreter", None)
        return Interpreter(spec) if own is None else own()

    def initial(self) -> Iterator[Any]:
        """The initial states, in the order of the bindings of `init`."""
        for arguments in self.spec.start.bindings():
            try:
                made = self._call(self.spec.start, arguments, None)
            except Disabled:
                continue
            try:
                yield self.domain.store(self._extended(made), "init")
            except SpecmodelError as wrong:
                raise self._failure(self.spec.start, wrong, wrong, None) from wrong

    def packed_initial(self, pack: Callable[[Any], tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
        """The initial states, packed."""
        return map(pack, self.initial())

    def _extended(self, made: Any) -> Any:
        """An initial state as one of the spec; further fields of the spec have their defaults."""
        state = self.domain.cls
        given = made.__domain__.cls if isinstance(made, Record) else state
        if given is state or not issubclass(state, given):
            return made
        for name in state.__domain__.fields.keys() - given.__domain__.fields.keys():
            if not hasattr(state, name):
                start = self.spec.start.name
                raise SpecError(
                    f"{start} gives a {given.__name__}, which has no field {name}",
                    hint=f"give {state.__name__}.{name} a default, as in `{name}: T = value`",
                )
        return state(**vars(made))

    def deeply(self, call: Callable[[], T]) -> T:
        """The result of a call that asks for many steps, on the stack that they need."""
        return call()

    @property
    def bounded(self) -> bool:
        """Whether there are state constraints."""
        return bool(self.spec.bounds)

    def key(self, state: Any) -> Hashable:
        """What is equal for equal states, and takes little memory."""
        return self.domain.index(state)

    def keyed(self, key: Any) -> Any:
        """The state of a key."""
        return self.domain.at(key)

    def successors(self, state: Any) -> Iterator[tuple[int, Any]]:
        """Each enabled binding, by its number in `bindings`, with the state it leads to.

        Raises SpecFailure when it comes to one that fails.
        """
        for number, outcome in self.outcomes(state):
            if isinstance(outcome, SpecFailure):
                raise outcome
            yield number, outcome

    def outcomes(self, state: Any) -> Iterator[tuple[int, Any]]:
        """Each binding that is enabled, with its successor, or that fails, with its failure."""
        scratch = self.domain.copy(state)
        for number, (rule, arguments) in enumerate(self.bindings):
            before = Writes.count
            try:
                self._call(rule, (scratch, *arguments), (state, number))
                yield number, scratch
            except Disabled:
                if Writes.count == before:
                    continue
            except SpecFailure as failure:
                yield number, failure
            scratch = self.domain.copy(state)

    def successor(self, state: Any, number: int) -> Any | None:
        """The state that a binding leads to, or None if it is not enabled."""
        rule, arguments = self.bindings[number]
        scratch = self.domain.copy(state)
        try:
            self._call(rule, (scratch, *arguments), (state, number))
        except Disabled:
            return None
        return scratch

    def holds(self, rule: Rule, *states: Any) -> bool:
        """The truth of a property or constraint in a state (or, of a transition, in two).

        A refinement may be given one state, an initial one: its truth is whether the abstract state
        is initial too.
        """
        if rule.refined is not None:
            return self._refines(rule, states)
        return bool(self._call(rule, states, (states[0], None)))

    def abstract(self, rule: Rule, state: Any) -> Any:
        """The state of the abstract design that a refinement gives. Raises SpecFailure."""
        assert rule.refined is not None
        made = self._call(rule, (state,), (state, None))
        try:
            return rule.refined.domain.store(made, f"what {rule.name} gives")
        except SpecmodelError as wrong:
            raise self._failure(rule, wrong, wrong, (state, None)) from wrong

    def refined(self, rule: Rule) -> Interpreter:
        """The steps of the abstract design of a refinement."""
        if rule.name not in self._refined:
            assert rule.refined is not None
            self._refined[rule.name] = Interpreter(rule.refined)
        return self._refined[rule.name]

    @cached_property
    def _refined(self) -> dict[str, Interpreter]:
        return {}

    def _refines(self, rule: Rule, states: Sequence[Any]) -> bool:
        """Whether a state begins, or two are a step of, a behaviour of the abstract design."""
        mapped, abstract = [self.abstract(rule, state) for state in states], self.refined(rule)
        try:
            if len(mapped) == 1:
                asked = self.spec.begins
                return not asked or any(state == mapped[0] for state in abstract.initial())
            before, after = mapped
            return before == after or any(s == after for _, s in abstract.successors(before))
        except SpecFailure as failure:
            where = f"{failure.where} of {abstract_name(abstract.spec)}"
            trace = Trace((self.domain.copy(states[0]),), ())
            raise SpecFailure(
                failure.message, failure.span, failure.hint, trace=trace, where=where
            ) from failure

    def lasso(self, rule: Rule, trace: Trace) -> Lasso | None:
        """The facts about a trace with a loop that violates a property that is no rule of LIVENESS.

        None if it does not: as with properties of specs, which are about states and steps.
        """
        return None

    def about(self, rule: Rule, states: Sequence[Any]) -> Sequence[Any]:
        """The last states of a behaviour that a property reads; empty if the behaviour has too few.
        A refinement reads the first state, and each step.
        """
        if rule.refined is None and rule.states > len(states):
            return ()
        return states[-rule.states :]

    def inside(self, state: Any) -> bool:
        """Whether a state is within the constraints. All are evaluated, because any may fail."""
        return sum(not self.holds(bound, state) for bound in self.spec.bounds) == 0

    def found(self, rule: Rule | None, states: Sequence[Any]) -> bool:
        """Whether a rule is violated, or, if it is reachable, met, at the end of some states: in
        the last of them or in the step to it. None: whether no step is enabled there.
        """
        if rule is None:
            return next(self.successors(states[-1]), None) is None
        held = self.about(rule, states)
        return bool(held) and self.holds(rule, *held) == (rule.role == "reachable")

    def numbers_in(self, state: Any) -> Sequence[int]:
        """The numbers of the bindings that there are in a state, enabled or not."""
        return range(len(self.bindings))

    def rule_of(self, number: int, state: Any) -> Rule:
        """The action of a binding in a state."""
        return self.bindings[number][0]

    def number_taken(self, step: Step, before: Any, after: Any) -> int:
        """The binding of a step between two states."""
        return self.numbers[str(step)]

    def plain_step(self, number: int, state: Any) -> Step:
        """A binding as a step, without the values that it picks in a state."""
        return self._plain_steps[number]

    @cached_property
    def _plain_steps(self) -> list[Step]:
        return [self.step(number) for number in range(len(self.bindings))]

    def numbers_of(self, text: str, state: Any) -> Sequence[int]:
        """The bindings in a state whose step has a text, of which one may be enabled."""
        found = self.number_of(text, state)
        return () if found is None else (found,)

    def guarded(self, number: int, state: Any) -> Guarded:
        """The guards of a binding in a state."""
        rule, arguments = self.bindings[number]
        return self._guards.read(rule.name, state, arguments)

    def sites(self, rule: Rule) -> tuple[Site, ...]:
        """The guards of an action in the source."""
        return self._guards.sites(rule.name)

    def digest(self, rule: Rule) -> str:
        """A text that is equal for actions that do the same, whatever their names are."""
        return self._guards.digest(rule.name)

    @cached_property
    def _guards(self) -> Guards:
        return Guards(self.spec.code)

    def explained(self, rule: Rule, states: Sequence[Any]) -> Explanation:
        """Why a property is true or false of a state or of the step between two."""
        return explain(rule.name, self.spec.code, *states)

    def step(self, number: int, state: Any = None) -> Step:
        """A binding as a step of a trace; a picked value is shown if the state before is given."""
        rule, arguments = self.bindings[number]
        if state is not None:
            arguments = rule.shown(state, arguments)
        return Step(rule.name, dict(zip(rule.parameters, arguments, strict=True)))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The numbers of bindings, by the texts of their steps."""
        return {str(step): number for number, step in enumerate(self._plain_steps)}

    @cached_property
    def texts(self) -> dict[str, int]:
        """The numbers of bindings, by the texts of their steps in reports."""
        write = Notation().step
        return {write(step): number for number, step in enumerate(self._plain_steps)}

    def number_of(self, text: str, state: Any) -> int | None:
        """The binding of a step by its text: as in reports, or without the picked value."""
        if (known := self.texts.get(text)) is not None:
            return known
        write = Notation().step
        for number, (_, arguments) in enumerate(self.bindings):
            picking = any(isinstance(held, Position) for held in arguments)
            if picking and write(self.step(number, state)) == text:
                return number
        return None

    def behaviour(self, states: Sequence[Any], last: int | None = None) -> Trace:
        """The trace through states by the first binding of each step; `last` is one more binding.

        Raises ValueError if no binding leads from one of the states to the next.
        """
        path = list(states)
        taken = [self._between(a, b) for a, b in pairwise(path)]
        if last is not None:
            taken.append(last)
            path.append(self.successor(path[-1], last))
        return Trace(tuple(path), tuple(map(self.step, taken, path)))

    def _between(self, before: Any, after: Any) -> int:
        for number, successor in self.successors(before):
            if successor == after:
                return number
        raise ValueError(f"no action leads from {before} to {after}")

    def _call(
        self, rule: Rule, arguments: tuple[Any, ...], at: tuple[Any, int | None] | None
    ) -> Any:
        try:
            return rule.run(*arguments)
        except (Disabled, KeyboardInterrupt) as caught:
            if isinstance(caught, KeyboardInterrupt) or rule.role in ("init", "action"):
                raise
            no_guards = SpecError(NO_GUARDS, hint="return False, or use a condition")
            raise self._failure(rule, no_guards, caught, at) from caught
        except BaseException as caught:
            raise self._failure(rule, caught, caught, at) from caught

    def _failure(
        self,
        rule: Rule,
        wrong: BaseException,
        caught: BaseException,
        at: tuple[Any, int | None] | None,
    ) -> SpecFailure:
        """The error of a rule's function as a failure of the spec.

        Raises the error of a bound that is to be found: the spec is to be loaded again.
        """
        if isinstance(wrong, BoundExceeded):
            raise wrong
        message = wrong.message if isinstance(wrong, SpecError) else described(wrong)
        span = span_of_traceback(caught.__traceback__, _is_spec) or rule.span
        hint = wrong.hint if isinstance(wrong, SpecError) else ""
        where, trace = rule.name, None
        if at is not None:
            state, number = at
            where = rule.name if number is None else str(self.step(number))
            trace = Trace((self.domain.copy(state),), ())
        return SpecFailure(message, span, hint, trace=trace, where=where)
