"""Compares a compiled module with the evaluator, state by state or in a whole search.

`by_graphs` computes the graphs of each reachable state in Python: also states without a next state,
because an expression fails there, are compared. `by_search` compares the results of both searches.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from specmodel.design import Design
from specmodel.errors import SpecError
from specmodel.ir.layout import codes_of, value_of
from specmodel.ir.symbolic.graph import Graph
from specmodel.options import Options
from specmodel.results import SpecFailure
from specmodel.tla.loading import load_module
from specmodel.tla.model import TlaModel
from specmodel.tla.recursion import deeply
from specmodel.tla.scopes import Run
from specmodel.tla.search import TlaSearch
from specmodel.tla.specification import Specification
from specmodel.tla.symbolic import running, steps
from specmodel.tla.symbolic.concrete import Codes
from specmodel.tla.symbolic.model import CompiledModel, CompiledRule, compiled_model
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.possible_steps import refuse_cut
from specmodel.tla.symbolic.running import TypedSearch
from specmodel.tla.symbolic.sampling import FoundExceeded, TypeFinder
from specmodel.tla.symbolic.unfit import refuse_unfit
from specmodel.tla.values import FALSE, TRUE, EvaluationError, Value
from tests.tla.random_actions import RandomModule

MOST_STATES = 120
"""The states that are compared one by one."""

MOST_SEARCHED = 1500
MOST_WIDENED = 40

TlaTuple = tuple[Value, ...]
Ends = Counter[TlaTuple]


@dataclass(frozen=True)
class Outcome:
    """How a module fared: `kind` is agree, failing, refused, large, invalid, or a finding."""

    kind: str
    what: str = ""

    @property
    def bad(self) -> bool:
        """Whether it is a finding."""
        return self.kind in ("difference", "internal")


class Differs(Exception):  # noqa: N818 - says what was found
    """What the compiled module does otherwise."""


@dataclass
class Evaluated:
    """A state with what the evaluator finds there: None stands for an expression that fails."""

    state: TlaTuple
    steps: dict[str, Ends] | None
    truths: dict[str, bool | None]
    pairs: dict[tuple[str, TlaTuple], bool | None]


def design_in(folder: Path, module: RandomModule) -> Design:
    """The design of a module that is written to a folder. Raises SpecError."""
    (folder / "R.tla").write_text(module.text)
    (folder / "R.cfg").write_text(module.configuration)
    return load_module(folder / "R.tla")


def specification(design: Design) -> Specification:
    """The module of a design."""
    assert isinstance(design.spec, TlaModel)
    return design.spec.specification


def outcome(module: RandomModule, whole: bool) -> Outcome:
    """How a module fares, in a whole search or by its graphs."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            design = design_in(Path(folder), module)
        except SpecError as wrong:
            return Outcome("invalid", str(wrong))
        try:
            return deeply(lambda: by_search(design) if whole else by_graphs(design))
        except NotCompiled as wrong:
            return Outcome("refused", re.sub(r"\d[\d,]*|'.*'", "#", wrong.message))
        except Differs as wrong:
            return Outcome("difference", str(wrong))
        except Exception as wrong:
            lines = traceback.format_exc().splitlines()
            place = [line.strip() for line in lines if "/specmodel/" in line][-1:]
            return Outcome("internal", f"{type(wrong).__name__}: {wrong} {' '.join(place)}")


# State by state


