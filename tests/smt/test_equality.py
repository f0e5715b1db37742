"""Two designs are told apart by what they do, in any state, and not by how they are written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specmodel import load
from specmodel.analysis.equality import Equality, equality
from specmodel.api import equal
from specmodel.errors import UsageError
from specmodel.smt.relation import Relation
from tests.conftest import Specmodel
from tests.written import design_of

SPEC = """
class Node(ScalarSet, size=2, prefix="n"):
    pass

class State(Struct):
    n: Annotated[int, Range(0, 6)]
    log: Annotated[list[Node], Capacity(2)]
    seen: Set[Node]

@init
def start() -> State:
    return State({first}, [], set())

@action
def step(s: State, by: Annotated[int, Range(1, 2)]) -> None:
{step}

@action
def note(s: State, who: Node) -> None:
{note}

@invariant
def even(s: State) -> bool:
    return s.n % 2 == 0

@constraint
def near(s: State) -> bool:
    return {near}

spec = Spec(
    state=State, init=start, actions=[step, note], invariants=[even], constraints=[near],
)
"""

PLAIN = {
    "first": "0",
    "step": "    require(s.n + by <= 6)\n    s.n += by",
    "note": "    require(len(s.log) < 2 and who not in s.seen)\n"
    "    s.log.append(who)\n    s.seen |= {who}",
    "near": "s.n < 5",
}


def compared(folder: Path, assume: tuple[str, ...] = (), **parts: str) -> Equality:
    """The comparison of the spec with one that has some other function bodies."""
    (folder / "one").mkdir()
    (folder / "other").mkdir()
    one = design_of(folder / "one", SPEC.format(**PLAIN))
    other = design_of(folder / "other", SPEC.format(**(PLAIN | parts)))
    return equality(one, other, assume)


def test_same_design(tmp_path: Path) -> None:
    """A design is equal to itself, read twice."""
    found = compared(tmp_path)
    assert (found.verdict, found.starts, found.bounds) == ("equal", True, "equal")


@pytest.mark.parametrize(
    "parts",
    [
        {"step": "    require(not s.n > 6 - by)\n    for i in range(by):\n        s.n = s.n + 1"},
        {"note": "    s.log.append(who)\n    require(who not in s.seen)\n    s.seen |= {who}"},
        {"near": "s.n <= 4"},
    ],
    ids=["loop", "guard-after", "constraint"],
)
def test_otherwise_written(tmp_path: Path, parts: dict[str, str]) -> None:
    """Loops for sums and guards in other places make no difference; where a step fails they do."""
    found = compared(tmp_path, (), **parts)
    assert found.verdict == ("different" if "note" in parts else "equal")


@pytest.mark.parametrize(
    ("parts", "action", "outcomes"),
    [
        ({"step": "    require(s.n + by < 6)\n    s.n += by"}, "step", ("after", "nothing")),
        ({"step": "    s.n = min(6, s.n + by)"}, "step", ("nothing", "after")),
        ({"step": "    s.n += by"}, "step", ("nothing", "failure")),
        ({"note": PLAIN["note"].replace("{who}", "{Node.nth(0)}")}, "note", ("after", "after")),
    ],
)
def test_differences(
    tmp_path: Path, parts: dict[str, str], action: str, outcomes: tuple[str, str]
) -> None:
    """A state is shown, with what CPython does there in either design."""
    found = compared(tmp_path, (), **parts)
    pairs = {pair.one: pair for pair in found.pairs}
    (other,) = set(pairs) - {action}
    assert (found.verdict, pairs[other].verdict) == ("different", "equal")
    difference = pairs[action].difference
    assert difference is not None
    kinds = tuple(
        "failure" if o.failure else "nothing" if o.after is None else "after"
        for o in difference.outcomes
    )
    assert kinds == outcomes


def test_assumed_invariants(tmp_path: Path) -> None:
    """States that are out of question do not count."""
    odd = "    require(s.n + by <= 6 and s.n != 3)\n    s.n += by"
    assert compared(tmp_path, step=odd).verdict == "different"
    (tmp_path / "again").mkdir()
    assert compared(tmp_path / "again", ("even",), step=odd).verdict == "equal"


def test_starts_and_constraints(tmp_path: Path) -> None:
    """Behaviours hang on these as well."""
    found = compared(tmp_path, first="1", near="s.n < 4")
    assert (found.verdict, found.starts, found.bounds) == ("different", False, "different")
    assert {pair.verdict for pair in found.pairs} == {"equal"}


def test_designs_of_the_library() -> None:
    """Actions are paired by name, then by kind; what differs is what KIP-320 fenced."""
    found = equal("kip279", "kip320")
    verdicts = {(pair.one, pair.other): pair.verdict for pair in found.pairs}
    assert verdicts["write", "write"] == "equal"
    assert verdicts["fetch", "fetch_fenced"] == "different"
    assert found.verdict == "different"
    assert equal("kip320", "kip320-live", replicas=2).verdict == "equal"  # liveness is no step
    with pytest.raises(UsageError, match="give both the same"):
        equal("kip320", "kip320-live")
    with pytest.raises(UsageError, match="the states of"):
        equal("kip320", "two-phase-commit")
    with pytest.raises(UsageError, match="no invariant"):
        equality(load("kip320"), load("kip279"), ["full_log_committed"])


def test_wrong_model_is_not_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What CPython does not do in the state shown is no difference."""
    monkeypatch.setattr(Relation, "codes", lambda self, state: [0])
    with pytest.raises(Exception, match="none under CPython"):
        compared(tmp_path, step="    require(s.n + by <= 6)\n    s.n += 1")


def test_command_line(specmodel: Specmodel) -> None:
    """Exit codes 0 and 1, and the same in JSON."""
    same = specmodel("equal", "kip320", "kip320-live", "--set", "replicas=2")
    assert same.code == 0 and "do the same in all states" in same.out
    done = specmodel("equal", "kip279", "kip320")
    assert done.code == 1 and "cannot happen" in done.out
    told = json.loads(specmodel("equal", "kip279", "kip320", "--format", "json").out)
    assert told["verdict"] == "different"
    assert {a["verdict"] for a in told["actions"]} == {"equal", "different"}
