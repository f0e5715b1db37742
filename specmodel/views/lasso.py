"""The explanation printed under a lasso.

It names the violated property, the fairness that the lasso satisfies, and the actions that it never
takes.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from specmodel.model.model import Model, Rule, abstract_name
from specmodel.results import Fulfilled, Lasso, Neglected, Trace
from specmodel.results.lasso import How
from specmodel.traces.notation import Notation

NAMED = 4
"""Up to this number of equally neglected bindings are named."""

_HOW: dict[How, str] = {
    "taken": "taken on the cycle",
    "not enabled": "not enabled all the time",
    "never enabled": "never enabled",
    "neglected": "NEGLECTED: enabled and never taken",
}


def shape(trace: Trace) -> str:
    """The shape of the cycle: `the last 3 of them for ever`; empty for a trace without a cycle."""
    if trace.loop is None:
        return ""
    cycle = trace.length - trace.loop
    return "the last one for ever" if cycle == 1 else f"the last {cycle} round and round for ever"


def lasso_lines(
    rule: Rule, trace: Trace, lasso: Lasso, notation: Notation, width: int
) -> Iterator[Text]:
    """Why an infinite behaviour violates a temporal property, and why it satisfies the fairness."""
    if rule.refined is None:
        named = _call(rule.name, lasso.arguments, notation)
        yield Text.assemble((named, "bold"), f" {_failure(rule, trace, lasso)}")
        yield from _truths(lasso, width)
    else:
        yield from _abstract_failure(rule.name, rule.refined, trace, lasso)
    yield Text()
    yield from _fairness(trace, lasso, notation, width)
    yield Text()
    if lasso.neglected:
        yield from _neglect(trace, lasso, notation, width)
    elif trace.loop == trace.length - 1:
        yield Text("Nothing can happen there that would change anything.")
    else:
        yield Text("Everything that can happen on the way round does.")
    if not lasso.smallest:
        yield Text()
        yield Text("There may be a smaller cycle: not all of them were looked at.", "dim")


def _abstract_failure(name: str, abstract: Model, trace: Trace, lasso: Lasso) -> Iterator[Text]:
    """The part of the abstract design that a behaviour violates, and since which state."""
    claim = _call(lasso.claim, lasso.arguments, Notation.of_spec(abstract))
    yield Text.assemble((name, "bold"), f" is false: {claim} in {abstract_name(abstract)}")
    failed = next((rule for rule in abstract.properties if rule.name == lasso.claim), None)
    if failed is not None:
        yield Text(f"  {failed.name} {_failure(failed, trace, lasso)}")
        return
    since, stays = lasso.since + 1, trace.loop == trace.length - 1
    weak = stays or lasso.claim.startswith("weak")
    when = f"from state {since} on" if weak else f"in state {since}, again and again"
    yield Text(f"  it is enabled {when}, and never taken")


def _failure(rule: Rule, trace: Trace, lasso: Lasso) -> str:
    since, role = lasso.since + 1, lasso.role or rule.role
    if role == "formula":
        return f"is false: {lasso.claim}"
    if role == "eventually":
        return "is true in none of these states"
    if role == "eventually_always":
        again = "" if trace.loop == trace.length - 1 else ", again and again"
        return f"is false in state {since}{again}"
    if role == "leads_to":
        cause = "the formula before ~>" if rule.antecedent is None else rule.antecedent.name
        return f"is false from state {since} on, where {cause} is true"
    return f"is false from state {since} on"


def _truths(lasso: Lasso, width: int) -> Iterator[Text]:
    """Where the predicates of a formula are true."""
    for text, states in lasso.truths.items():
        yield from _wrapped(f"{text}: true in {_numbered(states) if states else 'no state'}", width)


def _fairness(trace: Trace, lasso: Lasso, notation: Notation, width: int) -> Iterator[Text]:
    stops = trace.loop == trace.length - 1
    what = f"stay in state {trace.length}" if stops else "go round for ever"
    if not lasso.fulfilled:
        yield Text(f"It may {what}: no fairness is declared, so nothing has to happen.")
        return
    yield Text(f"It may {what}:" if lasso.fair else f"It may not {what}: it is not fair.")
    for how, text in _HOW.items():
        parts = list(_met(lasso.fulfilled, how, notation))
        if parts:
            yield from _wrapped(f"{text}: {', '.join(parts)}", width)


def _met(fulfilled: Sequence[Fulfilled], how: How, notation: Notation) -> Iterator[str]:
    """The constraints that are satisfied in a way; those of an action as one if all are."""
    groups: dict[tuple[str, str], list[Fulfilled]] = {}
    for met in fulfilled:
        groups.setdefault((met.strength, met.action), []).append(met)
    for (strength, action), members in groups.items():
        shown = [met for met in members if met.how == how]
        if len(shown) == len(members) > 1 and shown[0].state is None:
            yield f"{strength} fairness of {action} for each {', '.join(shown[0].arguments)}"
            continue
        for met in shown:
            named = f"{strength} fairness of {_call(action, met.arguments, notation)}"
            where = "from" if how == "taken" else "in"
            yield named if met.state is None else f"{named} ({where} state {met.state + 1})"


def _neglect(trace: Trace, lasso: Lasso, notation: Notation, width: int) -> Iterator[Text]:
    """Bindings that could happen and never do, those of an action and a place together."""
    yield Text("What could happen and never does:")
    groups: dict[tuple[str, tuple[int, ...]], list[Neglected]] = {}
    for found in lasso.neglected:
        groups.setdefault((found.action, found.states), []).append(found)
    for (action, states), members in groups.items():
        named = [_call(action, found.arguments, notation) for found in members]
        more = len(named) - NAMED
        text = ", ".join(named[:NAMED]) + (f" and {more} more" if more > 0 else "")
        always = len(states) == trace.length - (trace.loop or 0)
        where = "all the time" if always else f"in {_numbered(states)}"
        of = "it" if len(members) == 1 else "each of them"
        needed = f"{members[0].remedy} fairness of {of} would rule this out"
        yield from _wrapped(f"{text}: enabled {where}; {needed}", width)


def _call(action: str, arguments: Mapping[str, Any], notation: Notation) -> str:
    """`obey(p=p1)`, or the action alone."""
    inner = ", ".join(f"{name}={notation.value(value)}" for name, value in arguments.items())
    return f"{action}({inner})" if inner else action


def _numbered(states: Sequence[int]) -> str:
    numbers = ", ".join(str(state + 1) for state in states)
    return f"state {numbers}" if len(states) == 1 else f"states {numbers}"


def _wrapped(text: str, width: int) -> Iterator[Text]:
    lines = textwrap.wrap(
        text, width, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False
    )
    yield from map(Text, lines)
