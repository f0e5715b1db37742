"""`specmodel check`: verdicts, exit codes, reports, and what it says of wrong use."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.conftest import Golden, Specmodel
from tests.outside import ENDLESS, PATIENCE, interrupted, started

INTERPRET = ("--engine", "interpret")


@pytest.mark.parametrize(
    ("arguments", "code", "ending"),
    [
        (("counter.py:fine",), 0, "complete"),
        (("my-counter",), 1, "stopped at the first violation"),
        (("my-counter", "--set", "most=1"), 0, "complete"),
        (("my-counter", "--continue"), 1, "complete"),
        (("my-counter", "--invariant", "bounded"), 0, "complete"),
        (("counter.py:fine", "--max-states", "1"), 3, "stopped at the limit of states"),
        (("counter.py:fine", "--max-depth", "1"), 3, "stopped at the limit of depth"),
        (("my-counter", "--profile", "deep", "--invariant", "bounded"), 0, "complete"),
    ],
)
def test_exit_code_says_the_verdict(
    counter: Path, specmodel: Specmodel, arguments: tuple[str, ...], code: int, ending: str
) -> None:
    """0 holds, 1 violated, 3 incomplete; the last line is the verdict with how far it looked."""
    ran = specmodel("check", *arguments, *INTERPRET)
    assert (ran.code, ran.err) == (code, "")
    assert ran.out.rstrip("\n").endswith(ending)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("counterexample", ("my-counter",)),
        ("all-properties", ("counter.py:counter", "--continue", "--set", "most=3", "--deadlock")),
        ("unreachable", ("counter.py:fine", "--invariant", "stepped", "--max-depth", "1")),
        ("two-phase-commit", ("two-phase-commit",)),
        ("two-phase-commit-impatient", ("two-phase-commit-impatient",)),
        (
            "truncate-to-hw",
            ("truncate-to-hw", "--set", "replicas=2", "--set", "max_leader_epoch=1"),
        ),
    ],
)
def test_text_reports(
    counter: Path, specmodel: Specmodel, golden: Golden, name: str, arguments: tuple[str, ...]
) -> None:
    """The whole report: trace, lanes, explanation, properties, warnings, verdict."""
    golden(f"check-{name}.txt", specmodel("check", *arguments, *INTERPRET).out)


def test_quiet_is_the_verdict_alone(counter: Path, specmodel: Specmodel) -> None:
    """One line, the one that would be quoted."""
    ran = specmodel("check", "counter.py:fine", "-q", *INTERPRET)
    assert ran.out == "fine holds bounded, stepped up to most=2: 5 states, depth 3, complete\n"


def test_symmetry_is_asked_for_and_told(counter: Path, specmodel: Specmodel) -> None:
    """By option or by the design's file, which the option overrides; the report says so."""
    names = "3 states up to the names of Actor, depth 3"
    file = counter / "models" / "counter.yaml"
    for engine in ("native", "interpret"):
        options = ("-q", "--continue", "--engine", engine)
        assert "5 states, depth 3" in specmodel("check", "my-counter", *options).out
        assert names in specmodel("check", "my-counter", *options, "--symmetry").out
    file.write_text(file.read_text() + "symmetry: true\n")
    assert names in specmodel("check", "my-counter", *options).out
    assert "5 states, depth 3" in specmodel("check", "my-counter", *options, "--no-symmetry").out
    report = json.loads(specmodel("check", "my-counter", "--format", "json").out)
    assert (report["symmetry"], report["distinct"]) == (["Actor"], 3)


def test_an_asymmetric_spec_is_refused(counter: Path, specmodel: Specmodel) -> None:
    """With the place in the source, and without a traceback; other searches do not mind."""
    file = counter / "counter.py"
    file.write_text(file.read_text().replace("s.last = by", "s.last = Actor.nth(0)"))
    ran = specmodel("check", "counter.py:fine", "--symmetry")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {file}:32:14: not symmetric in Actor: Actor.nth(0) is not")
    assert "32 |     s.last = Actor.nth(0)" in ran.err
    assert specmodel("check", "counter.py:fine", "-q").code == 0


def test_an_action_that_never_fires_is_named(counter: Path, specmodel: Specmodel) -> None:
    """A rule that could never happen makes a verdict vacuous, so the report says so."""
    assert "warning: never fired: never" in specmodel("check", "counter.py:fine", *INTERPRET).out


