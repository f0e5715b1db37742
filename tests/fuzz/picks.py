"""What an action picks, itself or in functions that it calls: from collections of the state, by
class, from classes and constants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.fuzz.changes import STEP, Lines
from tests.fuzz.kinds import Kind, option, size, united
from tests.fuzz.statements import Statements
from tests.fuzz.writer import Helper

PICKED = ("list", "set", "bag", "table")


@dataclass(frozen=True)
class Picker:
    """A function that picks. `bindings` are those that a call adds; a `fixed` result is what was
    picked, in which nothing can be changed."""

    helper: Helper
    bindings: int
    fixed: bool


def calls(writer: Statements, pickers: Sequence[Picker], most: int) -> tuple[Lines, int]:
    """A call of a function that picks, with so many bindings at most, and how many it has."""
    fit = [picker for picker in pickers if picker.bindings <= most]
    if not fit:
        return [], 1
    chosen = writer.draw.choice(fit)
    text, kind = writer.calling(chosen.helper, 1), chosen.helper.result
    place = writer.path(kind, ("state",), place=True) if kind and writer.chance(0.2) else None
    if kind is None or writer.chance(0.15):
        return [text], chosen.bindings
    if place:
        return [f"{place} = {text}"], chosen.bindings
    name = writer.fresh(kind)
    writer.bind(name, kind, "case" if chosen.fixed else "local")
    annotated = f"{name}: {writer.annotation(kind)}" if writer.chance(0.2) else name
    return [f"{annotated} = {text}"], chosen.bindings


def branches(
    writer: Statements, pickers: Sequence[Picker], most: int, ends: bool
) -> tuple[Lines, int]:
    """Picks that some paths do not reach, with so many bindings at most, and how many they have.

    `ends`: a path may end the function before a pick.
    """
    lines, bindings = Lines(), 1
    for head in (f"if {writer.condition(2)}:", "else:")[: 2 if writer.chance(0.5) else 1]:
        with writer.scope():
            names = ("got", "other") if not lines or writer.chance(0.3) else ("gained", "more")
            room = most // bindings - 1
            if pickers and writer.chance(0.4):
                picked, count = calls(writer, pickers, room)
            else:
                picked, count = picks(writer, room, names)
            if not picked:
                break
            if writer.chance(0.7):
                picked += writer.block(1, 1)
        lines += [head, *(STEP + line for line in picked)]
        bindings *= count + 1
    if ends and bindings < most and writer.chance(0.3):
        test = writer.condition(1)
        more, count = picks(writer, most // bindings - 1, ("late", "last"))
        if more:
            lines += [f"if {test}:", STEP + "return", *more]
            bindings *= count + 1
    return lines, bindings


def picks(
    writer: Statements, most: int, names: tuple[str, str] = ("got", "other")
) -> tuple[Lines, int]:
    """Picks, one after the other, with so many bindings at most, and how many they have."""
    lines, bindings = Lines(), 1
    for name in names[: 2 if writer.chance(0.25) else 1]:
        pool = list(_choices(writer, most))
        if not pool:
            break
        text, kind, count = writer.draw.choice(pool)
        most //= count
        bindings *= count
        if len(kind.alternatives) > 1 and writer.chance(0.6):
            classes, kind = _of_classes(writer, kind)
            text = f"{text}, {classes}"
        fixed = kind.name == "union" or writer.chance(0.9)
        writer.bind(name, kind, "case" if fixed else "argument")
        lines += [f"{name} = pick({text})"]
        if writer.chance(0.25):
            lines += writer.guard(0)
            writer.widen()
    return lines, bindings


def _choices(writer: Statements, most: int) -> list[tuple[str, Kind, int]]:
    """What may be picked from, what that gives, and how many bindings it has."""
    found: list[tuple[str, Kind, int]] = []
    kinds = dict.fromkeys(k for n in writer.names for k in _held(n.kind))  # in a fixed order
    for kind in sorted(kinds, key=lambda k: k.text):
        count = kind.most or size(kind.inner)
        path = writer.path(kind, ("state", "argument", "case", "global"))
        if path and 0 < count <= most and "(" not in path:
            found += [(path, kind.parts[0], count)] * 4
    world = writer.world
    for kind in (*world.actors, *world.enums):
        if len(kind.members) <= most:
            found.append((kind.text, kind, len(kind.members)))
    if world.order is not None and world.ordered <= most:
        found.append(("ORDER", world.order, world.ordered))
    return found


def _held(kind: Kind, deep: int = 2) -> list[Kind]:
    """The collections that can be reached in a value of a kind, without a test."""
    if kind.name in PICKED:
        return [kind]
    if kind.name == "map":
        return _held(kind.inner, deep - 1) if deep else []
    parts = [part for _, part in kind.fields] if deep else []
    return [held for part in parts for held in _held(part, deep - 1)]


def _of_classes(writer: Statements, kind: Kind) -> tuple[str, Kind]:
    """Classes among which the value is, and its kind then."""
    union = kind.inner if kind.name == "option" else kind
    some = tuple(writer.draw.sample(union.parts, 1 if writer.chance(0.7) else 2))
    left = united(union.parts, some)
    if kind.name == "option" and writer.chance(0.1):
        return f"{some[0].text} | None", option(some[0])
    return ", ".join(part.text for part in some), left
