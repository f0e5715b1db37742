"""The bounded engine finds what a search finds, at the same depth, and says how far it looked."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from specmodel import check, load
from specmodel.design import Design
from specmodel.engines import interpret, smt
from specmodel.errors import SpecmodelError, UsageError
from specmodel.lang.loading import load_module
from specmodel.results import Options, Progress, Result, SpecFailure
from specmodel.smt import logic
from specmodel.smt.encoding import Encoding
from tests.conftest import Specmodel
from tests.engines.test_failures import SOUND, SPEC
from tests.engines.test_limits import GRID
from tests.outside import interrupted, started
from tests.random_specs import DRAWN_AT_LENGTH, refusals_allowed, spec_sources
from tests.written import design_of, written


def lengths(result: Result) -> dict[str, Any]:
    """Which properties are decided by a trace, and how long that is."""
    return {p.name: (p.verdict, p.trace_length) for p in result.properties if p.trace}


def compare(design: Design, **options: Any) -> Result | None:
    """Asserts that the interpreter and the bounded engine find the same; the latter's result."""
    try:
        wanted = interpret.check(design, Options(**options))
    except SpecFailure as failure:
        with pytest.raises(SpecFailure) as found:
            smt.check(design, Options(**options))
        theirs, mine = failure.trace, found.value.trace
        assert (theirs and theirs.length) == (mine and mine.length)
        return None
    found = smt.check(design, Options(**options))
    assert lengths(found) == lengths(wanted)
    stopped = ("max-depth", "violation") if wanted.verdict == "violated" else ("max-depth",)
    assert found.stopped in (wanted.stopped, *stopped)
    if found.complete:
        assert {p.name: p.verdict for p in found.properties} == {
            p.name: p.verdict for p in wanted.properties
        }
    return found


