"""A spec that fails during the search is reported with the place and a trace, alike by every
engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.engines import interpret, native
from specmodel.errors import SpecError
from specmodel.results import Options, SpecFailure
from tests.engines.outcomes import Failed, outcome
from tests.written import HEADER_LINES, design_of

SPEC = """
class Node(ScalarSet, size=3, prefix="n"):
    pass

class State(Struct):
    n: Annotated[int, Range(0, 5)]
    who: Node | None
    log: Annotated[list[Node], Capacity(2)]

@init
def start(n: Annotated[int, Range(0, 1)]) -> State:
{init}
    return State(n, None, [])

@action
def step(s: State, by: Annotated[int, Range(1, 2)]) -> None:
{step}

@action
def name(s: State, who: Node) -> None:
    require(s.n == 3 and s.who is None)
    s.who = who

@invariant
def fine(s: State) -> bool:
{fine}

@transition
def steady(before: State, after: State) -> bool:
{steady}

@constraint
def bound(s: State) -> bool:
{bound}

spec = Spec(
    state=State, init=start, actions=[step, name],
    invariants=[fine], transitions=[steady], constraints=[bound],
)
"""

SOUND = {
    "init": "    pass",
    "step": "    require(s.n + by <= 5)\n    s.n += by",
    "fine": "    return s.n < 9",
    "steady": "    return before.n <= after.n",
    "bound": "    return s.n < 9",
}


def failure_of(folder: Path, options: Options = Options(), **parts: str) -> Failed:
    """How the search of the spec with some other function bodies fails, on every engine."""
    design = design_of(folder, SPEC.format(**(SOUND | parts)))
    wanted = outcome(interpret.check, design, options)
    assert isinstance(wanted, Failed)
    for workers in (1, 2):
        found = outcome(
            native.check, design, Options(keep_going=options.keep_going, workers=workers)
        )
        assert found == wanted
    return wanted


def test_sound_spec(tmp_path: Path) -> None:
    """The spec that the others break holds."""
    result = native.check(design_of(tmp_path, SPEC.format(**SOUND)))
    assert (result.verdict, result.distinct) == ("holds", 15)


def test_value_leaves_its_domain(tmp_path: Path) -> None:
    """The trace leads to the least state in which a step fails; `where` is that step."""
    found = failure_of(tmp_path, step="    s.n += by")
    assert found.message == "State.n = 6 leaves its domain 0..5"
    assert found.where == "step(by=2)"
    assert found.trace is not None
    assert [text[:9] for text in found.trace[:3]] == ["State(n=0", "State(n=2", "State(n=4"]
    assert found.trace[3:] == ("step(by=2)", "step(by=2)")
    lines = SPEC.format(**(SOUND | {"step": "    s.n += by"})).splitlines()
    line = lines.index("    s.n += by") + 1 + HEADER_LINES
    assert found.span == f"{tmp_path}/written.py:{line}:5"


@pytest.mark.parametrize(
    ("step", "message", "where"),
    [
        ("s.log.append(Node.nth(0))", "the list: 3 elements exceed the capacity 2", "step(by=1)"),
        ("s.n = 5 % (s.n - 1) // -1 + 5", "modulo by zero", "step(by=1)"),
        ("s.log = [Node.nth(0)]\n    s.log[by] = Node.nth(1)", "index out of range", "step(by=1)"),
        ("s.log = [s.who]", "State.log[0] = None leaves its domain Node", "step(by=1)"),
        ("if by == 2:\n        x = 1\n    s.n = x", "'x'", "step(by=1)"),
        ("s.n = max(i for i in range(s.n) if i > 7)", "max() ", "step(by=1)"),
    ],
)
def test_failing_steps(tmp_path: Path, step: str, message: str, where: str) -> None:
    """Every way in which an action can fail, as CPython tells it."""
    found = failure_of(tmp_path, step=f"    {step}")
    assert message in found.message
    assert found.where == where


def test_failure_before_a_guard_counts(tmp_path: Path) -> None:
    """As in CPython: a guard that comes later does not excuse it, one that comes first does."""
    found = failure_of(tmp_path, step="    x = 1 // s.n\n    require(x > 9)")
    assert found.where == "step(by=1)"
    assert found.trace is not None
    assert found.trace[0].startswith("State(n=0")
    design = design_of(
        tmp_path, SPEC.format(**(SOUND | {"step": "    require(s.n > 0)\n    s.n //= s.n"}))
    )
    assert native.check(design).complete
    assert interpret.check(design).complete


def test_initial_state_leaves_its_domain(tmp_path: Path) -> None:
    """There is no trace to show, only the place."""
    found = failure_of(tmp_path, init="    n = n * 9")
    assert found.message == "State.n = 9 leaves its domain 0..5"
    assert (found.where, found.trace) == ("start", None)


def test_failing_invariant(tmp_path: Path) -> None:
    """The trace leads to the state in which the invariant cannot be evaluated."""
    found = failure_of(tmp_path, fine="    return s.n < 4 or s.log[0] == s.who")
    assert "index out of range" in found.message
    assert found.where == "fine"
    assert found.trace is not None
    assert [text[:9] for text in found.trace[: len(found.trace) // 2 + 1]] == [
        "State(n=0",
        "State(n=2",
        "State(n=4",
    ]


def test_failing_transition_property(tmp_path: Path) -> None:
    """The trace ends with the step of which the property cannot be evaluated."""
    found = failure_of(tmp_path, steady="    return before.n < 2 or before.log[0] == after.who")
    assert found.where == "steady"
    assert found.trace is not None
    assert found.trace[0].startswith("State(n=0")


def test_failing_constraint(tmp_path: Path) -> None:
    """A constraint that cannot be evaluated is no way to leave states out."""
    found = failure_of(tmp_path, bound="    return s.n < 2 or s.log[0] == s.who")
    assert found.where == "bound"


def test_violation_in_the_level_before_comes_first(tmp_path: Path) -> None:
    """A search that stops at a violation never sees the failure behind it."""
    parts = SOUND | {"step": "    s.n += by", "fine": "    return s.n < 3"}
    design = design_of(tmp_path, SPEC.format(**parts))
    wanted = outcome(interpret.check, design, Options())
    assert not isinstance(wanted, Failed)
    assert outcome(native.check, design, Options()) == wanted
    with pytest.raises(SpecFailure):
        native.check(design, Options(keep_going=True))


@pytest.mark.parametrize("part", ["fine", "bound"])
def test_guards_are_for_actions(tmp_path: Path, part: str) -> None:
    """In a property or a constraint both engines name the line, and what to write."""
    text = SPEC.format(**SOUND | {part: "    require(s.n > 9)\n    return True"})
    design = design_of(tmp_path, text)
    for check in (interpret.check, native.check):
        with pytest.raises(SpecError, match="a property has no guards") as refused:
            check(design, Options())
        assert refused.value.span is not None
        assert "return False" in refused.value.hint
