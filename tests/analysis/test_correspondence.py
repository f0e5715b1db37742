"""Two designs are the same under a map, or the first difference is found, whatever it is.

The TLA+ module and the design of a lock are written apart; each test changes one of them, or the
map between them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specmodel.analysis.correspondence import Correspondence, MapDifference, StateMap
from specmodel.api import check, equal_under
from specmodel.behaviour.steps import Interpreter
from specmodel.constants import Value
from specmodel.errors import UsageError
from specmodel.suite.targets import load_target
from tests.conftest import Specmodel
from tests.docs.pages import ROOT

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

MODULE = r"""---- MODULE Lock ----
EXTENDS Naturals, Sequences
CONSTANTS Clients, Most
VARIABLES queue, holder, asked, grants
vars == <<queue, holder, asked, grants>>
Init ==
    /\ queue = <<>> /\ holder = "nobody" /\ grants = {}
    /\ asked = [c \in Clients |-> 0]
Waits(c) == \E n \in 1..Len(queue) : queue[n] = c
Ask(c) ==
    /\ asked[c] < Most /\ ~Waits(c) /\ holder # c
    /\ asked' = [asked EXCEPT ![c] = @ + 1]
    /\ queue' = Append(queue, c)
    /\ UNCHANGED <<holder, grants>>
Grant ==
    /\ holder = "nobody" /\ queue # <<>>
    /\ holder' = Head(queue) /\ queue' = Tail(queue)
    /\ grants' = grants \union {[to |-> Head(queue), round |-> asked[Head(queue)]]}
    /\ UNCHANGED asked
Free == holder # "nobody" /\ holder' = "nobody" /\ UNCHANGED <<queue, asked, grants>>
Next == Grant \/ Free \/ \E c \in Clients : Ask(c)
Spec == Init /\ [][Next]_vars
Few == Len(queue) < 2
====
"""

DESIGN = '''from typing import Annotated

from specmodel.lang import Capacity, Range, ScalarSet, Set, Spec, Struct, action, init, require
from specmodel.lang import constant

most = constant("most", 2, low=1, high=3)

class Client(ScalarSet, size=2, prefix="c"):
    """A client."""

class Grant(Struct):
    to: Client
    round: Annotated[int, Range(0, most)]

class Lock(Struct):
    queue: Annotated[list[Client], Capacity(2)]
    holder: Client | None
    asked: dict[Client, Annotated[int, Range(0, most)]]
    grants: Set[Grant]

@init
def free_at_first() -> Lock:
    return Lock(queue=[], holder=None, asked={c: 0 for c in Client}, grants=set())

@action
def ask(s: Lock, c: Client) -> None:
    require(s.asked[c] < most and c not in s.queue and s.holder != c)
    s.asked[c] += 1
    s.queue.append(c)

@action
def grant(s: Lock) -> None:
    require(s.holder is None and len(s.queue) > 0)
    first = s.queue[0]
    s.queue = s.queue[1:]
    s.holder = first
    s.grants |= {Grant(first, s.asked[first])}

@action
def free(s: Lock) -> None:
    require(s.holder is not None)
    s.holder = None

lock = Spec(state=Lock, init=free_at_first, actions=[ask, grant, free])
'''

MAP = '''"""The lock in the module."""

def configuration(constants):
    return f"""
        SPECIFICATION Spec
        CONSTANTS Clients = {{c1, c2}}
        Most = {constants["most"]}
        CHECK_DEADLOCK FALSE
    """

def state(s, constants):
    return {
        "queue": s.queue,
        "holder": "nobody" if s.holder is None else s.holder,
        "asked": s.asked,
        "grants": s.grants,
    }
'''

CONFIGURED = MAP.partition("    return {\n")[0]
"""The map up to the body of `state`."""

STATES = 49
"""Of the module with Clients = {c1, c2} and Most = 2, as `specmodel check` counts them."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the module, the design and the map."""
    monkeypatch.chdir(tmp_path)
    write("Lock.tla", MODULE)
    write("lock.py", DESIGN)
    write("map.py", MAP)
    return tmp_path


def write(name: str, text: str, old: str = "", new: str = "") -> None:
    """Writes a file, with a change to it."""
    assert old in text
    Path(name).write_text(text.replace(old, new, 1))


def compared(max_states: int | None = None, most: int = 2) -> Correspondence:
    return equal_under("Lock.tla", "lock.py", "map.py", max_states=max_states, most=most)


