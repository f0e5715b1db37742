"""The state that a kernel notes: in whichever word of a block's mask its bit is."""

from pathlib import Path

import pytest

from specmodel.kernel import program
from tests.engines.outcomes import agreed
from tests.written import design_of

SPREAD = """
class State(Struct):
    at: Annotated[int, Range(0, 700)]
    done: bool

@init
def anywhere(at: Annotated[int, Range(0, 700)]) -> State:
    return State(at=at, done=False)

@action
def finish(s: State, twice: bool) -> None:
    require(not s.done and {guard})
    s.done = True
    {effect}

@invariant
def fine(s: State) -> bool:
    return not ({wrong} and s.done)

@transition
def slow(before: State, after: State) -> bool:
    return not {abrupt}

spec = Spec(state=State, init=anywhere, actions=[finish], invariants=[fine], transitions=[slow])
"""

KINDS = {
    "failure": {"effect": "s.at = s.at + (701 if s.at == {at} else 0)"},
    "invariant": {"wrong": "s.at == {at}"},
    "transition": {"abrupt": "(before.at == {at} and after.done)"},
    "first step": {"guard": "s.at == {at}", "wrong": "True"},
}


@pytest.mark.parametrize("unrolled", [True, False], ids=["unrolled", "loop"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_only_state_of_its_kind(
    kind: str, unrolled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 701 states in two blocks one fails, breaks a property, or fires: it is reported."""
    if not unrolled:
        monkeypatch.setattr(program, "MOST_UNROLLED", 0)
    for at in (5, 70, 201, 300, 511, 640):
        parts = dict.fromkeys(("wrong", "abrupt"), "False") | {"guard": "True", "effect": "pass"}
        parts |= {name: text.replace("{at}", str(at)) for name, text in KINDS[kind].items()}
        folder = tmp_path / str(at)
        folder.mkdir()
        agreed(design_of(folder, SPREAD.format(**parts)), 3)
