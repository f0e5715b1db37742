"""`specmodel ablate`, `sweep` and `minimise`: reports, formats, exit codes, wrong use."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.conftest import Golden, Specmodel
from tests.outside import ENDLESS, interrupted, started

INTERPRET = ("--engine", "interpret", "--jobs", "1")
SMALL = ("--set", "replicas=2", "--set", "log_size=1", "--set", "max_leader_epoch=1")
ABLATE = ("ablate", "kip320", *SMALL, "--action", "fetch_fenced", "--action", "advance-hw-fenced")
SWEEP = (
    *("sweep", "truncate-to-hw", "kip320", "--set", "log_size=1", "--set", "max_records=1"),
    *("--vary", "replicas=1..2", "--vary", "max_leader_epoch=0,1"),
)
DOCUMENTED = Path(__file__).parents[2] / "docs" / "reference" / "json-series.md"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Places are shown from there."""
    monkeypatch.chdir(Path(__file__).parents[2])


@pytest.fixture
def recorded(counter: Path, specmodel: Specmodel) -> Path:
    """A counterexample of the small counter."""
    specmodel("check", "my-counter", "--trace-out", "t.itf.json", "--engine", "interpret")
    return counter / "t.itf.json"


def documented(value: object) -> set[str]:
    """The keys of a JSON value that the reference is to describe."""
    if isinstance(value, list):
        return {key for held in value for key in documented(held)}
    if not isinstance(value, dict):
        return set()
    named = ("constants", "varied", "smallest_failing", "undecided")
    inner = [held for key, held in value.items() if key not in named]
    return set(value) | documented(inner)


def test_ablation(specmodel: Specmodel, golden: Golden) -> None:
    """The table by actions, what a change does, and the conditions that do not matter."""
    ran = specmodel(*ABLATE, *INTERPRET)
    assert (ran.code, ran.err) == (0, "")
    golden("ablate.txt", ran.out)


def test_ablation_as_json(specmodel: Specmodel, golden: Golden) -> None:
    """The object, key by key as documented."""
    ran = specmodel(*ABLATE, *INTERPRET, "--format", "json")
    assert ran.code == 0
    golden("ablate.json", ran.out)
    text = DOCUMENTED.read_text(encoding="utf-8") + "`name` `kind` `verdict`"
    assert [key for key in documented(json.loads(ran.out)) if f"`{key}`" not in text] == []


def test_one_change(specmodel: Specmodel, golden: Golden) -> None:
    """`--show` is the report of a check, headed by what was changed."""
    ran = specmodel("ablate", "kip320", *SMALL, "--show", "36", "--engine", "interpret")
    assert ran.code == 0
    golden("ablate-show.txt", ran.out)
    replaced = specmodel("ablate", "kip320", *SMALL, "--show", "52", "--engine", "interpret")
    assert replaced.out.startswith("kip320 with shrink_isr in the place of shrink_isr_fenced")


def test_undecided_costs_the_exit_code(specmodel: Specmodel) -> None:
    """A limit that left something open is not success."""
    ran = specmodel(*ABLATE, *INTERPRET, "--max-states", "9")
    assert ran.code == 3
    assert "undecided" in ran.out


def test_sweep(specmodel: Specmodel, golden: Golden) -> None:
    """Grids, smallest failing points, growth, and all designs in one table."""
    ran = specmodel(*SWEEP, *INTERPRET)
    assert (ran.code, ran.err) == (0, "")
    golden("sweep.txt", ran.out)


def test_sweep_as_json(specmodel: Specmodel, golden: Golden) -> None:
    """The object, key by key as documented."""
    ran = specmodel(*SWEEP, *INTERPRET, "--format", "json")
    assert ran.code == 0
    golden("sweep.json", ran.out)
    text = DOCUMENTED.read_text(encoding="utf-8") + "`name` `kind` `verdict`"
    assert [key for key in documented(json.loads(ran.out)) if f"`{key}`" not in text] == []


def test_sweep_as_csv(specmodel: Specmodel, tmp_path: Path) -> None:
    """A row a point and property, with the columns that the reference names."""
    file = tmp_path / "grid.csv"
    assert specmodel(*SWEEP, *INTERPRET, "--format", "csv", "--output", file).out == ""
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    assert len(rows) == 4 * 3 + 4 * 4
    first = rows[0]
    at = (first["design"], first["replicas"], first["max_leader_epoch"])
    assert at == ("truncate-to-hw", "1", "0")
    assert (first["property"], first["verdict"], first["complete"]) == ("weak_isr", "holds", "true")
    reference = re.sub(r"\s+", " ", DOCUMENTED.read_text(encoding="utf-8"))
    listed = reference.partition("the columns are ")[2].partition(".")[0]
    named = [c for c in re.findall(r"`(\w+)`", listed)]
    constants = [c for c in first if c not in named]
    assert [c for c in first if c not in constants] == named
    assert constants == list(json_constants(specmodel))


