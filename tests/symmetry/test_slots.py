"""Sets, bags and maps with a capacity whose members or keys are actors: one state of each orbit."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from specmodel import load
from specmodel.behaviour.orbits import interchangeable, least_index
from specmodel.behaviour.steps import Interpreter
from specmodel.constants import Value
from specmodel.design import Design
from specmodel.engines import interpret, native
from specmodel.lang.loading import load_module
from specmodel.results import Options
from tests.engines.outcomes import agreed_by_smt, outcome
from tests.written import design_of

MODELS = Path(__file__).parents[2] / "models" / "consensus"
KRAFT = "../kafka/kraft/designs.py"

RING = """
from specmodel.lang import pick

Number = Annotated[int, Range(0, 2**20)]

class Node(ScalarSet, size=3, prefix="n", symmetric=True):
    "A node."

class Ask(Struct):
    number: Number
    by: Node
    to: Node | None

class Answer(Struct):
    to: Node
    heard: Set[Node]

class State(Struct):
    sent: Annotated[Set[Ask | Answer], Capacity(3)]
    got: dict[Node, Annotated[Bag[Node | None], Capacity(3)]]
    votes: Annotated[dict[Node, Annotated[Set[Node], Capacity(2)]], Capacity(2)]
    owner: Annotated[dict[Ask, Node], Capacity(2)] | None

@init
def started() -> State:
    return State(sent=set(), got={n: Bag() for n in Node}, votes={}, owner=None)

@action
def ask(s: State, n: Node, to: Node | None) -> None:
    require(len(s.sent) < 2 and to != n and all(isinstance(m, Answer) for m in s.sent))
    s.sent |= {Ask(1048576 if to is None else 3, n, to)}

@action
def answer(s: State, n: Node) -> None:
    m = pick(s.sent, Ask)
    require(m.to is None or m.to == n)
    s.sent = s.sent - {m} | {Answer(m.by, {k for k in s.votes if n in s.votes[k]} | {n})}
    if s.owner is None:
        s.owner = {m: n}

@action
def receive(s: State) -> None:
    m = pick(s.sent, Answer)
    require(len(s.got[m.to]) < 3 and (m.to in s.votes or len(s.votes) < 2))
    s.sent -= {m}
    s.got[m.to] += Bag(m.heard)
    if m.to not in s.votes:
        s.votes[m.to] = set()
    if len(s.votes[m.to]) < 2:
        s.votes[m.to] |= m.heard if len(m.heard) < 2 else set()

@action
def forget(s: State, n: Node) -> None:
    k = pick(s.votes)
    require(n in s.got[k])
    s.got[k] -= {n}
    s.got[k] += {None}
    s.votes = {j: {x for x in s.votes[j] if x != n} for j in s.votes if j != k}
    s.owner = None

@invariant
def few(s: State) -> bool:
    return all(len(s.votes[k]) < 3 for k in s.votes)

@invariant
def apart(s: State) -> bool:
    to = {m.to for m in s.sent if isinstance(m, Answer)}
    return len(to) == sum(isinstance(m, Answer) for m in s.sent)

@invariant
def voted(s: State) -> bool:
    return all(v in s.votes for k in s.votes for v in s.votes[k] if v != k)

@reachable
def both(s: State) -> bool:
    return s.owner is not None and any(s.got[k][n] == 2 for k in Node for n in Node)

spec = Spec(state=State, init=started, actions=[ask, answer, receive, forget],
            invariants=[few, apart, voted], reachable=[both])
