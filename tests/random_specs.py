"""Hypothesis strategies for the source text of small random specs.

Every kind of domain and most of the language turn up, nested. `tests.random_code` writes what
functions do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import HealthCheck, Phase, reject, settings
from hypothesis import strategies as st

from specmodel.errors import SpecError
from tests.random_code import BOOL, INT, NODE, Type, Writer, optional, types

DRAWN_AT_LENGTH = (
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.filter_too_much,
    HealthCheck.large_base_example,
)
"""Health checks that the text of a spec, with all its draws, would not pass."""


def few(examples: int) -> settings:
    """Settings of a test that compiles each spec: no shrinking, which would compile a thousand."""
    phases = (Phase.explicit, Phase.reuse, Phase.generate)
    return settings(many(examples), phases=phases)


def many(examples: int) -> settings:
    """Settings of a test at leisure, which shrinks what it finds."""
    return settings(max_examples=examples, deadline=None, suppress_health_check=DRAWN_AT_LENGTH)


HEADER = '''
from __future__ import annotations
import enum
from typing import Annotated
from specmodel.lang import (
    Bag, Capacity, Range, ScalarSet, Set, Spec, Struct, action, init, invariant, require,
    require_some,
)


class Colour(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


class Node(ScalarSet, size=2, prefix="n"):
    """An actor."""


class Pair(Struct):
    left: Annotated[int, Range(-1, 2)]
    right: Node | None


class Solo(Struct):
    left: Annotated[int, Range(0, 1)]
    who: Node


Message = Pair | Solo | Colour


def told(m: Message) -> Message:
    return m


def maybe(m: Message | None) -> Message | None:
    return m


def plus(a: int, b: int) -> int:
    if a > b:
        return a + 1
    return a + b


def agree(a: Node | None, b: Node | None) -> bool:
    for n in Node:
        if a == n and b == n:
            return True
    return a is None and b is None
'''


REFUSED = (
    "that was replaced",
    "not certain which place",
    "can grow beyond 62 bits",
    "this loop has no small bound",
)
"""What the compiler says of references whose meaning under CPython it does not follow, of ints that
it has no room for, and of loops over a range that grew in a loop.
"""


@contextmanager
def refusals_allowed() -> Iterator[None]:
    """Rejects a drawn spec that is refused for one of the reasons in REFUSED, for nothing else."""
    try:
        yield
    except SpecError as error:
        if not any(text in error.message for text in REFUSED):
            raise
        reject()


@st.composite
def spec_sources(draw: st.DrawFn, symmetric: bool = False) -> str:
    """The text of a module with a spec named `spec`: 2 or 3 variables, 2 actions, an invariant.

    If it is to be `symmetric`, it is declared so and names no actor. It may still tell them apart
    by a loop that depends on their order.
    """
    named = ["s.who"] if symmetric else ["Node.nth(0)", "Node.nth(1)"]
    writer = Writer(draw, named)
    fields = [draw(types) for _ in range(draw(st.integers(2, 3)))]
    header = HEADER
    if symmetric:
        header = header.replace('size=2, prefix="n"', 'size=3, prefix="n", symmetric=True')
    lines = [header, "", "class State(Struct):"]
    if symmetric:
        lines.append("    who: Node")
        writer.paths.append(("s.who", NODE))
    for number, kind in enumerate(fields):
        assert isinstance(kind, Type)
        lines.append(f"    f{number}: {kind.text}")
        path = f"s.f{number}"
        writer.paths.append((path, kind))
        if kind.kind == "map":
            some = f"{path}[{named[0]}]"
            writer.paths += [(some, kind.parts[1]), (f"{path}[n]", kind.parts[1])]
        if kind.kind == "pair":
            writer.paths += [(f"{path}.left", INT), (f"{path}.right", optional(NODE))]
        if kind.kind == "map" and kind.parts[1].kind == "pair":
            writer.paths.append((f"{path}[n].left", INT))
        if kind.kind == "list" and kind.parts[0].kind == "pair":
            writer.paths.append((f"{path}[0].right", optional(NODE)))
    state = list(writer.paths)
    if symmetric:
        writer.nodes = ["first"]
    values = [f"f{i}={writer.constant(k)}" for i, k in enumerate(fields) if isinstance(k, Type)]
    parameter = "first: Node" if symmetric else ""
    values += ["who=first"] if symmetric else []
    lines += ["", "", "@init", f"def start({parameter}) -> State:"]
    lines.append(f"    return State({', '.join(values)})")
    writer.nodes = named
    for name in ("first", "second"):
        writer.paths = [*state, ("n", NODE), ("local", INT)]
        lines += [
            "",
            "",
            "@action",
            f"def {name}(s: State, n: Node) -> None:",
            "    local: int = 1",
        ]
        lines += writer.block("    ", draw(st.integers(1, 4)), 2, False)
    writer.paths = [p for p in state if "[n]" not in p[0]]
    lines += ["", "", "@invariant", "def fine(s: State) -> bool:"]
    lines.append(f"    return {writer.expression(BOOL, 3)}")
    lines += [
        "",
        "",
        "spec = Spec(state=State, init=start, actions=[first, second], invariants=[fine])",
        "",
    ]
    return "\n".join(lines)
