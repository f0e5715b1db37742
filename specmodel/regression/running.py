"""Runs one case, in any process: the outcome consists of plain values."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any, Literal

from specmodel.analysis.checking import default_workers
from specmodel.analysis.recording import recording_of_file
from specmodel.analysis.rival import Replayed, replay
from specmodel.analysis.searches import SearchLimits
from specmodel.analysis.trace_files import design_of
from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.engines import registry
from specmodel.errors import Disagreement, SpecError, SpecmodelError, UsageError
from specmodel.regression.accounts import account, counterexample
from specmodel.regression.expectations import Mismatch, judged, mismatches, whole
from specmodel.regression.suites import CoverageCase, RunCase, TraceCase
from specmodel.regression.vacuity import never_fired, vacuities
from specmodel.results import DEADLOCK, Options, Result, SpecFailure, Trace
from specmodel.suite.documents import Document
from specmodel.suite.targets import load_document
from specmodel.traces.itf_read import ItfFile, read_itf
from specmodel.traces.itf_write import itf_text
from specmodel.views.replay_sentences import ReplaySentences

Status = Literal["passed", "failed", "broken", "incomplete"]


@dataclass(frozen=True)
class Problem:
    """A problem of a case: a line, further lines that explain it, and the mismatch if it is one.

    `vacuous` marks a success that shows nothing.
    """

    text: str
    details: tuple[str, ...] = ()
    mismatch: Mismatch | None = None
    vacuous: bool = False


@dataclass(frozen=True)
class FailingTrace:
    """A trace of a failing case, as the text of an ITF file with the name `name`."""

    name: str
    property: str
    text: str
    steps: tuple[str, ...]


@dataclass(frozen=True)
class CaseOutcome:
    """The outcome of a case.

    `status`: as expected; not as expected; a mistake in a file or a spec that failed; or ended by a
    limit. Figures are those of the check, if it was one (`checked`); `constants` all of them.
    """

    name: str
    design: str
    status: Status
    problems: tuple[Problem, ...] = ()
    traces: tuple[FailingTrace, ...] = ()
    checked: bool = False
    verdict: str = ""
    complete: bool = False
    distinct: int = 0
    generated: int = 0
    depth: int = 0
    seconds: float = 0.0
    constants: Mapping[str, Value] = field(default_factory=dict[str, Value])
    coverage: Mapping[str, int] = field(default_factory=dict[str, int])


def run(
    case: RunCase | TraceCase,
    documents: Mapping[str, Document],
    *,
    engine: str = "native",
    limits: SearchLimits = SearchLimits(),
    workers: int | None = None,
    memory: int | None = None,
) -> CaseOutcome:
    """Runs a case. `documents` are those under test; a trace found as a file may be of one of them.

    `memory` is a limit if `limits` have none.

    Mistakes in files are outcomes; raises KeyboardInterrupt if the search was interrupted, and
    Disagreement.
    """
    try:
        if isinstance(case, TraceCase):
            return _replayed(case, documents)
        return _checked(case, engine, limits.within(memory), workers)
    except Disagreement:  # then no result of this program can be relied on
        raise
    except SpecmodelError as wrong:
        return broken(case, wrong)


def broken(case: RunCase | TraceCase, wrong: SpecmodelError) -> CaseOutcome:
    """The outcome of a case that could not run, or whose spec failed."""
    design = case.document.name if case.document else ""
    text = str(wrong)
    if isinstance(wrong, SpecFailure):
        text = f"the spec fails in {wrong.where}: {wrong}"
    return CaseOutcome(case.name, design, "broken", (_problem(text),))


def wanted(case: RunCase, limits: SearchLimits, workers: int = 1) -> tuple[Design, Options]:
    """The design and the options of the case's check. Raises the errors of a load."""
    expected = case.row.expected
    design = _load(case)
    names = judged(design, expected)
    return design, Options(
        properties=tuple(names) or None,
        keep_going=whole(expected, names),
        deadlock=True if DEADLOCK in expected.get("properties", {}) else None,
        symmetry=design.symmetry,
        workers=workers,
        max_states=limits.max_states,
        max_memory=limits.max_memory,
        timeout=limits.timeout,
    )


def covered(case: CoverageCase, runs: Iterable[CaseOutcome]) -> CaseOutcome | None:
    """Whether every action fires in some of a design's runs; None if this is not known.

    It is not known if an action has not fired and some run was incomplete or failed before it
    searched.
    """
    seen: list[CaseOutcome] = []

    def coverages() -> Iterator[Mapping[str, int]]:
        for outcome in runs:
            seen.append(outcome)
            yield outcome.coverage

    idle = never_fired(coverages(), case.document.expect)
    if not seen or (idle and not all(outcome.complete for outcome in seen)):
        return None
    if not idle:
        return CaseOutcome(case.name, case.document.name, "passed")
    text = f"never fired in any run: {', '.join(idle)}"
    hint = f"if that is meant, expect it: coverage: {{{idle[0]}: 0}}"
    problem = Problem(text, (hint,), vacuous=True)
    return CaseOutcome(case.name, case.document.name, "failed", (problem,))


