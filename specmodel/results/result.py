"""The result of a check; everything a person sees is a view of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Literal

from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.domains.found import Bound
from specmodel.errors import FoundPlace, Span, SpecError, UsageError
from specmodel.results.coverage import PointCount
from specmodel.results.lasso import Lasso
from specmodel.results.trace import Trace

Verdict = Literal["holds", "violated", "incomplete"]

DEADLOCK = "deadlock"
"""The name under which a deadlock is reported among the properties."""


@dataclass(frozen=True)
class SelfCheck:
    """The part of a run that was compared with CPython, and agreed: states, and steps from them."""

    states: int
    steps: int


@dataclass(frozen=True)
class PropertyResult:
    """The verdict on one property.

    `kind` is invariant, transition, reachable, deadlock, or a temporal one: eventually,
    always_eventually, eventually_always, leads_to, refinement. A violated property has a shortest
    trace to a state (or through a step) that violates it. A reachable property is violated if no
    state meets it; one that holds has a shortest trace to its witness. A violated temporal property
    has a trace with a loop, and `lasso` says which fairness the trace satisfies. `vacuous` says why
    a property that holds, or of a refinement a part, claims nothing, and is empty otherwise.
    """

    name: str
    kind: str
    verdict: Verdict
    trace: Trace | None = None
    lasso: Lasso | None = None
    vacuous: str = ""

    @property
    def trace_length(self) -> int | None:
        """States of the trace, the initial one included."""
        return self.trace.length if self.trace else None

    @property
    def counterexample(self) -> Trace | None:
        """The trace, if the property is violated; that of one which holds is a witness."""
        return self.trace if self.verdict == "violated" else None

    @classmethod
    def judged(cls, name: str, kind: str, trace: Trace | None, complete: bool) -> PropertyResult:
        """The verdict of a search, from the trace of a hit, if any, and its completeness."""
        verdict: Verdict = "holds" if complete else "incomplete"
        if kind == "reachable":
            verdict = "holds" if trace else "violated" if complete else "incomplete"
        elif trace:
            verdict = "violated"
        return cls(name, kind, verdict, trace)


def property_of(properties: Sequence[PropertyResult], name: str) -> PropertyResult:
    """The property with a name. Raises KeyError if there is none."""
    for found in properties:
        if found.name == name:
            return found
    raise KeyError(name)


@dataclass(frozen=True)
class Result:
    """The result of a check of a design.

    `distinct`, `generated` and `depth` have TLC's meaning: initial states and one for each enabled
    binding are generated; depth counts the states on the longest shortest path. `coverage` is how
    often each action fired, `levels` the number of states at each depth (unknown to a search that
    continued from a checkpoint). With `symmetry`, names of scalar sets, states that differ only in
    the names of their members counted as one, and so did their steps. `reduced` is the number of
    states that were expanded by fewer steps than are enabled there, None without partial-order
    reduction: with it, depth and the lengths of traces are not the least. `stopped` says why the
    search ended early, and is empty otherwise. `seconds` is the time of the search alone,
    `compile_seconds` that of making its kernel. `disk` is the bytes of states on disk at the end.
    `omission` is an upper bound on the probability that some state was taken for another and
    omitted. `resumed` is the number of states that came from the checkpoint from which the search
    continued; all other figures include the work before it. `checkpoint` is the folder of a
    checkpoint to continue from, None if there is none. `saved` is the folder of the space, None if
    that was not asked for or failed.

    `points` are the coverage points, with how often each was reached, if asked for. `unmet` are
    antecedents of the properties that were true nowhere in a complete search; those of transition
    properties are counted only with `points`, and none in a resumed search.

    An engine that checks paths, not states, counts no states: then `distinct` and `generated` are
    None, `coverage` and `levels` are empty, and `depth` is the greatest number of states of the
    paths that it has checked. `undecided` are questions without an answer in time.

    `self_check` is the part that was compared with CPython, None if nothing was. `bounds` are those
    of places that declare none, which the search has found wide enough.
    """

    design: str
    constants: Mapping[str, Value]
    engine: str
    workers: int
    complete: bool
    distinct: int | None
    generated: int | None
    depth: int
    seconds: float
    properties: tuple[PropertyResult, ...]
    coverage: Mapping[str, int]
    stopped: str = ""
    levels: tuple[int, ...] = ()
    compile_seconds: float = 0.0
    memory: int = 0
    symmetry: tuple[str, ...] = ()
    reduced: int | None = None
    disk: int = 0
    omission: float = 0.0
    resumed: int = 0
    checkpoint: Path | None = None
    points: tuple[PointCount, ...] = ()
    unmet: tuple[PointCount, ...] = ()
    saved: Path | None = None
    undecided: tuple[str, ...] = ()
    self_check: SelfCheck | None = None
    bounds: Mapping[FoundPlace, Bound] = field(default_factory=dict[FoundPlace, Bound])

    @property
    def counts(self) -> tuple[int, int]:
        """The distinct and generated states. Raises UsageError if the engine counts none."""
        if self.distinct is None or self.generated is None:
            raise UsageError(
                f"the {self.engine} engine does not count states, which this needs: "
                "use the native engine"
            )
        return self.distinct, self.generated

    @property
    def verdict(self) -> Verdict:
        """Violated if any property is; holds only if the search was complete and all hold."""
        verdicts = {p.verdict for p in self.properties}
        if "violated" in verdicts:
            return "violated"
        return "holds" if self.complete and "incomplete" not in verdicts else "incomplete"

    def __getitem__(self, name: str) -> PropertyResult:
        return property_of(self.properties, name)


class SpecFailure(SpecError):  # noqa: N818 - found by a search, as a violation is
    """The spec itself failed during the search: a value left its domain, an index was out of range.

    `trace` leads to the state in which `step` failed (None: the failure is in an initial state or a
    property).
    """

    def __init__(
        self, message: str, span: Span | None, hint: str = "", *, trace: Trace | None, where: str
    ) -> None:
        super().__init__(message, span, hint)
        self.trace = trace
        self.where = where
