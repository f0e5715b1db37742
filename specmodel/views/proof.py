"""The report of a proof: its claims, counterexamples to induction, its scope."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.text import Text

from specmodel.design import Design
from specmodel.proof.reach import Reach
from specmodel.proof.result import ObligationOutcome, Proof
from specmodel.results import PropertyResult
from specmodel.views.explanation import explained
from specmodel.views.forms import sections, verdicts
from specmodel.views.page import Page, colour
from specmodel.views.selection import TraceView
from specmodel.views.summary import bounds, count
from specmodel.views.trace import trace_lines
from specmodel.views.wrapping import fitted, wrapped

SHOWN = 3
"""The greatest number of counterexamples to induction that are shown, each to another claim."""

_FEW = 6
"""Up to this number of goals are named in the verdict."""

_STOPPED = {"interrupted": "interrupted", "timeout": "stopped at the time limit"}

_STEPS = "no step fails"
"""The claim besides the named ones."""

_ANY_STATE = "a state that meets all claims, possibly unreachable"


def proof_report(design: Design, proof: Proof, reach: Reach | None, page: Page) -> Iterator[Text]:
    """The lines of the report. `reach` is the result of a search, if there was one."""
    for outcome in _shown(proof):
        yield from _counterexample(design, outcome, page)
    reached = wrapped(_reached(proof, reach), page.width) if reach is not None else []
    yield from sections(map(Text, reached), _claims(proof, page))
    yield from _found(design, proof)
    for line in wrapped(_figures(proof), page.width):
        yield Text(line, "dim")
    yield from proof_verdict(design, proof, page.width)


def _shown(proof: Proof) -> list[ObligationOutcome]:
    """The first failure of each of a few claims."""
    first: dict[str, ObligationOutcome] = {}
    for outcome in proof.failed:
        first.setdefault(outcome.obligation.claim, outcome)
    return list(first.values())[:SHOWN]


def _counterexample(design: Design, outcome: ObligationOutcome, page: Page) -> Iterator[Text]:
    obligation, trace = outcome.obligation, outcome.trace
    assert trace is not None
    if obligation.kind == "initiation":
        yield Text.assemble(("Counterexample", "bold"), f" to {obligation.claim}:")
    elif obligation.kind == "no failure":
        yield Text.assemble(("Counterexample to induction", "bold"), ": a step fails:")
    else:
        what = f": {obligation.action} does not keep {obligation.claim}:"
        yield Text.assemble(("Counterexample to induction", "bold"), what)
    yield Text()
    if obligation.kind != "initiation":
        page = replace(page, view=replace(page.view or TraceView(), start=_ANY_STATE))
    found = PropertyResult(obligation.claim, "invariant", "violated", trace)
    why = (
        map(Text, outcome.why.splitlines()) if outcome.why else explained(design.spec, found, page)
    )
    yield from trace_lines(trace, design.spec, page, found.name)
    yield Text()
    yield from why
    yield Text()


def _reached(proof: Proof, reach: Reach) -> str:
    if reach.answer == "reachable":
        shown = next((p for p in reach.violated if p.name in proof.goals), reach.violated[0])
        length = count(shown.trace_length or 0, "state")
        how = f"is violated by a behaviour of {length}: specmodel check shows it"
        if shown.name in proof.goals:
            return f"No lemma can help: {shown.name} {how}."
        return f"The lemma {shown.name} is wrong: it {how}, with --invariant {shown.name}."
    searched = count(reach.states, "state")
    if reach.answer == "unreachable":
        return (
            f"At these constants no such state is reachable: in all {searched} the claims hold. A "
            "lemma is missing that says why."
        )
    return f"Whether such a state is reachable is not known after a search of {searched}."


def _claims(proof: Proof, page: Page) -> Iterator[Text]:
    """A line for each claim: its status."""
    by_claim: defaultdict[str, list[ObligationOutcome]] = defaultdict(list)
    for outcome in proof.outcomes:
        by_claim[outcome.obligation.claim].append(outcome)
    names = [*proof.goals, *proof.lemmas]
    if "" in by_claim:
        names.append("")
    rows: list[tuple[str, Sequence[str], str]] = []
    for name in names:
        outcomes = by_claim[name]
        statuses = [o.status for o in outcomes] or ["open"]
        status = max(statuses, key=["proved", "open", "unknown", "failed"].index)
        kind = "goal" if name in proof.goals else "lemma" if name else ""
        rows.append(
            (status, (f"{name or _STEPS:<{len(_STEPS)}}", f"{kind:<5}"), _said(outcomes, status))
        )
    for line in verdicts(rows, page):
        yield from fitted(line, page.width)


def _said(outcomes: Sequence[ObligationOutcome], status: str) -> str:
    of = [o for o in outcomes if o.status == status]
    kinds = {o.obligation.kind for o in of}
    if not of:
        return "not asked"
    if status == "proved":
        if kinds == {"implication"}:
            return "follows from lemmas"
        return "proved"
    actions = ", ".join(o.obligation.action for o in of if o.obligation.action)
    if status == "failed":
        if "initiation" in kinds:
            return "false at the start"
        return f"not kept by {actions}" if actions else "a step fails"
    where = f" for {actions}" if actions else ""
    return f"no answer{where}" if status == "unknown" else f"not all asked{where}"


def _found(design: Design, proof: Proof) -> Iterator[Text]:
    """The lemmas found, as Python to paste in."""
    found = {name: text for name, text in proof.found if name not in proof.needless}
    if not found:
        return
    proved = proof.verdict == "proved"
    yield Text(f"Lemmas found, {'to paste into the spec' if proved else 'which do not suffice'}:")
    yield Text()
    for name, text in found.items():
        yield Text("    @invariant")
        yield Text(f"    def {name}(s: {design.spec.domain.name}) -> bool:")
        yield Text(f"        return {text}")
        yield Text()


def _figures(proof: Proof) -> str:
    shown = sum(o.status == "proved" for o in proof.outcomes)
    slowest = max(proof.outcomes, key=lambda o: o.seconds, default=None)
    parts = [f"{shown} of {count(len(proof.outcomes), 'obligation')} shown"]
    parts.append(f"{proof.seconds:.1f} s")
    if slowest is not None and slowest.seconds >= 0.1:
        parts.append(f"longest {slowest.seconds:.1f} s: {slowest.obligation}")
    if proof.dropped:
        parts.append(f"given up: {', '.join(proof.dropped)}")
    if proof.needless:
        parts.append(f"not needed: {', '.join(proof.needless)}")
    return "; ".join(parts)


def proof_verdict(design: Design, proof: Proof, width: int) -> Iterator[Text]:
    """The verdict in one line: proved only if every obligation is."""
    few = len(proof.goals) <= _FEW
    goals = ", ".join(proof.goals) if few else f"all {len(proof.goals)} claims"
    scope = _scope(design, proof)
    left = sum(o.status in ("unknown", "open") for o in proof.outcomes)
    how = f" by {proof.path}-induction" if proof.path > 1 else ""
    if proof.verdict == "proved":
        words = f"{proof.design}: {goals} proved{how} ({scope})"
    elif proof.verdict == "failed":
        words = f"{proof.design}: {goals} not proved{how} ({scope})"
        words += f": {count(len(proof.failed), 'obligation')} not met"
        words += f", {left} without answer" if left else ""
    else:
        words = f"{proof.design}: {goals} not decided ({scope})"
        words += f": {count(left, 'obligation')} without answer"
        words += f", {_STOPPED[proof.stopped]}" if proof.stopped else ""
        if not proof.stopped:
            words += "; try a longer --query-timeout, fewer claims, or smaller constants"
    for line in wrapped(words, width):
        yield Text(line, f"bold {colour(proof.verdict)}")


def _scope(design: Design, proof: Proof) -> str:
    """The constants of the proof, and its assumptions."""
    free = {window.constant for window in proof.windows}
    fixed = {name: value for name, value in proof.constants.items() if name not in free}
    parts = [f"every {w.constant} from {w.least} on" for w in proof.windows]
    text = ", ".join(part for part in (bounds(design.constants, fixed), *parts) if part)
    assumed = [*proof.assumed, *(f"no state beyond {name}" for name in proof.constraints)]
    if proof.windows:
        assumed.append("that the file gives the same spec for larger ones")
    granted = ", ".join(assumed) or "nothing else"
    return f"for {text}; assuming {granted}" if text else f"assuming {granted}"
