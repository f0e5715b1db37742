"""The comparison of two designs, action by action, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rich.text import Text

from specmodel.analysis.equality import ActionPair, Equality, StepOutcome
from specmodel.results import Step, Trace
from specmodel.results.plain import DIGITS, Keys, json_text, members
from specmodel.traces.changes import changes
from specmodel.traces.notation import Notation
from specmodel.views.forms import verdicts
from specmodel.views.page import Page
from specmodel.views.selection import TraceView
from specmodel.views.summary import bounds, concluded
from specmodel.views.trace import said, trace_lines


def equality_lines(found: Equality, page: Page) -> Iterator[Text]:
    """The differences with a state for each, a line for each action, and the verdict."""
    for pair in found.pairs:
        if pair.difference is not None:
            yield from _difference(found, pair, page)
    one, other = found.designs
    content: list[tuple[str, str]] = [(_named(pair), pair.verdict) for pair in found.pairs]
    content.append(("initial states", "equal" if found.starts else "different"))
    if one.spec.bounds or other.spec.bounds:
        content.append(("state constraints", found.bounds))
    yield from verdicts([(verdict, [name], verdict) for name, verdict in content], page)
    yield Text()
    yield Text(f"{found.seconds:.2f} s, smt", "dim")
    yield concluded(f"{one.name} and {other.name}", _verdict(found), found.verdict)


def _verdict(found: Equality) -> str:
    one, _ = found.designs
    at = bounds(one.constants)
    where = f" in which {' and '.join(found.assumed)} hold" if found.assumed else ""
    scope = f"in all states{where}{f', at {at}' if at else ''}"
    words = {
        "equal": f"do the same {scope}",
        "different": f"differ in some state{where}{f', at {at}' if at else ''}",
        "unknown": f"are not known to differ {scope}: z3 had no answer in time, try a longer "
        "--query-timeout",
    }
    return words[found.verdict]


def _named(pair: ActionPair) -> str:
    return pair.one if pair.one == pair.other else " / ".join(filter(None, (pair.one, pair.other)))


def _difference(found: Equality, pair: ActionPair, page: Page) -> Iterator[Text]:
    assert pair.difference is not None
    one, other = found.designs
    difference, notation = pair.difference, Notation.of_spec(one.spec)
    step = notation.step(difference.step)
    yield Text.assemble(("Difference", "bold"), f" in {step}, in a state that may be unreachable:")
    yield Text()
    trace = Trace((difference.state,), ())
    lines = trace_lines(trace, one.spec, replace(page, view=TraceView(full=True)))
    yield from list(lines)[1:]  # the first line calls it the initial state of a behaviour
    yield Text()
    for design, outcome in zip((one, other), difference.outcomes, strict=True):
        yield Text.assemble("  ", (f"{design.name}: ", "bold"), _summary(outcome))
        start = difference.state
        if design is other and outcome.after is not None:
            start = _as_state_of(design.spec.domain, one.spec.domain, difference.state)
        if outcome.after is not None:
            content = Notation.of_spec(design.spec)
            for change in changes(start, outcome.after):
                yield Text(f"    {change.path}: {said(change, content, page.symbols)}")
    yield Text()


def _as_state_of(domain: Any, own: Any, state: Any) -> Any:
    """A state as one of another design's domain, which has the same places."""
    return domain.at(own.index(state))


def _summary(outcome: StepOutcome) -> str:
    if outcome.failure:
        return f"the spec fails: {outcome.failure}"
    return "cannot happen" if outcome.after is None else "happens, and changes"


def equality_json(found: Equality) -> str:
    """One JSON object (docs/reference/json-questions.md)."""
    content = {
        "designs": [design.name for design in found.designs],
        "constants": dict(found.designs[0].values),
        **members(found, "assumed verdict initial_states=starts constraints=bounds"),
        "actions": [_pair(pair) for pair in found.pairs],
        "seconds": round(found.seconds, DIGITS),
    }
    content["initial_states"] = "equal" if found.starts else "different"
    return json_text(content)


def _pair(pair: ActionPair) -> dict[str, Any]:
    notation, difference = Notation(), pair.difference
    keys: Keys = {
        Step: notation.step,
        StepOutcome: lambda outcome: {
            "happens": outcome.after is not None,
            "failure": outcome.failure or None,
            "after": None if outcome.after is None else notation.value(outcome.after),
        },
    }
    names = "one? other? verdict step=difference.step state=difference.state"
    content = members(pair, f"{names} outcomes=difference.outcomes", keys)
    content["state"] = None if difference is None else notation.value(difference.state)
    return content
