"""Loads a module: `Module.tla`, or `Module.tla:Other.cfg` with another configuration."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.errors import Span, SpecError, TooSlow, UsageError
from specmodel.liveness import Stopped
from specmodel.options import Options
from specmodel.results import Result, Simulation, SpecFailure, Trace
from specmodel.tla.actions import COUNTED_ONCE
from specmodel.tla.aliasing import aliased_failure, aliased_result
from specmodel.tla.binders import AMBIGUOUS
from specmodel.tla.checking import beginning, check_module, reported
from specmodel.tla.interpreter import ModuleInterpreter
from specmodel.tla.model import TlaModel, constants_told, properties_of, rules_of
from specmodel.tla.recursion import deep_stack, deeply
from specmodel.tla.specification import Specification
from specmodel.tla.symbolic.kept_types import kept_types
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.unfit import refuse_unfit
from specmodel.tla.tlc_get import LevelNeededError
from specmodel.tla.written import state_domain

if TYPE_CHECKING:
    from specmodel.tla.symbolic.model import CompiledModel

Told = TypeVar("Told", Result, Simulation)
Made = TypeVar("Made")


@dataclass(frozen=True)
class ModuleModel(TlaModel):
    """The model of a module, with its interpreter and its search."""

    def interpreter(self) -> ModuleInterpreter:
        """Its steps and properties by the evaluator."""
        return ModuleInterpreter(self)

    def search(self, design: Design, options: Options) -> Result:
        """The result of a check. Raises UsageError, SpecFailure."""
        return check_module(design, options)

    def told(self, design: Design, result: Told) -> tuple[Design, Told]:
        """A design and a result for reports: with the traces that an ALIAS shows."""
        return reported(design, result), aliased_result(self.specification, result)

    def told_failure(self, failure: SpecFailure) -> SpecFailure:
        """A failure with the trace that an ALIAS shows."""
        return aliased_failure(self.specification, failure)

    def compiled(
        self,
        design: Design,
        limits: Options,
        run: Callable[[Design, float | None, Callable[[Trace], Trace]], Made],
        walks: bool = False,
    ) -> Made:
        """The result of a function of the compiled design."""
        from specmodel.tla.symbolic.running import TypedModule  # takes a while to import

        after = self.specification.postcondition
        if after is not None and limits.remark is not None:
            limits.remark(f"the POSTCONDITION {after.name.name} is evaluated by check alone")
        started = time.perf_counter()
        first = beginning(design)
        known = kept_types(first)
        if known is None:
            with deep_stack():
                first.run()
        typed = TypedModule(design, limits, first, known, started=started)

        def attempt(model: CompiledModel) -> Made:
            try:
                told = partial(typed.told_trace, model)
                return run(typed.compiled_design(model), typed.time_left(), told)
            except SpecFailure as failure:
                raise typed.told_failure(model, failure) from None

        try:
            refuse_unfit(design, walks=walks)
            with deep_stack():
                return typed.attempt(attempt)
        except Stopped:
            raise TooSlow("the time limit was reached before the module was compiled") from None
        except NotCompiled as wrong:
            what = f"{design.name} cannot be compiled, which this needs: {wrong.message}"
            raise SpecError(what, wrong.span) from None


def load_target(
    target: str, constants: Mapping[str, Value], dropped: Sequence[Span] = ()
) -> Design:
    """The design of a target, with the expressions at some places as TRUE.

    Raises UsageError, SpecError.
    """
    module, _, config = target.partition(".tla:")
    path = Path(f"{module}.tla" if config else target)
    given = path.parent / config if config else None
    return load_module(path, given, constants, dropped=dropped)


def load_module(
    path: Path,
    config: Path | None = None,
    constants: Mapping[str, Value] | None = None,
    text: str | None = None,
    dropped: Sequence[Span] = (),
) -> Design:
    """The design of a module with its configuration, in which some constants have other values.

    `text` is a configuration that `config` names. The expressions at `dropped` places are read as
    TRUE. Raises UsageError, SpecError.
    """
    if not path.exists():
        raise UsageError(f"there is no file {path}")
    AMBIGUOUS.clear()
    COUNTED_ONCE.clear()

    def made(leveled: bool = False) -> Design:
        spec = Specification(path, config, constants, text, dropped, leveled)
        return _design_of(spec, path)

    try:
        try:
            return deeply(made)
        except LevelNeededError:
            return deeply(lambda: made(leveled=True))
    except RecursionError:
        raise UsageError(f"an expression of {path} is too deeply nested") from None


def _design_of(spec: Specification, path: Path) -> Design:
    model = ModuleModel(
        spec,
        rules_of(spec),
        properties_of(spec),
        spec.configuration.deadlock,
        state_domain(spec.variables, spec.configuration.values),
    )
    return Design(
        spec.name, model, constants_told(spec), symmetry=bool(spec.symmetry), path=path,
        files=spec.files,
    )  # fmt: skip
