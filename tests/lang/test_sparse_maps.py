"""Maps with a capacity: keys of any domain that may be absent, the same in every engine."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from specmodel.behaviour.steps import Interpreter
from specmodel.domains import IntDomain, SparseMapDomain
from specmodel.domains.records import Record
from specmodel.engines import interpret, native
from specmodel.errors import DomainError, SpecError
from specmodel.ir.layout import Layout
from specmodel.results import Options
from specmodel.space.types import described, domain_of
from specmodel.traces.changes import changes
from specmodel.traces.itf_values import decode, encode
from specmodel.traces.notation import Notation
from tests.engines.outcomes import agreed, agreed_by_smt, outcome
from tests.written import design_of, spec_of

SPEC = """
from specmodel.lang import pick

Number = Annotated[int, Range(0, 2**20)]
Small = Annotated[int, Range(0, 3)]

class Node(ScalarSet, size=2, prefix="n"):
    "A node."

class Slot(Struct):
    node: Node
    number: Number

class Entry(Struct):
    term: Small
    voters: Set[Node]
    log: Annotated[list[Small], Capacity(2)]

class Plain(Struct):
    of: Annotated[dict[Small, bool], Capacity(2)]

class State(Struct):
    entries: Annotated[dict[Slot, Entry], Capacity(2)]
    counts: Annotated[dict[Number, Small], Capacity(4)]
    maybe: Annotated[dict[Node | None, Node | None], Capacity(3)]
    deep: Annotated[dict[Small, Annotated[dict[Node, bool], Capacity(1)]], Capacity(2)]
    plain: Annotated[list[Plain], Capacity(1)]
    last: Annotated[dict[Node, Small], Capacity(2)] | None

@init
def started() -> State:
    return State(entries={}, counts={9: 1, 2: 0}, maybe={}, deep={}, plain=[], last=None)

@action
def propose(s: State, n: Node, far: bool) -> None:
    slot = Slot(n, 1048576 if far else 3)
    require(slot in s.entries or len(s.entries) < 2)
    require(len(s.counts) < 4)
    if slot in s.entries:
        entry = s.entries[slot]
        require(entry.term < 3)
        entry.term += 1
        entry.voters |= {n}
        if len(entry.log) < 2:
            entry.log.append(entry.term)
    else:
        s.entries[slot] = Entry(0, {n}, [])
    s.maybe[n] = None if far else n
    s.counts[slot.number] = s.counts.get(slot.number, 2)

@action
def decide(s: State) -> None:
    slot = pick(s.entries)
    s.entries[slot].term = min(3, s.entries[slot].term + 1)
    require(s.entries[slot].term > 0)
    del s.entries[slot]
    s.counts = {k: v for k, v in s.counts.items() if k != slot.number or v < 2}
    s.deep[2] = {slot.node: True}
    s.last = {slot.node: len(s.entries)}
    s.plain = [Plain({1: True, 0: slot.number in s.counts})]

@action
def mix(s: State, n: Node) -> None:
    require(s.maybe.get(n) != n and n in s.maybe)
    s.maybe[None] = s.maybe[n]
    for k, v in s.counts.items():
        if v < 3:
            s.counts[k] += 1
    for key in s.counts:
        s.counts[key] = s.counts[key] // 2 + key % 2
    total = 0
    for slot, entry in s.entries.items():
        total += entry.term + slot.number % 2
    for one in s.entries.values():
        one.term = total % 4
    if 2 in s.deep and s.deep[2].get(n, False):
        s.deep[2][n] = False
        s.deep.clear()
    else:
        s.deep[3] = {n: bool(s.deep)}
    if s.last is not None and s.last == {n: 1}:
        s.last[n] = 2

@action
def forget(s: State, key: Small) -> None:
    require(key in s.deep and key + 7 not in s.counts and len(s.counts) < 4)
    here = s.deep[key]
    other = s.deep.get(key, here)
    require(len(other) == 1)
    del s.deep[key]
    s.counts[key] = max((k % 4 for k in s.counts if k > 3), default=0)

