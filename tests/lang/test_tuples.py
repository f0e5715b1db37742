"""Tuples: as fields, members, keys, elements, parameters and results; their parts and names."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.domains import IntDomain, TupleDomain
from specmodel.engines import native
from specmodel.errors import SpecError
from specmodel.options import Options
from specmodel.results import Result
from specmodel.traces.itf_read import read_itf, states_of
from specmodel.traces.itf_write import itf_text
from tests.engines.outcomes import agreed, agreed_by_smt
from tests.kernel.reference import reachable_states
from tests.kernel.test_counting import assert_counts
from tests.written import design_of, spec_of

SPEC = """
from specmodel.lang import pick

class Node(ScalarSet, size=2, prefix="n"{symmetric}):
    "A node."

class Color(Enum):
    red = 1
    blue = 2

Edge = tuple[Node, Node]
Count = Annotated[int, Range(0, 2)]
PAIRS = ((Color.red, 1), (Color.blue, 2))

class State(Struct):
    edges: Set[Edge]
    sent: Annotated[Set[tuple[Edge, Count | None]], Capacity(2)]
    last: tuple[Node | None, Count]
    maybe: tuple[Color, bool] | None
    uses: dict[tuple[Color, Count], bool]
    log: Annotated[list[Edge], Capacity(2)]

@init
def started() -> State:
    uses = {(c, n): False for c in Color for n in range(3)}
    return State(edges=set(), sent=set(), last=(None, 0), maybe=None, uses=uses, log=[])

def sizes(s: State) -> tuple[int, int]:
    return len(s.edges), len(s.sent)

@action
def link(s: State, a: Node, b: Node) -> None:
    require(a != b and (a, b) not in s.edges and len(s.edges) < 2)
    s.edges |= {(a, b)}
    s.last = a, len(s.edges)
    s.log = ([(a, b)] + s.log)[:2]

@action
def send(s: State) -> None:
    edge = pick(s.edges)
    a, b = edge
    edges, sent = sizes(s)
    require(sent < 2 and (b, a) not in s.edges)
    s.sent |= {(edge, None if edges == 1 else sent)}
    s.last = b, s.last[1]

@action
def mark(s: State, kind: tuple[Color, bool]) -> None:
    color, on = kind
    require(s.maybe != kind)
    s.maybe = kind if on or s.maybe is None else None
    for c, n in PAIRS:
        if c == color:
            s.uses[(c, n)] = on

@action
def turn(s: State) -> None:
    require(any(n is not None for (a, b), n in s.sent))
    s.edges = {(b, a) for a, b in s.edges}
    s.uses = {(c, n): n == s.last[-1] for c in Color for n in range(3)}
    for (a, b), n in s.sent:
        if n == 1:
            s.edges |= {(a, b)}
    s.sent = {(e, n) for e, n in s.sent if n is None}

@invariant
def apart(s: State) -> bool:
    return all(a != b for a, b in s.edges) and all(e[0] != e[1] for e in s.log)

@invariant
def few(s: State) -> bool:
    ends = {a for a, _ in s.edges} | {b for _, b in s.edges}
    return len(ends) < 2 or s.last != (None, 0) and (s.maybe is None or s.maybe[0] == Color.red)

spec = Spec(state=State, init=started, actions=[link, send, mark, turn], invariants=[apart, few])
"""


@pytest.mark.parametrize("symmetric", ["", ", symmetric=True"], ids=["plain", "symmetric"])
def test_engines_agree(tmp_path: Path, symmetric: str) -> None:
    """Counts, coverage and traces are those of the interpreter, up to names too."""
    design = design_of(tmp_path, SPEC.replace("{symmetric}", symmetric))
    wanted = agreed(design, 4)
    assert isinstance(wanted, dict)
    assert wanted["distinct"] > 40
    agreed_by_smt(design, 3)


def test_symmetry(tmp_path: Path) -> None:
    """Renamed tuples are sorted anew, in sets too."""
    design = design_of(tmp_path, SPEC.replace("{symmetric}", ", symmetric=True"))
    whole = native.check(design, Options(keep_going=True))
    orbits = native.check(design, Options(keep_going=True, symmetry=True))
    assert whole.distinct is not None
    assert orbits.distinct is not None
    assert whole.distinct / 2 <= orbits.distinct < whole.distinct * 0.6
    assert [p.verdict for p in orbits.properties] == [p.verdict for p in whole.properties]


def test_counts_of_points(tmp_path: Path) -> None:
    """Each point of the code counts as often as in CPython."""
    spec = spec_of(tmp_path, SPEC.replace("{symmetric}", ""))
    assert_counts(spec, reachable_states(spec, 60))


def test_traces(tmp_path: Path) -> None:
    """A tuple is a tuple in an ITF file, and in the text of a trace."""
    design = design_of(tmp_path, SPEC.replace("{symmetric}", ""))
    trace = native.check(design, Options())["few"].trace
    assert trace is not None
    text = itf_text(design, trace, property_name="few")
    assert '"last": {"#tup": [' in text
    file = tmp_path / "trace.itf.json"
    file.write_text(text, encoding="utf-8")
    assert states_of(read_itf(file), design.spec.domain) == trace.states
    assert str(trace.states[-1].last[1]) in str(trace.states[-1])


def test_bounds_are_found(tmp_path: Path) -> None:
    """An int without a Range in a tuple: the report names the part."""
    text = SPEC.replace("{symmetric}", "").replace(
        "last: tuple[Node | None, Count]", "last: tuple[Node | None, int]"
    )
    (tmp_path / "bounded").mkdir()
    found = native.check(design_of(tmp_path, text), Options(keep_going=True))
    wanted = native.check(
        design_of(tmp_path / "bounded", SPEC.replace("{symmetric}", "")), Options(keep_going=True)
    )
    assert isinstance(found, Result)
    assert found.distinct == wanted.distinct
    assert [place.name for place in found.bounds] == ["State.last[1]"]


def test_order_and_copies() -> None:
    """Tuples are in the order of their first part; they are shared, and checked part by part."""
    domain = TupleDomain((IntDomain(0, 1), IntDomain(3, 5)))
    assert list(domain.values()) == sorted((a, b) for a in (0, 1) for b in (3, 4, 5))
    held = domain.store((1, 4), "x")
    assert domain.copy(held) is held
    with pytest.raises(SpecError, match=r"x\[1\] = 6 leaves its domain 3..5"):
        domain.store((1, 6), "x")
    with pytest.raises(SpecError, match="leaves its domain"):
        domain.store((1, 4, 4), "x")
