"""The other commands: list, show, ir, trace, --help, --version."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from specmodel.machine.image import possible
from tests.conftest import Golden, Specmodel


def test_list_names_designs_with_their_question(counter: Path, specmodel: Specmodel) -> None:
    """Own and shipped designs, and the expected verdict, a line each."""
    ran = specmodel("list")
    assert ran.code == 0
    assert "my-counter" in ran.out and "Does it stay small?" in ran.out
    assert "kip320" in ran.out
    own = specmodel("list", "models")
    assert own.out == "my-counter  violated  Does it stay small?\n"


def test_list_as_json(counter: Path, specmodel: Specmodel) -> None:
    """One object with a row a design."""
    found = json.loads(specmodel("list", "models", "--format", "json").out)
    assert found["version"] == 1
    assert [d["design"] for d in found["designs"]] == ["my-counter"]


def test_list_reports_broken_files_and_the_rest(counter: Path, specmodel: Specmodel) -> None:
    """A file that cannot be read is named with its place, and costs the exit code, not the list."""
    (counter / "models" / "broken.yaml").write_text("design: x\nspecx: y\n")
    ran = specmodel("list")
    assert ran.code == 2
    assert "my-counter" in ran.out
    assert 'broken.yaml:2:1: unknown key "specx"; did you mean "spec"' in ran.err


@pytest.mark.parametrize("name", ["two-phase-commit-impatient", "kip320-weak-fence"])
def test_show(
    specmodel: Specmodel, golden: Golden, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Constants, bits, actions with guards, properties, and the difference from the parent."""
    monkeypatch.chdir(Path(__file__).parents[2])
    ran = specmodel("show", name)
    assert ran.code == 0
    if name.startswith("two"):
        golden("show-two-phase-commit-impatient.txt", ran.out)
    assert "differs from" in ran.out


def test_ir_prints_the_spec(specmodel: Specmodel) -> None:
    """The lowered form of a design names its actions."""
    ran = specmodel("ir", "two-phase-commit")
    assert ran.code == 0
    assert "decide_commit" in ran.out


