"""What is said below a behaviour that never ends: what fails, how it is fair, what it neglects."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.text import Text

from specmodel.lang.spec import Rule
from specmodel.results import Fulfilled, Lasso, Neglected, Trace
from specmodel.views.notation import Notation

_HOW = {
    "taken": "taken on the cycle",
    "not enabled": "not enabled all the time",
    "never enabled": "never enabled",
    "neglected": "NEGLECTED: enabled and never taken",
}


def shape(trace: Trace) -> str:
    """Where it goes round: `the last 3 of them for ever`; empty for a trace that ends."""
    if trace.loop is None:
        return ""
    cycle = trace.length - trace.loop
    return "the last one for ever" if cycle == 1 else f"the last {cycle} round and round for ever"


def lasso_lines(
    rule: Rule, trace: Trace, lasso: Lasso, notation: Notation, width: int
) -> Iterator[Text]:
    """Why a behaviour that never ends breaks a temporal property, and why it may go on so."""
    yield Text.assemble((_named(rule, lasso, notation), "bold"), f" {_failure(rule, trace, lasso)}")
    yield Text()
    yield from _fairness(trace, lasso, width)
    if lasso.neglected:
        yield Text()
        yield from _neglect(trace, lasso, notation, width)
    if not lasso.smallest:
        yield Text()
        yield Text("There may be a smaller cycle: not all of them were looked at.", "dim")


def _named(rule: Rule, lasso: Lasso, notation: Notation) -> str:
    inner = ", ".join(f"{name}={notation.value(v)}" for name, v in lasso.arguments.items())
    return f"{rule.name}({inner})" if inner else rule.name


def _failure(rule: Rule, trace: Trace, lasso: Lasso) -> str:
    since = lasso.since + 1
    if rule.role == "eventually":
        return "is true in none of these states"
    if rule.role == "eventually_always":
        again = "" if trace.loop == trace.length - 1 else ", again and again"
        return f"is false in state {since}{again}"
    if rule.role == "leads_to" and rule.antecedent is not None:
        return f"is false from state {since} on, where {rule.antecedent.name} is true"
    return f"is false from state {since} on"


def _fairness(trace: Trace, lasso: Lasso, width: int) -> Iterator[Text]:
    stops = trace.loop == trace.length - 1
    what = f"stay in state {trace.length}" if stops else "go round for ever"
    if not lasso.fulfilled:
        yield Text(f"It may {what}: no fairness is declared, so nothing has to happen.")
        return
    yield Text(f"It may {what}:" if lasso.fair else f"It may not {what}: it is not fair.")
    for how, told in _HOW.items():
        met = [f for f in lasso.fulfilled if f.how == how]
        if met:
            parts = ", ".join(_met(f) for f in met)
            yield from _wrapped(f"{told}: {parts}", width)


def _met(met: Fulfilled) -> str:
    if met.state is None:
        return met.constraint
    where = "from" if met.how == "taken" else "in"
    return f"{met.constraint} ({where} state {met.state + 1})"


def _neglect(trace: Trace, lasso: Lasso, notation: Notation, width: int) -> Iterator[Text]:
    """Bindings that could happen and never do, those of an action and a place together."""
    yield Text("What could happen and never does:")
    groups: dict[tuple[str, tuple[int, ...]], list[Neglected]] = {}
    for found in lasso.neglected:
        groups.setdefault((found.action, found.states), []).append(found)
    for (action, states), members in groups.items():
        bindings = [_binding(m, notation) for m in members]
        always = len(states) == trace.length - (trace.loop or 0)
        where = "all the time" if always else f"in {_numbered(states)}"
        of = "it" if len(members) == 1 else "each of them"
        needed = f"{members[0].remedy} fairness of {of} would rule this out"
        named = f"{action}{bindings[0]}" if len(bindings) == 1 else f"{action} of {_of(bindings)}"
        yield from _wrapped(f"{named}: enabled {where}; {needed}", width)


def _binding(found: Neglected, notation: Notation) -> str:
    inner = ", ".join(f"{name}={notation.value(v)}" for name, v in found.arguments.items())
    return f"({inner})"


def _of(bindings: Sequence[str]) -> str:
    return ", ".join(bindings)


def _numbered(states: Sequence[int]) -> str:
    numbers = ", ".join(str(state + 1) for state in states)
    return f"state {numbers}" if len(states) == 1 else f"states {numbers}"


def _wrapped(text: str, width: int) -> Iterator[Text]:
    lines = textwrap.wrap(
        text, width, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False
    )
    yield from map(Text, lines)
