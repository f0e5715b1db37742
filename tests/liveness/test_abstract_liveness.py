"""Fairness and temporal properties of an abstract design, under a refinement."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from specmodel import api
from specmodel.api import load
from specmodel.engines.spark.sending import ResultPickler
from specmodel.errors import SpecError, UsageError
from specmodel.lang.loading import load_module
from specmodel.results import Result, SpecFailure
from specmodel.views.summary import warnings
from tests.docs.pages import ROOT
from tests.liveness.reference import fails, neglects, neglects_again
from tests.liveness.systems import ROLES, System, systems
from tests.liveness.test_engines import written

ENDING = """
class A(Struct):
    at: Annotated[int, Range(0, 3)]

@init
def begin(n: Annotated[int, Range(0, 3)]) -> A:
    return A(at=n)

@action
def jump(s: A, to: Annotated[int, Range(0, 3)]) -> None:
    s.at = to

@action
def move(s: A, to: Annotated[int, Range(0, 3)]) -> None:
    require(MOVES)
    s.at = to

def abstract_cause(s: A) -> bool:
    return s.at in CAUSE

@MARK
def abstract_goal(s: A) -> bool:
    return s.at in GOAL

abstract = Spec(state=A, init=begin, actions=[jump, move], CLAIMS)

@refines(abstract)
def seen(s: S) -> A:
    return A(at=MAPPED)

spec = Spec(name="drawn", state=S, init=start, actions=[act0, act1], constraints=[inside],
            transitions=[seen], liveness=[seen], fairness=[{fairness}])
"""


@dataclass(frozen=True)
class Abstract:
    """An abstract design of four states: the state for each state of a system, and the moves.

    It claims fairness of the moves (`per`: for each target), or a property of a role.
    """

    mapped: tuple[int, ...]
    moves: frozenset[tuple[int, int]]
    claim: str
    per: bool
    goal: frozenset[int]
    cause: frozenset[int]

    def text(self) -> str:
        """The end of a spec."""
        at = " else ".join(f"{to} if s.at == {n}" for n, to in enumerate(self.mapped)) + " else 0"
        moves = " or ".join(f"s.at == {a} and to == {b}" for a, b in sorted(self.moves))
        per = ', per="to"' if self.per else ""
        fair = f"fairness=[{self.claim}(move{per})]"
        claims = fair if self.claim in ("weak", "strong") else "liveness=[abstract_goal]"
        role = self.claim if self.claim in ROLES else "eventually"
        mark = f"{role}(when=abstract_cause)" if role == "leads_to" else role
        goal, cause = (str((*sorted(held), 9, 9)) for held in (self.goal, self.cause))
        parts = {"MOVES": moves, "CAUSE": cause, "MARK": mark, "GOAL": goal}
        found = ENDING
        for name, part in (parts | {"CLAIMS": claims, "MAPPED": at}).items():
            found = found.replace(name, part)
        return found

    def broken_by(self, system: System) -> bool:
        """Whether a fair behaviour of a system breaks the claim, by the definition."""
        if self.claim in ROLES:
            goal, cause = (
                frozenset(s for s, to in enumerate(self.mapped) if to in held)
                for held in (self.goal, self.cause)
            )
            return fails(replace(system, goal=goal, cause=cause, role=self.claim))
        parts = [self.moves]
        if self.per:
            parts = [frozenset((a, b) for a, b in self.moves if b == to) for to in range(4)]
        check = neglects if self.claim == "weak" else neglects_again
        for moves in parts:
            moving = {(a, b) for a, b in moves if a != b}
            begins = {a for a, _ in moving}
            enabled = {s for s, to in enumerate(self.mapped) if to in begins}
            steps = system.edges()
            taken = {(a, b) for a, b in steps if (self.mapped[a], self.mapped[b]) in moving}
            if check(system, enabled, taken):
                return True
        return False


@st.composite
def refinements(draw: st.DrawFn) -> tuple[System, Abstract]:
    """A system, and an abstract design of it."""
    system = draw(systems(bindings=2))
    state = st.integers(0, 3)
    states = st.frozensets(state, max_size=2)
    return system, Abstract(
        tuple(draw(st.lists(state, min_size=system.size, max_size=system.size))),
        draw(st.frozensets(st.tuples(state, state), min_size=2, max_size=8)),
        draw(st.sampled_from(["weak", "strong", "weak", "strong", *ROLES])),
        draw(st.booleans()),
        draw(states),
        draw(states),
    )


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(drawn=refinements())
def test_verdicts_are_those_of_the_definition(
    drawn: tuple[System, Abstract], tmp_path: Path
) -> None:
    """Fairness of both strengths, for parts of the bindings, and all kinds of properties."""
    system, abstract = drawn
    file = tmp_path / "drawn.py"
    file.write_text(written(system, abstract.text()), encoding="utf-8")
    found = api.check(f"{file}:spec", engine="interpret")["seen_liveness"]
    event(f"{abstract.claim}: {found.verdict}")
    assert found.verdict == ("violated" if abstract.broken_by(system) else "holds")


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(drawn=refinements(), workers=st.sampled_from([1, 2]))
def test_engines_find_the_same_behaviour(
    drawn: tuple[System, Abstract], workers: int, tmp_path: Path
) -> None:
    """The same verdict, and the same behaviour to the state."""
    system, abstract = drawn
    file = tmp_path / "drawn.py"
    file.write_text(written(system, abstract.text()), encoding="utf-8")
    ours = api.check(f"{file}:spec", workers=workers)["seen_liveness"]
    theirs = api.check(f"{file}:spec", engine="interpret")["seen_liveness"]
    assert (ours.verdict, repr(ours.trace), repr(ours.lasso)) == (
        theirs.verdict,
        repr(theirs.trace),
        repr(theirs.lasso),
    )


LAMP = """
from typing import Annotated
from specmodel.lang import *

