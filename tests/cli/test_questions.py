"""`specmodel compare`, `replay` and `why`: reports, formats, exit codes, wrong use."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conftest import Golden, Specmodel

ROOT = str(Path(__file__).parents[2])

SMALL = ("--set", "log_size=1", "--set", "max_records=1")
TWO = ("compare", "kip320", "kip320-first-try", *SMALL, "--workers", "1")


def _placeless(text: str) -> str:
    """Without where the models are, and at which line of their files a guard stands."""
    return re.sub(r"\.py:\d+", ".py:LINE", text.replace(f"{ROOT}/", ""))


@pytest.fixture(scope="module")
def loss(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A counterexample of the design without fences, in which a follower truncates too much."""
    import specmodel
    from specmodel.traces.itf_write import itf_text

    design = specmodel.load("truncate-to-hw", replicas=2, max_leader_epoch=1)
    trace = specmodel.check(design, properties=["weak_isr"])["weak_isr"].trace
    assert trace is not None
    file = tmp_path_factory.mktemp("traces") / "loss.itf.json"
    file.write_text(itf_text(design, trace, property_name="weak_isr"), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("form", "name"),
    [("text", "compare.txt"), ("markdown", "compare.md"), ("json", "compare.json")],
)
def test_compare(specmodel: Specmodel, golden: Golden, form: str, name: str) -> None:
    """KIP-320 and its first draft: the table, the differences, where the draft's losses stop."""
    ran = specmodel(*TWO, "--format", form)
    assert (ran.code, ran.err) == (0, "")
    golden(name, _placeless(ran.out))


def test_compare_writes_a_file(specmodel: Specmodel, tmp_path: Path) -> None:
    """--output takes the report, stdout stays empty."""
    file = tmp_path / "report.md"
    ran = specmodel(*TWO, "--set", "replicas=2", "--format", "markdown", "--output", file)
    assert (ran.code, ran.out) == (0, "")
    assert file.read_text().startswith("## kip320, kip320-first-try\n")


def test_an_incomplete_comparison_has_its_own_code(specmodel: Specmodel) -> None:
    """Nobody takes what was cut short for a verdict."""
    ran = specmodel(*TWO, "--max-depth", "3")
    assert ran.code == 3
    assert "? not decided" in ran.out


def test_replay_on_a_rival(specmodel: Specmodel, golden: Golden, loss: Path) -> None:
    """As far as it goes, then the guard that is false, with its values."""
    ran = specmodel("replay", loss, "--on", "kip320")
    assert (ran.code, ran.err) == (1, "")
    golden("replay.txt", _placeless(ran.out))


def test_replay_on_its_own_design(specmodel: Specmodel, loss: Path) -> None:
    """Exit code 0: every step can happen, with the states that were recorded."""
    ran = specmodel("replay", loss)
    assert ran.code == 0
    assert ran.out.endswith("can happen, and weak_isr is violated at the end\n")


def test_replay_where_a_step_leads_elsewhere(specmodel: Specmodel, recorded: Path) -> None:
    """On the file's own design that is not the recorded trace; a rival may differ."""
    text = recorded.read_text()
    recorded.write_text(text.replace('"#bigint": "2"', '"#bigint": "1"'))
    ran = specmodel("replay", recorded)
    assert ran.code == 1
    assert "from state 3 on the states differ:\n    at is 2 here, not 1" in ran.out
    assert specmodel("replay", recorded, "--on", "my-counter").code == 0


def test_replay_without_names_of_steps(specmodel: Specmodel, recorded: Path) -> None:
    """A trace of another tool has states only: its steps are looked for."""
    text = recorded.read_text().replace('"action"', '"was"')
    recorded.write_text(text)
    assert specmodel("replay", recorded, "--on", "counter.py:fine").code == 0


def test_replay_as_json(specmodel: Specmodel, loss: Path) -> None:
    """What was blocked by what, for programs."""
    found = json.loads(specmodel("replay", loss, "--on", "kip320", "--format", "json").out)
    assert (found["version"], found["on"], found["violated"]) == (1, "kip320", None)
    blocked = found["blocked"]
    assert (blocked["kind"], blocked["state"]) == ("become_follower", 9)
    (guard,) = blocked["attempts"][0]["guards"]
    assert guard["said"] == "replica[r2].epoch is 0, not 1"
    assert guard["via"] == ["require_in_epoch"]
    assert guard["place"].endswith(f"truncation.py:{guard['place'].rpartition(':')[2]}")
    assert blocked["after"] == ["become_leader(epoch=1)"]


