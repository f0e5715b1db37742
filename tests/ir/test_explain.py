"""Why a property is false: the parts that decide it, with witnesses and values, no others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent, indent

import pytest

from specmodel.ir.explain import explain
from specmodel.results.explanation import Explanation
from tests.conftest import Golden
from tests.written import spec_of

SPEC = """
class Node(ScalarSet, size=3, prefix="n"):
    pass

class State(Struct):
    n: Annotated[int, Range(0, 9)]
    on: bool
    who: Node | None
    end: dict[Node, Annotated[int, Range(0, 9)]]
    log: Annotated[list[Annotated[int, Range(0, 9)]], Capacity(3)]
    seen: Set[Node]

N1, N2, N3 = Node

@init
def start() -> State:
    return State(3, False, N2, {N1: 5, N2: 1, N3: 0}, [4, 7], {N1, N3})

@action
def stay(s: State) -> None:
    pass

def small(s: State, n: Node) -> bool:
    return s.end[n] < s.n

def everyone_small(s: State) -> bool:
    for n in s.seen:
        if not small(s, n):
            return False
    return True

def anyone_small(s: State) -> bool:
    if s.n > 9:
        return True
    for n in s.seen:
        if s.end[n] > 9:
            return True
    return False
"""

FORMULAS = {
    "comparison": "return s.n == len(s.log)",
    "order": "return s.n < s.end[N3] + 1",
    "constant": "return s.n > 5",
    "membership": "return s.who in s.seen",
    "subset": "return s.seen <= {N1, N2}",
    "absence": "return s.who is None",
    "and": "return s.n == 3 and s.on and s.n == 4",
    "or": "return s.on or s.n == 4 or s.who == N1",
    "true-or": "return not (s.n == 4 or s.n == 3 or s.on)",
    "true-and": "return not (s.n == 3 and s.who == N2)",
    "not": "return not s.n < 9",
    "all": "return all(s.end[n] < s.n for n in Node)",
    "any": "return any(s.end[n] == s.n for n in Node)",
    "not-any": "return not any(e == s.n - 2 for e in s.log + [1])",
    "nested": "return all(any(s.end[m] > s.end[n] for m in s.seen) for n in Node if n in s.seen)",
    "two-generators": "return all(a < b for a in s.log for b in s.log if a != b)",
    "items": "return all(e > 0 or n == s.who for n, e in s.end.items())",
    "helper": "return all(small(s, n) for n in s.seen)",
    "helper-with-statements": "return s.on or everyone_small(s)",
    "helper-that-falls-through": "return anyone_small(s)",
    "conditional": "return s.n == 3 if s.on else s.n == 4",
    "locals": "low = min(s.log)\nhigh = max(s.log, default=0)\nreturn low == high",
    "statements": "for n in Node:\n    if s.end[n] > 4:\n        return s.who == n\nreturn True",
    "chain": "return 0 <= s.n < s.end[N1] < s.n",
    "sum": "return sum(s.end[n] for n in Node if n != N1) > 3",
}


def lines(found: Explanation, depth: int = 0) -> Iterator[str]:
    """A tree of an explanation, a line each; what is its own value is left out."""
    witness = "".join(f" [{name} = {value!r}]" for name, value in found.witness.items())
    yield f"{'  ' * depth}{found.text}: {found.value!r}{witness}"
    for part in found.parts:
        if part.text != repr(part.value):
            yield from lines(part, depth + 1)


def explained(folder: Path, body: str) -> Explanation:
    """The explanation of an invariant in the initial state."""
    text = f"{SPEC}\n@invariant\ndef formula(s: State) -> bool:\n{indent(body, '    ')}\n"
    text += "\nspec = Spec(state=State, init=start, actions=[stay], invariants=[formula])\n"
    spec = spec_of(folder, text)
    return explain(spec.properties[0].name, spec.code, spec.init())


def test_every_kind_of_formula(tmp_path: Path, golden: Golden) -> None:
    """One false formula of each kind, with its whole explanation."""
    found: list[str] = []
    for name, body in FORMULAS.items():
        tree = explained(tmp_path, body)
        assert tree.value is False, name
        found += [f"# {name}", *lines(tree), ""]
    golden("explanations.txt", "\n".join(found))


def test_witness_is_the_first(tmp_path: Path) -> None:
    """In the order of the domain, whatever order a set was built in."""
    found = explained(tmp_path, "return all(s.end[n] > 5 for n in s.seen)")
    assert {name: repr(value) for name, value in found.witness.items()} == {"n": "n1"}


def test_places_are_those_of_the_source(tmp_path: Path) -> None:
    """A part's text stands at its span, over several lines as well."""
    found = explained(tmp_path, "return (\n    s.n == 3\n    and s.n\n    == 4\n)")
    (part,) = found.parts
    assert part.text == "s.n == 4"
    assert part.span is not None
    assert part.span.end_line == part.span.line + 1
    assert part.span.text() == part.text


def test_step_between_two_states(tmp_path: Path) -> None:
    """A transition property is explained on both its states."""
    text = SPEC + dedent("""
        @transition
        def grows(before: State, after: State) -> bool:
            return before.n < after.n

        spec = Spec(state=State, init=start, actions=[stay], transitions=[grows])
    """)
    spec = spec_of(tmp_path, text)
    before, after = spec.init(), spec.init()
    after.n = 1
    tree = explain(spec.properties[0].name, spec.code, before, after)
    assert list(lines(tree)) == ["before.n < after.n: False", "  before.n: 3", "  after.n: 1"]


@pytest.mark.parametrize("body", ["return s.n == 3", "return s.on or s.who is not None"])
def test_truth_is_explained_too(tmp_path: Path, body: str) -> None:
    """The same goes for why something holds, as a witness of a reachable property does."""
    assert explained(tmp_path, body).value is True