class Lamp(Struct):
    lit: bool

@init
def dark() -> Lamp:
    return Lamp(lit=False)

@action
def turn(s: Lamp) -> None:
    s.lit = not s.lit

@action
def burst(s: Lamp) -> None:
    require(1 // (0 if s.lit else 1) == 1)

lamp = Spec(state=Lamp, init=dark, actions=[turn])

class Steps(Struct):
    n: Annotated[int, Range(0, 7)]

@init
def none() -> Steps:
    return Steps(n=0)

@action
def step(s: Steps) -> None:
    require(s.n < 7)
    s.n += 1

@refines(lamp.under(weak(turn)))
def odd(s: Steps) -> Lamp:
    return Lamp(lit=s.n % 2 == 1)

@refines(lamp.under(weak(turn)))
def fails(s: Steps) -> Lamp:
    return Lamp(lit=6 // (3 - s.n) == 1)

@refines(lamp.adding(actions=[burst]).under(weak(burst)))
def bursts(s: Steps) -> Lamp:
    return Lamp(lit=s.n > 1)

@refines(lamp)
def unmoved(s: Steps) -> Lamp:
    return Lamp(lit=s.n % 2 == 1)

steps = Spec(state=Steps, init=none, actions=[step], transitions=[odd], liveness=[odd])
replaced = steps.replacing(odd=fails)
bursting = steps.without(odd).adding(liveness=[bursts])
"""


@pytest.fixture
def lamp(tmp_path: Path) -> Path:
    file = tmp_path / "lamp.py"
    file.write_text(LAMP, encoding="utf-8")
    return file


def test_one_function_in_two_lists(lamp: Path) -> None:
    """A refinement is a property of steps, of behaviours, or both; it is replaced in both lists."""
    module = load_module(lamp)
    names = [rule.name for rule in module.spec("steps").properties]
    assert names == ["odd", "odd_liveness"]
    assert [rule.name for rule in module.spec("replaced").properties] == ["fails", "fails_liveness"]
    assert [rule.name for rule in module.spec("bursting").properties] == ["bursts_liveness"]
    found = api.check(f"{lamp}:steps")
    assert [(p.name, p.kind, p.verdict) for p in found.properties] == [
        ("odd", "transition", "holds"),
        ("odd_liveness", "refinement", "violated"),
    ]
    assert api.check(f"{lamp}:steps", properties=["odd"]).verdict == "holds"


def test_an_abstract_design_without_claims(lamp: Path) -> None:
    """A refinement that says nothing of behaviours would always hold: it is refused."""
    lamp.write_text(LAMP + "idle = steps.adding(liveness=[unmoved])\n", encoding="utf-8")
    with pytest.raises(SpecError, match="unmoved claims nothing: the abstract design has neither"):
        load_module(lamp)


CLAIMS = """
@action
def put_out(s: Lamp) -> None:
    require(s.lit)
    s.lit = False

def burns(s: Lamp, twice: bool) -> bool:
    return s.lit and twice

@leads_to(when=burns)
def is_out(s: Lamp, twice: bool) -> bool:
    return not s.lit

claims = lamp.adding(actions=[put_out], liveness=[is_out], fairness=[weak(put_out)])

@refines(claims)
def never_lit(s: Steps) -> Lamp:
    return Lamp(lit=False)

@refines(claims)
def lit_once(s: Steps) -> Lamp:
    return Lamp(lit=s.n == 1)

vain = Spec(state=Steps, init=none, actions=[step], liveness=[never_lit])
sound = Spec(state=Steps, init=none, actions=[step], liveness=[lit_once], fairness=[weak(step)])
"""


@pytest.mark.parametrize("engine", ["native", "interpret"])
def test_claims_that_say_nothing(lamp: Path, engine: str) -> None:
    """Fairness of an abstract action that is enabled in no state is vacuous, and so is an abstract
    antecedent that no state has; one value of its parameters is enough."""
    lamp.write_text(LAMP + CLAIMS, encoding="utf-8")
    found = api.check(f"{lamp}:vain", engine=engine)
    assert found["never_lit_liveness"].verdict == "holds"
    assert list(warnings(found)) == [
        "part of never_lit_liveness says nothing: put_out of claims is enabled in no state; "
        "burns of claims is true in no state"
    ]
    assert list(warnings(api.check(f"{lamp}:sound", engine=engine))) == []


@pytest.mark.parametrize("engine", ["native", "interpret"])
@pytest.mark.parametrize(
    ("design", "where", "states"),
    [("replaced", "fails_liveness", 4), ("bursting", "burst() of lamp", 3)],
)
def test_functions_that_fail(lamp: Path, engine: str, design: str, where: str, states: int) -> None:
    """A mapping, or an abstract action, that fails: with the way to the first state where it does.

    Behaviours are checked alone: otherwise the steps would fail first.
    """
    with pytest.raises(SpecFailure, match="ZeroDivisionError") as caught:
        name = {"replaced": "fails_liveness", "bursting": "bursts_liveness"}[design]
        api.check(f"{lamp}:{design}", engine=engine, properties=[name])
    failure = caught.value
    assert failure.trace is not None
    assert (failure.where, failure.trace.length) == (where, states)


def test_refused_by_name(lamp: Path) -> None:
    """What cannot decide behaviours says so."""
    asked: list[tuple[dict[str, Any], str]] = [
        ({"engine": "spark"}, "odd_liveness is temporal"),
        ({"engine": "smt"}, "temporal properties .odd_liveness."),
        ({"fingerprint": True}, "temporal properties .odd_liveness."),
    ]
    for options, said in asked:
        with pytest.raises(UsageError, match=said):
            api.check(f"{lamp}:steps", **options)


def test_lassos_are_sent_whole() -> None:
    """A copy of the design in another process makes the same lasso of what it is sent."""
    design = load(str(ROOT / "tests" / "specs" / "lent_lock.py:lending"))
    result = api.check(design)
    pickler = ResultPickler(design)
    again = pickler.unpacked(pickler.packed(result))
    assert isinstance(again, Result)
    claims = [found.lasso.claim for found in result.properties if found.lasso]
    assert claims == ["strong fairness of acquire", "is_left"]
    assert [found.lasso for found in again.properties] == [p.lasso for p in result.properties]
