"""The command that serves: where it listens, what it says, how it ends."""

from __future__ import annotations

import html
import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from random import Random
from urllib.parse import unquote, urlsplit
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from specmodel.cli.explore import NEEDED
from specmodel.explorer.serving import listening
from tests.explorer.conftest import Answered, Client
from tests.outside import PATIENCE, interrupted, started, wait_for


@contextmanager
def running(
    *arguments: object, mark: Path | None = None, **environment: str
) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The command at work, with the address that it says, and all that it said."""
    process = started("explore", *arguments, mark=mark, environment=environment)
    assert process.stderr is not None
    said = ""
    try:
        while not (found := re.search(r"http://\S+", said)):
            line = process.stderr.readline()
            assert line, f"it ended: {said}"
            said += line
        yield process, found[0], said
    finally:
        process.kill()
        process.communicate()


def test_it_serves_until_interrupted() -> None:
    """The address works; Ctrl-C ends it at once, without a word of Python."""
    with running("two-phase-commit", "--no-open", "--port", "0") as (process, address, _):
        assert address.startswith("http://127.0.0.1:")
        browser = build_opener(HTTPCookieProcessor())
        page = browser.open(address)
        assert (page.status, "token" in page.url) == (200, False)
        assert b"<spec-explorer>" in page.read()
        assert json.load(browser.open(f"{page.url}api/about"))["design"] == "two-phase-commit"
        ran = interrupted(process, lambda: True)
    assert ran.code == 0
    assert "Traceback" not in ran.err


def test_it_ends_in_the_middle_of_a_search(tmp_path: Path) -> None:
    """Ctrl-C ends a search that would take minutes, and then the server, in order."""
    large = ("--set", "log_size=4", "--set", "max_leader_epoch=5")
    mark = tmp_path / "at work"
    with running("kip320", *large, "--no-open", "--port", "0", mark=mark) as (process, address, _):
        client = Client.of(address)
        search = {"branch": "i0", "seconds": 60}
        answers: list[Answered] = []
        asking = threading.Thread(target=lambda: answers.append(client.post("/api/check", search)))
        asking.start()
        ran = interrupted(process, mark.exists)
        asking.join()
    assert (ran.code, answers[0].json()["stopped"]) == (0, "interrupted")
    assert "Traceback" not in ran.err
    assert "ERROR" not in ran.err


def test_a_taken_port() -> None:
    """It takes the next free port and says so; it is never heard beyond this machine."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = listening(port)
        with found:
            assert found.getsockname()[0] == "127.0.0.1"
            assert port < found.getsockname()[1] <= port + 20
        with running("two-phase-commit", "--no-open", "--port", port) as (_, address, said):
            assert Client.of(address).get("/").status == 200
            assert f"port {port} is taken: using " in said


def test_it_opens_a_browser(tmp_path: Path, first_try: Path) -> None:
    """Unless told not to; with the expressions that are to be watched.

    Everybody can see what a browser is started with: that is a file for this user's eyes alone.
    """
    file = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {file}\n')
    browser.chmod(0o755)
    watch = ("--watch", "len(log[r1])", "--port", "0")
    with running(first_try, *watch, BROWSER=f"{browser} %s") as (process, address, _):
        wait_for(lambda: file.exists() and file.read_text() != "", process)
        page = Path(unquote(urlsplit(file.read_text().strip()).path))
        assert page.stat().st_mode & 0o077 == 0
        assert address in html.unescape(page.read_text())
        assert "watch=len%28log%5Br1%5D%29" in address
        interrupted(process, lambda: True)
        assert not page.exists()


def test_slow_answers(tmp_path: Path) -> None:
    """While an answer takes for ever others are given; and Ctrl-C ends all of it."""
    (tmp_path / "slow.py").write_text(SLOW)
    ready = ("--no-open", "--port", "0")
    with running(tmp_path / "slow.py", *ready) as (process, address, _):
        client = Client.of(address)
        first = {"branch": "i0", "from": 1}
        answers: list[Answered] = []

        def ask() -> None:
            with suppress(OSError, HTTPException):
                answers.append(client.get("/api/spine", first))

        asking = [threading.Thread(target=ask, daemon=True) for _ in range(3)]
        for thread in asking:
            thread.start()
        for _ in range(3):
            assert client.get("/api/about").status == 200
            assert client.get("/api/frames", first).json()[0]["number"] == 1
            assert client.get("/api/watch", {**first, "text": "at + 1"}).json() == ["1"]
        assert answers == []
        ran = interrupted(process, lambda: True)
    assert ran.code == 0
    assert "Traceback" not in ran.err
    assert "ERROR" not in ran.err


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads the memory in /proc")
def test_memory_is_flat() -> None:
    """1,000 clicks on steps, each to a state not seen before, leave less than 4 MB behind.

    The states that the server computes for them have 7 MB.
    """
    rng = Random(0)
    with running("multipaxos", "--no-open", "--port", "0") as (process, address, _):
        client = Client.of(address)
        branch = ["i0"]

        def click() -> None:
            shown = ".".join(branch)
            state = {"branch": shown, "from": len(branch), "count": 1}
            assert client.get("/api/frames", state).status == 200
            moves = client.get("/api/moves", {"branch": shown, "state": len(branch)}).json()
            bindings = [one for group in moves["groups"] for one in group["bindings"]]
            possible = [one["binding"] for one in bindings if "changes" in one]
            if len(branch) < 30 and possible:
                branch.append(str(rng.choice(possible)))
            else:
                branch[:] = ["i0"]

        def memory() -> int:
            return int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * 4096

        for _ in range(700):
            click()
        before = memory()
        for _ in range(1_000):
            click()
        assert memory() - before < 4_000_000


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_missing_packages(missing: str) -> None:
    """Without the extra packages it says which to install; a file can be written without them."""
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from specmodel.cli import main\n"
        "sys.argv = ['specmodel', 'explore', 'two-phase-commit', '--no-open']\nmain()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE
    )
    assert ran.returncode == 2
    assert NEEDED in ran.stderr
    assert "Traceback" not in ran.stderr


SLOW = """
from typing import Annotated

from specmodel.lang import Range, Spec, Struct, action, init, invariant

class State(Struct):
    at: Annotated[int, Range(0, 1)]

@init
def zero() -> State:
    return State(0)

@action
def step(s: State) -> None:
    s.at = 1 - s.at

@invariant
def endless(s: State) -> bool:
    return all(a + b + s.at >= 0 for a in range(10000000) for b in range(10000000))

slow = Spec(state=State, init=zero, actions=[step], invariants=[endless])
"""
"""A property that is looked at for days."""
