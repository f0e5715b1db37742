"""Ways to states that one describes: as short as there are, by every engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specmodel import load
from specmodel.analysis.trace_files import read_on
from specmodel.api import solve
from specmodel.errors import ExpressionError, UsageError
from specmodel.lang.lowering.user_function import function_of
from specmodel.results import Progress
from specmodel.suite.targets import spec_of
from tests.conftest import Specmodel
from tests.kernel.reference import reachable_states

EXPRESSIONS = [
    "len(log[r1]) > 0 and log[r1][0].epoch == 1",
    "any(replica[log].hw > 0 for log in Replica)",
    "not weak_isr or quorum.epoch > 1",
    "s.next_id == 2 and all(len(log[r]) < 2 for r in Replica if r in quorum.isr)",
    "sum(len(log[r]) for r in Replica) == 3",
    "replica[r1].leader",
    "requests[0] is not None and requests[0].leader == r2",
    "max([len(log[r]) for r in Replica]) == 1 and presumes_leadership(s, r1)",
]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expressions_as_functions(text: str) -> None:
    """The function that an engine gets is true where the expression is, whatever it is made of."""
    spec = spec_of(load("kip320", replicas=2).spec)
    reader = spec.expressions()
    function = function_of(spec, text, "asked", "--reach")
    expression = reader.condition(text)
    truths = {(function(state), expression.value(state)) for state in reachable_states(spec, 700)}
    assert all(one is bool(other) for one, other in truths)
    assert truths


@pytest.mark.parametrize("text", EXPRESSIONS[:4])
def test_engines_find_ways_of_one_length(text: str) -> None:
    """A search and formulas agree on how far a state is, or that it is further."""
    design = load("kip320", replicas=2)
    found = solve(design, text, engine="native")
    assert found.trace is not None
    other = solve(design, text, engine="smt", max_depth=9)
    if found.trace.length > 9:
        assert (other.trace, other.result.verdict) == (None, "incomplete")
    else:
        assert other.trace is not None and other.trace.length == found.trace.length
        assert design.spec.expressions().condition(text).value(other.trace.states[-1])


def test_by_way_of_a_state() -> None:
    """The way passes such a state, and may come back to where it was."""
    design, reach, start = load("kip320", replicas=2), "quorum.epoch == 1", "len(log[r2]) == 1"
    via = solve(design, reach, start, max_depth=9)
    assert via.trace is not None and via.passed is not None
    passed = via.trace.states[via.passed]
    assert design.spec.expressions().condition(start).value(passed)
    direct = solve(design, reach)
    assert direct.trace is not None and direct.trace.length < via.trace.length


def test_where_nothing_is() -> None:
    """That there is no way is said for certain only where everything was seen."""
    found = solve("kip320", "not weak_isr", replicas=2)
    assert found.trace is None and found.result.complete
    found = solve("kip320", "not weak_isr", "quorum.epoch > 0", max_depth=4, replicas=2)
    assert found.trace is None and not found.result.complete
    assert found.result.depth == 4


def test_command_line(tmp_path: Path, specmodel: Specmodel) -> None:
    """Prints the behaviour as any trace, saves it as ITF that replays, and says so in JSON."""
    file = tmp_path / "way.itf.json"
    words = ("solve", "kip320", "--set", "replicas=2", "--reach", "len(log[r2]) == 2")
    done = specmodel(*words, "--from", "quorum.epoch == 1", "--trace-out", str(file))
    assert (done.code, done.err) == (0, "")
    assert "by way of state" in done.out.splitlines()[-1]
    assert specmodel("trace", str(file)).code == 0
    recorded, _ = read_on(file, "", {}, "")
    told = json.loads(specmodel(*words, "--format", "json").out)
    assert (told["verdict"], told["from"]) == ("found", None)
    assert told["trace_length"] == len(told["steps"]) + 1 <= len(recorded.states)
    assert specmodel("solve", "kip320", "--set", "replicas=2", "--reach", "not weak_isr").code == 1
    assert specmodel(*words, "--engine", "smt", "--depth", "2").code == 3


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--reach", "hwm > 0"), "hwm is not defined"),
        (("--reach", "log[r1][0].epoch == 1"), "has no value in some state on the way"),
        (("--reach", "weak_isr", "--from", "weak_isr", "--engine", "native"), "--engine smt"),
        (("--reach", "weak_isr", "--engine", "spark"), "--engine is auto"),
    ],
)
def test_mistakes(words: tuple[str, ...], told: str, specmodel: Specmodel) -> None:
    """What is wrong with the question is said, not with the tool."""
    done = specmodel("solve", "kip320", *words)
    assert done.code == 2 and told in done.err and "Traceback" not in done.err


def test_progress_is_told() -> None:
    """A long question may be watched, and stopped."""
    seen: list[Progress] = []

    def stop(progress: Progress) -> None:
        seen.append(progress)
        raise KeyboardInterrupt

    options: dict[str, Any] = {"engine": "smt", "max_depth": 30, "progress": stop}
    found = solve("kip320", "not weak_isr", **options)
    assert found.result.stopped == "interrupted" and seen
    with pytest.raises(ExpressionError):
        solve("kip320", "")
    with pytest.raises(UsageError):
        solve("kip320", "weak_isr", engine="nativ")
