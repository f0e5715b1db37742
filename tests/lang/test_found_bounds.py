"""Ints without a Range and collections without a Capacity: their bounds are found by the search."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specmodel import check, load, prove, simulate
from specmodel.design import Design
from specmodel.domains.found import found_places
from specmodel.errors import BoundExceeded, SpecError, UsageError
from specmodel.lang import bounds, loading
from specmodel.results import Result
from tests.conftest import Specmodel
from tests.outside import ROOT
from tests.written import written

PICK = "from specmodel.lang import pick\n"

NETWORK = """
class Node(ScalarSet, size=2):
    pass


class Message(Struct):
    to: Node
    number: {int}


class State(Struct):
    sent: {int}
    network: {messages}
    seen: dict[Node, {numbers}]
    last: {map}


@init
def start() -> State:
    return State(sent=0, network=set(), seen={{n: [] for n in Node}}, last={{}})


@action
def send(s: State, n: Node) -> None:
    require(s.sent < 5 and len(s.network) < 3)
    s.sent += 1
    s.network |= {{Message(n, s.sent)}}


@action
def receive(s: State) -> None:
    m = pick(s.network)
    s.network -= {{m}}
    require(len(s.seen[m.to]) < 3)
    s.seen[m.to].append(-m.number)
    s.last[m.number] = m.to


@action
def forget(s: State) -> None:
    k = pick(s.last)
    require(len(s.last) > 2)
    del s.last[k]


@invariant
def in_order(s: State) -> bool:
    return all(s.seen[n] != [-3, -5, -2] for n in Node)


@invariant
def few(s: State) -> bool:
    return len(s.last) < 6


spec = Spec(state=State, init=start, actions=[send, receive, forget], invariants=[few])
wrong = spec.adding("wrong", invariants=[in_order])
"""

OPEN = {
    "int": "int",
    "messages": "Set[Message]",
    "numbers": "list[int]",
    "map": "dict[int, Node]",
}
DECLARED = {
    "int": "Annotated[int, Range(0, 5)]",
    "messages": "Annotated[Set[Message], Capacity(3)]",
    "numbers": "Annotated[list[Annotated[int, Range(-5, 0)]], Capacity(3)]",
    "map": "Annotated[dict[Annotated[int, Range(0, 5)], Node], Capacity(5)]",
}

COUNTER = """
class State(Struct):
    x: int


@init
def start() -> State:
    return State(x=0)


@action
def up(s: State) -> None:
    require(s.x < {most})
    s.x += {step}


