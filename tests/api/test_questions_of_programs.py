"""The questions that a program asks through `import specmodel`, and their refusals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel.analysis.solving import Solution
from specmodel.graphs.model import DrawnGraph
from specmodel.proof import Proof
from specmodel.traces.itf_write import itf_text

SMALL: dict[str, Any] = {"participants": 2}
"""Two-phase commit with two participants has 34 states."""


@pytest.fixture(scope="module")
def loss(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A witness of two-phase commit in an ITF file."""
    design = specmodel.load("two-phase-commit", **SMALL)
    trace = specmodel.check(design, properties=["all_committed"])["all_committed"].trace
    assert trace is not None
    file = tmp_path_factory.mktemp("traces") / "committed.itf.json"
    file.write_text(itf_text(design, trace, property_name="all_committed"), encoding="utf-8")
    return file


def test_every_public_name_is_there() -> None:
    """Names are imported when they are first used; none is missing, and no other is there."""
    for name in specmodel.__all__:
        assert getattr(specmodel, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        specmodel.chekc  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("given", ["name", "design"])
def test_a_target_is_a_name_or_a_design(given: str) -> None:
    """Both have the same answers."""
    design = specmodel.load("two-phase-commit", **SMALL)
    target, constants = (design, {}) if given == "design" else ("two-phase-commit", SMALL)
    checked = specmodel.check(target, **constants)
    solved = specmodel.solve(target, "s.decision == Decision.commit", **constants)
    assert checked.distinct == specmodel.check(design).distinct
    assert isinstance(solved, Solution)
    again = specmodel.solve(design, "s.decision == Decision.commit")
    assert solved.trace is not None
    assert again.trace is not None
    assert list(map(str, solved.trace.steps)) == list(map(str, again.trace.steps))


def test_questions_about_a_trace(loss: Path) -> None:
    """A recorded trace replays, is minimal already, and its last state meets the property."""
    replayed = specmodel.replay_trace(loss)
    assert (replayed.blocked, replayed.parting, replayed.violates) == (None, None, True)
    reasons = specmodel.why(loss, properties=["all_committed"])
    assert [found.name for found in reasons.truths] == ["all_committed"]
    smallest = specmodel.minimise(loss)
    assert len(smallest.trace.states) == len(replayed.trace.states)


def test_proof_graph_equality() -> None:
    """Answers of the other questions, for one small design."""
    proof = specmodel.prove("two-phase-commit", properties=["agreement"], **SMALL)
    assert isinstance(proof, Proof)
    assert specmodel.equal("kip320", "kip320-live", replicas=2).verdict == "equal"
    drawn = specmodel.graph("two-phase-commit", **SMALL)
    assert isinstance(drawn, DrawnGraph)


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "compare one": (lambda: specmodel.compare("kip320"), specmodel.UsageError, "two designs"),
    "no variation": (
        lambda: specmodel.sweep("kip320", vary={}),
        specmodel.UsageError,
        "constants to vary",
    ),
    "most": (
        lambda: specmodel.counterexamples("kip320", most=0),
        specmodel.UsageError,
        "most is 1 or more, not 0",
    ),
    "constant": (
        lambda: specmodel.check("two-phase-commit", participant=2),
        specmodel.UsageError,
        "participants",
    ),
    "expression": (
        lambda: specmodel.solve("two-phase-commit", "s.nothing", **SMALL),
        specmodel.SpecmodelError,
        "nothing",
    ),
    "file": (
        lambda: specmodel.why("nowhere.itf.json"),
        specmodel.UsageError,
        "nowhere.itf.json",
    ),
    "workers": (
        lambda: specmodel.check("two-phase-commit", workers=0),
        specmodel.UsageError,
        "workers",
    ),
}


@pytest.mark.parametrize("wrong", REFUSED)
def test_wrong_questions(wrong: str) -> None:
    """Each is refused with a message that says what is wrong; all errors have one base."""
    ask, error, message = REFUSED[wrong]
    with pytest.raises(error, match=message) as raised:
        ask()
    assert isinstance(raised.value, specmodel.SpecmodelError)
