"""The guards of an action in a state: all of them, with values, and in agreement with CPython."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from specmodel.api import load
from specmodel.behaviour.steps import Interpreter
from specmodel.ir.guards import Guarded, Guards
from specmodel.model.model import Model
from specmodel.suite.catalog import catalog, shipped
from tests.written import design_of

_CATALOG = catalog((shipped(),)).designs
DESIGNS = sorted(_CATALOG)
FIRST_OF_FILE = {_CATALOG[name].spec_file: name for name in reversed(DESIGNS)}.values()

TEXT = """
class S(Struct):
    at: dict[bool, Annotated[int, Range(0, 3)]]
    seen: Annotated[list[Annotated[int, Range(0, 3)]], Capacity(2)]
    held: Annotated[int, Range(0, 3)] | None

@init
def start() -> S:
    return S({False: 0, True: 2}, [], None)

def both(s: S, side: bool) -> bool:
    return s.at[side] > 0 and s.at[not side] > 0

def take(s: S) -> Annotated[int, Range(0, 3)]:
    held = require_some(s.held)
    require(held > 1)
    return held

@action
def conjunction(s: S, side: bool) -> None:
    low = s.at[False]
    require(low > 1 and both(s, side))
    s.at[side] = 1
    require(low < 3)

@action
def in_helper(s: S) -> None:
    require(s.at[True] == 1)
    s.at[True] = take(s)
    require(s.at[False] == 0)

@action
def beyond_the_end(s: S) -> None:
    require(len(s.seen) > 0)
    require(s.seen[0] == 1)

@action
def in_a_branch(s: S) -> None:
    if s.at[True] == 2:
        require(s.held is not None)
    s.at[True] = 0

@action
def broken(s: S) -> None:
    s.at[True] = s.at[True] + 2

spec = Spec(
    state=S, init=start,
    actions=[conjunction, in_helper, beyond_the_end, in_a_branch, broken],
)
"""


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """The spec above."""
    return design_of(tmp_path_factory.mktemp("guards"), TEXT).spec


def read(spec: Model, action: str, *arguments: object) -> Guarded:
    """The guards of an action in the initial state."""
    state = next(Interpreter(spec).initial())
    found = Guards(spec.code).read(action, state, arguments)
    assert state == next(Interpreter(spec).initial())  # read on a copy
    return found


def rows(found: Guarded) -> list[tuple[str, bool, tuple[str, ...]]]:
    """What a test compares: texts, truths, helpers."""
    return [(guard.why.text, guard.holds, guard.via) for guard in found.guards]


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in FIRST_OF_FILE else pytest.mark.long) for n in DESIGNS],
)
def test_enabled_is_what_cpython_says(name: str) -> None:
    """On states of random walks through every design, for bindings drawn at random."""
    design, draw = load(name), random.Random(name)
    reader, interpreter = Guards(design.spec.code), Interpreter(design.spec)
    state = draw.choice(list(interpreter.initial()))
    for _ in range(14):
        if not all(interpreter.holds(rule, state) for rule in design.spec.bounds):
            break
        enabled = {number for number, _ in interpreter.successors(state)}
        drawn = draw.sample(range(len(interpreter.bindings)), min(3, len(interpreter.bindings)))
        for number in {*drawn, *sorted(enabled)[:2]}:
            rule, arguments = interpreter.bindings[number]
            found = reader.read(rule.name, state, arguments)
            assert found.enabled == (number in enabled), (str(interpreter.step(number)), state)
            assert not found.failure
        if not enabled:
            break
        state = interpreter.successor(state, draw.choice(sorted(enabled)))


def test_goes_on_past_a_false_guard(spec: Model) -> None:
    """Every conjunct is there with its own truth, also those after the first that is false."""
    found = read(spec, "conjunction", False)
    assert rows(found) == [
        ("low > 1", False, ()),
        ("both(s, side)", False, ()),
        ("low < 3", True, ()),
    ]
    assert found.complete
    assert not found.enabled
    inner = found.guards[1].why.parts[0].parts
    assert [(part.text, part.value) for part in inner] == [
        ("s.at[side] > 0", False),
        ("s.at[not side] > 0", True),
    ]


def test_places_are_those_of_the_state(spec: Model) -> None:
    """A local name, an index, a helper's parameter: what is shown is the place they stand for."""
    found = read(spec, "conjunction", True)
    assert found.guards[0].why.ground == "at[False] > 1"
    assert found.guards[0].why.reads == ("at[False]",)
    assert found.guards[1].why.parts[0].parts[0].ground == "at[True] > 0"


def test_ends_where_a_needed_value_is_missing(spec: Model) -> None:
    """There is nothing to evaluate the rest with; the guards so far are told, helpers named."""
    found = read(spec, "in_helper")
    assert rows(found) == [
        ("s.at[True] == 1", False, ()),
        ("s.held is not None", False, ("take",)),
    ]
    assert not found.complete


def test_what_cannot_be_evaluated_ends_the_list(spec: Model) -> None:
    """An index that a false guard rules out is no failure of the spec."""
    found = read(spec, "beyond_the_end")
    assert rows(found) == [("len(s.seen) > 0", False, ())]
    assert not found.complete
    assert not found.failure


def test_a_spec_that_fails_says_so(spec: Model) -> None:
    """With no guard false, a value out of its domain is the spec's own failure."""
    found = read(spec, "broken")
    assert "leaves its domain" in found.failure
    assert not found.enabled


def test_sites(spec: Model) -> None:
    """Where guards stand, whatever the state: in which helper, and if under a condition."""
    reader = Guards(spec.code)
    assert [(s.text, s.via) for s in reader.sites("in_helper")] == [
        ("s.at[True] == 1", ()),
        ("s.held is not None", ("take",)),
        ("held > 1", ("take",)),
        ("s.at[False] == 0", ()),
    ]
    assert [s.sometimes for s in reader.sites("in_a_branch")] == [True]
    place = reader.sites("in_a_branch")[0].span
    assert place is not None
    assert Path(place.file).name == "written.py"