def test_why_an_action_cannot_happen(specmodel: Specmodel, golden: Golden, loss: Path) -> None:
    """Each condition with its value, and since when what decides has been so."""
    ran = specmodel(
        "why", loss, "--step", "8", "--on", "kip320", "--action", "become_follower(r1, 1)"
    )
    assert (ran.code, ran.err) == (0, "")
    golden("why-action.txt", _placeless(ran.out))


def test_why_a_property_is_false(specmodel: Specmodel, golden: Golden, loss: Path) -> None:
    """At the end of the trace, with the step that wrote each operand last; others hold."""
    golden("why-property.txt", specmodel("why", loss).out)


def test_why_of_many_bindings(specmodel: Specmodel, golden: Golden, loss: Path) -> None:
    """A line each: which can happen, and the first reason why the others cannot."""
    golden("why-many.txt", specmodel("why", loss, "--step", "7", "--action", "fetch").out)


def test_why_as_json(specmodel: Specmodel, loss: Path) -> None:
    """The same for programs, values as the reports write them."""
    ran = specmodel("why", loss, "--action", "advance_hw(r2)", "--step", "8", "--format", "json")
    found = json.loads(ran.out)
    (action,) = found["actions"]
    assert action["enabled"] is False
    assert [guard["value"] for guard in action["guards"]] == [True, False, False]
    assert found["written"]["replica[r2].hw"] == 8
    assert found["properties"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--step", "99"), "has the states 1 to 9, not 99"),
        (("--step", "0"), "has the states 1 to 9, not 0"),
        (("--action", "fetchh"), 'no action "fetchh"; did you mean "fetch"'),
        (("--action", "fetch(r9, r1)"), "is no binding: it is fetch(follower: Replica"),
        (("--action", "fetch(who=r1)"), 'no parameter is called "who"'),
        (("--action", "fetch(r1, r1, r1)"), "too many arguments"),
        (("--action", "fetch r1"), "write fetch, or fetch("),
        (("--invariant", "week_isr"), 'did you mean "weak_isr"'),
        (("--on", "kip497"), "has no variable"),
        (("--on", "nope"), 'no design is called "nope"'),
    ],
)
def test_why_of_nothing(
    specmodel: Specmodel, loss: Path, arguments: tuple[str, ...], message: str
) -> None:
    """A wrong state, action, argument, property or design: a sentence and exit code 2."""
    ran = specmodel("why", loss, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_why_where_the_spec_fails(specmodel: Specmodel, counter: Path) -> None:
    """The trace to a failure of the spec can be asked about too: the failure is the reason."""
    wild = ("--set", "wild=true", "--invariant", "stepped", "--continue")
    specmodel("check", "my-counter", *wild, "--engine", "interpret", "--trace-out", "f.itf.json")
    ran = specmodel("why", "f.itf.json", "--action", "step(a1)")
    assert ran.code == 0
    assert "step(by=a1) cannot happen" in ran.out
    assert "the spec fails there: DomainError: State.at = 3 leaves its domain 0..2" in ran.out


def test_json_keys_are_documented(specmodel: Specmodel, loss: Path) -> None:
    """docs/reference/json-questions.md names every key of the three objects, at any depth."""
    page = (Path(ROOT) / "docs/reference/json-questions.md").read_text()
    run = [
        ("compare", "kip101", "kip320", "--set", "replicas=2"),
        ("replay", loss, "--on", "kip320"),
        ("why", loss, "--action", "fetch"),
    ]
    keys: set[str] = set()
    for arguments in run:
        found = json.loads(specmodel(*arguments, "--format", "json").out)
        found.pop("designs", None)  # reports of checks, with a page of their own
        keys |= _keys(found)
    places = {"written", "versions"}  # their keys are places and designs
    assert places <= keys
    assert {key for key in keys if f"`{key}`" not in page} == set()


def _keys(value: object) -> set[str]:
    found: set[str] = set()
    if isinstance(value, dict):
        for key, held in value.items():
            found.add(key)
            inner = held.values() if key in ("written", "versions", "with") else held
            found |= _keys(list(inner) if inner is not held else held)
    elif isinstance(value, list):
        for held in value:
            found |= _keys(held)
    return found


@pytest.fixture
def recorded(counter: Path, specmodel: Specmodel) -> Path:
    """A counterexample of the small counter, whose states a test can change."""
    file = counter / "x.itf.json"
    specmodel("check", "my-counter", "--engine", "interpret", "--trace-out", file)
    return file