spec = Spec(state=State, init=start, actions=[up])
"""


@pytest.fixture(autouse=True)
def _nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    """The bounds that were found before are not known, and machine code is where it was."""
    monkeypatch.setattr(bounds, "cache_folder", lambda: tmp_path / "cache")
    forget_all()


def forget_all() -> None:
    """What this process knows of bounds is forgotten, as by a new process."""
    bounds.settled.clear()
    getattr(bounds, "_known").clear()  # noqa: B009 - of the module alone


def network(folder: Path, parts: dict[str, str], spec: str = "spec") -> Design:
    """The design with messages, with some annotations."""
    text = PICK + NETWORK.format(**parts)
    name = "declared.py" if parts is DECLARED else "open.py"
    return load(f"{written(folder, text, name)}:{spec}")


def figures(result: Result) -> object:
    """What two searches of the same states have in common."""
    traces = [str(p.trace) for p in result.properties]
    verdicts = [(p.name, p.verdict) for p in result.properties]
    return result.distinct, result.generated, result.depth, result.coverage, verdicts, traces


@pytest.mark.parametrize("spec", ["spec", "wrong"])
@pytest.mark.parametrize("engine", ["native", "interpret"])
def test_the_same_as_with_declared_bounds(tmp_path: Path, engine: str, spec: str) -> None:
    """Counts, verdicts and traces are those of the same design with bounds that are declared."""
    declared = network(tmp_path, DECLARED, spec)
    wanted = check(declared, engine="native")
    found = check(network(tmp_path, OPEN, spec), engine=engine)
    assert figures(found) == figures(wanted)
    assert not wanted.bounds
    held = {place.name: bound for place, bound in found.bounds.items()}
    assert held["State.sent"] == (0, 7)  # as many bits as 0..5 needs
    assert held["State.network"][1] >= 3
    assert held["State.seen value element"][0] <= -5
    assert held["State.last"][1] >= 3
    assert set(held) == {p.name for p, _ in found_places(network(tmp_path, OPEN).spec.domain)}


def counted(calls: list[str], real: Callable[..., None]) -> Callable[..., None]:
    """A function that notes the place of each value that left its bounds."""

    def widen(wrong: BoundExceeded) -> None:
        calls.append(wrong.place.name)
        real(wrong)

    return widen


def test_search_widens_and_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What no walk met widens the bounds during the search; the next run begins with those."""
    calls: list[str] = []
    monkeypatch.setattr(loading, "widen", counted(calls, bounds.widen))
    text = COUNTER.format(most=900, step=1)
    design = load(written(tmp_path, text))
    assert [bound for _, bound in found_places(design.spec.domain)] == [(0, 63)]
    remarks: list[str] = []
    result = check(design, remark=remarks.append)
    assert (result.distinct, result.verdict) == (901, "holds")
    assert calls == ["State.x"] * 4
    assert [bound for _, bound in found_places(design.spec.domain)] == [(0, 1023)]
    assert [text[:31] for text in remarks] == [
        "State.x has grown 3 times, now ",
        "State.x has grown 4 times, now ",
    ]
    forget_all()
    again = check(written(tmp_path, text))
    assert (again.distinct, len(calls)) == (901, 4)


def test_walks_begin_again_seldom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A capacity grows by halves while walks exceed it, and is what they used at the end."""
    calls: list[str] = []

    def widen(wrong: BoundExceeded, walking: bool) -> None:
        calls.append(wrong.place.name)
        bounds.widen(wrong, walking)

    monkeypatch.setattr("specmodel.lang.sampling.widen", widen)
    text = """
class State(Struct):
    log: list[bool]

@init
def empty() -> State:
    return State(log=[])

@action
def add(s: State) -> None:
    require(len(s.log) < 25)
    s.log.append(True)

