"""Conditions in words: what is said, with which values, when they are false and when they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.behaviour.steps import Interpreter
from specmodel.ir.guards import Guards
from specmodel.traces.notation import Notation
from specmodel.traces.sentences import Sentences
from tests.written import design_of

CASES = [
    ("s.low == 2", "low is 1, not 2"),
    ("s.low == n", "low is 1, not 3"),
    ("n == s.low", "low is 1, not 3"),
    ("s.low == s.high", "low is 1 and high is 2"),
    ("s.low != 1", "low is 1"),
    ("s.low != s.same", "low and same are both 1"),
    ("n != n", "n and n are both 3"),
    ("s.low == 1", "low is 1"),
    ("s.low > 1", "low is 1, not above 1"),
    ("s.low >= s.high", "low is 1, below high = 2"),
    ("0 > s.low", "low is 1, not below 0"),
    ("s.low < s.high", "low is 1, below high = 2"),
    ("len(s.group) == 0", "len(group) is 1, not 0"),
    ("by in s.group", "a2 is not in group = {a1}"),
    ("by not in s.group", "a2 is not in group = {a1}"),
    ("s.last == by", "last is None, not a2"),
    ("s.last is not None", "last is None"),
    ("s.flag", "flag is false"),
    ("not s.flag", "flag is false"),
    ("s.flag or s.low == 2", "flag is false and low is 1, not 2"),
    ("not (s.low == 1 and s.high == 2)", "low is 1 and high is 2"),
    ("all(s.each[a] > 0 for a in Actor)", "for a=a1, each[a1] is 0, not above 0"),
    ("any(s.each[a] > 0 for a in s.group)", "any(s.each[a] > 0 for a in s.group) does not hold"),
    ("fits(s, s.high)", "high is 2, not below low = 1"),
    ("s.mode == Mode.fast", "mode is slow, not fast"),
]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is said of each condition, all guards of one action each."""
    text = """
class Actor(ScalarSet, size=2):
    pass

class Mode(Enum):
    slow = 1
    fast = 2

Small = Annotated[int, Range(0, 3)]

class S(Struct):
    low: Small
    same: Small
    high: Small
    group: Set[Actor]
    last: Actor | None
    flag: bool
    each: dict[Actor, Small]
    mode: Mode

@init
def start() -> S:
    first = Actor.nth(0)
    return S(1, 1, 2, {first}, None, False, {a: 0 for a in Actor}, Mode.slow)

def fits(s: S, end: Small) -> bool:
    return end < s.low
"""
    for number, (condition, _) in enumerate(CASES):
        text += f"\n@action\ndef case{number}(s: S, n: Small, by: Actor) -> None:\n"
        text += f"    require({condition})\n"
    listed = ", ".join(f"case{number}" for number in range(len(CASES)))
    text += f"\nspec = Spec(state=S, init=start, actions=[{listed}])\n"
    design = design_of(Path(tmp_path_factory.mktemp("said")), text)
    state = next(Interpreter(design.spec).initial())
    reader, write = Guards(design.spec.code), Sentences(Notation())
    actors = list(design.spec.rules[0].parameters["by"].values())
    return {
        condition: write.why(reader.read(f"case{number}", state, (3, actors[1])).guards[0].why)
        for number, (condition, _) in enumerate(CASES)
    }


@pytest.mark.parametrize(("condition", "sentence"), CASES)
def test_sentence(said: dict[str, str], condition: str, sentence: str) -> None:
    """Places of the state with their values; arguments by their values or names."""
    assert said[condition] == sentence