def compare_random_spec(text: str, depth: int, keep_going: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random_spec.py"
        file.write_text(text, encoding="utf-8")
        design = Design("random", load_module(file).spec("spec"), {})
        with refusals_allowed():
            compare(design, max_depth=depth, keep_going=keep_going, deadlock=True)


specs = st.one_of(spec_sources(), spec_sources(symmetric=True))


@settings(
    max_examples=15,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=DRAWN_AT_LENGTH,
)
@given(specs, st.booleans())
def test_random_specs(text: str, keep_going: bool) -> None:
    """Random small specs, symmetric ones too: violations, dead ends and failures."""
    compare_random_spec(text, 4, keep_going)


@pytest.mark.long
@settings(max_examples=500, deadline=None, suppress_health_check=DRAWN_AT_LENGTH)
@given(specs, st.booleans())
def test_many_random_specs(text: str, keep_going: bool) -> None:
    """As above, at leisure."""
    compare_random_spec(text, 5, keep_going)


COUNTERS = """
class Node(ScalarSet, size=3, prefix="n", symmetric=True):
    pass

class State(Struct):
    at: dict[Node, Annotated[int, Range(0, 2)]]
    moved: bool

@init
def start() -> State:
    return State({n: 0 for n in Node}, False)

@action
def grow(s: State, n: Node) -> None:
    require(s.at[n] < 2)
    s.at[n] += 1
    s.moved = True

@action
def reset(s: State, n: Node) -> None:
    require(all(s.at[m] == 2 for m in Node))
    s.at[n] = 0

@action
def stay(s: State) -> None:
    require(any(s.at[n] == 1 for n in Node))
    s.moved = s.moved

@invariant
def small(s: State) -> bool:
    return sum(s.at[n] for n in Node) < most

@reachable
def full(s: State) -> bool:
    return all(s.at[n] == 2 for n in Node)

@reachable
def beyond(s: State) -> bool:
    return any(s.at[n] > 1 for n in Node) and not s.moved

@transition
def monotone(before: State, after: State) -> bool:
    return all(after.at[n] >= before.at[n] for n in Node)

@transition
def moving(before: State, after: State) -> bool:
    return not before.moved or before.at != after.at

@constraint
def near(s: State) -> bool:
    return sum(s.at[n] for n in Node) < bound

most = constant("most", 6, low=1)
bound = constant("bound", 9, low=1)
spec = Spec(
    state=State, init=start, actions=[grow, reset, stay], invariants=[small],
    reachable=[full, beyond], transitions=[monotone, moving], constraints=[near],
)
"""


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("keep_going", [True, False])
@pytest.mark.parametrize("bound", [3, 9])
@pytest.mark.parametrize("moving", [True, False])
def test_every_kind_of_property(
    tmp_path: Path, symmetric: bool, keep_going: bool, bound: int, moving: bool
) -> None:
    """States, steps, steps that change nothing, constraints, dead ends; with symmetry or without,
    with an order of steps that may be chosen or not."""
    some, one = "any(s.at[n] == 1 for n in Node)", "s.at[Node.nth(0)] == 1"
    text = COUNTERS if symmetric else COUNTERS.replace(some, one)
    design = design_of(tmp_path, text, bound=bound)
    properties = None if moving else ("small", "full", "beyond", "monotone")
    for depth in (3, 9):
        options = {"max_depth": depth, "keep_going": keep_going, "deadlock": True}
        compare(design, **options, properties=properties)


STEPS = """
class State(Struct):
    a: Annotated[int, Range(0, 3)]
    b: Annotated[int, Range(0, 3)]
    on: bool

@init
def start() -> State:
    return State(0, 0, False)

@action
def first(s: State) -> None:
    require(s.a < most)
    s.a += 1

@action
def second(s: State) -> None:
    require(s.b < most)
    s.b += 1

@action
def flip(s: State) -> None:
    require(most == 0)
    s.on = not s.on

@transition
def in_order(before: State, after: State) -> bool:
    return after.a == before.a or before.b == 0

@transition
def stays_on(before: State, after: State) -> bool:
    return after.on or not before.on

most = constant("most", 3, low=0, high=3)
spec = Spec(
    state=State, init=start, actions=[first, second, flip], transitions=[in_order, stays_on]
)
"""


def test_last_steps_in_every_order(tmp_path: Path) -> None:
    """Of two steps that do not touch each other both orders are looked at where steps count."""
    found = compare(design_of(tmp_path, STEPS), max_depth=5)
    assert found is not None and lengths(found) == {"in_order": ("violated", 3)}


def test_last_step_to_a_state_seen_before(tmp_path: Path) -> None:
    """That no new state is to be found does not say that every step has been looked at."""
    found = compare(design_of(tmp_path, STEPS, most=0), max_depth=5)
    assert found is not None and lengths(found) == {"stays_on": ("violated", 3)}


def test_without_z3(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has not installed it is told how."""
    monkeypatch.setattr(logic, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'specmodel\[smt\]'"):
        check("two-phase-commit", engine="smt")


def test_whole_space_is_seen(tmp_path: Path) -> None:
    """Where no path with all states different goes on, everything has been seen, cycles or not."""
    design = design_of(tmp_path, COUNTERS, most=9, bound=4)
    for names in (("small", "beyond"), ("small", "monotone")):
        found = compare(design, properties=names, max_depth=12)
        assert found is not None and found.complete and found["small"].verdict == "holds"
    assert check("two-phase-commit", participants=1, engine="smt", max_depth=20).verdict == "holds"


def test_initial_states_alone(tmp_path: Path) -> None:
    """With depth 1 nothing is said of any step."""
    design = design_of(tmp_path, COUNTERS, most=1)
    found = compare(design, max_depth=1)
    assert found is not None and (found.stopped, found.depth) == ("max-depth", 1)
    found = compare(design, max_depth=2, properties=("small",))
    assert found is not None and lengths(found) == {"small": ("violated", 2)}


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("init", "    n = n * 9"),
        ("step", "    s.n += by"),
        ("step", "    x = 1 // s.n\n    require(x > 9)"),
        ("step", "    require(s.n < 5)\n    s.n += 1\n    s.log.append(Node.nth(0))"),
        ("fine", "    return s.n < 4 or s.log[0] == s.who"),
        ("steady", "    return before.n < 3 or after.log[0] == after.who"),
        ("bound", "    return s.n < 4 or s.log[0] == s.who"),
    ],
)
def test_failures(tmp_path: Path, where: str, code: str) -> None:
    """A spec that fails in any of its functions fails here as well, after as many states."""
    text = SPEC.format(**(SOUND | {where: code}))
    design = design_of(tmp_path, text)
    with pytest.raises(SpecFailure):
        interpret.check(design)
    compare(design, max_depth=8)


@pytest.mark.parametrize(
    ("name", "constants"),
    [
        ("optimistic-shrink", {}),
        ("two-phase-commit-impatient", {"participants": 2}),
        ("producer-unfenced-acks-all", {}),
    ],
)
def test_designs(name: str, constants: dict[str, Any]) -> None:
    """Designs of the library that fail: the counterexamples are as short as the native engine's."""
    design = load(name, **constants)
    wanted = check(design)
    found = check(design, engine="smt", max_depth=12)
    assert lengths(found) == lengths(wanted) != {}


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        "consumer-kafkajs",
        "truncate-to-hw",
        "kip320-deferred-truncation",
        "kip279",
        "kip320-old-expand",
    ],
)
def test_kafka_designs(name: str) -> None:
    """The same of designs of the Kafka core with longer counterexamples."""
    design = load(name)
    found = check(design, engine="smt", max_depth=13)
    assert lengths(found) == lengths(check(design)) != {}


