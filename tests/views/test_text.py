"""The text of traces: changes, values, lanes, explanations."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from specmodel.design import Design
from specmodel.domains import Domain, IntDomain, SeqDomain, SetDomain
from specmodel.errors import SpecError
from specmodel.lang import Lanes, Spec
from specmodel.results import Trace
from specmodel.results.explanation import Explanation
from specmodel.suite.targets import spec_of
from specmodel.traces.changes import Change, changes
from specmodel.traces.notation import Notation
from specmodel.views.drawer import Drawer
from specmodel.views.explanation import explanation_lines
from specmodel.views.lanes import LanesText
from specmodel.views.page import Page
from specmodel.views.symbols import ASCII, UNICODE
from specmodel.views.trace import trace_lines
from tests.strategies import Colour, Node, domains_with_values, struct_of

LOG = SeqDomain(IntDomain(0, 9), 4)


def only(before: Any, after: Any, domain: Domain) -> Change:
    (change,) = changes(domain.store(before, "x"), domain.store(after, "x"), "x")
    return change


@given(domains_with_values(count=2))
def test_there_are_changes_where_values_differ(drawn: tuple[Domain, list[Any]]) -> None:
    """Equal values have no changes; different ones have some, and each of them is a real one."""
    _, (one, other) = drawn
    found = list(changes(one, other, "x"))
    assert bool(found) == (one != other)
    assert all(change.before != change.after for change in found)


def test_kinds_of_change() -> None:
    """Logs that grow or are cut and sets that gain or lose are told as such."""
    assert only([1], [1, 2], LOG).kind == "appended"
    assert only([1, 2], [1], LOG).kind == "truncated"
    assert only([1, 2], [1, 3], LOG) == Change("x[1]", 2, 3)
    assert only([1, 2], [3], LOG).kind == "stored"
    assert only({1}, {2}, SetDomain(IntDomain(0, 3))).kind == "members"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (Colour.red, "red"),
        (next(iter(Node)), "n1"),
        (SetDomain(Node.__domain__).at(3), "{n1, n2}"),
        (LOG.store([1, 2], "x"), "[1, 2]"),
        (struct_of({"a": IntDomain(0, 3)}).at(2), "Made(a=2)"),
    ],
)
def test_values_are_short(value: Any, text: str) -> None:
    """Names instead of reprs of enum members, plain brackets for containers."""
    assert Notation().value(value) == text


def test_lanes_show_truncation_leader_and_high_watermark(truncation: tuple[Design, Trace]) -> None:
    """The last state of the counterexample: the record that the leader exposed is gone."""
    design, trace = truncation
    picture = Drawer(design.spec).picture(trace.states[-1], trace.states[-2])
    lines = [line.plain for line in LanesText(ASCII, 200).lines(picture)]
    assert lines[1] == (
        "    r1    ^~~~~~~~   0   0->1   follows r2  {r1, r2}->{r2}  +              truncated to 0"
    )
    assert lines[2] == "    r2 *   [m0@e1]^  1   1      leader      {r1, r2}        +"


def test_ascii_is_enough(truncation: tuple[Design, Trace]) -> None:
    """Where only ASCII can be shown, nothing else is written."""
    design, trace = truncation
    for line in trace_lines(trace, design.spec, Page(100, ASCII)):
        assert line.plain.isascii()


def test_long_values_are_broken_to_the_width(truncation: tuple[Design, Trace]) -> None:
    """Changes keep within the width, and no text is lost by it."""
    design, trace = truncation
    spec = spec_of(design.spec)
    plain = Spec(state=spec.state, init=spec.init, actions=spec.actions)
    narrow = [line.plain for line in trace_lines(trace, plain, Page(60, UNICODE))]
    wide = [line.plain for line in trace_lines(trace, plain, Page(500, UNICODE))]
    assert max(map(len, narrow)) <= 60 < max(map(len, wide))
    assert "".join(narrow).replace(" ", "") == "".join(wide).replace(" ", "")


@pytest.mark.parametrize(
    ("lanes", "message"),
    [
        ({"log": "logs"}, '"logs" does not lead anywhere'),
        ({"cell": "m{id}@{leader}"}, "does not fit a Record"),
        ({"high_watermark": "replica.mark"}, "no field mark"),
        ({"shade": "epoc"}, 'shade "epoc" is no field of Record; did you mean "epoch"'),
    ],
)
def test_lanes_that_do_not_fit_the_state(
    truncation: tuple[Design, Trace], lanes: dict[str, str], message: str
) -> None:
    """A wrong path or cell is a spec error that names it, before anything is searched."""
    spec = spec_of(truncation[0].spec)
    assert spec.lanes is not None
    known = {"actor": spec.lanes.actor, "log": "log", "cell": "m{id}", **lanes}
    with pytest.raises(SpecError, match=message):
        Spec(state=spec.state, init=spec.init, actions=spec.actions, lanes=Lanes(**known))


def test_an_explanation_is_an_indented_tree() -> None:
    """Truth as a mark, other values behind the expression, witnesses by name."""
    why = Explanation(
        "all(x)",
        False,
        witness={"who": next(iter(Node))},
        parts=(Explanation("a < b", False, parts=(Explanation("a", 3),)),),
    )
    lines = [line.plain for line in explanation_lines(why, Notation(), ASCII)]
    assert lines == ["  x all(x)   with who=n1", "    x a < b", "        a = 3"]
