"""Modules that wait for LLVM's thread are compiled by other processes, with the same result."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest

from specmodel.machine import compilers, objects

TEXTS = [f"define i64 @f{i}(i64 %x) {{\n %y = add i64 %x, {i}\n ret i64 %y\n}}\n" for i in range(9)]
WRONG = "define i64 @wrong(i64 %x) {\n ret i32 0\n}\n"


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The processes that were started, on a machine with three processors. None is left."""
    found: list[Any] = []
    popen: Any = subprocess.Popen

    def noted(*given: Any, **named: Any) -> Any:
        found.append(popen(*given, **named))
        return found[-1]

    monkeypatch.setattr(compilers.subprocess, "Popen", noted)
    monkeypatch.setattr(compilers, "processors", lambda: 3)
    monkeypatch.setattr(compilers, "MUCH", 1)
    yield found
    assert all(process.poll() is not None for process in found)


def slowly(target: objects.Target, text: str) -> bytes:
    """The object file, by a thread that leaves modules for the others."""

    time.sleep(0.1)
    return objects.compile_object(target, text)


def test_the_same_code(started: list[Any]) -> None:
    """In the order of the modules; one that is a function is called in this process."""
    target = objects.host()
    expected = [objects.compile_object(target, text) for text in TEXTS]
    given: list[Any] = [*TEXTS, lambda: b"made"]
    assert compilers.compile_all(target, given, slowly) == [*expected, b"made"]
    assert len(started) == 2


@pytest.mark.parametrize("place", [0, 5, 9])
def test_what_llvm_refuses(place: int) -> None:
    """The error is raised, whoever met it."""
    given = [*TEXTS[:place], WRONG, *TEXTS[place:]]
    with pytest.raises(RuntimeError, match="type"):
        compilers.compile_all(objects.host(), given, slowly)


def test_a_process_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its module waits again."""
    target = objects.host()
    monkeypatch.setattr(compilers, "_SERVE", "import sys; sys.stdin.buffer.read(10)")
    assert compilers.compile_all(target, TEXTS[:5], slowly) == [
        objects.compile_object(target, text) for text in TEXTS[:5]
    ]


def test_without_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that starts none, and little code, leave all to the thread."""

    def refused(*given: Any, **named: Any) -> Any:
        raise OSError("no more processes")

    monkeypatch.setattr(compilers.subprocess, "Popen", refused)
    assert len(compilers.compile_all(objects.host(), TEXTS[:3], slowly)) == 3
    monkeypatch.setattr(compilers, "MUCH", 10**9)
    monkeypatch.setattr(compilers.subprocess, "Popen", lambda: pytest.fail("a process"))
    assert len(compilers.compile_all(objects.host(), TEXTS[:3], slowly)) == 3
