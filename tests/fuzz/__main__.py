"""`python -m tests.fuzz`: writes random specs and compares every way of checking them.

    python -m tests.fuzz --seconds 300                 fresh seeds, as CI does
    python -m tests.fuzz --specs 1000 --seed 7 --out folder
    python -m tests.fuzz --show 12                     the spec with a seed
    python -m tests.fuzz --file spec.py                how one file fares

Ends with 1 if anything differed or ended in an internal error.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import warnings
from pathlib import Path

from tests.fuzz.reduce import reduced
from tests.fuzz.run import Plan, batch, engines_for, run
from tests.fuzz.specs import spec_text
from tests.fuzz.trial import attempt


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seconds", type=float, help="stop after this long")
    parser.add_argument("--specs", type=int, help="stop after so many specs")
    parser.add_argument("--seed", type=int, help="that of the first spec; fresh by default")
    parser.add_argument("--out", type=Path, help="a folder for what is found, and for the tables")
    parser.add_argument(
        "--full", type=float, default=0.08, help="the share searched by all engines"
    )
    parser.add_argument(
        "--reduce", type=float, default=60, help="seconds to make each finding small"
    )
    parser.add_argument("--each", type=int, default=3, help="findings of one sort to keep")
    parser.add_argument("--show", type=int, help="print the spec with a seed")
    parser.add_argument("--file", type=Path, help="compare one file instead")
    parser.add_argument("--batch", type=int, nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--small", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    sys.setrecursionlimit(5000)
    warnings.simplefilter("ignore", SyntaxWarning)  # of what reduction tries
    if given.show is not None:
        print(spec_text(given.show), end="")
        return 0
    if given.file is not None:
        found = attempt(given.file.read_text(encoding="utf-8"), full=True, smt=True, spark=True)
        print(found.kind, found.what, found.detail, sep="\n")
        return int(found.bad)
    if given.batch is not None:
        batch(*given.batch, share=given.full)
        return 0
    if given.small is not None:
        text, seed = spec_text(given.small), given.small
        ways = engines_for(seed, given.full)
        sort = attempt(text, seed, **ways).group
        ways = {} if attempt(text, seed).group == sort else ways
        keeps = lambda smaller: attempt(smaller, seed, **ways).group == sort  # noqa: E731
        if sort[0] in ("difference", "internal"):
            text = reduced(text, keeps, given.reduce)
        found = attempt(text, seed, **ways)
        detail = " ".join(found.detail.split())[:400]
        print(f"# {found.kind}: {found.what}: {detail}  (from seed {seed})\n{text}", end="")
        return 0
    first = secrets.randbelow(10**9) if given.seed is None else given.seed
    seconds = given.seconds or (None if given.specs else 60.0)
    plan = Plan(first, given.specs, seconds, given.full, given.out, given.reduce, given.each)
    return run(plan)


if __name__ == "__main__":
    sys.exit(main())
