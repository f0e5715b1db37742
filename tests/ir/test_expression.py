"""Expressions given as text mean what they mean in the spec's own functions."""

from __future__ import annotations

import ast
import inspect
import random
import textwrap
from pathlib import Path
from typing import Any

import pytest

from specmodel.api import load
from specmodel.errors import ExpressionError
from specmodel.ir.expression import NoValueError
from specmodel.lang.loading import load_module
from specmodel.lang.python_rule import PythonRule
from specmodel.model.model import Model, Rule
from tests.kernel.reference import mixed_states, reachable_states

TOUR = Path(__file__).parents[1] / "specs" / "tour.py"

FAILED = object()


def returned(rule: Rule) -> str:
    """The expression that a property returns, if that is all it does."""
    assert isinstance(rule, PythonRule)
    tree = ast.parse(textwrap.dedent(inspect.getsource(rule.function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    body = [s for s in tree.body if not (isinstance(s, ast.Expr) and ast.get_docstring(tree))]
    last = body[0] if len(body) == 1 else None
    return ast.unparse(last.value) if isinstance(last, ast.Return) and last.value else ""


def value_or_failure(evaluate: Any) -> Any:
    try:
        return evaluate()
    except Exception:
        return FAILED


@pytest.mark.parametrize(
    ("design", "least"),
    [
        ("kip320", 5),
        ("consumer-history", 1),
        ("two-phase-commit", 4),
        ("metadata-kip320", 3),
        ("kip966", 4),
        ("zombie-fenced", 4),
    ],
)
def test_what_is_pasted_from_a_spec(design: str, least: int) -> None:
    """The body of a property, given as text, has the value that the function has."""
    spec = load(design).spec
    reader = spec.expressions()
    near = reachable_states(spec, 30)
    states = [*near, *mixed_states(spec, near, 60, random.Random(6))]
    compared = 0
    for rule in spec.properties:
        text = returned(rule) if rule.states == 1 else ""
        if text:
            expression, named = reader.condition(text), reader.read(rule.name)
            for state in states:
                wanted = value_or_failure(lambda f=rule.run, s=state: bool(f(s)))
                for read in (expression, named):
                    found = value_or_failure(lambda e=read, s=state: e.value(s))
                    assert found == wanted, (rule.name, state)
            compared += 1
    assert compared >= least


EXPRESSIONS = [
    "n + signed * 2 - abs(signed) // 2 % 3",
    "-n",
    "not on or colour == red",
    "colour in (Colour.green, mark) and on",
    "node is None",
    "node == n1 if on else n2 in seen",
    "maybe",
    "far.x",
    "point.x < s.of[n1].x <= most",
    "log[0].y",
    "log[-1]",
    "ints[1:]",
    "ints + [1, 2]",
    "logs[blue]",
    "[len(log) for log in logs.values()]",
    "{c for c in Colour if logs[c]}",
    "{k: by[k] is None for k in by}",
    "seen | {n3}",
    "seen <= {n for n in Node if of[n].x == 0}",
    "numbers & {0, 1}",
    "FAVOURITES",
    "pairs",
    "Pair(point, node)",
    "all(m in seen or of[m].y > 0 for m in Node)",
    "max((p.x for p in log), default=-1)",
    "min(i for i in ints)",
    "sum(i for i in range(n) if i % 2 == 0)",
    "total(s)",
    "sign(signed)",
    "place(state, n2).y",
    "first_free(s)",
    "by[n]",
    "by[ints[0]]",
    "set(ints)",
    "10 // signed",
]


def test_values_are_those_of_cpython() -> None:
    """Every kind of expression, in reachable and mixed states, failures included."""
    module_spec = load_module(TOUR).spec("tour")
    reader = module_spec.expressions()
    near = reachable_states(module_spec, 30)
    states = [*near, *mixed_states(module_spec, near, 30, random.Random(5))]
    names = dict(module_spec.init.__globals__)
    names |= {repr(member): member for member in names["Node"]}
    names |= {member.name: member for member in names["Colour"]}
    for text in EXPRESSIONS:
        expression = reader.read(text)
        outcomes: list[Any] = []
        for state in states:
            scope = names | vars(state) | {"s": state, "state": state}
            wanted = value_or_failure(lambda text=text, scope=scope: eval(text, scope))
            found = value_or_failure(lambda e=expression, state=state: e.value(state))
            assert found == wanted, (text, state)
            outcomes.append(wanted)
        assert any(value is not FAILED for value in outcomes), text


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("replica[r1].epoh", "ReplicaState has no field epoh", "replica[r1].epoh"),
        ("quorm.leader", 'quorm is not defined; did you mean "quorum"', "quorm"),
        ("log[r9]", "r9 is not defined", "r9"),
        ("log[quorum]", "this is a value of Quorum", "quorum"),
        ("quorum.epoch + log", "not an int", "log"),
        ("quorum.leader == 3", "never equals", "quorum.leader == 3"),
        ("len(log[r1]) >", "not Python", ""),
        ("1 +* 2", "not Python", None),
        ("quorum.epoch = 2", "not Python", None),
        ("print(log)", "print cannot be called", "print(log)"),
        ("__import__('os')", "__import__ cannot be called", "__import__('os')"),
        (
            "(lambda: 1)()",
            "only functions that are defined at the top of a module",
            "(lambda: 1)()",
        ),
        ("f'{quorum}'", "an f-string is not part", "f'{quorum}'"),
        ("fetch(s, r1, r2)", "fetch gives no value", "fetch(s, r1, r2)"),
        ("controller_elect", "takes s, leader", "controller_elect"),
        ("Replica", "Replica is not a value", "Replica"),
        ("  ", "there is no expression", ""),
        ("'é' + quorm", "'é' is not a value", "'é'"),
        ("(" * 300, "not Python", None),
        ("1" + " + 1" * 2000, "deeply nested", None),
        ("1" * 20_000, "at most", None),
    ],
)
def test_mistakes_are_pointed_at(text: str, message: str, at: str | None) -> None:
    """A mistake is told with the characters at fault."""
    reader = load("truncate-to-hw").spec.expressions()
    with pytest.raises(ExpressionError) as caught:
        reader.read(text, "--watch")
    wrong = caught.value
    assert message in str(wrong)
    if at is not None:
        assert wrong.text[wrong.start : wrong.end] == at
        lines = str(wrong).splitlines()
        assert lines[0].startswith("--watch: ")
        assert lines[2].count("^") == max(1, len(at))
        assert lines[2].index("^") == 4 + wrong.start


CLASHING = """
from enum import Enum, auto
from specmodel.lang import *
from typing import Annotated

class Wish(Enum):
    stay = auto()
    leave = auto()

class Plan(Enum):
    leave = auto()
    wait = auto()

class State(Struct):
    wish: Wish
    plan: Plan
    count: Annotated[int, Range(0, 3)]

@init
def start() -> State:
    return State(wish=Wish.stay, plan=Plan.wait, count=0)

def bump(s: State) -> int:
    s.count += 1
    return s.count

@action
def step(s: State) -> None:
    s.count = bump(s)

spec = Spec(state=State, init=start, actions=[step])
"""


@pytest.fixture
def clashing(tmp_path: Path) -> Model:
    file = tmp_path / "clashing.py"
    file.write_text(CLASHING, encoding="utf-8")
    return load_module(file).spec("spec")


def test_a_name_for_two_things(clashing: Model) -> None:
    """A member of two enums has to be written out."""
    reader = clashing.expressions()
    state = clashing.start.run()
    assert reader.read("wish == stay").value(state)
    assert not reader.read("plan == Plan.leave").value(state)
    with pytest.raises(ExpressionError, match=r"leave may be of Wish and Plan"):
        reader.read("plan == leave")


def test_a_name_for_two_things_in_modules_of_one_name(tmp_path: Path) -> None:
    """Modules are told apart by their folders."""
    for folder, text in (("one", "most = 1\n"), ("two", "most = 2\n")):
        (tmp_path / folder).mkdir()
        step = f"def up_{folder}(n: int) -> int:\n    return n + most\n"
        (tmp_path / folder / "steps.py").write_text(text + step, encoding="utf-8")
    imports = "from .one.steps import up_one\nfrom .two.steps import up_two\n"
    called = CLASHING.replace("= bump(s)", "= min(up_one(0), up_two(0))")
    (tmp_path / "spec.py").write_text(imports + called, encoding="utf-8")
    reader = load_module(tmp_path / "spec.py").spec("spec").expressions()
    with pytest.raises(ExpressionError, match=r"most may be of one\.steps and two\.steps"):
        reader.read("most == 1")


def test_the_state_stays_as_it_is(clashing: Model) -> None:
    """A function with effects changes a copy."""
    state = clashing.start.run()
    expression = clashing.expressions().read("bump(s) + bump(s)")
    assert [expression.value(state), expression.value(state)] == [3, 3]
    assert state == clashing.start.run()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("log[r1][0]", "an index is out of range"),
        ("replica[quorum.leader].hw", "there is no such key"),
        ("1 // len(log[r1])", "division by zero"),
        ("max(x.id for x in log[r1])", "min or max of nothing"),
    ],
)
def test_no_value(text: str, reason: str) -> None:
    """Where CPython would fail, there is no value, and a reason for it."""
    spec = load("truncate-to-hw").spec
    with pytest.raises(NoValueError, match=reason):
        spec.expressions().read(text).value(spec.start.run())