@invariant
def few(s: State) -> bool:
    return sum(k.number for k in s.entries) < {limit} and all(
        s.counts[k] == v for k, v in s.counts.items())

@reachable
def full(s: State) -> bool:
    return len(s.counts) == 3 and any(e.term > 1 for e in s.entries.values())

spec = Spec(state=State, init=started, actions=[propose, decide, mix, forget], invariants=[few],
            reachable=[full])
"""


class MapHolder(Record):
    """A state with one map."""


def spec_text(limit: int = 1 << 30) -> str:
    """The spec, whose invariant fails at a limit."""
    return SPEC.replace("{limit}", str(limit)).replace(
        "require(len(s.entries) < 2)", "require(len(s.entries) < 2 and len(s.counts) < 3)"
    )


@pytest.mark.parametrize("limit", [1 << 30, 1 << 20])
def test_engines_agree(tmp_path: Path, limit: int) -> None:
    """Counts, coverage and traces are those of the interpreter, with one worker and with two."""
    design = design_of(tmp_path, spec_text(limit))
    wanted = agreed(design, 5)
    assert isinstance(wanted, dict) and wanted["distinct"] > 50
    agreed_by_smt(design, 4)


def test_packed_order_is_the_domains() -> None:
    """Equal maps are equal words, and words compare as the domain orders maps."""
    domain = SparseMapDomain(IntDomain(0, 2), IntDomain(5, 6), 2)
    pairs = product([None, 5, 6], repeat=3)
    maps = [{k: v for k, v in enumerate(pair) if v is not None} for pair in pairs]
    stored = sorted((domain.store(held, "x") for held in maps if len(held) <= 2), key=domain.index)
    assert len({domain.index(held) for held in stored}) == len(stored) == 19
    layout = Layout(MapHolder.declare({"held": domain}))
    words = [layout.pack(MapHolder(held=held)) for held in stored]
    assert words == sorted(words) and len({*words}) == 19
    assert [layout.unpack(word).held for word in words] == stored
    for held in stored:
        assert decode(domain, encode(domain, held), "x") == held
    with pytest.raises(DomainError, match="3 keys exceed the capacity 2"):
        domain.store({0: 5, 1: 5, 2: 5}, "x")
    assert domain_of(described(domain)) == domain


def test_keys_stay_in_order() -> None:
    """Keys are in the order of their domain, whatever the order of their assignment."""
    domain = SparseMapDomain(IntDomain(0, 9), IntDomain(0, 9), 3)
    held = domain.store({7: 1, 3: 2}, "x")
    before = domain.copy(held)
    held[5] = 4
    held[7] = 9
    assert list(held.items()) == [(3, 2), (5, 4), (7, 9)]
    assert Notation().value(held) == "{3: 2, 5: 4, 7: 9}"
    del held[3]
    found = [(c.path, repr(c.before), repr(c.after)) for c in changes(before, held, "m")]
    assert found == [("m[3]", "2", "absent"), ("m[5]", "absent", "4"), ("m[7]", "1", "9")]
    held[0] = 0
    with pytest.raises(DomainError, match="the map: 4 keys exceed the capacity 3"):
        held[1] = 1
    with pytest.raises(DomainError, match="leaves its domain"):
        held[0] = 10
    with pytest.raises(KeyError):
        del held[3]
    with pytest.raises(SpecError, match="does not support this on a map with a capacity"):
        held.update({1: 1})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Node | None], Capacity(3)", "Node | None], Capacity(2)", "the map: 3 keys exceed"),
        ("        s.entries[slot] = Entry(0, {n}, [])", "        s.entries[slot].term = 1", "Key"),
        ("    s.maybe[n] = None if far else n", "    del s.maybe[n]", "KeyError"),
        ("    s.maybe[n] = None if far else n", "    s.deep[0][n] = True", "KeyError"),
        ("    s.maybe[n] = None if far else n", "    s.counts[7] += 1", "KeyError"),
        ("    s.maybe[n] = None if far else n", "    s.counts[len(s.entries) - 3] = 1", "domain"),
    ],
)
def test_failures(tmp_path: Path, old: str, new: str, message: str) -> None:
    """A key that is absent, or too many, ends the search with the place and the trace."""
    design = design_of(tmp_path, spec_text().replace(old, new))
    wanted = outcome(interpret.check, design, Options(max_depth=4))
    assert message in str(wanted)
    assert outcome(native.check, design, Options(max_depth=4)) == wanted


SEVERAL = """
Small = Annotated[int, Range(0, 2)]

