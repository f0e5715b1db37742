"""Abstract designs of a spec: some fields of its state, actions on them, and what they claim."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from tests.fuzz.changes import STEP, Lines
from tests.fuzz.kinds import BOOL, Kind, size
from tests.fuzz.statements import Statements

MOST = 24
"""The most initial states, and bindings of an action: each step is compared with each of them."""

MakeWriter = Callable[..., Statements]
Judging = Callable[..., str]


@dataclass(frozen=True)
class Abstraction:
    """The texts of an abstract design, and the lists in which the concrete one has it."""

    parts: list[str]
    lists: tuple[str, ...]


def abstraction(
    draw: random.Random, state: Kind, made: MakeWriter, judging: Judging
) -> Abstraction | None:
    """An abstract design, which a refinement called `seen` maps the states to; None if the state
    has no small field."""
    small = [(f, k) for f, k in state.fields if size(k) <= MOST]
    fields = draw.sample(small, min(len(small), draw.choice((1, 1, 2))))
    while prod(size(k) for _, k in fields) > MOST:
        fields.pop()
    if not fields:
        return None
    own = [(f"x{f}", kind) for f, kind in fields]
    kind = Kind("struct", "T", fields=tuple(own))
    taken = ", ".join(f"{f}: {k.text}" for f, k in own)
    given = ", ".join(f for f, _ in own)
    parts = [
        "\n".join(["class T(Struct):", *(f"{STEP}{f}: {k.text}" for f, k in own)]),
        f"@init\ndef begin({taken}) -> T:\n    return T({given})",
    ]
    actions = [_whole(own), *(_single(f, k, kind, made) for f, k in own)]
    actions = draw.sample(actions, draw.randint(1, len(actions)))
    if draw.random() < 0.5:
        actions.append(("work", _free(kind, made)))
    parts += [text for _, text in actions]
    listed = f"actions=[{', '.join(name for name, _ in actions)}]"
    lists = draw.choice((("transitions",), ("liveness",), ("transitions", "liveness")))
    if "liveness" in lists:
        fair = [f"{draw.choice(('weak', 'strong'))}({name})" for name, _ in actions[:2]]
        if draw.random() < 0.5 or not fair:
            mark = draw.choice(("eventually", "always_eventually", "eventually_always"))
            parts.append(judging(f"@{mark}\ndef aim({{}}) -> bool:", ("t",), state=kind))
            listed += ", liveness=[aim]"
            fair = fair[: draw.randint(0, 2)]
        listed += f", fairness=[{', '.join(fair)}]"
    parts.append(f"abstract = Spec(state=T, init=begin, {listed})")
    parts.append(_mapping(draw, state, fields, kind, made))
    return Abstraction(parts, lists)


def _whole(own: list[tuple[str, Kind]]) -> tuple[str, str]:
    """An action that sets all fields."""
    taken = ", ".join(f"to_{f}: {k.text}" for f, k in own)
    lines = [f"@action\ndef become(t: T, {taken}) -> None:"]
    return "become", "\n".join([*lines, *(f"{STEP}t.{f} = to_{f}" for f, _ in own)])


def _single(field: str, kind: Kind, state: Kind, made: MakeWriter) -> tuple[str, str]:
    """An action that sets a field, mostly under a condition."""
    writer = made(helpers=[])
    writer.begin("t", state, "state")
    writer.bind("to", kind, "argument")
    lines = [f"@action\ndef put_{field}(t: T, to: {kind.text}) -> None:"]
    if writer.chance(0.7):
        lines += [f"{STEP}require({writer.condition(2)})"]
    return f"put_{field}", "\n".join([*lines, f"{STEP}t.{field} = to"])


def _free(state: Kind, made: MakeWriter) -> str:
    """An action that does whatever an action may do."""
    writer = made(helpers=[])
    writer.begin("t", state, "state")
    lines = [STEP + line for line in writer.block(2, 1)]
    return "\n".join(["@action\ndef work(t: T) -> None:", *lines])


def _mapping(
    draw: random.Random,
    state: Kind,
    fields: list[tuple[str, Kind]],
    abstract: Kind,
    made: MakeWriter,
) -> str:
    """The function that gives the abstract state: mostly the fields as they are."""
    writer = made(pure=True, result=abstract)
    writer.begin("s", state, "state")
    lines = Lines()

    def value() -> str:
        other = draw.random()
        texts = [
            f"s.{f}" if draw.random() < 0.8 or other < 0.5 else writer.expr(kind, 2)
            for f, kind in fields
        ]
        return f"T({', '.join(texts)})"

    if draw.random() < 0.3:
        lines += writer.block(1, 1)
    if draw.random() < 0.3:
        lines += [f"if {writer.expr(BOOL, 2)}:", f"{STEP}return {value()}"]
    lines += [f"return {value()}"]
    return "\n".join(["@refines(abstract)\ndef seen(s: S) -> T:", *(STEP + x for x in lines)])