def test_help_and_version_import_nothing_heavy() -> None:
    """Start-up stays quick only if engines, YAML and rich are left to those that need them."""
    code = (
        "import sys\n"
        "from specmodel.cli import main\n"
        "sys.argv = ['specmodel', '--help']\n"
        "try: main()\n"
        "except SystemExit as e: assert not e.code\n"
        "heavy = {'rich', 'yaml', 'llvmlite', 'numpy', 'specmodel.lang'}\n"
        "print('heavy:', sorted(heavy & set(sys.modules)))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "check" in ran.stdout
    assert ran.stdout.endswith("heavy: []\n")


@pytest.mark.skipif(not possible(), reason="code is linked by LLVM on this machine")
@pytest.mark.parametrize("design", ["two-phase-commit", "kip101"], ids=["holds", "violated"])
def test_what_compiles_is_not_imported_again(design: str) -> None:
    """A check whose code is kept needs neither LLVM nor what writes its input, nor pydantic."""
    code = (
        "import sys\n"
        "from specmodel.cli import main\n"
        f"sys.argv = ['specmodel', 'check', {design!r}]\n"
        "try: main()\n"
        "except SystemExit as e: pass\n"
        "compiling = {'llvmlite.binding', 'specmodel.kernel.emit', 'specmodel.ir.symbolic.execute',"
        " 'specmodel.machine.translate', 'pydantic'}\n"
        "print('compiling:', sorted(compiling & set(sys.modules)))\n"
    )
    command = [sys.executable, "-c", code]
    subprocess.run(command, capture_output=True, check=True)
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert design in ran.stdout
    assert ran.stdout.endswith("compiling: []\n")


@pytest.mark.parametrize("command", ["check", "list", "show", "trace", "ir"])
def test_every_option_is_documented(specmodel: Specmodel, command: str) -> None:
    """docs/reference/cli.md names each option that --help lists."""
    documented = (Path(__file__).parents[2] / "docs/reference/cli.md").read_text()
    listed = set(re.findall(r"--[a-z-]+", specmodel(command, "--help").out)) - {"--help"}
    assert {option for option in listed if option not in documented} == set()


def test_help_has_sections(specmodel: Specmodel) -> None:
    """Commands, and the options of one, stand below what they are for, arguments first."""

    def sections(text: str) -> list[str]:
        return re.findall(r"^([A-Z][a-z ]+):$", text, flags=re.M)

    commands = specmodel("--help").out
    assert sections(commands)[1:3] == ["Check", "Understand"]
    assert "\nProject:\n  list  " in commands
    options = specmodel("check", "--help").out
    assert sections(options)[:4] == ["Arguments", "What to check", "How to search", "Limits"]
    assert "\nLimits:\n  --max-states " in options


def test_version(specmodel: Specmodel) -> None:
    """--version prints name and version."""
    assert specmodel("--version").out.startswith("specmodel 0.")


@pytest.fixture
def recorded(counter: Path, specmodel: Specmodel) -> Path:
    """A counterexample written by check."""
    file = counter / "x.itf.json"
    ran = specmodel("check", "my-counter", "--engine", "interpret", "--trace-out", file)
    assert ran.code == 1
    return file


def test_trace_prints_a_recorded_counterexample(
    recorded: Path, specmodel: Specmodel, golden: Golden
) -> None:
    """The file is enough: design, constants and property are found in it."""
    ran = specmodel("trace", recorded)
    assert (ran.code, ran.err) == (0, "")
    golden("trace.txt", ran.out)


def test_trace_of_a_python_spec_finds_it_again(counter: Path, specmodel: Specmodel) -> None:
    """A design without a YAML file is found by its Python file, with its constants."""
    arguments = ("check", "counter.py:counter", "--set", "most=4", "--engine", "interpret")
    specmodel(*arguments, "--trace-out", "y.itf.json")
    ran = specmodel("trace", "y.itf.json")
    assert (ran.code, ran.err) == (0, "")
    assert "small is violated at its end" in ran.out


def test_no_counterexample_no_file(counter: Path, specmodel: Specmodel) -> None:
    """--trace-out without a violation writes nothing and says so."""
    ran = specmodel(
        "check", "counter.py:fine", "--engine", "interpret", "--trace-out", "z.itf.json"
    )
    assert ran.code == 0
    assert "z.itf.json is not written" in ran.err
    assert not (counter / "z.itf.json").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"2"', '"1"', "state 3: step(by=a1) leads elsewhere: at is 1 in the trace, 2 by the spec"),
        ('"step(by=a1)"', '"step(by=a9)"', "step(by=a9) cannot happen in the state before"),
        ('"step(by=a1)"', '"never()"', "never() cannot happen in the state before"),
        ('"0"', '"1"', "state 1 is not an initial state of my-counter: at is 1 in the trace, 0"),
        ('"2"', '"7"', "state 3: at = 7 leaves its domain 0..2"),
        ('"a1"', '"b1"', "'b1' is no value of Actor"),
        ('"last": {', '"lst": {', "has no value for last"),
        ('"my-counter"', '"mine"', "not here"),
        ('\\"most\\"', '\\"mst\\"', 'no constant is called "mst"'),
        ("{", "", "not JSON"),
    ],
)
def test_trace_refuses_what_the_spec_does_not_do(
    recorded: Path, specmodel: Specmodel, old: str, new: str, message: str
) -> None:
    """A changed file does not pass: the message says at which step, and how the states differ."""
    text = recorded.read_text()
    assert old in text
    if message == "not here":
        # Neither the file's source nor its name leads anywhere.
        text = text.replace("models/counter.yaml", "models/gone.yaml")
        message = 'no design is called "mine"'
    recorded.write_text(text.replace(old, new))
    ran = specmodel("trace", recorded)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[1, 2]", "a list, not an object"),
        ("{}", '"states" is missing'),
        ('{"states": []}', "has no states"),
        ('{"states": [3]}', "state 1 is a number or truth value, not an object"),
        ('{"vars": ["x"], "states": [{"x": 1}]}', "does not say of which design"),
        ('{"vars": ["x"], "states": [{"y": 1}]}', "state 1 has no value for x"),
        ('{"states": [{}], "loop": 4}', '"loop" is 4'),
        ('{"#meta": {"constants": "{"}, "states": [{}]}', "no JSON object"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_trace_refuses_foreign_files(
    counter: Path, specmodel: Specmodel, text: str, message: str
) -> None:
    """What is no ITF, or ITF of something else, is refused with what is wrong about it."""
    (counter / "f.itf.json").write_text(text)
    ran = specmodel("trace", "f.itf.json")
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_trace_of_another_tool(counter: Path, specmodel: Specmodel) -> None:
    """Plain numbers, no #meta, no actions, units in another form: still found to be the spec's."""
    (counter / "f.itf.json").write_text(
        json.dumps(
            {
                "vars": ["at", "last"],
                "loop": None,
                "states": [
                    {"at": 0, "last": {"tag": "None", "value": {"tag": "UNIT"}}},
                    {"at": 1, "last": {"tag": "Some", "value": "a2"}, "other": 7},
                ],
            }
        )
    )
    ran = specmodel("trace", "f.itf.json", "--design", "my-counter")
    assert (ran.code, ran.err) == (0, "")
    assert "step(by=a2)" in ran.out
    wrong = specmodel("trace", "f.itf.json", "--design", "two-phase-commit")
    assert wrong.code == 2
    assert "has no variable phase (it has at, last)" in wrong.err
