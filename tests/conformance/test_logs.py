"""Logs: what is a behaviour of a design, by both engines, and what is said of what is none."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from specmodel import ValidatedLog, assert_validates, load, validate
from specmodel.behaviour.steps import Interpreter
from specmodel.conformance.logs.validation import LogEngine
from specmodel.errors import UsageError
from specmodel.results import SpecFailure
from specmodel.traces.notation import Notation
from tests.conftest import Specmodel
from tests.docs.pages import ROOT

LOCK = """
from specmodel.lang import Range, ScalarSet, Spec, Struct, action, init, require
from typing import Annotated

class Client(ScalarSet, size=2):
    "Whoever wants the lock."

class State(Struct):
    "Who holds it, whether the lease lasts, and how often it was given."
    holder: Client | None
    lease: bool
    given: Annotated[int, Range(0, 5)]

@init
def free() -> State:
    "Nobody holds it."
    return State(holder=None, lease=False, given=0)

@action
def acquire(s: State, c: Client) -> None:
    "A free lock is given."
    require(s.holder is None)
    s.holder = c
    s.lease = True
    s.given += 1

@action
def expire(s: State) -> None:
    "The lease runs out."
    require(s.lease)
    s.lease = False

@action
def drop(s: State) -> None:
    "The server takes the lock back."
    require(s.holder is not None)
    require(not s.lease)
    s.holder = None

@action
def release(s: State, c: Client) -> None:
    "The holder gives it back."
    require(s.holder == c)
    s.holder = None
    s.lease = False

