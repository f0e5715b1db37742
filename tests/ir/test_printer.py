"""The IR as text, and its digest: what the front end understood, the same in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from specmodel.constants import Value
from specmodel.ir.digest import digest
from specmodel.ir.printer import render
from specmodel.lang.loading import load_module
from tests.conftest import Golden
from tests.written import spec_of

ROOT = Path(__file__).parents[2]
TOUR = ROOT / "tests" / "specs" / "tour.py"
KAFKA = ROOT / "models" / "kafka" / "replication" / "designs.py"


def digest_of(file: Path, spec: str, **constants: Value) -> str:
    return digest(load_module(file, constants).spec(spec).code)


@pytest.mark.parametrize(("file", "spec"), [(TOUR, "tour"), (KAFKA, "kip320")], ids=str)
def test_text(golden: Golden, file: Path, spec: str) -> None:
    """A change of the lowering shows as a change of this text, to be looked at."""
    golden(f"ir-{spec}.txt", render(load_module(file).spec(spec).code))


def test_digest_is_stable_across_processes() -> None:
    """Kernels in the cache are found again, whatever the hash seed and the order of loading."""
    program = (
        "import sys; from pathlib import Path\n"
        "from specmodel.lang.loading import load_module\n"
        "from specmodel.lang.lowering import lower\n"
        "from specmodel.ir.digest import digest\n"
        "load_module(Path(sys.argv[1])); load_module(Path(sys.argv[1]))\n"
        "print(digest(lower(load_module(Path(sys.argv[1])).spec('tour'))))"
    )
    found = {digest_of(TOUR, "tour")}
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        ran = subprocess.run(
            [sys.executable, "-c", program, str(TOUR)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(ran.stdout.strip())
    assert len(found) == 1


def test_digest_tells_models_apart() -> None:
    """Constants, domains and functions all count: a stale kernel would give wrong verdicts."""
    found = [
        digest_of(KAFKA, "kip320"),
        digest_of(KAFKA, "kip320", replicas=2),
        digest_of(KAFKA, "kip320", max_records=3),
        digest_of(KAFKA, "kip279"),
        digest_of(KAFKA, "kip320", unclean=True),
    ]
    assert len(set(found)) == len(found)
    assert digest_of(KAFKA, "kip320") == found[0]


PLAIN = """
class Colour(Enum):
    red = 1
    green = 2

class Node(ScalarSet, size=2, prefix="n"):
    pass

class State(Struct):
    n: Annotated[int, Range(0, 3)]
    colour: Colour
    log: Annotated[list[Node], Capacity(2)]

@init
def start() -> State:
    return State(0, Colour.red, [])

@action
def act(s: State, n: Node) -> None:
    require(s.n < 2 and s.colour in FEW)
    s.n += 1

FEW = frozenset({Colour.red, Colour.green})

@invariant
def fine(s: State) -> bool:
    return s.n < 3

spec = Spec(state=State, init=start, actions=[act], invariants=[fine])
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("s.n < 2", "s.n < 3"),
        ("s.n < 2", "s.n <= 2"),
        ("s.n += 1", "s.n -= 1"),
        ("Range(0, 3)", "Range(0, 4)"),
        ("Range(0, 3)", "Range(-1, 3)"),
        ("Capacity(2)", "Capacity(3)"),
        ("list[Node]", "list[Node | None]"),
        ("size=2", "size=3"),
        ("    green = 2", "    green = 2\n    blue = 3"),
        ("FEW = frozenset({Colour.red, Colour.green})", "FEW = frozenset({Colour.red})"),
        ("    n: Annotated", "    m: bool = False\n    n: Annotated"),
        ("return s.n < 3", "return s.n < 2"),
        ("def act(s: State, n: Node)", "def act(s: State, n: Colour)"),
        ("def fine", "def good"),
    ],
)
def test_every_part_counts(tmp_path: Path, old: str, new: str) -> None:
    """One change anywhere in the meaning changes the digest."""
    assert old in PLAIN
    text = PLAIN.replace(old, new).replace("[fine]", "[good]" if new == "def good" else "[fine]")
    assert digest(spec_of(tmp_path, text).code) != digest(spec_of(tmp_path, PLAIN).code)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    require", '    """Prose."""\n\n    # A remark.\n    require'),
        ("s.n < 2 and s.colour", "s.n  <  2 and (s.colour)"),
        ("{Colour.red, Colour.green}", "{Colour.green, Colour.red}"),
    ],
)
def test_layout_and_remarks_do_not_count(tmp_path: Path, old: str, new: str) -> None:
    """A comment does not cost a compilation."""
    text = PLAIN.replace(old, new)
    assert text != PLAIN
    assert digest(spec_of(tmp_path, text).code) == digest(spec_of(tmp_path, PLAIN).code)