def test_what_is_not_counted_is_not_there() -> None:
    """There are no counts, and no warnings that would follow from them; JSON has null."""
    result = check("two-phase-commit", engine="smt", max_depth=3)
    assert (result.verdict, result.stopped, result.depth) == ("incomplete", "max-depth", 3)
    assert (result.distinct, result.generated, result.coverage) == (None, None, {})
    with pytest.raises(UsageError, match="smt engine does not count states"):
        _ = result.counts


def test_command_line(specmodel: Specmodel) -> None:
    """Says how far it looked in text and in JSON, with the exit code of an incomplete search."""
    words = ("check", "two-phase-commit", "--engine", "smt", "--depth", "3")
    done = specmodel(*words)
    assert (done.code, done.err) == (3, "")
    last = done.out.splitlines()[-1]
    assert last.endswith("paths of up to 3 states, stopped at the limit of depth")
    assert "fired" not in done.out and "generated" not in done.out
    told = json.loads(specmodel(*words, "--format", "json").out)
    assert (told["verdict"], told["distinct"], told["generated"]) == ("incomplete", None, None)
    assert (told["complete"], told["depth"], told["undecided"]) == (False, 3, [])


def test_question_without_an_answer(specmodel: Specmodel) -> None:
    """Which question it was is said, and the search claims nothing beyond it."""
    result = check("kip320", engine="smt", max_depth=30, query_timeout=0.05)
    assert (result.verdict, result.stopped) == ("incomplete", "unknown")
    assert result.depth < 30
    assert any(f"at depth {result.depth + 1} (" in told for told in result.undecided)
    words = ("--engine", "smt", "--depth", "30", "--query-timeout", "50ms")
    done = specmodel("check", "kip320", *words)
    assert done.code == 3
    assert "no answer: " in done.out and "--query-timeout" in done.out


def test_limits_and_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that is ended in the middle of a question gives what it has."""
    late = check("kip320", engine="smt", max_depth=40, timeout=1.5)
    assert (late.verdict, late.stopped) == ("incomplete", "timeout")
    assert late.depth < 40
    seen: list[Progress] = []

    def interrupt(progress: Progress) -> None:
        seen.append(progress)
        if progress.depth >= 3:
            raise KeyboardInterrupt

    ended = check("kip320", engine="smt", max_depth=40, progress=interrupt)
    assert (ended.verdict, ended.stopped) == ("incomplete", "interrupted")
    assert seen[-1].distinct is None and "at depth" in seen[-1].asking + " at depth"


def test_interrupted_process(tmp_path: Path) -> None:
    """Ctrl-C while z3 is at work: what was seen, exit code 3, no traceback."""
    spec, mark = written(tmp_path, GRID), tmp_path / "at work"
    words = ("check", spec, "--set", "size=2000", "--engine", "smt", "--depth", "9999")
    ran = interrupted(started(*words, mark=mark), mark.exists)
    assert (ran.code, ran.err) == (3, "")
    assert "interrupted" in ran.out.splitlines()[-1]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"max_states": 5}, "--max-states"),
        ({"coverage": True}, "--coverage"),
        ({"fingerprint": True}, "--fingerprint"),
        ({"partial_order": True}, "--partial-order"),
    ],
)
def test_refused_options(options: dict[str, Any], told: str) -> None:
    """Options about kept states mean nothing here, and say so."""
    with pytest.raises(UsageError, match=told):
        check("kip320", engine="smt", **options)


def test_refused_questions(specmodel: Specmodel) -> None:
    """Behaviours without end are for others, and so is what counts states or walks."""
    with pytest.raises(UsageError, match="temporal properties"):
        check("kip320-live", engine="smt")
    for command in ("sweep --vary replicas=2..3", "ablate", "test", "simulate"):
        verb, *options = command.split()
        done = specmodel(verb, "kip320", "--engine", "smt", *options)
        assert done.code == 2 and "the smt engine" in done.err, command
    with pytest.raises(UsageError, match="query_timeout is for smt"):
        check("kip320", query_timeout=1.0)


def test_wrong_model_is_not_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A behaviour that CPython does not have would be a mistake in the formulas, and is told so."""
    monkeypatch.setattr(Encoding, "step", lambda self, depth: self.any_state(depth + 1))
    with pytest.raises(SpecmodelError, match="its spec does not have"):
        check("consumer-kafkajs", engine="smt", max_depth=8)
