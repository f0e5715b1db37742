"""Runs the cases of suites, several side by side, and reports the outcomes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from specmodel.analysis.searches import SearchLimits
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.engines import registry
from specmodel.errors import SpecmodelError
from specmodel.pool import spread
from specmodel.regression.baseline import Baseline, SizeChange, growths, sizes_of
from specmodel.regression.running import CaseOutcome, broken, concluded, covered, run, wanted
from specmodel.regression.suites import Case, CoverageCase, RunCase, Suites, TraceCase
from specmodel.results import Options
from specmodel.suite.documents import Document

Runnable = RunCase | TraceCase


@dataclass(frozen=True)
class Report:
    """The outcomes of the cases, in their order.

    `broken` are the files that could not be read, `skipped` the cases that did not run. `growths`
    are the state spaces whose size differs from the baseline of the day `since`, and `limit` is the
    allowed growth in percent.
    """

    entries: tuple[tuple[Case, CaseOutcome], ...]
    broken: tuple[SpecmodelError, ...] = ()
    skipped: tuple[str, ...] = ()
    growths: tuple[SizeChange, ...] = ()
    since: str = ""
    limit: float | None = None
    seconds: float = 0.0

    @property
    def outcomes(self) -> tuple[CaseOutcome, ...]:
        return tuple(outcome for _, outcome in self.entries)

    @property
    def grown(self) -> tuple[SizeChange, ...]:
        """The state spaces that have grown by more than is allowed."""
        return tuple(g for g in self.growths if self.limit is not None and g.grown > self.limit)

    @property
    def verdict(self) -> str:
        """ "passed", or the gravest of "broken", "failed" and "incomplete"."""
        found = {outcome.status for outcome in self.outcomes}
        if self.broken or "broken" in found:
            return "broken"
        if self.grown or "failed" in found:
            return "failed"
        return "incomplete" if "incomplete" in found else "passed"


def run_suites(
    suites: Suites,
    cases: Sequence[Case],
    *,
    engine: str = "native",
    limits: SearchLimits = SearchLimits(),
    jobs: int = 1,
    master: str | None = None,
    up_to: int | None = None,
    allow_vacuous: bool = False,
    baseline: Baseline | None = None,
    most_growth: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Runs some of the cases of suites.

    Cases that are expected to have more than `up_to` states are skipped. `jobs` run side by side in
    processes of one thread each (one: in this process, with all threads); limits hold for each
    search. With the spark engine the checks are tasks of Spark, by the native engine on one core
    each; `master` is the cluster's. `progress` gets the number of finished cases and of all. Raises
    SpecmodelError if a process was ended from outside, and KeyboardInterrupt.
    """
    started = time.monotonic()
    chosen: list[Case] = []
    skipped: list[str] = []
    for case in cases:
        large = isinstance(case, RunCase) and up_to is not None and case.size > up_to
        skipped.append(case.name) if large else chosen.append(case)
    runnable = [case for case in chosen if not isinstance(case, CoverageCase)]
    # The largest first, so that none runs alone at the end.
    runnable.sort(key=lambda c: -c.size if isinstance(c, RunCase) else 0)
    found: dict[str, CaseOutcome] = {}
    if registry.engine(engine).cluster:
        outcomes = _on_spark(runnable, suites.documents, limits, jobs, master)
    else:
        one = partial(run, documents=suites.documents, engine=engine, limits=limits)
        outcomes = (outcome for _, outcome in spread(one, runnable, jobs))
    for outcome in outcomes:
        found[outcome.name] = _lenient(outcome) if allow_vacuous else outcome
        if progress is not None:
            progress(len(found), len(runnable))
    entries: list[tuple[Case, CaseOutcome]] = []
    for case in chosen:
        judged = _covered(case, suites, found) if isinstance(case, CoverageCase) else None
        outcome = judged if isinstance(case, CoverageCase) else found[case.name]
        if outcome is None:
            skipped.append(case.name)
        else:
            entries.append((case, _lenient(outcome) if allow_vacuous else outcome))
    changed = growths(baseline, sizes_of(o for _, o in entries)) if baseline else ()
    return Report(
        tuple(entries),
        suites.broken,
        tuple(skipped),
        changed,
        baseline.recorded if baseline else "",
        most_growth,
        time.monotonic() - started,
    )


def _covered(
    case: CoverageCase, suites: Suites, found: Mapping[str, CaseOutcome]
) -> CaseOutcome | None:
    """The outcome of a coverage case, from all the runs of the design, or none."""
    names = [
        c.name
        for c in suites.cases
        if isinstance(c, RunCase) and c.document.name == case.document.name
    ]
    if any(name not in found for name in names):
        return None
    return covered(case, [found[name] for name in names])


def _lenient(outcome: CaseOutcome) -> CaseOutcome:
    """The outcome, with vacuous successes counted as successes."""
    left = tuple(problem for problem in outcome.problems if not problem.vacuous)
    if outcome.status != "failed" or left:
        return outcome
    return replace(outcome, status="passed", problems=())


def _on_spark(
    cases: Sequence[Runnable],
    documents: Mapping[str, Document],
    limits: SearchLimits,
    jobs: int,
    master: str | None,
) -> Iterator[CaseOutcome]:
    """Checks run on Spark and are judged here; traces need no search, and are replayed here."""
    from specmodel.engines.spark.checks import check_all

    sent: list[RunCase] = []
    checks: list[tuple[Design, Options]] = []
    for case in cases:
        if isinstance(case, TraceCase):
            yield run(case, documents)
            continue
        try:
            checks.append(wanted(case, limits))
            sent.append(case)
        except SpecmodelError as wrong:
            yield broken(case, wrong)
    for number, found in check_all(checks, master, jobs):
        case, (design, _) = sent[number], checks[number]
        try:
            if isinstance(found, SpecmodelError):
                raise found
            yield concluded(case, design, found)
        except SpecmodelError as wrong:
            yield broken(case, wrong)