def mismatch() -> MapDifference:
    found = compared()
    assert found.verdict == "different"
    assert found.mismatch is not None
    return found.mismatch


def actions(found: MapDifference) -> list[list[str]]:
    """The actions of the module's behaviour and of the design's."""
    return [[step.action for step in trace.steps] if trace else [] for trace in found.traces]


def test_the_same() -> None:
    """Lists are sequences, records are records, sets are sets; members have their names."""
    found = compared()
    assert found.verdict == "equal"
    assert found.states == STATES == check("lock.py").distinct
    write("Lock.cfg", "SPECIFICATION Spec\nCONSTANTS Clients = {c1, c2} Most = 2\n")
    assert check("Lock.tla", deadlock=False).distinct == STATES
    assert compared(most=1).states == check("lock.py", most=1).distinct


def test_a_step_that_the_module_lacks() -> None:
    """The design lets a client that holds the lock ask again."""
    write("lock.py", DESIGN, " and s.holder != c", "")
    found = mismatch()
    assert (found.kind, found.only) == ("step", 1)
    assert actions(found) == [["Ask", "Grant"], ["ask", "grant", "ask"]]
    assert found.nearest is not None
    assert found.nearest.step.action == "Free"
    assert [change.path for change in found.nearest.differences] == ["queue", "holder", "asked[c1]"]


def test_a_step_that_the_design_lacks() -> None:
    """The design grants no lock while somebody waits behind the first."""
    write("lock.py", DESIGN, "len(s.queue) > 0", "len(s.queue) == 1")
    found = mismatch()
    assert (found.kind, found.only) == ("step", 0)
    assert actions(found) == [["Ask", "Ask", "Grant"], ["ask", "ask"]]
    assert found.nearest is None  # nothing else can happen there


def test_other_initial_states() -> None:
    """Those of the design, and those of the module that no state of the design stands for."""
    write(
        "lock.py",
        DESIGN,
        "for c in Client}, grants",
        "for c in Client} | {c: 1 for c in Client}, grants",
    )
    write("lock.py", DESIGN, "asked={c: 0", "asked={c: 1")
    found = mismatch()
    assert (found.kind, found.only) == ("initial", 1)
    write("lock.py", DESIGN)
    write(
        "Lock.tla",
        MODULE,
        r'holder = "nobody" /\ grants',
        r'holder \in {"nobody", "else"} /\ grants',
    )
    found = mismatch()
    assert (found.kind, found.only) == ("initial", 0)
    assert found.traces[1] is None


def test_two_states_that_the_map_makes_one() -> None:
    """The design knows who waited; the module does not: the design has more states."""
    extra = DESIGN.replace("    grants: Set[Grant]\n", "    grants: Set[Grant]\n    waited: bool\n")
    extra = extra.replace("grants=set())", "grants=set(), waited=False)")
    write(
        "lock.py",
        extra,
        "    s.queue.append(c)",
        "    s.waited = len(s.queue) > 0\n    s.queue.append(c)",
    )
    found = mismatch()
    assert (found.kind, found.only) == ("alike", 1)
    one, other = found.traces
    assert one is not None
    assert other is not None
    assert one.states[-1] != other.states[-1]


def test_state_constraints() -> None:
    """Two that differ are a difference; one alone bounds the search."""
    bounded = MAP.replace("CHECK_DEADLOCK", "CONSTRAINT Few\n        CHECK_DEADLOCK")
    write("map.py", bounded)
    found = compared()
    assert found.verdict == "equal"
    assert found.states < STATES
    constrained = DESIGN.replace("lock = Spec(", BOUND + "\nlock = Spec(constraints=[few], ")
    write("lock.py", constrained)
    assert compared().verdict == "equal"
    write("lock.py", constrained, "len(s.queue) < 2", "len(s.queue) < 1")
    found = mismatch()
    assert (found.kind, found.only) == ("constraint", 0)


BOUND = """
from specmodel.lang import constraint

@constraint
def few(s: Lock) -> bool:
    return len(s.queue) < 2
"""


def test_a_step_that_fails() -> None:
    """Of one design: the failure is told."""
    write("Lock.tla", MODULE, r"UNCHANGED asked", r"asked' = [asked EXCEPT ![Head(<<>>)] = 1]")
    found = mismatch()
    assert (found.kind, found.only) == ("failure", 0)
    assert found.failure.startswith("Grant: ")


