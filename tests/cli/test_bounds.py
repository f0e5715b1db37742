"""Files, arguments and streams that are not what a command expects: a message, and exit code 2."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from specmodel.errors import UsageError
from specmodel.files import read_text, replacing, write_bytes
from specmodel.suite.documents import DEEPEST, MOST_BYTES
from specmodel.traces.itf_read import MOST_STATES
from tests.conftest import Specmodel
from tests.outside import PATIENCE, ROOT


def shell(command: str, folder: Path) -> tuple[int, str, str]:
    """How a line of the shell ends in which `specmodel` is the command; its stdout and stderr."""
    program = f"{sys.executable} -m specmodel"
    ran = subprocess.run(
        ["bash", "-c", command.replace("specmodel", program)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=PATIENCE,
        text=True,
    )
    return ran.returncode, ran.stdout, ran.stderr


DEEP = {
    "brackets": "design: a\nspec: " + "[" * 30_000,
    "braces": "{a: " * 30_000,
    "dashes": "- " * 30_000 + "a",
    "indentation": "".join(" " * i + "a:\n" for i in range(1200)),
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_deep_yaml_is_a_message(counter: Path, text: str) -> None:
    """What would end the stack of the YAML library, and with it the process, is refused before.

    In a process of its own: it would end this one.
    """
    (counter / "models" / "deep.yaml").write_text(text)
    code, out, err = shell("specmodel check models/deep.yaml", counter)
    assert (code, out) == (2, "")
    assert "deep.yaml:" in err and "nested too deeply" in err


def test_deep_yaml_stops_no_other_design(counter: Path) -> None:
    """Nor is it left out of a list as if it were not there."""
    (counter / "models" / "deep.yaml").write_text(DEEP["brackets"])
    code, out, err = shell("specmodel check my-counter -q && specmodel check kip320 -q", counter)
    assert (code, err) == (1, "")
    assert out.startswith("my-counter violates small")
    assert shell("specmodel list", counter)[0] == 2


def test_yaml_that_is_wide_or_long_is_read(counter: Path, specmodel: Specmodel) -> None:
    """The bound of depth is not one of length: long lines and many brackets side by side pass."""
    file = counter / "models" / "counter.yaml"
    asked = "Does it stay small? " * (DEEPEST // 4)
    text = file.read_text().replace("Does it stay small?", asked)
    file.write_text(f"{text}# {'[]' * DEEPEST}\n")
    assert specmodel("check", "my-counter", "--engine", "interpret").code == 1


def fifo(path: Path) -> None:
    """Nobody writes to it: whoever reads waits for good."""
    os.mkfifo(path)


def loop(path: Path) -> None:
    """A link to itself."""
    path.symlink_to(path.name)


def huge(path: Path) -> None:
    """More bytes than any file that is read has; they take no room."""
    with path.open("wb") as file:
        file.truncate(1 << 40)


def full(path: Path) -> None:
    """A device without an end."""
    path.symlink_to("/dev/full")


STRANGE: list[Callable[[Path], None]] = [fifo, loop, huge, full]
READERS = {
    "strange.yaml": ["check"],
    "strange.itf.json": ["replay", "trace", "why", "graph", "minimise", "explore"],
    "strange.py": ["check"],
    "strange.json": ["test --baseline"],
    "strange.jsonl": ["sweep my-counter --vary most=1..2 --engine interpret --keep"],
}


@pytest.mark.parametrize("make", STRANGE)
@pytest.mark.parametrize("name", READERS)
def test_strange_files_are_refused(
    counter: Path, specmodel: Specmodel, make: Callable[[Path], None], name: str
) -> None:
    """A pipe, a loop of links, a huge file, a device: named in the message, and not read on."""
    make(counter / name)
    for command in READERS[name]:
        ran = specmodel(*command.split(), name)
        assert (ran.code, ran.out) == (2, ""), command
        assert name in ran.err, command
        assert "internal error" not in ran.err


@pytest.mark.parametrize("make", STRANGE)
def test_strange_files_among_designs(
    counter: Path, specmodel: Specmodel, make: Callable[[Path], None]
) -> None:
    """One in a folder of models stops no design, and is told of by `list` and `test`."""
    make(counter / "models" / "strange.yaml")
    assert specmodel("check", "my-counter", "--engine", "interpret").code == 1
    for command in ("list", "test"):
        ran = specmodel(command)
        assert ran.code == 2
        assert "strange.yaml" in ran.out + ran.err


def test_long_files_are_refused_by_their_bound(tmp_path: Path) -> None:
    """The bound is one of bytes, and what has exactly as many is read."""
    file = tmp_path / "x"
    file.write_bytes(b"a" * 100)
    assert len(read_text(file, 100)) == 100
    with pytest.raises(UsageError, match="it has more than 99 bytes"):
        read_text(file, 99)
    assert MOST_BYTES < 10 << 20


@pytest.fixture
def recorded(counter: Path, specmodel: Specmodel) -> dict[str, object]:
    """What is in the file of a counterexample."""
    specmodel("check", "my-counter", "--engine", "interpret", "--trace-out", "x.itf.json")
    return json.loads((counter / "x.itf.json").read_text())


INTERPRET = ("--engine", "interpret", "--output")
CONSTANTS = ['{"most": ' + "9" * 5000 + "}", "[" * 100_000, '{"most": ' + "9" * 19 + "}"]


@pytest.mark.parametrize("constants", CONSTANTS, ids=["digits", "brackets", "beyond"])
@pytest.mark.parametrize("command", ["replay", "trace", "why", "graph", "minimise"])
def test_absurd_constants_of_a_trace(
    recorded: dict[str, object], counter: Path, specmodel: Specmodel, command: str, constants: str
) -> None:
    """Numbers of thousands of digits and deep JSON within the JSON are refused."""
    meta = recorded["#meta"]
    assert isinstance(meta, dict)
    meta["constants"] = constants
    (counter / "y.itf.json").write_text(json.dumps(recorded))
    ran = specmodel(command, "y.itf.json")
    assert (ran.code, ran.out) == (2, "")
    assert "y.itf.json" in ran.err and "constant" in ran.err
    assert len(ran.err) < 2000


def test_endless_trace(recorded: dict[str, object], counter: Path, specmodel: Specmodel) -> None:
    """A trace has a bound of states, which the message gives."""
    states = recorded["states"]
    assert isinstance(states, list)
    recorded["states"] = states[:1] * (MOST_STATES + 1)
    (counter / "y.itf.json").write_text(json.dumps(recorded))
    ran = specmodel("replay", "y.itf.json")
    assert ran.code == 2
    assert "y.itf.json has 100,001 states; a trace has 100,000 at most" in ran.err


@pytest.mark.parametrize("command", ["replay", "trace", "why", "graph", "minimise"])
def test_refused_traces_are_named(
    recorded: dict[str, object], counter: Path, specmodel: Specmodel, command: str
) -> None:
    """Whatever is wrong with a trace, the message says in which file; and names are not obeyed."""
    states = recorded["states"]
    assert isinstance(states, list)
    states[1]["#meta"]["action"] = "\x1b[31mstep\x1b[0m\u202e"
    (counter / "y.itf.json").write_text(json.dumps(recorded))
    ran = specmodel(command, "y.itf.json", *(["--step", "9"] if command == "why" else []))
    assert ran.code == 2 or command == "replay"
    assert "y.itf.json" in ran.err or command == "replay"
    assert "\x1b" not in ran.out + ran.err and "\u202e" not in ran.out + ran.err
    states[1]["at"] = {"#bigint": "77"}
    (counter / "y.itf.json").write_text(json.dumps(recorded))
    ran = specmodel(command, "y.itf.json")
    assert ran.code == 2
    assert "y.itf.json" in ran.err


WRONG_WORDS = [
    (["check", "a" * 3000], 'no design is called "aaaa'),
    (["check", "my-counter", "--set", "most=" + "9" * 3000], "more than 18 digits"),
    (["check", "my-counter", "--set", "most=" + "9" * 19], "more than 18 digits"),
    (["check", "my-counter", "--set", "most=" + "9" * 18], "is outside 1..9"),
    (["check", "my-counter", "--max-depth", "9" * 20], "--max-depth"),
    (["check", "my-counter", "--max-states", "9" * 20], "--max-states"),
    (["check", "my-counter", "--max-memory", "9" * 30 + "T"], "no machine has as much"),
    (["check", "my-counter", "--timeout", "9" * 30], "longer than 10,000 days"),
    (["simulate", "my-counter", "--depth", "9" * 20], "at most 100,000"),
    (["simulate", "my-counter", "--walks", "9" * 20], "is more than"),
    (["simulate", "my-counter", "--seed", "9" * 20], "the seed is a number"),
    (["sweep", "my-counter", "--vary", "most=1.." + "9" * 3000], "--vary most=1..99"),
    (["graph", "my-counter", "--around", "²"], "²"),
    (["graph", "my-counter", "--around", "1", "--hops", "9" * 20], "--hops"),
    (["replay", "/dev/full"], "cannot read /dev/full"),
]


@pytest.mark.parametrize(("words", "message"), WRONG_WORDS, ids=[m for _, m in WRONG_WORDS])
def test_absurd_arguments(
    counter: Path, specmodel: Specmodel, words: list[str], message: str
) -> None:
    """Long names and large numbers are refused by a message of bounded length."""
    ran = specmodel(*words)
    assert ran.code == 2
    assert message in ran.err
    assert "internal error" not in ran.err
    assert len(ran.err) < 2000


def test_as_many_hops_as_one_likes(counter: Path, specmodel: Specmodel) -> None:
    """What is around a state is found once nothing is added, however many hops are asked for."""
    some = specmodel("graph", "my-counter", "--around", "1", "--hops", 9)
    assert some.code == 0
    assert specmodel("graph", "my-counter", "--around", "1", "--hops", 10**14).out == some.out


BAD_STREAMS = [">/dev/full", ">&-", "<&- >&- 2>&-", "<&- >&-", ">/dev/full 2>/dev/full"]


@pytest.mark.parametrize("words", ["--help", "--version", "check --help", "list", "check x.py -q"])
@pytest.mark.parametrize("streams", BAD_STREAMS)
def test_stdout_that_takes_nothing(counter: Path, words: str, streams: str) -> None:
    """A full or closed stdout is exit code 2 for whatever writes to it, with one line of why."""
    code, out, err = shell(
        f"specmodel {words} {streams}".replace("x.py", "counter.py:fine"), counter
    )
    assert (code, out) == (2, "")
    lines = err.splitlines()
    assert len(lines) == (0 if "2>" in streams else 1), err
    assert all(line.startswith("error: cannot write to standard output: ") for line in lines)


def test_a_reader_that_has_gone_is_no_error(counter: Path) -> None:
    """What nobody reads any more is not missed: no message, and not the code of a violation."""
    closed = "exec 3> >(exec <&-; sleep 1); sleep 0.2; specmodel --help >&3; echo $?"
    assert shell(closed, counter)[1:] == ("0\n", "")


@pytest.mark.parametrize("streams", ["2>&-", "2>/dev/full", "<&- 2>&-"])
def test_stderr_that_takes_nothing(counter: Path, streams: str) -> None:
    """Nobody can be told what is wrong; the exit code still says it."""
    assert shell(f"specmodel check nope {streams}", counter) == (2, "", "")
    assert shell(f"specmodel check counter.py:fine -q {streams}", counter)[0] == 0


def test_an_argument_longer_than_a_path(counter: Path) -> None:
    """It is not quoted whole."""
    code, out, err = shell(f"specmodel check {'a' * 5000}", counter)
    assert (code, out) == (2, "")
    assert err == f"error: an argument of 5,000 characters: {'a' * 20}...\n"


RAISED = ["SystemExit(3)", "GeneratorExit", "Stop('now')", "MemoryError", "Mute()"]
KINDS = """
class Stop(BaseException):
    pass

