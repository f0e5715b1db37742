"""The generator writes all of the language, its comparisons see planted faults, and it reduces
what it finds to a few lines."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings

from specmodel.ir.symbolic.graph import Graph, Node
from tests.fuzz import engines, fair
from tests.fuzz.loaded import forget, load_text
from tests.fuzz.reduce import reduced
from tests.fuzz.specs import spec_text
from tests.fuzz.trial import attempt
from tests.fuzz.verdict import Verdict
from tests.liveness.reference import fails
from tests.liveness.systems import System, systems
from tests.liveness.test_engines import written

FOUND = sorted((Path(__file__).parent / "found").glob("*.py"))
"""Specs that were once compiled wrongly, or ended in an internal error, as small as they got."""

SAMPLE = range(250)


@pytest.mark.parametrize("file", FOUND, ids=lambda file: file.stem)
def test_found(file: Path) -> None:
    """Every engine agrees with the interpreter, or the spec is refused with the place."""
    verdict = attempt(file.read_text(encoding="utf-8"), full=True)
    assert verdict.kind in ("agree", "refused"), verdict


FORMS = (
    *("If", "For", "Assign", "AugAssign", "AnnAssign", "Delete", "Return", "Break", "Continue"),
    *("MatchClass", "MatchValue", "MatchSingleton", "MatchOr", "MatchAs"),
    *("While", "Try", "Match", "Lambda", "NamedExpr", "Assert", "Starred", "FunctionDef"),
    *("BoolOp", "BinOp", "UnaryOp", "IfExp", "Compare", "Call", "Subscript", "Slice", "Attribute"),
    *("ListComp", "SetComp", "DictComp", "GeneratorExp", "Set", "List", "Tuple"),
    *("In", "NotIn", "Is", "IsNot", "Mult", "FloorDiv", "Mod", "BitOr", "BitAnd", "BitXor", "Sub"),
)
"""Kinds of syntax nodes that the generator has to write."""

CALLED = (
    *("range", "enumerate", "zip", "reversed", "sorted", "min", "max", "sum", "any", "all", "len"),
    *(
        "next",
        "set",
        "list",
        "Bag",
        "get",
        "int",
        "abs",
        "append",
        "extend",
        "clear",
        "items",
        "values",
        "keys",
    ),
    *("isinstance", "pick", "subsets", "values", "refines", "take0"),
    *("require", "require_some", "union", "issubset", "isdisjoint", "index", "weak", "strong"),
)
"""Functions and methods that it has to call, in the reference or not."""


def test_everything_is_written() -> None:
    """All of Python that the generator is meant to write turns up in 500 specs."""
    seen: Counter[str] = Counter()
    for seed in range(500):
        for node in ast.walk(ast.parse(spec_text(seed, odd=1.0))):
            seen[type(node).__name__] += 1
            if isinstance(node, ast.Call):
                function = node.func
                seen[getattr(function, "id", getattr(function, "attr", ""))] += 1
    assert [form for form in (*FORMS, *CALLED) if not seen[form]] == []


def test_most_are_valid() -> None:
    """CPython takes nearly all of what is written: the rest would be no test of anything."""
    kinds = Counter(attempt(spec_text(seed), seed).kind for seed in SAMPLE[:80])
    assert kinds["invalid"] + kinds["endless"] <= 4, kinds


SMALL = """
class S(Struct):
    a: Annotated[int, Range(0, 3)]
    xs: Annotated[list[bool], Capacity(2)]

@init
def start() -> S:
    return S(a=0, xs=[])

@action
def step(s: S, b: bool) -> None:
    require(s.a < 3)
    if len(s.xs) < 2 and s.a != 1:
        s.xs.append(b)
    s.a += 1

@invariant
def low(s: S) -> bool:
    return s.a <= 2 or not s.xs

@reachable
def full(s: S) -> bool:
    return s.xs == [True, False]

spec = Spec(state=S, init=start, actions=[step], invariants=[low], reachable=[full])
"""
HEADER = spec_text(0).split("\nclass ")[0]


def test_agreement() -> None:
    """Without a fault there is no difference, on any engine."""
    assert attempt(HEADER + SMALL, full=True, smt=True) == Verdict("agree")


def test_a_wrong_comparison_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph that takes < for <= differs from CPython in some state."""
    right = Graph.lt

    def wrong(graph: Graph, a: Node, b: Node) -> Node:
        return graph.negate(right(graph, b, a))

    monkeypatch.setattr(Graph, "lt", wrong)
    assert attempt(HEADER + SMALL).kind == "difference"


@pytest.mark.parametrize("part", ["generated", "depth", "distinct"])
def test_a_wrong_count_is_found(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A native search that counts wrongly differs from the interpreter, and the verdict says in
    what."""
    usual = engines.outcome

    def wrong(check: object, *given: object) -> object:
        found = usual(check, *given)  # type: ignore[arg-type]
        if check is engines.native.check and isinstance(found, dict):
            found[part] += 1
        return found

    monkeypatch.setattr(engines, "outcome", wrong)
    verdict = attempt(HEADER + SMALL, full=True)
    assert (verdict.kind, verdict.what) == ("difference", f"one worker: {part}")


@settings(max_examples=60, deadline=None)
@given(systems(bindings=2))
def test_fair_cycles(system: System) -> None:
    """The search for fair behaviours says what trying every set of states does."""
    design = load_text(written(system))
    try:
        assert fair.judged_by_search(design.spec) == {"goal": fails(system)}
    finally:
        forget()


def test_reduction() -> None:
    """What does not matter goes: statements, conditions, parameters, fields, properties."""

    def keeps(text: str) -> bool:
        return ".append(" in text and attempt(text).kind == "agree"

    small = reduced(HEADER + SMALL, keeps, 60)
    assert "invariant" not in small.split("class S")[1]
    assert "require(" not in small.split("class S")[1]
    assert len(small) < len(HEADER + SMALL) * 0.75, small


def test_the_same_seed_writes_the_same() -> None:
    """A seed is enough to have a spec again."""
    assert [spec_text(seed) for seed in SAMPLE[:20]] == [spec_text(seed) for seed in SAMPLE[:20]]