class Node(ScalarSet, size=2, prefix="n"):
    "A node."

class Part(Struct):
    x: Small

class State(Struct):
    of: Annotated[dict[Node, Small], Capacity(2)]
    parts: Annotated[dict[Node, Part], Capacity(2)] | None
    part: Part | None
    n: Small

@init
def started() -> State:
    return State(of={}, parts=None, part=None, n=0)

@action
def one(s: State, n: Node) -> None:
    s.of, s.n = {n: s.n}, (s.n + 1) % 3

@action
def clear(s: State, n: Node) -> None:
    s.n, s.parts = len(s.of), {k: Part(v) for k, v in s.of.items() if k != n}
    s.part, s.of = Part(s.n), {}

@action
def take(s: State, n: Node) -> None:
    part = Part(1)
    if s.part is not None:
        part = s.part
        part.x = 0
    s.n = part.x
    if s.parts is not None and n in s.parts:
        s.parts[n].x, s.part = 2 - s.n, s.parts[n]

@invariant
def full(s: State) -> bool:
    return s.part is None or s.parts is None or len(s.parts) == 0 or s.part.x < 2

spec = Spec(state=State, init=started, actions=[one, clear, take], invariants=[full])
"""


def test_displays_beside_other_values(tmp_path: Path) -> None:
    """A display takes its type from its target, also where several places are assigned at once; a
    name whose value is not None takes an optional value that a test found to be there."""
    found = agreed(design_of(tmp_path, SEVERAL), 6)
    assert isinstance(found, dict) and found["properties"][0][2] == "violated"


def test_a_display_beside_others_has_no_name(tmp_path: Path) -> None:
    """A map that is made is stored and not named, whatever it is beside."""
    text = SEVERAL.replace("s.of, s.n = {n: s.n}", "held, s.n = {n: s.n}")
    with pytest.raises(SpecError, match="a dict display is not part"):
        agreed(design_of(tmp_path, text), 2)


def test_a_display_beside_others_holds_new_values(tmp_path: Path) -> None:
    """A value could change before the map that holds it is stored: CPython stores the new one."""
    text = SEVERAL.replace("{k: Part(v) for k, v in s.of.items() if k != n}", "{n: s.part}")
    with pytest.raises(SpecError, match="can change before it is stored"):
        agreed(design_of(tmp_path, text), 2)


def test_a_name_is_not_given_none(tmp_path: Path) -> None:
    """An optional value that may be None is refused where the name has had another type."""
    text = SEVERAL.replace("if s.part is not None:", "if s.n == 0:")
    with pytest.raises(SpecError, match="may be None here"):
        native.check(design_of(tmp_path, text), Options())


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        ("Set[Annotated[dict[Node, bool], Capacity(2)]]", "a map with a capacity lies within a"),
        ("Annotated[dict[Plain, bool], Capacity(2)]", "a map with a capacity lies within a set"),
    ],
)
def test_refused_types(tmp_path: Path, annotation: str, message: str) -> None:
    """What has no order is refused where it is declared."""
    text = spec_text().replace("    counts:", f"    odd: {annotation}\n    counts:")
    with pytest.raises(SpecError, match=message):
        spec_of(tmp_path, text)


def test_no_parameter(tmp_path: Path) -> None:
    """There is no step for each map: the message names `pick`."""
    text = spec_text().replace(
        "def decide(s: State", "def decide(s: State, m: Annotated[dict[Node, bool], Capacity(1)]"
    )
    with pytest.raises(SpecError, match="too many maps to make a step of each"):
        Interpreter(spec_of(tmp_path, text))


def test_symmetry_of_values(tmp_path: Path) -> None:
    """Where only values have actors that are renamed, one state of each orbit is kept."""
    text = """