def test_limits() -> None:
    """What was not compared is not said to be equal."""
    found = compared(max_states=9)
    assert (found.verdict, found.stopped) == ("unknown", "max-states")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1\n", "map.py has no function state"),
        (CONFIGURED + "    return 1 / 0\n", "map.py:12"),
        (
            CONFIGURED + "    return {'queue': []}\n",
            "needs a value for its field holder",
        ),
        (MAP.replace('"queue"', '"line"'), "needs a value for its field queue"),
        (MAP.replace('"nobody" if s.holder is None else ', ""), "None is no value of TLA"),
        (MAP.replace("SPECIFICATION", "SPEC"), "SPEC is no statement of a configuration"),
        (MAP.replace("return f", "return 1 or f"), "configuration of map.py gives no text"),
        (MAP.replace("def configuration", "def other"), "Lock.cfg"),
        ("(", "cannot be run"),
    ],
)
def test_wrong_maps(specmodel: Specmodel, text: str, told: str) -> None:
    """Each is told with its place; there is no traceback."""
    write("map.py", text)
    result = specmodel("equal", "Lock.tla", "lock.py", "--map", "map.py")
    assert result.code == 2
    assert told in result.err
    assert "Traceback" not in result.err


def test_the_command(specmodel: Specmodel) -> None:
    """Text and JSON, and the exit codes."""
    command = ["equal", "Lock.tla", "lock.py", "--map", "map.py"]
    result = specmodel(*command)
    assert result.code == 0
    assert "Lock and lock have the same states and steps, at most=2" in result.out
    limited = specmodel(*command, "--max-states", "9")
    assert limited.code == 3
    assert "stopped at the limit of states" in limited.out
    write("lock.py", DESIGN, " and s.holder != c", "")
    different = specmodel(*command)
    assert different.code == 1
    assert "a step of lock that Lock does not have" in different.out
    assert "comes nearest" in different.out
    told = json.loads(specmodel(*command, "--format", "json").out)
    assert told["difference"]["kind"] == "step"
    assert told["difference"]["only"] == "lock"
    assert told["difference"]["traces"][1]["steps"][-1] == "ask(c=c1)"


def test_options_of_the_other_comparison(specmodel: Specmodel) -> None:
    """What only z3 needs does not go with a map, nor the limits of a search without one."""
    wrong = specmodel("equal", "Lock.tla", "lock.py", "--map", "map.py", "--assume", "x")
    assert wrong.code == 2
    assert "--map" in wrong.err
    assert specmodel("equal", "lock.py", "lock.py", "--timeout", "1s").code == 2


def test_a_map_leads_to_a_module() -> None:
    """A map leads to a module: designs in Python have `refines`."""
    for text in (MAP, MAP.replace("def configuration", "def other")):
        write("map.py", text)
        write("second.py", DESIGN.replace("lock = Spec", "second = Spec"))
        with pytest.raises(UsageError, match=r"TLA\+ module"):
            equal_under("second.py", "lock.py", "map.py")
    write("map.py", MAP)
    write("Lock.cfg", "SPECIFICATION Spec\nCONSTANTS Clients = {c1, c2} Most = 2\n")
    with pytest.raises(UsageError, match="a design in Python"):
        equal_under("Lock.tla", "Lock.tla", "map.py")


@pytest.mark.parametrize(
    ("design", "file", "variables", "constants"),
    [
        (
            "kip320",
            "replication",
            "leaderAndIsrRequests nextLeaderEpoch nextRecordId quorumState replicaLog replicaState",
            {"max_leader_epoch": 0},
        ),
        ("kip497", "async_isr", "controllerState leaderState requests updates", {"replicas": 2}),
    ],
)
def test_maps_of_public_modules(
    design: str, file: str, variables: str, constants: dict[str, Value]
) -> None:
    """They give every variable of the module, and other values for other states."""
    found = StateMap.read(ROOT / "models" / "kafka" / file / "as_module.py")
    loaded = load_target(design, constants)
    steps = Interpreter.of(loaded.spec)
    states = {steps.key(state): state for state in steps.initial()}
    for state in (queue := list(states.values())):
        for _, after in steps.successors(state):
            if steps.inside(after) and steps.key(after) not in states:
                states[steps.key(after)] = after
                queue.append(after)
    images = [found.state(state, loaded.values) for state in queue]
    assert len(queue) == check(loaded).distinct
    assert len(queue) > 40
    assert {" ".join(sorted(image)) for image in images} == {variables}
    assert len(set(map(str, images))) == len(images)
    assert found.configuration is not None
    assert "CHECK_DEADLOCK" in found.configuration(loaded.values)