def test_a_failing_spec_shows_the_way_there(
    counter: Path, specmodel: Specmodel, golden: Golden
) -> None:
    """A value that leaves its domain: trace on stdout, place with caret on stderr, exit code 2."""
    ran = specmodel("check", "counter.py:fine", "--set", "wild=true", *INTERPRET)
    assert ran.code == 2
    golden("check-failure.txt", ran.out)
    assert "fine: step(by=a1): " in ran.err
    assert "counter.py:" in ran.err and "^^^" in ran.err
    assert "State.at = 3 leaves its domain 0..2" in ran.err
    as_json = specmodel(
        "check", "counter.py:fine", "--set", "wild=true", "--format", "json", *INTERPRET
    )
    assert (as_json.code, as_json.out, as_json.err) == (2, "", ran.err)


def test_json_is_the_documented_object(counter: Path, specmodel: Specmodel, golden: Golden) -> None:
    """The JSON report, key by key."""
    ran = specmodel("check", "my-counter", "--continue", "--format", "json", *INTERPRET)
    assert ran.code == 1
    golden("check.json", ran.out)
    documented = (Path(__file__).parents[2] / "docs/reference/json.md").read_text()
    for key in json.loads(ran.out):
        assert f"`{key}`" in documented


def test_output_goes_to_a_file(counter: Path, specmodel: Specmodel) -> None:
    """With --output the report is in the file and stdout is empty."""
    arguments = ("check", "my-counter", "--format", "json", "--output", "r.json", *INTERPRET)
    assert specmodel(*arguments).out == ""
    assert json.loads((counter / "r.json").read_text())["verdict"] == "violated"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("my-countr",), 'did you mean "my-counter"?'),
        (("my-counter", "--set", "mos=1"), 'no constant is called "mos"; did you mean "most"?'),
        (("my-counter", "--set", "most=10"), "most = 10 is outside 1..9"),
        (("my-counter", "--set", "most=true"), "most is an integer"),
        (("my-counter", "--set", "wild=1"), "wild is true or false"),
        (("my-counter", "--set", "most"), "write name=value"),
        (("my-counter", "--set", "most=two"), "neither an integer nor true or false"),
        (("my-counter", "--set", "most=1", "--set", "most=2"), "two values"),
        (("my-counter", "--invariant", "smal"), 'no property "smal"; did you mean "small"?'),
        (("my-counter", "--engine", "interprt"), 'did you mean "interpret"?'),
        (("my-counter", "--max-memory", "4X"), "no size of memory"),
        (("my-counter", "--timeout", "soon"), "no duration"),
        (("my-counter", "--output", "no/such/file"), "there is no folder no/such"),
        (("my-counter", "--trace-out", "models"), "it is a folder"),
        (("my-counter", "--workers", "0"), "--workers"),
        (("my-counter", "--colour"), "No such option"),
        ((), "Missing argument"),
    ],
)
def test_wrong_use(
    counter: Path, specmodel: Specmodel, arguments: tuple[str, ...], message: str
) -> None:
    """A wrong name, value or option: a message on stderr, nothing on stdout, exit code 2."""
    engine = () if "--engine" in arguments else INTERPRET
    ran = specmodel("check", *arguments, *engine)
    assert ran.code == 2
    assert ran.out == ""
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_an_internal_error_is_one_line(
    counter: Path, specmodel: Specmodel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What nobody foresaw is a line with the way to the traceback, not a traceback."""

    def broken(*arguments: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("specmodel.engines.interpret.check", broken)
    ran = specmodel("check", "my-counter", *INTERPRET)
    assert ran.code == 2
    assert ran.err == (
        "error: internal error: ZeroDivisionError: oops (set SPECMODEL_DEBUG=1 for the traceback)\n"
    )


def test_ctrl_c_gives_the_partial_result(tmp_path: Path) -> None:
    """An interrupted search reports what it has seen, as incomplete, with exit code 3."""
    (tmp_path / "endless.py").write_text(ENDLESS)
    command = started("check", "endless.py", "--format", "json", *INTERPRET, folder=tmp_path)
    ran = interrupted(command, (tmp_path / "begun").exists)
    assert (ran.code, ran.err) == (3, "")
    found = json.loads(ran.out)
    assert (found["verdict"], found["complete"]) == ("incomplete", False)
    assert found["stopped"] == "interrupted"
    assert found["distinct"] >= 1000


def test_a_full_disk_is_told() -> None:
    """Output that cannot be written is an error with the system's reason."""
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    with Path("/dev/full").open("w") as full:
        process = started("show", "two-phase-commit", stdout=full.fileno())
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert err.startswith("error: cannot write to standard output: ")
    assert "Traceback" not in err


def test_a_reader_that_goes_away_is_no_error() -> None:
    """`specmodel show ... | head -1` is quiet."""
    read, write = os.pipe()
    os.close(read)
    process = started("show", "two-phase-commit", stdout=write)
    os.close(write)
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")