spec = Spec(state=State, init=empty, actions=[add])
"""
    design = load(written(tmp_path, text))
    assert [bound for _, bound in found_places(design.spec.domain)] == [(0, 25)]
    assert 3 < len(calls) < 9


def test_kept_file_may_be_damaged(tmp_path: Path) -> None:
    """Bounds in a file that make no sense are found again."""
    file = written(tmp_path, COUNTER.format(most=5, step=1))
    check(file)
    (kept,) = (tmp_path / "cache" / bounds.FOLDER).iterdir()
    for text in ("", "[1]", '{"State.x": 3}', '{"State.x": [7, 3]}', '{"State.x": ["a", 3]}', "\0"):
        kept.write_text(text)
        forget_all()
        assert check(file).distinct == 6


def test_no_end(tmp_path: Path) -> None:
    """What grows without end is named: by a remark, the bounds found, an error in the end."""
    endless = written(tmp_path, COUNTER.format(most="s.x + 1", step=1))
    remarks: list[str] = []
    result = check(endless, max_states=3000, remark=remarks.append)
    assert (result.verdict, result.stopped) == ("incomplete", "max-states")
    assert [bound for bound in result.bounds.values()] == [(0, 4095)]
    assert "State.x has grown" in remarks[-2]
    assert remarks[-1].startswith("still growing at the end of random walks: State.x; ")
    ended, said = written(tmp_path, COUNTER.format(most=20, step=1), "ended.py"), len(remarks)
    assert check(ended, max_states=3, remark=remarks.append).stopped == "max-states"
    assert len(remarks) == said
    fast = written(tmp_path, COUNTER.format(most="s.x + 1", step="10**9 * (s.x + 1)"), "fast.py")
    with pytest.raises(SpecError, match=r"State\.x grows beyond 1,099,511,627,776"):
        check(fast)


def test_a_time_limit_is_for_all(tmp_path: Path) -> None:
    """A search that begins again has the time that is left, and not all of it anew."""
    endless = written(tmp_path, COUNTER.format(most="s.x + 1", step=1))
    assert check(endless, timeout=0.5).stopped == "timeout"


@pytest.mark.parametrize(
    ("parameter", "message"),
    [("m: Message", "the values of Message have no end"), ("n: int", "an int needs bounds")],
)
def test_no_values_to_go_through(tmp_path: Path, parameter: str, message: str) -> None:
    """Nothing goes through all values of a type without bounds."""
    text = NETWORK.format(**OPEN).replace(
        "def send(s: State, n: Node", f"def send(s: State, {parameter}"
    )
    with pytest.raises(SpecError, match=message):
        check(f"{written(tmp_path, PICK + text)}:spec")
    text = COUNTER.format(most=1, step=1) + "\nfrom specmodel.lang import values\nvalues(State)\n"
    with pytest.raises(SpecError, match="the values of State have no end"):
        load(written(tmp_path, text))


def test_no_proof(tmp_path: Path) -> None:
    """A proof is about all values of the types, whose bounds have to be declared for it."""
    design = network(tmp_path, OPEN)
    with pytest.raises(UsageError, match=r"State\.sent, State\.network, "):
        prove(design)


def test_walks_widen(tmp_path: Path) -> None:
    """Random walks begin again with wider bounds too."""
    text = COUNTER.format(most=90, step=1)
    found = simulate(written(tmp_path, text), walks=3, depth=200)
    assert found.touched.states == 91


def test_a_value_of_the_module(tmp_path: Path) -> None:
    """Values that are made while a module runs count, and so do defaults of fields."""
    text = COUNTER.format(most=70, step=1).replace("    x: int", "    x: int = 60")
    text = text.replace("State(x=0)", "BEGIN").replace("@init", "BEGIN = State()\n\n\n@init")
    assert check(written(tmp_path, text)).distinct == 11


def test_capacity_left_open(tmp_path: Path) -> None:
    """Capacity() leaves the number of elements to the search where a bit each would do as well."""
    parts = {**DECLARED, "messages": "Annotated[Set[Message], Capacity()]"}
    design = network(tmp_path, parts)
    assert figures(check(design)) == figures(check(network(tmp_path, DECLARED)))
    assert [place.name for place, _ in found_places(design.spec.domain)] == ["State.network"]


def test_raft(tmp_path: Path) -> None:
    """Raft without bounds has the states of Raft with bounds."""
    text = (ROOT / "models" / "consensus" / "raft.py").read_text()
    for declared, left_open in (
        ("Term = Annotated[int, Range(0, terms + 1)]", "Term = int"),
        ("Index = Annotated[int, Range(0, entries + 2)]", "Index = int"),
        ("Annotated[list[Entry], Capacity(entries + 1)]", "list[Entry]"),
        ("Annotated[Bag[Message], Capacity(flying + 1)]", "Bag[Message]"),
    ):
        assert declared in text
        text = text.replace(declared, left_open)
    file = tmp_path / "raft.py"
    file.write_text(text)
    design = load(f"{file}:raft", servers=2, terms=2, flying=1)
    assert {place.name for place, _ in found_places(design.spec.domain)} > {"Cluster.messages"}
    wanted = check("raft", servers=2, terms=2, flying=1)
    assert figures(check(design)) == figures(wanted)


def test_commands(tmp_path: Path, specmodel: Specmodel) -> None:
    """Commands that are no check begin again with wider bounds; reports name those found."""
    file = written(tmp_path, COUNTER.format(most=300, step=1))
    ran = specmodel("coverage", str(file))
    assert (ran.code, "301 states" in ran.out) == (0, True)
    ran = specmodel("check", str(file))
    assert "bounds found: State.x 0..511" in ran.out
    ran = specmodel("show", str(file))
    assert "bounds found so far, a search widens them: State.x 0..511" in ran.out