@patch.object(steps, "FEW_WAYS", 1)
def by_graphs(design: Design) -> Outcome:
    """Compares each state that the evaluator reaches. Arms are one step in short actions too."""
    spec = specification(design)
    refuse_unfit(design, Options())
    blank: TlaTuple = (None,) * len(spec.variables)  # type: ignore[assignment]
    try:
        first = TlaSearch(design, Options(engine="interpret"))
        initial = list(dict.fromkeys(first.initial_states()))
    except SpecFailure as wrong:
        return Outcome("invalid", wrong.message)
    found = {s: None for s in initial}
    evaluated: list[Evaluated] = []
    queue = list(initial)
    while queue and len(evaluated) < MOST_STATES:
        state = queue.pop(0)
        held = _evaluated(spec, state, blank)
        evaluated.append(held)
        for ends in (held.steps or {}).values():
            new = [after for after in ends if after not in found]
            found.update(dict.fromkeys(new))
            queue += new
    finder = TypeFinder(spec)
    finder.take(initial)
    finder.take([e.state for e in evaluated[: len(evaluated) // 3]])
    for _ in range(MOST_WIDENED):
        try:
            model = compiled_model(finder, initial)
            graphs = StateGraphs(model)
            for each in evaluated:
                graphs.compare(each)
        except FoundExceeded as wrong:
            wrong.widen(finder)
            continue
        failing = any(e.steps is None or None in e.truths.values() for e in evaluated)
        return Outcome("failing" if failing else "agree")
    raise NotCompiled("types grow again and again")


def _evaluated(spec: Specification, state: TlaTuple, blank: TlaTuple) -> Evaluated:
    steps: dict[str, Ends] | None = {}
    try:
        for action in spec.actions:
            ends = Counter(after for _, after in action.successors(state, blank))
            if any(None in after for after in ends):
                raise EvaluationError("a variable has no value", action.span)
            steps[action.name] = steps.get(action.name, Counter()) + ends
    except (EvaluationError, RecursionError):
        steps = None
    truths: dict[str, bool | None] = {}
    pairs: dict[tuple[str, TlaTuple], bool | None] = {}
    for name, run, _ in spec.constraints:
        truths[name] = _truth([run], state, None)
    for claim in spec.claims:
        if claim.steps:
            for ends in (steps or {}).values():
                for after in ends:
                    pairs[claim.name, after] = _truth(claim.steps, state, after)
        else:
            truths[claim.name] = _truth(claim.states, state, None)
    return Evaluated(state, steps, truths, pairs)


def _truth(runs: Sequence[Run], state: TlaTuple, after: TlaTuple | None) -> bool | None:
    try:
        for run in runs:
            value = run((), state, after)
            if value is not TRUE and value is not FALSE:
                return None
            if value is FALSE:
                return False
    except (EvaluationError, RecursionError):
        return None
    return True


class StateGraphs:
    """The graphs of a model, computed on known states."""

    def __init__(self, model: CompiledModel) -> None:
        self.model = model
        self.module = model.module
        self.graph = Graph()
        sizes = [leaf.size - 1 for leaf in self.module.layout.leaves]
        self.leaves = [self.graph.leaf(i, most) for i, most in enumerate(sizes)]
        self.after = [self.graph.leaf(i, most) for i, most in enumerate(sizes, len(sizes))]
        self.effects = {
            rule.name: [rule.effect(self.graph, self.leaves, a) for a in rule.bindings()]
            for rule in model.rules
        }
        self.judgements = {rule.name: self._judged(rule) for rule in self._judges()}

    def _judges(self) -> Iterator[CompiledRule]:
        yield from self.model.properties
        yield from self.model.bounds

    def _judged(self, rule: CompiledRule) -> Any:
        both = [self.leaves, self.after] if rule.states == 2 else [self.leaves]
        return rule.judgement(self.graph, both)

    def compare(self, held: Evaluated) -> None:
        """Raises Differs, or TypeExceeded if a next state is outside of the types."""
        codes = tuple(codes_of(self.module.domain, self.module.held(held.state)))
        numbers = Codes(codes)
        shown = f"in {held.state}"
        steps = self._steps(numbers, held)
        if (steps is None) != (held.steps is None):
            raise Differs(
                f"steps fail compiled: {steps is None}, else {held.steps is None} {shown}"
            )
        if steps is not None and held.steps is not None:
            for name in {*steps, *held.steps}:
                one, other = steps.get(name, Counter()), held.steps.get(name, Counter())
                if one != other:
                    raise Differs(f"{name}: compiled {dict(one)}, else {dict(other)} {shown}")
        for name, wanted in held.truths.items():
            found = self._truth(name, numbers)
            if found is not wanted:
                raise Differs(f"{name} is {found} compiled, else {wanted} {shown}")
        for (name, after), wanted in held.pairs.items():
            more = codes_of(self.module.domain, self.module.held(after))
            found = self._truth(name, Codes((*codes, *more)))
            if found is not wanted:
                raise Differs(f"{name} is {found} compiled, else {wanted} {shown} to {after}")

    def _truth(self, name: str, numbers: Codes) -> bool | None:
        judgement = self.judgements[name]
        refuse_cut(judgement.failures, numbers)
        if any(numbers.number(failure.node) for failure in judgement.failures):
            return None
        return bool(numbers.number(judgement.node))

    def _steps(self, numbers: Codes, held: Evaluated) -> dict[str, Ends] | None:
        found: dict[str, Ends] = {}
        outside: list[str] = []
        for name, effects in self.effects.items():
            ends: Ends = Counter()
            for effect in effects:
                for failure in effect.failures:
                    refuse_cut([failure], numbers)
                    if numbers.number(failure.node):
                        if "outside of the types" not in failure.message:
                            return None
                        outside.append(name)
                if all(numbers.number(guard.node) for guard in effect.guards):
                    codes = [numbers.number(leaf) for leaf in effect.leaves]
                    ends[self.module.values(value_of(self.module.domain, iter(codes)))] += 1
            found[name] = ends
        if outside:
            met = [after for each in (held.steps or {}).values() for after in each]
            for after in met:
                self.module.held(after)
            if held.steps is None:
                return None
            raise Differs(f"all next states fit, but {outside} gives none in {held.state}")
        return found


# A whole search


class ShortWalks(TypeFinder):
    """Finds types from few states, so that they are widened often."""

    def walk(self, starts: Sequence[TlaTuple], seconds: float = 0.0) -> None:
        super().walk(starts, 0.005)


def by_search(design: Design) -> Outcome:
    """Compares the results of the two searches."""
    refuse_unfit(design, Options())
    few = TlaSearch(design, Options(engine="interpret", self_check=0, max_states=20))
    limited = Options(engine="interpret", self_check=0, keep_going=True, max_states=MOST_SEARCHED)
    wanted = _result(TlaSearch(design, limited))
    if wanted[0] == "result" and wanted[1].stopped == "max-states":
        return Outcome("large")
    with contextlib.suppress(SpecFailure):
        few.run()
    if not few.seen:
        return Outcome("invalid", "no initial state has a value")
    with patch.object(running, "TypeFinder", ShortWalks):
        found = _result(
            TypedSearch(design, Options(self_check="all", keep_going=True, workers=1), few)
        )
    if wanted[0] != found[0]:
        told = [str(x[1].message if x[0] == "failure" else x[1].verdict) for x in (found, wanted)]
        raise Differs(f"compiled {found[0]} {told[0]}, else {wanted[0]} {told[1]}")
    one, other = _figures(found), _figures(wanted)
    # Of several failures in a state and in the next, either search may meet another one first.
    alike = abs(one - other) < 2 if found[0] == "failure" else one == other
    if not alike:
        raise Differs(f"compiled {one}, else {other}")
    return Outcome("failing" if found[0] == "failure" else "agree")


def _result(search: Any) -> tuple[str, Any]:
    try:
        return "result", search.run()
    except SpecFailure as wrong:
        return "failure", wrong


def _figures(found: tuple[str, Any]) -> Any:
    if found[0] == "failure":
        return 0 if found[1].trace is None else found[1].trace.length
    result = found[1]
    properties = {p.name: (p.verdict, p.trace_length) for p in result.properties}
    return result.distinct, result.generated, result.depth, properties
