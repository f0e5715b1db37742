"""Writes random TLA+ modules, and compares the compiled ones with the evaluator.

    python -m tests.tla.random_modules --seconds 60
    python -m tests.tla.random_modules --modules 1000 --seed 7
    python -m tests.tla.random_modules --show 12           the module of a seed
    python -m tests.tla.random_modules --small 12          a smaller one that shows the same

Most modules are compared state by state; a share of them in whole searches by the native engine,
which compares every state with the evaluator. Ends with 1 if anything differed or ended in an
internal error.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import re
import resource
import secrets
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from tests.tla.both_ways import Outcome, outcome
from tests.tla.random_actions import RandomModule, random_module
from tests.tla.reducing import reduced

SECONDS, BYTES = 30, 6 << 30
"""What one module may take: one that takes more is counted as too large."""

TOO_LARGE = "too large"


FORKS = multiprocessing.get_context("forkserver")
"""Processes that are forked from one without threads. In a fork of this process, a library may wait
for ever for a thread that it had here.
"""

FORKS.set_forkserver_preload(["tests.tla.both_ways", "tests.tla.random_actions"])


def in_process(module: RandomModule, whole: bool, seconds: int = SECONDS) -> Outcome:
    """How a module fares, in a process of its own with limits."""
    reading, writing = FORKS.Pipe(duplex=False)
    child = FORKS.Process(target=_fare, args=(writing, module, whole, seconds), daemon=True)
    child.start()
    writing.close()
    try:
        found = reading.recv()
    except EOFError:
        found = Outcome(TOO_LARGE)
    child.join()
    if child.exitcode not in (0, -signal.SIGALRM, -signal.SIGKILL):
        return Outcome("internal", f"the process ended with {child.exitcode}")
    return found


def _fare(writing: Connection, module: RandomModule, whole: bool, seconds: int) -> None:
    signal.alarm(seconds)
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    with contextlib.suppress(MemoryError):
        found = outcome(module, whole)
        writing.send(Outcome(found.kind, found.what[:4000]))


def sort_of(found: Outcome) -> tuple[str, str]:
    """Equal for outcomes with the same cause, as far as their texts tell."""
    sides = re.search(r"CPython: (.*)\n *native: (.*)\n", found.what)
    told = " / ".join(sides.groups()) if sides else found.what.split(" in ")[0]
    return found.kind, re.sub(r"\d+", "#", told)[:100]


def whole_search(seed: int, share: float) -> bool:
    """Whether the module of a seed is compared by whole searches."""
    return seed % 100 < share * 100


@contextlib.contextmanager
def elsewhere() -> Iterator[None]:
    """A folder as the current one: searches that disagree leave files there."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def small(seed: int, share: float, seconds: float) -> RandomModule:
    """A small module with the outcome of the one with a seed."""
    module, whole = random_module(seed), whole_search(seed, share)
    sort = sort_of(in_process(module, whole))
    return reduced(module, lambda it: sort_of(in_process(it, whole, 5)) == sort, seconds)


def main() -> int:
    """Compares modules, and prints counts."""
    parser = argparse.ArgumentParser(prog="python -m tests.tla.random_modules")
    parser.add_argument("--modules", type=int, help="stop after so many modules")
    parser.add_argument("--seconds", type=float, help="stop after this long")
    parser.add_argument("--seed", type=int, help="that of the first module; fresh by default")
    parser.add_argument("--whole", type=float, default=0.2, help="the share of whole searches")
    parser.add_argument("--show", type=int, help="print the module with a seed")
    parser.add_argument("--small", type=int, help="print a small one with its outcome")
    given = parser.parse_args()
    if given.show is not None or given.small is not None:
        with elsewhere():
            module = (
                random_module(given.show)
                if given.show is not None
                else small(given.small, given.whole, given.seconds or 60)
            )
        print(f"{module.text}\n{module.configuration}", end="")
        return 0
    first = secrets.randbelow(10**9) if given.seed is None else given.seed
    seconds = given.seconds or (None if given.modules else 60.0)
    started, kinds = time.monotonic(), Counter[str]()
    sorts, seed = Counter[tuple[str, str]](), first
    print(f"seed {first}", flush=True)
    with elsewhere():
        while given.modules is None or seed < first + given.modules:
            if seconds is not None and time.monotonic() - started > seconds:
                break
            found = in_process(random_module(seed), whole_search(seed, given.whole))
            kinds[found.kind] += 1
            sorts[sort_of(found)] += found.kind in ("refused", "invalid")
            if found.bad:
                print(f"seed {seed}: {found.kind}: {found.what[:600]}", flush=True)
            seed += 1
    counted = ", ".join(f"{n} {kind}" for kind, n in kinds.most_common())
    print(f"{seed - first} modules in {time.monotonic() - started:.0f} s: {counted}")
    for (kind, what), count in sorts.most_common():
        if count:
            print(f"{count:>6}  {kind}: {what}")
    return int(kinds["difference"] + kinds["internal"] > 0)


if __name__ == "__main__":
    sys.exit(main())