Small = Annotated[int, Range(0, 100000)]

class Node(ScalarSet, size=3, prefix="n", symmetric=True):
    "A node."

class State(Struct):
    owner: Annotated[dict[Small, Node | None], Capacity(2)]

@init
def started() -> State:
    return State(owner={})

@action
def take(s: State, n: Node, far: bool) -> None:
    key = 70000 if far else 3
    require(s.owner.get(key) is None)
    s.owner[key] = n

@invariant
def different(s: State) -> bool:
    return len(set(s.owner.values())) == len(s.owner)

spec = Spec(state=State, init=started, actions=[take], invariants=[different])
"""
    design = design_of(tmp_path, text)
    for engine in (interpret, native):
        whole = engine.check(design, Options(keep_going=True))
        orbits = engine.check(design, Options(keep_going=True, symmetry=True))
        assert (whole.distinct, orbits.distinct) == (16, 5)
        assert whole.properties[0].verdict == orbits.properties[0].verdict == "violated"


LISTS = """
from specmodel.lang import pick

Small = Annotated[int, Range(0, 3)]
Path = Annotated[list[Small], Capacity(2)]

class State(Struct):
    paths: Annotated[list[Path], Capacity(3)]
    of: dict[Small, Path]
    seen: Set[Path]
    times: Annotated[dict[Path, Small], Capacity(4)]

@init
def started() -> State:
    return State(paths=[[1], [], [1, 2]], of={n: [n] for n in range(4)}, seen={(3,)}, times={})

@action
def each(s: State) -> None:
    for path in s.paths:
        s.times[path] = len(path)
    for i, other in enumerate(s.paths):
        if other in s.seen and i > 0:
            s.times[other] = i

@action
def count(s: State, n: Small) -> None:
    chosen = pick(s.paths)
    first = s.of[n]
    s.times[chosen] = s.times.get(first, 0)
    s.seen |= {path for path in s.paths if path != first} | {first}
    s.of[n] = []

@action
def forget(s: State) -> None:
    s.times = {path: n for path, n in s.times.items() if path != s.of[n]}
    s.paths = [path for path in s.seen if path in s.times][:3]

spec = Spec(state=State, init=started, actions=[each, count, forget])
"""


def test_lists_as_keys(tmp_path: Path) -> None:
    """A list of the state is a key, also under a name that a loop, a pick or a line gives it."""
    wanted = agreed(design_of(tmp_path, LISTS), 4)
    assert isinstance(wanted, dict) and wanted["distinct"] > 40


@pytest.mark.parametrize(
    "body",
    [
        "for path in [[1]]:\n        s.times[path] = 1",
        "path = [1]\n    s.times[path] = 1",
        "path = s.paths[0]\n    path = [1]\n    s.times[path] = 1",
        "for path in s.paths:\n        s.times[path] = 1\n        path = [1]",
        "s.seen |= {path for path in [[1], [2]]}",
        "s.seen |= {path for path in s.paths for path in [[1]]}",
        "s.seen |= {first for path in [[1]] for first in [path for path in [path]]}",
        "for path in [[1]]:\n        s.seen = {path for path in s.seen}\n        s.seen |= {path}",
        "element = s.paths[0]\n    s.seen = set([[1]])",
    ],
)
def test_lists_that_are_made(tmp_path: Path, body: str) -> None:
    """Python cannot hash a list that the spec makes, under no name."""
    text = LISTS.replace("    s.of[n] = []", f"    s.of[n] = []\n    {body}")
    with pytest.raises(SpecError, match="made here cannot be in a set or a key"):
        assert spec_of(tmp_path, text).code