@pytest.mark.parametrize(
    ("text", "message", "part"),
    [
        ("all(a == a for a in range(100000000))", "100,000 steps", None),
        ("0 in [a for a in range(1000000000)]", "100,000 steps", "[a for a in range(1000000000)]"),
        (
            "[max(b for b in range(99999)) for r in Replica]",
            "100,000 steps",
            "max(b for b in range(99999))",
        ),
        ("len({a * b for a in range(999) for b in range(999)}) > 2", "100,000 steps", None),
        ("sum(sum(a for a in range(n)) for n in range(999))", "100,000 steps", None),
        ("1 + count_to(100000000)", "100,000 steps", "count_to(100000000)"),
        ("1 + power(5000)", "4,096 bits", "power(5000)"),
    ],
)
def test_too_large(text: str, message: str, part: str | None, tmp_path: Path) -> None:
    """An expression that takes too much ends, with the part of the text that does."""
    (tmp_path / "large.py").write_text(LARGE, encoding="utf-8")
    spec = load_module(tmp_path / "large.py").spec("spec")
    expression = spec.expressions().read(text, "--watch")
    with pytest.raises(ExpressionError, match=f"--watch: this .* more than {message}") as caught:
        expression.value(spec.start.run())
    wrong = caught.value
    assert part is None or wrong.text[wrong.start : wrong.end] == part


