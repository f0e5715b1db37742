"""Ctrl-C at moments that no clock would hit: while modules are imported, at the very end.

The signal is sent by the process itself, once it asks for a module.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from functools import partial
from pathlib import Path

import pytest

from specmodel.pool import completed

ROOT = Path(__file__).parents[2]

ENDLESS = """
from typing import Annotated
from specmodel.lang import Range, Spec, Struct, action, constant, init

most = constant("most", 12, low=12, high=18, doc="digits of the last number")

class State(Struct):
    at: Annotated[int, Range(0, 10**most)]

@init
def zero() -> State:
    return State(0)

@action
def step(s: State) -> None:
    s.at += 1

endless = Spec(state=State, init=zero, actions=[step])
"""

SENDER = """
import signal, sys

class Sender:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            for _ in range({times}):
                signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Sender())
sys.argv = ["specmodel", *{words!r}]
from specmodel.cli import main
sys.exit(main())
"""

CHECK = ("check", "endless.py", "--engine", "interpret")


def ran(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    (folder / "endless.py").write_text(ENDLESS)
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def interrupted(
    folder: Path, words: tuple[str, ...], module: str, times: int = 1
) -> subprocess.CompletedProcess[str]:
    """What comes of a command that hears Ctrl-C while it imports a module."""
    return ran(folder, SENDER.format(module=module, words=list(words), times=times))


def importing(folder: Path, library: str) -> subprocess.CompletedProcess[str]:
    """What comes of a check of a spec that imports a library with this text."""
    (folder / "library.py").write_text(f"import signal\n{textwrap.dedent(library)}")
    (folder / "spec.py").write_text(
        f"import sys\nsys.path.insert(0, '.')\nimport library\n{ENDLESS}"
    )
    words = ["specmodel", "check", "spec.py", "--engine", "interpret"]
    code = f"import sys\nsys.argv = {words}\nfrom specmodel.cli import main\nmain()"
    return ran(folder, code)


@pytest.mark.parametrize(
    ("words", "module"),
    [
        (CHECK, "typer"),
        (("--help",), "specmodel.cli.why"),
        (("sweep", "endless.py", "--vary", "most=12..13", "--jobs", "1"), "specmodel.cli.progress"),
        (("simulate", "endless.py", "--time", "99s"), "llvmlite.binding"),
        (("check", "endless.py"), "specmodel.engines.native"),
        (CHECK, "yaml"),
    ],
    ids=lambda found: found if isinstance(found, str) else found[0],
)
def test_while_a_module_is_imported(tmp_path: Path, words: tuple[str, ...], module: str) -> None:
    """One line or the report of what there is, and exit code 3."""
    done = interrupted(tmp_path, words, module)
    assert done.returncode == 3, done.stderr
    assert done.stderr in ("", "error: interrupted\n")


def test_a_library_cannot_swallow_it(tmp_path: Path) -> None:
    """An import that catches whatever is raised in it is not where KeyboardInterrupt is raised."""
    done = importing(
        tmp_path,
        """
        try:
            signal.raise_signal(signal.SIGINT)
        except BaseException:
            raise ImportError("the library is broken") from None
        """,
    )
    assert done.returncode == 3
    assert done.stderr in ("", "error: interrupted\n")  # the search may have begun or not
    assert "interrupted" in done.stdout + done.stderr


def test_a_second_one_is_heard_at_once(tmp_path: Path) -> None:
    """An import that never ends can be interrupted all the same."""
    done = importing(
        tmp_path,
        """
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        while True:
            pass
        """,
    )
    assert (done.returncode, done.stderr) == (3, "error: interrupted\n")


def test_what_a_finalizer_swallows_comes_again(tmp_path: Path) -> None:
    """Python prints and forgets what is raised there: nothing is printed, nor forgotten."""
    gone = "class Gone:\n    def __del__(self):\n        signal.raise_signal(signal.SIGINT)\n"
    text = ENDLESS.replace("    return State(0)", "    Gone()\n    return State(0)")
    (tmp_path / "gone.py").write_text(f"import signal\n{gone}{text}")
    words = ["specmodel", "check", "gone.py", "--engine", "interpret"]
    done = ran(tmp_path, f"import sys\nsys.argv = {words}\nfrom specmodel.cli import main\nmain()")
    assert done.returncode == 3
    assert done.stderr in ("", "error: interrupted\n")


def test_when_all_has_been_told(tmp_path: Path) -> None:
    """The exit code is that of the result, and no traceback comes after it."""
    code = (
        "import atexit, signal, sys\n"
        "atexit.register(lambda: signal.raise_signal(signal.SIGINT))\n"
        "sys.argv = ['specmodel', 'check', 'two-phase-commit']\n"
        "from specmodel.cli import main\n"
        "sys.exit(main())\n"
    )
    done = ran(tmp_path, code)
    assert (done.returncode, done.stderr) == (0, "")
    assert "two-phase-commit holds" in done.stdout


def test_ignored_in_the_background(tmp_path: Path) -> None:
    """What a shell starts with Ctrl-C ignored keeps it so."""
    words = ("check", "two-phase-commit")
    ignored = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    code = SENDER.format(module="specmodel.cli.check", words=list(words), times=1)
    done = ran(tmp_path, ignored + code)
    assert (done.returncode, done.stderr) == (0, "")


def test_left_to_one_process() -> None:
    """Those that work side by side do not even hear it while they import what they need."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    blocked = dict(completed(partial(signal.pthread_sigmask, signal.SIG_BLOCK), [(), ()], 2))
    assert [signal.SIGINT in blocked[number] for number in (0, 1)] == [True, True]
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before