"""


def orbits(design: Design, depth: int) -> int:
    """How many orbits the states up to a depth form, found among all of these states."""
    interpreter = Interpreter(design.spec)
    domain, found = interpreter.domain, dict[int, Any]()
    for state in interpreter.initial():
        found[domain.index(state)] = state
    level = list(found.values())
    for _ in range(depth - 1):
        after = (state for before in level for _, state in interpreter.successors(before))
        level = [
            found.setdefault(place, state)
            for state in after
            if (place := domain.index(state)) not in found and interpreter.inside(state)
        ]
    sets = interchangeable(design, [])
    return len({least_index(interpreter, sets, state) for state in found.values()})


def assert_orbits(design: Design, depth: int) -> dict[str, Any]:
    """Searches up to a depth find one state of each orbit, whoever searches, and the verdicts of a
    search of all states."""
    options: dict[str, Any] = {"keep_going": True, "max_depth": depth, "deadlock": True}
    wanted = outcome(interpret.check, design, Options(**options, symmetry=True))
    for workers in (1, 2):
        found = outcome(native.check, design, Options(**options, symmetry=True, workers=workers))
        assert found == wanted, workers
    whole = outcome(native.check, design, Options(**options))
    assert isinstance(wanted, dict) and isinstance(whole, dict)
    assert wanted["distinct"] == orbits(design, depth) < whole["distinct"]
    assert wanted["depth"] == whole["depth"]
    for ours, theirs in zip(wanted["properties"], whole["properties"], strict=True):
        assert ours[:3] == theirs[:3]
        assert len(ours[3] or ()) == len(theirs[3] or ())
    return wanted


def test_all_kinds_of_slots(tmp_path: Path) -> None:
    """Slots in slots, in unions, in maps and behind None, with picks from them; Z3 finds the same
    violations."""
    design = design_of(tmp_path, RING)
    found = assert_orbits(design, 6)
    verdicts = {name: verdict for name, _, verdict, _ in found["properties"]}
    assert verdicts["apart"] == verdicts["voted"] == "violated" != verdicts["few"]
    agreed_by_smt(design, 6)


CONSENSUS: list[tuple[str, str, dict[str, Value], int]] = [
    ("paxos.py", "paxos", {"values": 1, "ballots": 2}, 8),
    ("two_phase.py", "two_phase_messages", {"managers": 3}, 12),
    ("multipaxos.py", "multipaxos", {"replicas": 2}, 7),
    ("raft.py", "raft", {"servers": 2, "terms": 2, "flying": 1}, 14),
    ("raft.py", "raft", {"servers": 3, "terms": 2, "flying": 1}, 7),
    (KRAFT, "kraft", {"voters": 3, "max_epoch": 1}, 6),
]
"""Files, specs, constants, and the depth up to which the interpreter searches in a moment."""

IN_SLOTS = [design for design in CONSENSUS if design[1] not in ("raft", "kraft")]
"""The specs whose messages are bits, to be kept in slots. In Raft they are in slots as shipped."""


@pytest.mark.parametrize(("file", "name", "constants", "depth"), CONSENSUS)
def test_consensus(file: str, name: str, constants: dict[str, Value], depth: int) -> None:
    """Symmetric searches of the shipped protocols for consensus."""
    loaded = load_module(MODELS / file, constants)
    assert_orbits(Design(name, loaded.spec(name), loaded.constants), depth)


@pytest.mark.parametrize(("file", "name", "constants", "depth"), IN_SLOTS)
def test_consensus_in_slots(
    tmp_path: Path, file: str, name: str, constants: dict[str, Value], depth: int
) -> None:
    """As many orbits with messages in slots as with a bit for each message."""
    folder = copytree(MODELS, tmp_path / "models")
    text = (folder / file).read_text(encoding="utf-8")
    names = "annotations\nfrom typing import Annotated\nfrom specmodel.lang import Capacity\n"
    text = text.replace("annotations\n", names, 1)
    text = text.replace("Set[Message]", "Annotated[Set[Message], Capacity(12)]")
    (folder / file).write_text(text, encoding="utf-8")
    loaded = load_module(folder / file, constants)
    found = assert_orbits(Design(name, loaded.spec(name), loaded.constants), depth)
    bits = load_module(MODELS / file, constants)
    options = Options(symmetry=True, keep_going=True, deadlock=True, max_depth=depth)
    design = Design(name, bits.spec(name), bits.constants)
    assert native.check(design, options).distinct == found["distinct"]


KNOWN = [
    ("paxos", {"ballots": 3}, 17_153, 25),
    ("two-phase-messages", {"managers": 5}, 314, 17),
    ("raft", {}, 9_313, 41),
    ("raft", {"servers": 3, "terms": 2}, 322_580, 53),
    ("multipaxos", {}, 331_076, 28),
    ("kraft", {"max_epoch": 1}, 16_037, 38),
]
"""Designs, constants, orbits, depth."""


@pytest.mark.parametrize(("name", "constants", "states", "depth"), KNOWN)
def test_known_counts(name: str, constants: dict[str, Any], states: int, depth: int) -> None:
    """Whole searches: nothing is lost, and the depth is that of the search of all states."""
    result = native.check(load(name, **constants), Options(symmetry=True))
    assert (result.distinct, result.depth, result.complete) == (states, depth, True)
    assert result.verdict == "holds"