def test_not_too_large(tmp_path: Path) -> None:
    """Each state has all of the steps, and what is not needed takes none."""
    (tmp_path / "large.py").write_text(LARGE, encoding="utf-8")
    spec = load_module(tmp_path / "large.py").spec("spec")
    state = spec.start.run()
    fair = spec.expressions().read("sum(a for a in range(20000))")
    assert [fair.value(state) for _ in range(6)] == [sum(range(20_000))] * 6
    assert spec.expressions().read("any(a == 3 for a in range(100000000))").value(state)


def test_too_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few steps they are, at some time it is enough."""
    (tmp_path / "large.py").write_text(LARGE, encoding="utf-8")
    spec = load_module(tmp_path / "large.py").spec("spec")
    monkeypatch.setattr("specmodel.ir.budget.MOST_SECONDS", -1.0)
    with pytest.raises(ExpressionError, match="in one state"):
        spec.expressions().read("count_to(999)").value(spec.start.run())


LARGE = """
from specmodel.lang import *
from typing import Annotated

class Replica(ScalarSet, size=2):
    pass

class State(Struct):
    at: dict[Replica, Annotated[int, Range(0, 3)]]

@init
def start() -> State:
    return State({r: 0 for r in Replica})

def count_to(most: int) -> int:
    found = 0
    for i in range(most):
        found += 1
    return found

def power(exponent: int) -> int:
    found = 1
    for i in range(exponent):
        found = found * 2
    return found

@action
def step(s: State, r: Replica) -> None:
    s.at[r] = 3 - s.at[r]

spec = Spec(state=State, init=start, actions=[step])
"""


def test_values_can_be_kept() -> None:
    """Whatever an expression gives can be hashed and compared, as for a projection of states."""
    spec = load_module(TOUR).spec("tour")
    reader = spec.expressions()
    (state, *_) = reachable_states(spec, 1)
    for text in ("ints", "{k: by[k] is None for k in by}", "[p for p in log]", "seen", "point"):
        value = reader.read(text).value(state)
        assert value in {value}