def _problem(text: str) -> Problem:
    first, *more = text.splitlines()
    return Problem(first, tuple(more))


def _checked(case: RunCase, engine: str, limits: SearchLimits, workers: int | None) -> CaseOutcome:
    design, options = wanted(case, limits, default_workers() if workers is None else workers)
    result = registry.engine(engine).check(design, options)
    if result.stopped == "interrupted":
        raise KeyboardInterrupt
    return concluded(case, design, result)


def concluded(case: RunCase, design: Design, result: Result) -> CaseOutcome:
    """The outcome of a case from the result of its check."""
    expected = case.row.expected
    distinct, generated = result.counts
    outcome = CaseOutcome(
        case.name,
        design.name,
        "passed",
        checked=True,
        verdict=result.verdict,
        complete=result.complete,
        distinct=distinct,
        generated=generated,
        depth=result.depth,
        seconds=result.seconds,
        constants=design.values,
        coverage=dict(result.coverage),
    )
    wrong = mismatches(result, expected)
    if result.stopped not in ("", "violation"):
        open_ = tuple(m for m in wrong if m.property and result[m.property].verdict == "violated")
        if not open_ and expected.get("verdict") != "incomplete":
            text = f"cut short ({result.stopped}) after {distinct:,} states"
            return replace(outcome, status="incomplete", problems=(Problem(text),))
        wrong = open_ or wrong
    if not wrong:
        empty = tuple(Problem(text, vacuous=True) for text in vacuities(result))
        return replace(outcome, status="failed" if empty else "passed", problems=empty)
    found = [(m, result[m.property].counterexample if m.property else None) for m in wrong]
    kept = tuple(_kept(case, design, result.engine, m.property, t) for m, t in found if t)
    problems = [Problem(m.text, counterexample(design, t) if t else (), m) for m, t in found]
    if case.reference is not None:
        sentences = account(design, result, wrong, case.reference)
        at = next((i for i, m in enumerate(wrong) if m.property), 0)
        problems[at] = replace(problems[at], details=(*problems[at].details, *sentences))
    return replace(outcome, status="failed", problems=tuple(problems), traces=kept)


def _load(case: RunCase) -> Design:
    """The design of a row. An error in a constant of `at` is reported at its place."""
    try:
        return load_document(case.document, case.row.constants)
    except SpecError:
        raise
    except UsageError as wrong:
        raise SpecError(str(wrong), case.place) from None


def _kept(case: RunCase, design: Design, engine: str, name: str, trace: Trace) -> FailingTrace:
    text = itf_text(
        design,
        trace,
        property_name=name,
        engine=engine,
        description=f"shortest counterexample to {name} of {case.name}",
    )
    plain = "".join(c if c.isalnum() or c in "-_=,." else "-" for c in case.name)
    return FailingTrace(f"{plain}-{name}.itf.json", name, text, counterexample(design, trace))


def _replayed(case: TraceCase, documents: Mapping[str, Document]) -> CaseOutcome:
    """Replays a trace: a listed one on that design, one found as a file on its own design."""
    file = case.entry.file
    if case.document is not None and not file.is_file():
        raise SpecError(f"there is no trace {file}", case.place)
    recorded = read_itf(file)
    design = owner = _recorded_on(recorded, case.document or documents.get(recorded.design))
    if recorded.design != design.name:
        with contextlib.suppress(SpecmodelError):  # only the kinds of its actions are needed
            owner = _recorded_on(recorded, documents.get(recorded.design))
    replayed = replay(recording_of_file(recorded, owner), design)
    problem = _of_replay(replayed, case, recorded.design == design.name)
    return CaseOutcome(
        case.name,
        design.name,
        "failed" if problem else "passed",
        (problem,) if problem else (),
        constants=design.values,
    )


def _recorded_on(recorded: ItfFile, document: Document | None) -> Design:
    """The design of a file, or else the one that a trace names, with the trace's constants."""
    if document is None:
        return design_of(recorded, "", {}, allowed_by="naming")
    known = load_document(document, {}).constants
    return load_document(document, {n: v for n, v in recorded.constants.items() if n in known})


def _of_replay(replayed: Replayed, case: TraceCase, own: bool) -> Problem | None:
    sentences = ReplaySentences(replayed)
    details = tuple(f"{'  ' * depth}{text}" for depth, text in sentences.details())
    blocked, wanted = replayed.blocked, case.entry.blocked
    if wanted is not None:
        found = blocked.number if blocked else None
        if found == wanted:
            return None
        text = f"{sentences.headline()}; expected to stop at step {wanted - 1}"
        mismatch: Any = Mismatch(text, ("blocked",), found) if found else None
        return Problem(text, details, mismatch)
    if blocked is not None:
        return Problem(sentences.headline(), details)
    if own and replayed.parting is not None:
        return Problem("the states are not the recorded ones", details)
    if own and replayed.violates is False:
        return Problem(sentences.headline(), details)
    return None
