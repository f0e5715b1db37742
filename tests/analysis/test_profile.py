"""Profiles of state spaces, against what counting the states one by one says."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from specmodel.analysis.profile import Profile, profile
from specmodel.cli.app import application
from specmodel.design import Design
from specmodel.engines.native.loop.profile_steps import REGISTERS
from specmodel.engines.native.profile_counts import estimated
from specmodel.results import Options
from tests.kernel.reference import reachable_states
from tests.written import design_of, written

SPEC = """
class Node(ScalarSet, size=2, symmetric=True):
    pass


class Part(Struct):
    up: bool
    seen: Annotated[int, Range(0, 9)]


class State(Struct):
    clock: Annotated[int, Range(0, 6)]
    parts: dict[Node, Part]
    turn: Annotated[int, Range(0, 3)]
    double: Annotated[int, Range(0, 12)]
    log: Annotated[list[Node], Capacity(4)]
    constant: bool
    unread: bool
    past: Set[Node]


@init
def start() -> State:
    return State(
        clock=0, turn=0, parts={n: Part(False, 0) for n in Node}, double=0, log=[], constant=True,
        unread=False, past=set(),
    )


@action
def tick(s: State) -> None:
    require(s.clock < 3)
    s.clock += 1
    s.double += 2
    s.unread = not s.unread


@action
def turned(s: State) -> None:
    require(s.turn < 3)
    s.turn = max(s.turn + 1, s.clock)


@action
def rise(s: State, n: Node) -> None:
    require(not s.parts[n].up and len(s.log) < 2)
    s.parts[n].up = True
    s.parts[n].seen = s.clock
    s.log.append(n)
    s.past |= {n}


@invariant
def fine(s: State) -> bool:
    return s.double < 9 and (len(s.past) < 2 or s.double < 7)


spec = Spec(state=State, init=start, actions=[tick, turned, rise], invariants=[fine])
"""


def profiled(design: Design, **options: int) -> Profile:
    return profile(design, Options(**options))  # type: ignore[arg-type]


@pytest.fixture(name="design")
def _design(tmp_path: Path) -> Design:
    return design_of(tmp_path, SPEC)


def test_counts(design: Design) -> None:
    """Values of each variable, states without it, states without each action, sizes of levels."""
    states = reachable_states(design.spec, 10_000)
    names = list(design.spec.domain.fields)
    for workers in (1, 3):
        found = profiled(design, workers=workers)
        assert found.result.distinct == len(states) == sum(found.result.levels)
        top = {v.name: v for v in found.variables if not v.nested}
        assert list(top) == names
        for name in names:
            rest = [n for n in names if n != name]
            values = {repr(getattr(s, name)) for s in states}
            without = {repr([getattr(s, n) for n in rest]) for s in states}
            variable = top[name]
            assert variable.values.exact and variable.values.value == len(values)
            assert variable.without.exact and variable.without.value == len(without)
            assert variable.factor == pytest.approx(len(states) / len(without))
        for effect in found.actions:
            rest = design.spec.without("", effect.name)
            assert effect.without == len(reachable_states(rest, 10_000))
    seen = next(v for v in found.variables if v.name == "parts[].seen")
    assert seen.values.value == len({repr([p.seen for p in s.parts.values()]) for s in states})


def test_advice(design: Design) -> None:
    """Each kind of advice where it is due, and nowhere else."""
    told = {(a.about, a.text.split(":")[0]) for a in profiled(design).advice}
    assert told == {
        ("Node", "exchanging its 2 members changes nothing"),
        ("clock", "is within 0..3, never beyond, though its domain is 0..6"),
        ("clock", "is determined by all else"),
        ("parts[].up", "is determined by all else"),
        ("parts[].seen", "is written and never read"),
        ("parts[].seen", "is within 0..3, never beyond, though its domain is 0..9"),
        ("turn", "only ever grows; it multiplies the space by 4.0"),
        ("double", "is a history"),
        ("double", "is within 0..6, never beyond, though its domain is 0..12"),
        ("log", "never has more than 2 elements, of 4 that fit"),
        ("constant", "never changes"),
        ("unread", "is written and never read"),
        ("past", "is a history"),
    }


@pytest.mark.parametrize("count", [1, 100, 5_000, 300_000])
def test_estimates(count: int) -> None:
    """Registers of so many random hashes give their number, within four standard errors."""
    draw, registers = random.Random(count), [0] * REGISTERS
    for _ in range(count):
        place, h = draw.randrange(REGISTERS), draw.getrandbits(52) | 1 << 52
        registers[place] = max(registers[place], (h & -h).bit_length())
    assert estimated(registers) == pytest.approx(count, rel=4 * 1.04 / REGISTERS**0.5)


WIDE = """
class State(Struct):
    x: Annotated[int, Range(0, 69)]
    y: Annotated[int, Range(0, 69)]
    z: bool


@init
def start() -> State:
    return State(x=0, y=0, z=False)


@action
def right(s: State) -> None:
    require(s.x < 69)
    s.x += 1


@action
def up(s: State) -> None:
    require(s.y < 69)
    s.y += 1


@action
def turn(s: State) -> None:
    s.z = not s.z


spec = Spec(state=State, init=start, actions=[right, up, turn])
"""


def test_large_counts_are_estimated(tmp_path: Path) -> None:
    """More values than are kept are near what they are, and marked."""
    found = profiled(design_of(tmp_path, WIDE))
    assert found.result.distinct == 70 * 70 * 2
    z = next(v for v in found.variables if v.name == "z")
    assert z.values.exact and not z.without.exact
    assert z.without.value == pytest.approx(70 * 70, rel=0.07)


def test_threads_change_nothing(tmp_path: Path) -> None:
    """What is estimated depends on how much there is, not on how much of it one thread saw."""
    design = design_of(tmp_path, WIDE)
    one, three = (profile(design, Options(workers=workers)) for workers in (1, 3))
    assert one.variables == three.variables


def test_command(tmp_path: Path) -> None:
    """The report, the JSON as described, and the exit codes."""
    file = str(written(tmp_path, SPEC))
    told = CliRunner().invoke(application(), ["profile", file])
    assert told.exit_code == 0 and "\x1b" not in told.output
    assert re.search(r"^  clock +3 +4 +", told.output, flags=re.M)
    told = CliRunner().invoke(application(), ["profile", file, "--format", "json"])
    page = Path(__file__).parents[2] / "docs" / "reference" / "json-profile.md"
    rows = re.findall(r"^\| (`.*?) \|", page.read_text(encoding="utf-8"), flags=re.M)
    described = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    found = json.loads(told.output)
    parts = (found, found["variables"][0])
    assert described == {key for part in parts for key in part}
    assert CliRunner().invoke(application(), ["profile", file, "--max-states", "2"]).exit_code == 3
    assert CliRunner().invoke(application(), ["profile", "nowhere.py"]).exit_code == 2
