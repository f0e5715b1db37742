"""A Hypothesis strategy for small systems whose actions touch each other now and then.

A few counters and flags, a set, and actions with guards and effects on one or two of them: enough
that some steps may be put off, and that it would show if the wrong ones were.
"""

from __future__ import annotations

from hypothesis import strategies as st

HEADER = """
from typing import Annotated
from specmodel.lang import Range, ScalarSet, Set, Spec, Struct, action, init, invariant, reachable
from specmodel.lang import require

Small = Annotated[int, Range(0, 3)]


class Node(ScalarSet, size=2, prefix="n"):
    '''An actor.'''


class State(Struct):
    a: Small
    b: Small
    c: Small
    p: bool
    q: bool
    seen: Set[Node]
    of: dict[Node, Small]


@init
def start() -> State:
    return State(a=0, b=0, c=0, p=False, q=False, seen=set(), of={n: 0 for n in Node})
"""


class _System:
    """Draws actions. Each has a home, which most of its guards and effects are about."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def pick(self, options: list[str]) -> str:
        return self.draw(st.sampled_from(options))

    def condition(self, home: str, member: str) -> str:
        """A condition on a part of the state, or two."""
        part = self.pick([home] * 5 + ["a", "b", "c", "p", "q", "seen", f"of[{member}]"])
        if part in ("p", "q"):
            return self.pick([f"s.{part}", f"not s.{part}"])
        if part == "seen":
            return self.pick([f"{member} in s.seen", f"{member} not in s.seen"])
        plain = [f"s.{part} {self.pick(['<', '<', '==', '!=', '>'])} {k}" for k in (1, 2, 3)]
        return self.pick([*plain, f"s.{part} <= s.{self.pick(['a', 'b', 'c'])}"])

    def effect(self, home: str, member: str) -> str:
        """A change of a part of the state, which does not leave its domain."""
        part = self.pick([home] * 9 + ["a", "b", "c", "p", "q", "seen", f"of[{member}]"])
        if part in ("p", "q"):
            return self.pick([f"s.{part} = True"] * 3 + [f"s.{part} = not s.q", "s.p = s.q"])
        if part == "seen":
            return self.pick([f"s.seen |= {{{member}}}"] * 3 + [f"s.seen -= {{{member}}}"])
        grow = f"s.{part} = min(s.{part} + 1, 3)"
        other = [f"s.{part} = 0", f"s.{part} = s.b", f"s.{part} = max(s.{part} - 1, 0)"]
        return self.pick([grow] * 6 + other)


@st.composite
def system_sources(draw: st.DrawFn) -> str:
    """The text of a module with a spec named `spec`: 3 to 5 actions, two properties."""
    system = _System(draw)
    lines = [HEADER]
    names: list[str] = []
    for number in range(draw(st.integers(3, 5))):
        home = system.pick(["a", "b", "c", "p", "q", "seen", "of[n]", "of[n]"])
        each = home in ("seen", "of[n]")
        member = "n" if each else "Node.nth(0)"
        names.append(f"act{number}")
        lines += ["", "@action", f"def act{number}(s: State{', n: Node' if each else ''}) -> None:"]
        room = {"p": "not s.p", "q": "not s.q", "seen": "n not in s.seen"}.get(
            home, f"s.{home} < 3"
        )
        if system.pick(["room", "room", "room", ""]):
            lines.append(f"    require({room})")
        for _ in range(draw(st.integers(0, 1))):
            lines.append(f"    require({system.condition(home, member)})")
        for _ in range(draw(st.integers(1, 2))):
            lines.append(f"    {system.effect(home, member)}")
    parts = ["a", "b", "c", "p", "q", "seen", "of[Node.nth(0)]", "of[Node.nth(1)]"]
    looked_at = draw(st.lists(st.sampled_from(parts), min_size=1, max_size=2))
    for role, name, word in (("invariant", "fine", " or "), ("reachable", "met", " and ")):
        tests = [system.condition(part, "Node.nth(1)") for part in looked_at]
        lines += ["", f"@{role}", f"def {name}(s: State) -> bool:"]
        lines.append(f"    return {word.join(tests)}")
    lines += ["", f"spec = Spec(state=State, init=start, actions=[{', '.join(names)}],"]
    lines += ["    invariants=[fine], reachable=[met])", ""]
    return "\n".join(lines)
