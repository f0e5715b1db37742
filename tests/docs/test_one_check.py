"""docs/internals/one-check.md follows a check through the code as it is."""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any

import pytest

from specmodel.machine.language import is_machine, is_module
from tests.docs.hops import PACKAGE, Call, hops
from tests.outside import PATIENCE, ROOT

MOST_FILES = 35
"""Files on the way: a page with more is no introduction."""


@functools.cache
def function(call: Call) -> FunctionType | None:
    """The function that a hop names; None if its file has none of that name."""
    name = call.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    found: Any = importlib.import_module(f"specmodel.{name}")
    for part in call.function.split("."):
        found = vars(found).get(part)
        if found is None:
            return None
        found = inspect.unwrap(found)  # of what a decorator made of it
    file = found.__code__.co_filename if isinstance(found, FunctionType) else ""
    return found if file == str(PACKAGE / call.file) else None


def names(code: CodeType) -> set[str]:
    """The names that code and the functions within it look up."""
    inner = (names(held) for held in code.co_consts if isinstance(held, CodeType))
    return set(code.co_names).union(*inner)


def named(caller: FunctionType) -> Iterator[FunctionType]:
    """Functions that a function names: machine functions, and functions of its own module."""
    used = names(caller.__code__)
    known = {name: caller.__globals__.get(name) for name in used}
    for value in known.values():
        modules = [vars(value).get(name) for name in used] if is_module(value) else []
        for one in (value, *modules):
            own = getattr(one, "__module__", "") == caller.__module__
            if isinstance(one, FunctionType) and (own or is_machine(one)):
                yield one


def leads_to(caller: FunctionType, wanted: FunctionType) -> bool:
    """Whether a function names another, or names one that does so in turn."""
    seen, waiting = set[FunctionType](), [caller]
    while waiting:
        for one in named(waiting.pop()):
            if one is wanted:
                return True
            if one not in seen:
                seen.add(one)
                waiting.append(one)
    return False


def out_of_order(calls: Iterable[Call], made: Sequence[str]) -> str:
    """Which of some calls is not made after the one before it; nothing if all are."""
    at, before = 0, "the start"
    for call in calls:
        if call.place not in made[at:]:
            when = f" after {before}" if call.place in made else ""
            return f"{call} is not called{when}"
        at, before = made.index(call.place, at) + 1, str(call)
    return ""


@pytest.fixture(scope="module")
def calls_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[str]]:
    """The places of the calls that a check of a design makes, where no code was kept before."""
    folder = tmp_path_factory.mktemp("hops")

    def run(design: str) -> list[str]:
        out = folder / f"{design}.json"
        command = ["check", design, "--set", "replicas=2"]
        ran = subprocess.run(
            [sys.executable, "-m", "tests.docs.hops", str(out), *command],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "SPECMODEL_CACHE": str(folder / "cache")},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert out.exists(), ran.stderr
        return json.loads(out.read_text(encoding="utf-8"))

    return run


def test_functions_are_there() -> None:
    """A reader who opens the file of a hop finds the function."""
    wrong = [f"{call}: there is no such function" for call in hops() if function(call) is None]
    assert not wrong, "\n".join(wrong)


def test_few_files_each_once() -> None:
    """The way is short enough to be read, and comes to no file twice."""
    files = [file for _, file in dict.fromkeys((call.hop, call.file) for call in hops())]
    twice = [file for file in files if files.count(file) > 1]
    assert not twice
    assert len(files) <= MOST_FILES


def test_machine_functions_are_named_before() -> None:
    """The Python function before machine functions on the page leads to them."""
    before: FunctionType | None = None
    for call in hops():
        wanted = function(call)
        if wanted is None or not is_machine(wanted):
            before = wanted or before
            continue
        assert before is not None, f"{call} is machine code, which nothing calls"
        name = before.__qualname__
        assert leads_to(before, wanted), f"{call} is machine code, and {name} does not name it"


def test_a_check_with_a_counterexample_makes_all_hops(
    calls_of: Callable[[str], list[str]],
) -> None:
    """The functions of the page are called in its order, in whatever thread."""
    calls = [call for call in hops() if not is_machine(function(call))]
    assert not (wrong := out_of_order(calls, calls_of("kip101"))), wrong


def test_a_check_that_holds_shows_no_trace(calls_of: Callable[[str], list[str]]) -> None:
    """Hops that are only for a counterexample are not made without one; all others are."""
    made = calls_of("kip320")
    calls = [call for call in hops() if not is_machine(function(call))]
    always = [call for call in calls if not call.counterexample]
    assert not (wrong := out_of_order(always, made)), wrong
    extra = [str(call) for call in calls if call.counterexample and call.place in made]
    assert not extra, f"called though nothing is violated: {', '.join(extra)}"
