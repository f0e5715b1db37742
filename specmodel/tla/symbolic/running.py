"""Searches a TLA+ module with compiled code; types are found, and widened for further values."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.engines import registry
from specmodel.engines.base.bounds import LEAST_TIME
from specmodel.errors import Span, SpecError
from specmodel.ir import compile_progress
from specmodel.liveness import Stopped
from specmodel.model.model import Rule
from specmodel.options import DEFAULT_ENGINE
from specmodel.results import Options, Progress, PropertyResult, Result, SpecFailure, Trace
from specmodel.tla.beside import EVALUATED, SearchBeside
from specmodel.tla.claims import NOT_FOLLOWED
from specmodel.tla.model import TlaModel
from specmodel.tla.pausing import HALT, poll
from specmodel.tla.recursion import deep_stack, deeply
from specmodel.tla.scopes import Run
from specmodel.tla.search import TlaSearch
from specmodel.tla.symbolic.compiled import CompiledModule
from specmodel.tla.symbolic.kept_types import Types, keep_types
from specmodel.tla.symbolic.model import CompiledModel, compiled_model
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.sampling import WALK_SECONDS, FoundExceeded, TypeFinder
from specmodel.tla.values import TRUE, Value

if TYPE_CHECKING:
    from specmodel.tla.symbolic.initial import InitialStates

TlaTuple = tuple[Value, ...]

LIMITS = ("timeout", "max-states")
"""Why the evaluator stops in a space that is too large for it."""

WALK_SHARE = 0.1
"""After an attempt in vain, random walks look for further values for this share of its time."""

LONG = 10.0
"""After an attempt in vain that took so many seconds, types are given more room than walks find."""

MOST_STARTS = 60
"""How often a search begins again with wider types."""

T = TypeVar("T")


@dataclass
class TypedModule:
    """A module whose types are found. `first` is the beginning of a search by the evaluator.

    `known` are its types, if an earlier search found them: then the evaluator need not begin.
    `beside` is a search by the evaluator that ends the compilation, by Stopped, when it is done.
    """

    design: Design
    options: Options
    first: TlaSearch
    known: Types | None = None
    beside: SearchBeside | None = None
    started: float = field(default_factory=time.perf_counter)

    def attempt(self, run: Callable[[CompiledModel], T]) -> T:
        """The result of a run with types that are wide enough for it: it may begin several times.

        Raises NotCompiled for a module that has to be evaluated, Stopped if there is no time to
        compile it, and the errors of the run.
        """
        assert isinstance(self.design.spec, TlaModel)
        spec = self.design.spec.specification
        finder = TypeFinder(spec)
        # A small space is evaluated, also if another command has compiled it.
        large = self.first.stopped in LIMITS and self.first.model.starts is None
        keeps = large or self.known is not None
        with self._limited():
            initial = deeply(lambda: self._begin(finder))

        def compiled() -> CompiledModel:
            return compiled_model(finder, initial)

        with self._keeping(finder, keeps and isinstance(initial, list)):
            return self._attempts(finder, compiled, run)

    @contextmanager
    def _keeping(self, finder: TypeFinder, keeps: bool) -> Generator[None]:
        """Keeps the types after a search within, also if another search has ended it."""
        try:
            yield
        except Stopped as early:
            if keeps and early.why == EVALUATED:
                keep_types(self.first, (finder.types, finder.depths))
            raise
        if keeps:
            keep_types(self.first, (finder.types, finder.depths))

    def _attempts(
        self,
        finder: TypeFinder,
        compiled: Callable[[], CompiledModel],
        run: Callable[[CompiledModel], T],
    ) -> T:
        """The result of a run, with types that are widened until they are wide enough."""
        for _ in range(MOST_STARTS):
            begun = time.perf_counter()
            try:
                with self._limited():
                    model = deeply(compiled)
                result = run(model)
                self._remark_on_view(model)
                return result
            except FoundExceeded as wrong:
                if self.beside is not None:
                    self.beside.go_on()
                wrong.widen(finder)
                spent = time.perf_counter() - begun
                seconds = max(WALK_SECONDS, WALK_SHARE * spent)
                deeply(partial(finder.walk, wrong.states, seconds))
                if spent > LONG:
                    finder.make_alike()
        raise NotCompiled("values grow in search after search")

    def _remark_on_view(self, model: CompiledModel) -> None:
        """Says which variables outside of a VIEW matter."""
        if model.domain.key and self.options.remark and (names := model.hidden_and_read()):
            self.options.remark(
                f"the VIEW leaves out {', '.join(names)}, on which later steps or properties "
                "depend: what is found may depend on the order of states, in TLC too"
            )

    def _begin(self, finder: TypeFinder) -> list[TlaTuple] | InitialStates:
        """The initial states, and the first types: those that are known, or those of a sample."""
        if self.known is not None:
            types, finder.depths = self.known
            finder.types = [*types]
            return list(self.first.initial_states())
        states = [state for state, _ in self.first.seen.values()]
        initial = self._initial(states)
        if not isinstance(initial, list):
            for place, held in initial.finder.types.items():
                finder.widen(place, held)
        states = [*(initial if isinstance(initial, list) else initial.sample()), *states]
        finder.take(states)
        finder.walk(states)
        return initial

    def _initial(self, states: Sequence[TlaTuple]) -> list[TlaTuple] | InitialStates:
        """The initial states. Many of them are found from what the evaluator has found so far."""
        if not self.first.levels and self.first.model.starts is None:
            # Few modules have many, and numpy takes a while to import.
            from specmodel.tla.symbolic.initial import InitialStates

            with suppress(NotCompiled):
                return InitialStates(self.first.spec, states)
        return list(self.first.initial_states())

    @contextmanager
    def _limited(self) -> Generator[None]:
        """Ends what is evaluated within at the time limit, by Stopped; tells what is compiled."""

        def tell(what: str, span: Span | None = None) -> None:
            if self.options.progress:
                spent = time.perf_counter() - self.started
                asking = f"compiling {what}"
                self.options.progress(Progress(None, None, 0, 0, spent, 0, asking=asking))

        tell(self.design.name)
        with self._ending(), self._in_time(), compile_progress.watched(tell):
            yield

    def _ending(self) -> AbstractContextManager[None]:
        """Ends what is evaluated within, by Stopped, when the search beside it is done."""
        return nullcontext() if self.beside is None else self.beside.ending()

    @contextmanager
    def _in_time(self) -> Generator[None]:
        left = self.time_left()
        if left is None:
            yield
            return
        timer = threading.Timer(left, HALT.append, ["timeout"])
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            HALT.clear()

    def time_left(self) -> float | None:
        """The seconds left of the time limit, if there is one."""
        if self.options.timeout is None:
            return None
        return max(LEAST_TIME, self.options.timeout - (time.perf_counter() - self.started))

    def compiled_design(self, model: CompiledModel) -> Design:
        """The design of a model."""
        return Design(self.design.name, model, self.design.constants, files=self.design.files)

    def told_trace(self, model: CompiledModel, trace: Trace, broken: Sequence[Run] = ()) -> Trace:
        """A trace in TLA+'s notation. Its last step breaks a property, which is `broken`."""
        return self.first.trace_of(self._real_states(model.module, trace, broken))

    def _real_states(
        self, module: CompiledModule, trace: Trace, broken: Sequence[Run]
    ) -> list[TlaTuple]:
        """The states of a trace. With SYMMETRY its states stand for their orbits; these are a
        behaviour through the orbits."""
        states = [module.values(state) for state in trace.states]
        if not module.permutations:
            return states
        initial = self.first.initial_states()
        found = [next(s for s in initial if module.canonical(s) == states[0])]
        for place, wanted in enumerate(states[1:], 2):
            last = broken if place == len(states) else ()
            after = (s for _, s in self.first.steps(None, found[-1]))
            found.append(
                next(
                    s
                    for s in after
                    if module.canonical(s) == wanted and (not last or _breaks(last, found[-1], s))
                )
            )
        return found

    def told_failure(self, model: CompiledModel, failure: SpecFailure) -> SpecFailure:
        """A failure with the action that fails, and its trace in TLA+'s notation."""
        where, trace, told = failure.where, failure.trace, failure
        if trace is not None and where not in {rule.name for rule in model.properties}:
            name, wrong = self.first.failing_action(model.module.values(trace.states[-1]))
            where, told = name or where, wrong or failure
        broken = [run for rule in model.properties if rule.name == where for run in rule.steps]
        return SpecFailure(
            told.message, told.span, told.hint,
            trace=trace and self.told_trace(model, trace, broken), where=where,
        )  # fmt: skip