def json_constants(specmodel: Specmodel) -> dict[str, object]:
    ran = specmodel(*SWEEP, *INTERPRET, "--format", "json")
    return json.loads(ran.out)["points"][0]["constants"]


def test_sweep_goes_on(specmodel: Specmodel, tmp_path: Path) -> None:
    """What is kept is not searched again, and the report is the same."""
    file = tmp_path / "kept.jsonl"
    first = specmodel(*SWEEP, *INTERPRET, "--keep", file)
    written = file.read_text()
    assert len(written.splitlines()) == 8
    again = specmodel(*SWEEP, *INTERPRET, "--keep", file)
    assert again == first
    assert file.read_text() == written


def test_a_failing_point_costs_the_exit_code(counter: Path, specmodel: Specmodel) -> None:
    """The rest of the grid is reported all the same."""
    ran = specmodel("sweep", "counter.py:fine", "--vary", "wild=false,true", *INTERPRET)
    assert ran.code == 2
    assert "the spec fails: step(by=a1): State.at = 3 leaves its domain 0..2" in ran.out
    assert re.search(r"false +✓ +✓ +5 +3", ran.out)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_keeps_what_is_done(tmp_path: Path, jobs: str) -> None:
    """An interrupted sweep ends at once, with exit code 3, and says where to go on from."""
    (tmp_path / "endless.py").write_text(ENDLESS)
    arguments = ("sweep", "endless.py", "--vary", "most=1,12", "--keep", "kept.jsonl")
    kept, begun = tmp_path / "kept.jsonl", tmp_path / "begun"
    ran = interrupted(
        started(*arguments, "--engine", "interpret", "--jobs", jobs, folder=tmp_path),
        lambda: begun.exists() and kept.exists() and "\n" in kept.read_text(),
    )
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == "note: 1 of 2 searches are kept in kept.jsonl\nerror: interrupted\n"
    assert len(kept.read_text().splitlines()) == 1


def test_minimise(recorded: Path, specmodel: Specmodel, golden: Golden) -> None:
    """Trace, explanation, figures; and the trace that is written replays."""
    ran = specmodel("minimise", recorded, "--trace-out", "plain.itf.json")
    assert (ran.code, ran.err) == (0, "")
    golden("minimise.txt", ran.out)
    assert specmodel("trace", "plain.itf.json").code == 0


def test_minimise_as_json(recorded: Path, specmodel: Specmodel, golden: Golden) -> None:
    """The object, key by key as documented."""
    ran = specmodel("minimise", recorded, "--format", "json")
    golden("minimise.json", ran.out)
    text = DOCUMENTED.read_text(encoding="utf-8")
    assert [key for key in documented(json.loads(ran.out)) if f"`{key}`" not in text] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ablate", "my-countr"), 'did you mean "my-counter"?'),
        (("ablate", "my-counter", "--action", "stp"), 'no action "stp"; did you mean "step"'),
        (("ablate", "my-counter", "--show", "9"), "has the changes 1 to 2, not 9"),
        (("ablate", "my-counter", "--invariant", "smal"), 'no property "smal"'),
        (("sweep", "my-counter"), "nothing varies"),
        (("sweep", "my-counter", "--vary", "most"), "write name=low..high"),
        (("sweep", "my-counter", "--vary", "most=3..1"), "it goes down"),
        (("sweep", "my-counter", "--vary", "most=1..9999"), "more than 1000 values"),
        (("sweep", "my-counter", "--vary", "most=two"), '--vary most=two: "two" is neither'),
        (("sweep", "my-counter", "--vary", "mos=1"), 'no constant "mos"; did you mean "most"'),
        (("sweep", "my-counter", "--vary", "most=1", "--vary", "most=2"), "gives most twice"),
        (
            ("sweep", "my-counter", "--vary", "most=1", "--keep", "models/counter.yaml"),
            "no file of",
        ),
        (("sweep", "my-counter", "--vary", "most=1", "--keep", "no/file"), "there is no folder no"),
        (("minimise", "none.itf.json"), "cannot read none.itf.json"),
        (("minimise", "t.itf.json", "--property", "bounded"), "violates nothing at its end"),
        (("minimise", "t.itf.json", "--main", "stp"), 'no action "stp"; did you mean "step"'),
        (("minimise", "t.itf.json", "--on", "kip320"), "no variable replica"),
    ],
)
def test_wrong_use(
    recorded: Path, specmodel: Specmodel, arguments: tuple[str, ...], message: str
) -> None:
    """A message on stderr, nothing on stdout, exit code 2."""
    ran = specmodel(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert message in ran.err
    assert "Traceback" not in ran.err
