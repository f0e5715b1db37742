"""What an action is a version of: said by its mark, or known from what it replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel import check
from specmodel.design import Design
from specmodel.errors import SpecError
from specmodel.lang import weak
from tests.written import spec_of

TEXT = """
from specmodel.lang import strong, weak

class S(Struct):
    on: bool

@init
def off() -> S:
    return S(False)

@action(kind="switch")
def switch_gently(s: S) -> None:
    require(not s.on)
    s.on = True

@action
def switch_hard(s: S) -> None:
    s.on = True

@action(kind="wait")
def idle(s: S) -> None:
    require(s.on)

@action
def glow(s: S) -> None:
    require(s.on)

gentle = Spec(state=S, init=off, actions=[switch_gently, glow])
hard = gentle.replacing("hard", switch_gently=switch_hard)
back = hard.replacing("back", switch_hard=switch_gently)
waiting = hard.replacing("waiting", switch_hard=idle)
by_kind = hard.replacing(switch=switch_gently)
dark = hard.without("switch")
dark_too = hard.without(switch_hard)
fair = Spec(state=S, init=off, actions=[switch_gently, glow], fairness=[weak("switch")])
fair_hard = fair.replacing(switch=switch_hard)
strongly = fair_hard.under(strong("switch", glow))

@action(kind="switch")
def switch_off(s: S) -> None:
    s.on = False

both = gentle.adding(actions=[switch_off])

class Counted(S):
    times: Annotated[int, Range(0, 2)] = 0

def counting(design):
    switch = design.function("switch")

    @action
    def switch_counted(s: Counted) -> None:
        require(s.times < 2)
        switch(s)
        s.times += 1

    return design.over(Counted, switch=switch_counted)

counting_gentle, counting_hard = counting(gentle), counting(hard)
"""


def kinds(folder: Path, name: str) -> dict[str, str]:
    """The kind of each action of one of the specs above."""
    spec = spec_of(folder, TEXT, name)
    return {rule.name: spec.kind_of(rule) for rule in spec.rules}


def test_a_mark_says_the_kind(tmp_path: Path) -> None:
    """`@action(kind=...)` is an action like any other, of that kind; unsaid, of its own name."""
    assert kinds(tmp_path, "gentle") == {"switch_gently": "switch", "glow": "glow"}


def test_what_replaces_an_action_is_of_its_kind(tmp_path: Path) -> None:
    """So that designs derived from each other need not say it again, also over several steps."""
    assert kinds(tmp_path, "hard")["switch_hard"] == "switch"
    assert kinds(tmp_path, "back") == kinds(tmp_path, "gentle")


def test_a_mark_overrides_what_was_replaced(tmp_path: Path) -> None:
    """An action may take the place of another without being a version of it."""
    assert kinds(tmp_path, "waiting") == {"idle": "wait", "glow": "glow"}


def test_a_kind_stands_for_the_function_that_is_of_it(tmp_path: Path) -> None:
    """Designs are derived from any version of an action in the same words."""
    assert kinds(tmp_path, "by_kind") == kinds(tmp_path, "gentle")
    assert kinds(tmp_path, "dark") == kinds(tmp_path, "dark_too") == {"glow": "glow"}
    hard = spec_of(tmp_path, TEXT, "hard")
    assert hard.without("switch", "glow").actions == ()
    assert hard.function("switch") is hard.function("switch_hard")


def test_fairness_of_a_kind(tmp_path: Path) -> None:
    """It is of the function that the design has, and goes on to what replaces that."""
    told = {name: spec_of(tmp_path, TEXT, name).fairness for name in ("fair", "fair_hard")}
    assert [str(f) for f in told["fair"]] == ["weak(switch_gently)"]
    assert [str(f) for f in told["fair_hard"]] == ["weak(switch_hard)"]
    (strongly,) = spec_of(tmp_path, TEXT, "strongly").fairness
    assert {f.__name__ for f in strongly.actions} == {"switch_hard", "glow"}
    with pytest.raises(SpecError, match=r'no function is called "glov"; did you mean "glow"\?'):
        spec_of(tmp_path, TEXT, "hard").under(weak("glov"))


def test_a_kind_of_several_functions_names_none(tmp_path: Path) -> None:
    """Which one is meant has to be said by its name; and none can be meant twice."""
    both = spec_of(tmp_path, TEXT, "both")
    idle = spec_of(tmp_path, TEXT, "waiting").function("wait")
    with pytest.raises(SpecError, match='of the kind "switch": switch_gently, switch_off'):
        both.replacing(switch=idle)
    assert both.replacing(switch_off=idle).function("switch").__name__ == "switch_gently"
    gentle = spec_of(tmp_path, TEXT, "gentle")
    with pytest.raises(SpecError, match="replaced twice: switch, switch_gently"):
        gentle.replacing(switch=idle, switch_gently=idle)


def test_a_spec_is_called_as_its_variable(tmp_path: Path) -> None:
    """Unless it was given a name; the steps of a composition have none."""
    fair_hard = spec_of(tmp_path, TEXT, "fair_hard")
    assert fair_hard.name == "fair_hard"
    assert fair_hard.parent is not None and fair_hard.parent.name == "fair"
    assert spec_of(tmp_path, TEXT, "waiting").name == "waiting"
    both = spec_of(tmp_path, TEXT, "both")
    assert both.adding().without("glow").name == ""


@pytest.mark.parametrize("engine", ["interpret", "native"])
def test_a_history_beside_any_version_of_an_action(tmp_path: Path, engine: str) -> None:
    """An action defined in a function calls the version that its design has, in each engine."""
    found = {
        name: check(Design(name, spec_of(tmp_path, TEXT, name), {}), engine=engine).distinct
        for name in ("counting_gentle", "counting_hard")
    }
    assert found == {"counting_gentle": 2, "counting_hard": 3}