class TypedSearch(TypedModule):
    """A search with compiled code."""

    def run(self) -> Result:
        """The result. Raises the errors of `attempt`, and SpecFailure with a trace."""
        return self.attempt(self._searched)

    def _begins_wrong(self, model: CompiledModel) -> bool:
        """Whether a property is false of an initial state, of those that were not examined yet."""
        first = self.first
        if not first.levels and any(claim.first for claim in first.claims):
            for state in model.start.initial:
                poll()
                first.examine_first(state)
        return any(claim.first and claim.name in first.hits for claim in first.claims)

    def _searched(self, model: CompiledModel) -> Result:
        if self._begins_wrong(model) and not self.options.keep_going:
            return replace(self.first.result(), complete=False, stopped="violation")
        chosen = self.design.chosen(self.options.properties)
        known = {rule.name for rule in chosen}
        spec = model.without(*(r.name for r in model.properties if r.claim not in known))
        made = self.compiled_design(spec)
        options = replace(
            self.options, engine=DEFAULT_ENGINE, properties=None, timeout=self.time_left(),
            progress=self._progress if self.beside else self.options.progress,
        )  # fmt: skip
        lassos: dict[str, PropertyResult] = {}
        try:
            with deep_stack(), self._ending():
                if self.first.live:
                    # Only temporal properties need a graph, and numpy takes a while to import.
                    from specmodel.tla.symbolic.behaviours import ModuleSearch

                    result = ModuleSearch(
                        made, options, lambda graph: lassos.update(self.first.lassos_of(graph))
                    ).run()
                else:
                    result = registry.engine(DEFAULT_ENGINE).searched(made, options)
        except SpecFailure as failure:
            raise self.told_failure(model, failure) from None
        return self._whole(model, chosen, result, lassos)

    def _progress(self, progress: Progress) -> None:
        """Reports progress. Ends a compilation, by Stopped, if the search beside it is done; that
        search waits while compiled code is at work."""
        assert self.beside is not None
        if progress.asking:
            self.beside.look()
        else:
            self.beside.pause()
        if self.options.progress is not None:
            self.options.progress(progress)

    def _whole(
        self,
        model: CompiledModel,
        chosen: Sequence[Rule],
        result: Result,
        lassos: Mapping[str, PropertyResult],
    ) -> Result:
        """The result with the temporal claims, and with traces in TLA+'s notation."""
        of = {rule.name: rule for rule in model.properties}
        found: dict[str, PropertyResult] = {}
        for part in result.properties:
            rule = of.get(part.name)
            name, broken = (part.name, ()) if rule is None else (rule.claim, rule.steps)
            if name not in found or part.verdict == "violated":
                trace = part.trace and self.told_trace(model, part.trace, broken)
                found[name] = replace(part, name=name, trace=trace)
        claims = {claim.name: claim for claim in self.first.claims}
        for rule in chosen:
            claim, known = claims[rule.name], found.get(rule.name)
            if known is not None and known.verdict == "violated":
                continue
            complete = result.complete and not claim.undecided
            if claim.name in self.first.hits:
                found[rule.name] = self.first.verdict(rule.name, rule.role, complete)
            elif rule.name in lassos:
                found[rule.name] = lassos[rule.name]
            elif claim.temporal or claim.undecided:
                found[rule.name] = PropertyResult.judged(rule.name, rule.role, None, complete)
        ordered = [found.pop(rule.name) for rule in chosen if rule.name in found]
        result = replace(result, properties=(*ordered, *found.values()))
        if not result.stopped and result.verdict == "incomplete":
            return replace(result, stopped=NOT_FOLLOWED)
        return result


def _breaks(broken: Sequence[Run], before: TlaTuple, after: TlaTuple) -> bool:
    """Whether a property of steps is false of a step, or has no value."""
    try:
        return any(run((), before, after) is not TRUE for run in broken)
    except SpecError:
        return True
