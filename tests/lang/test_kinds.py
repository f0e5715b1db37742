"""What an action is a version of: said by its mark, or known from what it replaced."""

from __future__ import annotations

from pathlib import Path

from tests.written import spec_of

TEXT = """
class S(Struct):
    on: bool

@init
def off() -> S:
    return S(False)

@action(kind="switch")
def switch_gently(s: S) -> None:
    require(not s.on)
    s.on = True

@action
def switch_hard(s: S) -> None:
    s.on = True

@action(kind="wait")
def idle(s: S) -> None:
    require(s.on)

@action
def glow(s: S) -> None:
    require(s.on)

gentle = Spec(state=S, init=off, actions=[switch_gently, glow])
hard = gentle.replacing("hard", switch_gently=switch_hard)
back = hard.replacing("back", switch_hard=switch_gently)
waiting = hard.replacing("waiting", switch_hard=idle)
"""


def kinds(folder: Path, name: str) -> dict[str, str]:
    """The kind of each action of one of the specs above."""
    spec = spec_of(folder, TEXT, name)
    return {rule.name: spec.kind_of(rule) for rule in spec.rules}


def test_a_mark_says_the_kind(tmp_path: Path) -> None:
    """`@action(kind=...)` is an action like any other, of that kind; unsaid, of its own name."""
    assert kinds(tmp_path, "gentle") == {"switch_gently": "switch", "glow": "glow"}


def test_what_replaces_an_action_is_of_its_kind(tmp_path: Path) -> None:
    """So that designs derived from each other need not say it again, also over several steps."""
    assert kinds(tmp_path, "hard")["switch_hard"] == "switch"
    assert kinds(tmp_path, "back") == kinds(tmp_path, "gentle")


def test_a_mark_overrides_what_was_replaced(tmp_path: Path) -> None:
    """An action may take the place of another without being a version of it."""
    assert kinds(tmp_path, "waiting") == {"idle": "wait", "glow": "glow"}
