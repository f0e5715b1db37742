"""ITF: what is written follows the format's rules, and reads back as the same values."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from specmodel.behaviour.replay import Replay
from specmodel.design import Design
from specmodel.domains import Domain, IntDomain, MapDomain, SeqDomain, SetDomain
from specmodel.errors import UsageError
from specmodel.results import Trace
from specmodel.traces.itf_read import read_itf, states_of
from specmodel.traces.itf_values import decode, encode, type_of
from specmodel.traces.itf_write import itf_text
from tests.strategies import Node, domains_with_values

WRAPPERS = {"#bigint", "#tup", "#set", "#map"}


def check_expression(expression: Any) -> None:
    """The rules of ITF expressions: wrapped integers, lone wrappers, no duplicates."""
    if isinstance(expression, bool | str):
        return
    assert not isinstance(expression, int | float) and expression is not None
    if isinstance(expression, list):
        for element in expression:
            check_expression(element)
        return
    wrappers = WRAPPERS & expression.keys()
    if not wrappers:
        assert not any(name.startswith("#") for name in expression)
        if set(expression) == {"tag", "value"}:
            assert expression["tag"] in ("None", "Some", "Made0", "Made1", "Colour", "Node")
        for value in expression.values():
            check_expression(value)
        return
    assert len(expression) == 1
    (wrapper,) = wrappers
    held = expression[wrapper]
    if wrapper == "#bigint":
        assert re.fullmatch(r"0|-?[1-9][0-9]*", held)
        return
    assert isinstance(held, list)
    keys = held
    if wrapper == "#map":
        assert all(isinstance(pair, list) and len(pair) == 2 for pair in held)
        keys = [pair[0] for pair in held]
    if wrapper != "#tup":
        assert len({json.dumps(k) for k in keys}) == len(keys)
    for part in held:
        check_expression(part)


@given(domains_with_values())
def test_values_round_trip(drawn: tuple[Domain, list[Any]]) -> None:
    """Whatever the domain, a written value follows the rules and reads back equal, through JSON."""
    domain, (value,) = drawn
    written = encode(domain, value)
    check_expression(written)
    again = decode(domain, json.loads(json.dumps(written)), "x")
    assert again == value
    assert domain.index(again) == domain.index(value)


@given(domains_with_values(count=2))
def test_different_values_are_written_differently(drawn: tuple[Domain, list[Any]]) -> None:
    """No two values share a text, so that nothing is lost in a file."""
    domain, (one, other) = drawn
    same = json.dumps(encode(domain, one)) == json.dumps(encode(domain, other))
    assert same == (one == other)


@given(domains_with_values())
def test_type_strings_are_balanced(drawn: tuple[Domain, list[Any]]) -> None:
    """Every domain has a type string without loose brackets."""
    text = type_of(drawn[0])
    for opening, closing in ("()", "{}", "<>"):
        # The > of an arrow closes nothing.
        plain = text.replace("->", "")
        assert plain.count(opening) == plain.count(closing)


def test_type_strings() -> None:
    """The notation of Apalache's types."""
    small = IntDomain(0, 1)
    assert type_of(MapDomain(Node.__domain__, SetDomain(small))) == "Str -> Set(Int)"
    nested = MapDomain(small, MapDomain(small, SeqDomain(small, 2)))
    assert type_of(nested) == "Int -> (Int -> Seq(Int))"


@pytest.mark.parametrize(
    ("domain", "expression", "message"),
    [
        (IntDomain(0, 3), {"#bigint": "9"}, "x = 9 leaves its domain 0..3"),
        (IntDomain(0, 3), {"#bigint": "1e3"}, "no value of 0..3"),
        (IntDomain(0, 3), True, "no value of 0..3"),
        (Node.__domain__, "n9", "'n9' is no value of Node"),
        (SetDomain(IntDomain(0, 3)), {"#set": [1, 1]}, "given twice"),
        (SetDomain(IntDomain(0, 3)), [1], "no value of Set"),
        (MapDomain(IntDomain(0, 1), IntDomain(0, 1)), {"#map": [[0, 0], [0, 1]]}, "given twice"),
        (MapDomain(IntDomain(0, 1), IntDomain(0, 1)), {"#map": [[0, 0]]}, "leaves its domain"),
        (MapDomain(IntDomain(0, 1), IntDomain(0, 1)), {"#map": [3]}, "a key and a value"),
        (SeqDomain(IntDomain(0, 1), 1), [0, 0], "exceed the capacity"),
    ],
)
def test_wrong_values_are_refused(domain: Domain, expression: Any, message: str) -> None:
    """A value outside the domain, or of another shape, is refused with its place."""
    with pytest.raises(UsageError, match=re.escape(message)):
        decode(domain, expression, "x")


def test_a_file_follows_the_format(truncation: tuple[Design, Trace]) -> None:
    """Top object, #meta of strings, every variable in every state, index and action a state."""
    design, trace = truncation
    held = json.loads(itf_text(design, trace, property_name="strong_isr", engine="interpret"))
    assert list(held) == ["#meta", "vars", "states"]
    meta = held["#meta"]
    assert meta["format"] == "ITF"
    assert meta["varTypes"].keys() == set(held["vars"])
    assert all(isinstance(value, str) for key, value in meta.items() if key != "varTypes")
    assert json.loads(meta["constants"])["replicas"] == 2
    assert not Path(meta["source"]).is_absolute()
    assert len(held["states"]) == trace.length
    for index, state in enumerate(held["states"]):
        about = state.pop("#meta")
        assert about["index"] == index
        assert ("action" in about) == (index > 0)
        assert list(state) == held["vars"]
        for expression in state.values():
            check_expression(expression)


def test_a_file_reads_back_and_replays(truncation: tuple[Design, Trace], tmp_path: Path) -> None:
    """Writing, reading and replaying gives the trace again; writing that gives the same bytes."""
    design, trace = truncation
    text = itf_text(design, trace, property_name="strong_isr")
    file = tmp_path / "x.itf.json"
    file.write_text(text, encoding="utf-8")
    recorded = read_itf(file)
    replay = Replay(design, states_of(recorded, design.spec.domain), recorded.actions)
    again = replay.trace()
    assert again == trace
    assert replay.violates("strong_isr")
    assert itf_text(design, again, property_name="strong_isr") == text


def test_a_lasso_keeps_its_loop(truncation: tuple[Design, Trace], tmp_path: Path) -> None:
    """`loop` is written for infinite behaviours only, and a loop that no step closes is refused."""
    design, trace = truncation
    text = itf_text(design, Trace(trace.states, trace.steps, loop=2))
    assert json.loads(text)["loop"] == 2
    file = tmp_path / "x.itf.json"
    file.write_text(text)
    recorded = read_itf(file)
    assert recorded.loop == 2
    replay = Replay(design, states_of(recorded, design.spec.domain))
    with pytest.raises(UsageError, match="back to state 3"):
        replay.trace(recorded.loop)
