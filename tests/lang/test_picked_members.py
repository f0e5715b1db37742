"""Members that an action picks: looked for, removed, replaced and counted in what they are from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines.outcomes import agreed, agreed_by_smt
from tests.written import design_of

SPEC = """
from specmodel.lang import Bag, pick

class Node(ScalarSet, size=2, prefix="n"):
    "A node."

class Role(Enum):
    idle = 1
    busy = 2

class Ask(Struct):
    round: Annotated[int, Range(1, 3)]
    sender: Node
    to: Node | None

class Told(Struct):
    round: Annotated[int, Range(0, 2)]
    role: Role

class Over(Struct):
    "Nothing more is said."

Message = Ask | Told | Over

class State(Struct):
    bag: Annotated[Bag[Message], Capacity(3)]
    known: Annotated[Set[Message], Capacity(2)]
    table: Annotated[dict[Message, Annotated[Bag[Node], Capacity(2)]], Capacity(2)]
    kept: Message
    there: bool

@init
def started() -> State:
    return State(bag=Bag(), known=set(), table={}, kept=Over(), there=False)

@action
def send(s: State, n: Node) -> None:
    require(len(s.bag) < 2)
    s.bag += {Ask(1 + len(s.known), n, None if s.there else n)}
    s.bag += {Over()}

@action
def answer(s: State) -> None:
    m = pick(s.bag, Ask)
    s.bag = s.bag + {Told(m.round - 1, Role.busy if m.to is None else Role.idle)} - {m}
    s.known = (s.known | {m}) - {s.kept} if len(s.known) < 2 else s.known - {m}
    s.kept = m

@action
def turn(s: State) -> None:
    m = pick(s.bag)
    require(m in s.bag and len(s.bag) < 3 and len(s.table) < 2)
    s.bag += {m}
    s.bag -= {m, Over()}
    s.there = m == s.kept or m in s.known
    s.table[m] = Bag([n for n in Node if s.there or isinstance(m, Told)])

@action
def meet(s: State) -> None:
    m = pick(s.known)
    n = pick(s.bag)
    s.known = (s.known - {m}) | {n}
    s.bag = s.bag - {n} - {m} - {n}
    s.there = n not in s.bag and m in s.known

@action
def move(s: State) -> None:
    k = pick(s.table)
    n = pick(s.table)
    held = s.table[k] - s.table[n]
    if k != n and s.kept in s.table:
        del s.table[s.kept]
    else:
        s.table[k] = s.table[n] + held
        s.kept = n
    if len(s.table) > 1:
        del s.table[n]

@invariant
def few(s: State) -> bool:
    return all(m in s.bag for m in s.bag) and (len(s.bag) < {limit} or not s.there)

@reachable
def met(s: State) -> bool:
    return s.there and s.kept in s.table and any(len(b) == 2 for b in s.table.values())

spec = Spec(state=State, init=started, actions=[send, answer, turn, meet, move], invariants=[few],
            reachable=[met])
"""


@pytest.mark.parametrize("limit", [2, 9])
def test_engines_agree(tmp_path: Path, limit: int) -> None:
    """Counts, coverage and traces are those of the interpreter, whichever slots are known."""
    design = design_of(tmp_path, SPEC.replace("{limit}", str(limit)))
    wanted = agreed(design, 6)
    assert isinstance(wanted, dict) and wanted["distinct"] > 50
    agreed_by_smt(design, 5)