lock = Spec(state=State, init=free, actions=[acquire, expire, drop, release])
"""

BINDING = """
from specmodel.conformance import LogBinding, LoggedAs
log = LogBinding(
    events={
        "granted": LoggedAs(["acquire"], arguments={"c": "client"}),
        "freed": LoggedAs(["release", "drop"], arguments={"c": "client"}),
        "status": LoggedAs(seen={"holder": "state.holder"}),
    },
    observed=lambda s: {"holder": s.holder and str(s.holder), "given": s.given},
    silent=["expire"],
    ignored=["hello"],
    MORE
)
"""

GRANTED = {"event": "granted", "client": "c1"}


@pytest.fixture(params=["native", "interpret"])
def engine(request: pytest.FixtureRequest) -> LogEngine:
    """What computes the steps."""
    return request.param


def validated(
    folder: Path, *logs: Sequence[Any], engine: LogEngine = "auto", more: str = ""
) -> ValidatedLog:
    """The report on logs of the lock."""
    (folder / "lock.py").write_text(LOCK)
    (folder / "binding.py").write_text(BINDING.replace("MORE", more))
    files: list[Path] = []
    for number, log in enumerate(logs):
        files.append(folder / f"{number}.jsonl")
        files[-1].write_text("".join(f"{json.dumps(event)}\n" for event in log))
    return validate(folder / "lock.py", files, folder / "binding.py", engine=engine)


def test_a_behaviour(tmp_path: Path, engine: LogEngine) -> None:
    """Steps, reports of the state, events that are passed over, and a silent step between them."""
    log = [
        {"event": "hello"},
        GRANTED,
        {"event": "status", "state": {"holder": "c1"}},
        {"event": "freed"},
        {"event": "granted"},
        {"event": "status", "state": {"holder": "c2"}},
        {"event": "freed", "given": 2},
    ]
    found = validated(tmp_path, log, engine=engine)
    assert (found.verdict, found.events, found.matched, found.engine) == ("passed", 6, 6, engine)
    assert not found.unmatched and not found.states
    assert {str(step) for step in found.trace.steps} >= {"acquire(c=c1)", "acquire(c=c2)"}
    assert [label for label in found.labels if label] == [f"0.jsonl:{n}" for n in (2, 4, 5, 7)]


@pytest.mark.parametrize(
    ("event", "matched", "tried"),
    [
        (GRANTED, 1, [("acquire(c=c1)", ("holder is c1",), ())]),
        ({**GRANTED, "client": "c3"}, 1, []),
        (
            {"event": "freed", "client": "c1", "given": 3},
            1,
            [
                ("release(c=c1)", (), (("given", 1, 3),)),
                ("drop()", ("lease is true",), ()),
            ],
        ),
        (
            {"event": "status", "state": {"holder": None}},
            1,
            [("", (), (("holder", "c1", None),))],
        ),
    ],
    ids=["guard", "argument", "observation", "report"],
)
def test_no_behaviour(
    event: Any, matched: int, tried: list[Any], tmp_path: Path, engine: LogEngine
) -> None:
    """The guard, the value or the observation that says why, in the first possible state."""
    found = validated(tmp_path, [GRANTED, event], engine=engine)
    assert (found.verdict, found.matched, found.possible) == ("failed", matched, 2)
    first = found.unmatched[0]
    assert (first.place, json.loads(first.text), first.state) == ("0.jsonl:2", event, 1)
    assert [(one.step, one.false, one.differing) for one in first.tried] == tried
    assert found.states[0] == {"holder": "c1", "lease": "True", "given": "1"}


def test_a_step_that_fails(tmp_path: Path, engine: LogEngine) -> None:
    """A constant that is too small for the log is said to be so."""
    found = validated(tmp_path, [GRANTED, {"event": "freed"}] * 6, engine=engine)
    assert (found.verdict, found.matched) == ("failed", 10)
    (tried,) = found.unmatched[0].tried
    assert tried.step == "acquire(c=c1)" and "0..5" in tried.failure


def test_silent_steps_are_counted(tmp_path: Path, engine: LogEngine) -> None:
    """No more of them take place before an event than the binding allows."""
    for most, verdict in ((1, "failed"), (2, "passed")):
        validated(tmp_path, [GRANTED, GRANTED])
        binding = tmp_path / f"most_{most}.py"
        binding.write_text(
            "from specmodel.conformance import LogBinding\n"
            'log = LogBinding({"granted": "acquire"}, silent=["expire", "drop"],\n'
            f"    most_silent={most})\n"
        )
        given = tmp_path / "lock.py", tmp_path / "0.jsonl", binding
        assert validate(*given, engine=engine).verdict == verdict, most


def test_lines_that_are_no_json(tmp_path: Path, engine: LogEngine) -> None:
    """`parse` gives the events of a line: none, one or several."""
    validated(tmp_path, [])
    binding, log = tmp_path / "parsing.py", tmp_path / "server.log"
    text = (
        "from specmodel.conformance import LogBinding, LoggedAs\n"
        "def parse(line):\n"
        "    for word in line.split()[1:]:\n"
        "        yield {'event': word[:-2], 'c': word[-2:]}\n"
        "log = LogBinding({'+': 'acquire', '-': 'release'}, parse=parse)\n"
    )
    binding.write_text(text)
    log.write_text("12:00 +c1 -c1 +c2\n12:01\n12:02 -c2 -c2\n")
    found = validate(tmp_path / "lock.py", log, binding, engine=engine)
    assert (found.matched, found.unmatched[0].place) == (4, "server.log:3")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(text.replace("for word", "raise ValueError\n    for word"))
    with pytest.raises(UsageError, match="the binding fails: ValueError"):
        validate(tmp_path / "lock.py", log, wrong, engine=engine)


def test_events_that_may_be_no_step(tmp_path: Path, engine: LogEngine) -> None:
    """Such an event is a step or reports the state, whichever agrees with the rest."""
    validated(tmp_path, [GRANTED, GRANTED, {"event": "granted", "client": "c1", "given": 2}])
    for number, (may, matched) in enumerate(((False, 1), (True, 2))):
        binding = tmp_path / f"may_{number}.py"
        binding.write_text(
            "from specmodel.conformance import LogBinding, LoggedAs\n"
            f"given = LoggedAs(['acquire'], {{'c': 'client'}}, None, {may})\n"
            "log = LogBinding({'granted': given},\n"
            "    observed=lambda s: {'given': s.given})\n"
        )
        given = tmp_path / "lock.py", tmp_path / "0.jsonl", binding
        assert validate(*given, engine=engine).matched == matched


def test_silent_actions_of_other_designs(tmp_path: Path, engine: LogEngine) -> None:
    """A binding may be of several designs; where an event is no step, they are named."""
    validated(tmp_path, [GRANTED, GRANTED])
    binding = tmp_path / "silent.py"
    binding.write_text(
        "from specmodel.conformance import LogBinding\n"
        "log = LogBinding({'granted': 'acquire'}, silent=['expired'])\n"
    )
    found = validate(tmp_path / "lock.py", tmp_path / "0.jsonl", binding, engine=engine)
    assert (found.matched, found.unknown) == (1, ("expired",))


def test_events_of_other_designs(tmp_path: Path, engine: LogEngine) -> None:
    """An event whose actions the design lacks is no step, also if it might be none."""
    validated(tmp_path, [GRANTED])
    binding = tmp_path / "other.py"
    binding.write_text(
        "from specmodel.conformance import LogBinding, LoggedAs\n"
        "log = LogBinding({'granted': LoggedAs(['aquire'], may_be_no_step=True)})\n"
    )
    found = validate(tmp_path / "lock.py", tmp_path / "0.jsonl", binding, engine=engine)
    assert found.verdict == "failed"
    assert found.unmatched[0].why.startswith("the design has no action aquire; did you mean")


FIRST = [
    {"event": "granted", "client": "c1", "t": 1.0, "id": "a"},
    {"event": "freed", "client": "c1", "t": 4.0, "id": "b", "cause": ["x"]},
]
LAST = [{"event": "granted", "client": "c2", "t": 2.0, "id": "c"}]
CAUSES = 'identity="id", after="cause"'


@pytest.mark.parametrize(
    ("more", "last", "verdict"),
    [
        ("", LAST, "passed"),
        ('at="t", skew=0.5', LAST, "failed"),
        ('at="t", skew=2.5', LAST, "passed"),
        (CAUSES, LAST, "passed"),
        (CAUSES, [{**LAST[0], "cause": "b"}], "passed"),
        (CAUSES, [{**LAST[0], "id": "x"}], "failed"),
    ],
    ids=["no order", "times", "vague times", "no causes", "after another", "in between"],
)
def test_several_logs(
    more: str, last: Any, verdict: str, tmp_path: Path, engine: LogEngine
) -> None:
    """All orders that times and causes allow, and no others."""
    found = validated(tmp_path, FIRST, last, engine=engine, more=more)
    assert found.verdict == verdict
    if verdict == "passed":
        assert found.labels[-1] == "1.jsonl:1"


def walks(target: str, seed: int, length: int) -> Iterator[tuple[str, dict[str, str]]]:
    """Steps of a random walk: the names of their actions, and their arguments as text."""
    design = load(target)
    interpreter, draw = Interpreter.of(design.spec), random.Random(seed)
    write, state = Notation.of_spec(design.spec), next(interpreter.initial())
    for _ in range(length):
        steps = [
            (number, interpreter.domain.copy(after))
            for number, after in interpreter.outcomes(state)
            if not isinstance(after, SpecFailure)
        ]
        if not steps:
            return
        number, after = draw.choice(steps)
        step = interpreter.step(number, state)
        yield step.action, {name: write.value(value) for name, value in step.arguments.items()}
        state = after


@pytest.mark.parametrize("target", ["kip320", "kip595", "kip320-live"])
def test_walks_are_behaviours(target: str, tmp_path: Path) -> None:
    """Of a walk of which some arguments and some steps are not told, engines give the same."""
    (tmp_path / "b.py").write_text(
        "import specmodel\nfrom specmodel.conformance import LogBinding\n"
        f"names = [rule.name for rule in specmodel.load({target!r}).spec.rules]\n"
        "log = LogBinding(events={name: name for name in names}, silent=names[:1])\n"
    )
    for seed in range(4):
        draw = random.Random(seed)
        events = [
            {"event": action, **{n: v for n, v in told.items() if draw.random() < 0.6}}
            for action, told in walks(target, seed, 25)
        ]
        cut = [event for event in events if draw.random() < 0.95]
        for log, must in ((events, True), (cut, False)):
            file = tmp_path / "walk.jsonl"
            file.write_text("".join(f"{json.dumps(event)}\n" for event in log))
            given = target, file, tmp_path / "b.py"
            both = [validate(*given, engine="native"), validate(*given, engine="interpret")]
            facts = [(r.verdict, r.matched, r.possible, r.widest) for r in both]
            assert facts[0] == facts[1]
            assert not must or facts[0][0] == "passed"


def test_orders_are_those_of_the_definition(tmp_path: Path) -> None:
    """Of two short logs: one is a behaviour if some merge of them is, one after the other."""
    kinds = [GRANTED, {"event": "freed", "client": "c1"}, {"event": "granted", "client": "c2"}]
    for first in product(kinds, repeat=2):
        for last in product(kinds, repeat=1):
            merges = [[*first[:at], *last, *first[at:]] for at in range(3)]
            any_of = any(validated(tmp_path, merge).verdict == "passed" for merge in merges)
            assert (validated(tmp_path, first, last).verdict == "passed") == any_of


def test_a_module(tmp_path: Path) -> None:
    """A TLA+ module, by its evaluator: values of all kinds are compared as JSON has them."""
    (tmp_path / "Up.tla").write_text(
        "---- MODULE Up ----\nEXTENDS Naturals, Sequences\nCONSTANT Node\n"
        "VARIABLES n, on, log, seen\n"
        "Init == n = 0 /\\ on = FALSE /\\ log = <<>> /\\ seen = [c \\in Node |-> {}]\n"
        "Add(c, k) == /\\ n + k < 6 /\\ n' = n + k /\\ on' = ~on /\\ log' = Append(log, \"add\")\n"
        "             /\\ seen' = [seen EXCEPT ![c] = @ \\cup {k}]\n"
        "Next == \\E c \\in Node, k \\in 1..3 : Add(c, k)\n====\n"
    )
    (tmp_path / "Up.cfg").write_text("CONSTANT Node = {a, b}\nINIT Init\nNEXT Next\n")
    (tmp_path / "b.py").write_text(
        "from specmodel.conformance import LogBinding, LoggedAs\n"
        'log = LogBinding(events={"add": LoggedAs(["Add"], {"k": "k", "c": "node"})},\n'
        "    observed=lambda s: {'n': s.n, 'on': s.on, 'log': s.log, 'seen': s.seen})\n"
    )
    held: dict[str, Any] = {"n": 5, "on": False, "log": ["add"] * 2, "seen": {"a": [2, 3], "b": []}}
    for events, verdict in (
        ([{"k": 2}, {"k": 3, "n": 5}], "passed"),
        ([{}, {"k": 3, **held}], "passed"),
        ([{"node": "a"}, {"node": "a", "k": 3, **held}], "passed"),
        ([{"node": "b"}, {"k": 3, **held}], "failed"),
        ([{"k": 2}, {"k": 3, "on": True}], "failed"),
        ([{"k": 3}, {"k": 3}], "failed"),
    ):
        log = tmp_path / "log.jsonl"
        log.write_text("".join(json.dumps({"event": "add", **event}) + "\n" for event in events))
        found = validate(tmp_path / "Up.tla", log, tmp_path / "b.py")
        assert (found.verdict, found.engine) == (verdict, "interpret"), events
    assert found.unmatched[0].tried[0].false == ("n + 3 is 6, not below 6",)


def test_logs_without_an_order(tmp_path: Path) -> None:
    """Events that are each after another are a mistake of the logs, not of the design."""
    first = [{**GRANTED, "id": "a", "cause": "b"}]
    last = [{"event": "freed", "id": "b", "cause": "a"}]
    with pytest.raises(UsageError, match=r"no order is possible: 0\.jsonl:1 and 1\.jsonl:1"):
        validated(tmp_path, first, last, more=CAUSES)


@pytest.mark.parametrize(
    ("line", "more", "said"),
    [
        ("{", "", "0.jsonl:1: this is no JSON"),
        ("[1]", "", "0.jsonl:1: an event is a JSON object"),
        ('{"event": "grantde"}', "", 'no event "grantde" (field event); did you mean "granted"?'),
        ('{"evnt": "granted"}', "", "0.jsonl:1: the event has no field event"),
        ('{"event": "freed"}', 'at="t"', "field t has no number of seconds"),
        ("", 'kind="x"', "kind"),
    ],
)
def test_mistakes(line: str, more: str, said: str, tmp_path: Path) -> None:
    """A log or a binding that is wrong: what, and where."""
    log = tmp_path / "0.jsonl"
    (tmp_path / "lock.py").write_text(LOCK)
    (tmp_path / "binding.py").write_text(BINDING.replace("MORE", more))
    log.write_text(line + "\n")
    with pytest.raises(UsageError) as wrong:
        validate(tmp_path / "lock.py", [log, log], tmp_path / "binding.py")
    assert said in str(wrong.value)


def test_the_command(tmp_path: Path, specmodel: Specmodel) -> None:
    """Its exit codes, the trace that it writes, JSON and JUnit."""
    bad = validated(tmp_path, [GRANTED, GRANTED])
    assert bad.verdict == "failed"
    given = (tmp_path / "lock.py", tmp_path / "0.jsonl", "--binding", tmp_path / "binding.py")
    out = tmp_path / "x.itf.json"
    ran = specmodel("validate", *given, "--trace-out", out)
    assert ran.code == 1 and "1 of 2 events are a behaviour of lock" in ran.out
    assert specmodel("trace", out, "--design", tmp_path / "lock.py").code == 0
    report = json.loads(specmodel("validate", *given, "--format", "json").out)
    assert (report["verdict"], report["steps"][0]["event"]) == ("failed", "0.jsonl:1")
    rows = (ROOT / "docs/reference/json-validate.md").read_text().splitlines()
    keys = [row.split("|")[1].replace("`", "") for row in rows if row.startswith("| `")]
    assert {name for key in keys for name in key.replace(" ", "").split(",")} == {*report}
    junit = specmodel("validate", *given, "--format", "junit")
    assert junit.code == 1 and 'failures="1"' in junit.out
    assert specmodel("validate", *given[:2], "--binding", tmp_path / "lock.py").code == 2
    assert specmodel("validate", *given, "--engine", "smt").code == 2


def test_each_log_by_itself(tmp_path: Path, specmodel: Specmodel) -> None:
    """Logs of several runs: the exit code is that of the worst."""
    validated(tmp_path, [GRANTED], [GRANTED, GRANTED])
    both = [tmp_path / "0.jsonl", tmp_path / "1.jsonl"]
    given = ("validate", tmp_path / "lock.py", "--binding", tmp_path / "binding.py", "--each")
    ran = specmodel(*given, *both)
    assert ran.code == 1 and "1 of 2 logs are behaviours of lock" in ran.out
    assert "1.jsonl:2 is no step" in ran.out and "0.jsonl: all 1 event" in ran.out
    assert specmodel(*given, both[0]).code == 0
    report = json.loads(specmodel(*given, *both, "--format", "json").out)
    assert report["verdict"] == "failed"
    assert [one["verdict"] for one in report["each"]] == ["passed", "failed"]
    assert 'tests="2"' in specmodel(*given, *both, "--format", "junit").out
    assert specmodel(*given, *both, "--trace-out", tmp_path / "x.itf.json").code == 2


def test_the_assertion(tmp_path: Path) -> None:
    """It fails with the report."""
    validated(tmp_path, [GRANTED, GRANTED])
    given = tmp_path / "lock.py", tmp_path / "0.jsonl", tmp_path / "binding.py"
    with pytest.raises(AssertionError, match="holder is c1"):
        assert_validates(*given)
    validated(tmp_path, [GRANTED])
    assert assert_validates(*given).matched == 1