class Mute(Exception):
    def __str__(self):
        raise ValueError
"""


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("place", ["module", "init", "action"])
def test_whatever_a_spec_raises(
    counter: Path, specmodel: Specmodel, raised: str, place: str
) -> None:
    """An exception of any kind is the spec's, with its place; it does not end the command."""
    file = counter / "counter.py"
    text = file.read_text() + KINDS
    body = {"init": "    return State(0, None)", "action": "    s.at += 1"}
    if place == "module":
        text += f"raise {raised}\n"
    else:
        text = text.replace(body[place], f"    raise {raised}")
    file.write_text(text)
    ran = specmodel("check", "counter.py:fine", "--engine", "interpret")
    assert ran.code == 2
    assert "counter.py:" in ran.err and raised.partition("(")[0] in ran.err
    assert "internal error" not in ran.err and "Traceback" not in ran.err


# Writing


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """A failure leaves what was there, and nothing beside it; rights and links stay."""
    file, link = tmp_path / "x", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)

    def fail() -> None:
        with replacing(link) as part:
            part.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert file.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "x"]
    write_bytes(link, b"new")
    assert (link.is_symlink(), file.read_text()) == (True, "new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    held = os.umask(0o027)
    write_bytes(tmp_path / "fresh", b"")
    os.umask(held)
    assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o640


def test_a_failed_output_leaves_no_file(counter: Path) -> None:
    """Where there is no room for a report there is no empty one either, and the old one stays."""
    (counter / "old").write_text("old")

    # Not a preexec_fn: that runs between fork and exec, where a process that has threads can hang.
    little_room = (
        "import resource, runpy; resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10));"
        "runpy.run_module('specmodel', run_name='__main__', alter_sys=True)"
    )
    for name in ("new", "old"):
        ran = subprocess.run(
            [sys.executable, "-c", little_room, "check", "counter.py:fine", *INTERPRET, name],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert (ran.returncode, ran.stdout) == (2, "")
        assert ran.stderr == f"error: cannot write {name}: File too large\n"
        assert (counter / "old").read_text() == "old"
    assert sorted(p.name for p in counter.iterdir() if p.is_file()) == ["counter.py", "old"]


def test_a_device_is_written_to_itself(counter: Path, specmodel: Specmodel) -> None:
    """`--output /dev/stdout` is no file to put another in the place of."""
    ran = specmodel("check", "counter.py:fine", "--engine", "interpret", "--output", "/dev/null")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert Path("/dev/null").is_char_device()
    ran = specmodel("check", "counter.py:fine", "--engine", "interpret", "--output", "/dev/full")
    assert ran.code == 2
    assert "cannot write /dev/full: No space left on device" in ran.err
