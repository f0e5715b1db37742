"""Kinds of values of TLA+, and sets of all their values.

A kind is a tuple whose first item names it: `("int",)`, `("seq", item)` and so on.
"""

from __future__ import annotations

import random
from typing import Any

Kind = tuple[Any, ...]

INT, BOOL, STR, MV, OPT = ("int",), ("bool",), ("str",), ("mv",), ("opt",)
DOMAINS: dict[str, tuple[str, Kind, int]] = {
    "zero": ("(0..2)", INT, 3),
    "one": ("(1..2)", INT, 2),
    "str": ('{"a", "b"}', STR, 2),
    "mv": ("M", MV, 2),
}
"""The domains of functions: their text, the kind of an argument, and their size."""

FIELDS = ("a", "b", "c")


def size(kind: Kind) -> int:
    """About how many values a kind has."""
    match kind:
        case ("rec", fields):
            return _product([size(k) for _, k in fields])
        case ("tup", parts):
            return _product([size(k) for k in parts])
        case ("var", records):
            return sum(map(size, records))
        case ("seq", item):
            return 1 + size(item) + size(item) ** 2
        case ("fun", domain, part):
            return size(part) ** DOMAINS[domain][2]
        case ("map", domain, part):
            return (size(part) + 1) ** DOMAINS[domain][2]
        case ("set", member):
            return 2 ** min(30, size(member))
        case _:
            return {"int": 4, "bool": 2, "str": 3, "mv": 2, "opt": 4}[kind[0]]


def _product(sizes: list[int]) -> int:
    found = 1
    for each in sizes:
        found *= each
    return found


class KindWriter:
    """Chooses kinds, and writes sets of their values."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.names = 0

    def fresh(self, stem: str = "v") -> str:
        """A name that nothing else has: TLA+ refuses to hide one."""
        self.names += 1
        return f"{stem}{self.names}"

    def chance(self, share: float) -> bool:
        """True in a share of the calls."""
        return self.rng.random() < share

    # Kinds

    def atom(self) -> Kind:
        """A kind of values without parts."""
        return self.rng.choice([INT, INT, INT, BOOL, STR, MV, OPT])

    def kind(self, depth: int = 2) -> Kind:
        """A kind with not too many values."""
        for _ in range(50):
            made = self._kind(depth)
            if size(made) <= 300:
                return made
        return self.atom()

    def _kind(self, depth: int) -> Kind:
        if depth == 0:
            return self.atom()
        inner = lambda: self._kind(depth - 1)  # noqa: E731
        domain = self.rng.choice(list(DOMAINS))
        match self.rng.randrange(11):
            case 0:
                return self.record()
            case 1:
                return ("tup", (inner(), inner()))
            case 2 | 3:
                return ("seq", inner())
            case 4:
                return ("fun", domain, inner())
            case 5:
                return ("map", domain, inner())
            case 6 | 7 | 8:
                return ("set", inner())
            case 9:
                return ("var", (("rec", (("t", STR), ("a", self.atom()))), self.tagged()))
            case _:
                return self.atom()

    def tagged(self) -> Kind:
        """Records with a tag that have another field than others of the same kind."""
        return ("rec", (("b", self.atom()), ("t", STR)))

    def record(self) -> Kind:
        """A kind of records."""
        names = sorted(self.rng.sample(FIELDS, self.rng.choice([1, 2, 2, 3])))
        return ("rec", tuple((name, self.atom()) for name in names))

    # Sets of all values of a kind

    def all_of(self, kind: Kind) -> str:
        """A set with the values that variables of a kind have."""
        match kind:
            case ("rec", fields):
                return "[" + ", ".join(f"{n} : {self.all_of(k)}" for n, k in fields) + "]"
            case ("tup", parts):
                return "(" + " \\X ".join(map(self.all_of, parts)) + ")"
            case ("var", records):
                return "(" + " \\cup ".join(map(self.all_of, records)) + ")"
            case ("seq", item):
                n = self.fresh()
                return f"(UNION {{[1..{n} -> {self.all_of(item)}] : {n} \\in 0..2}})"
            case ("fun", domain, part):
                return f"[{DOMAINS[domain][0]} -> {self.all_of(part)}]"
            case ("map", domain, part):
                d = self.fresh()
                inner = f"[{d} -> {self.all_of(part)}]"
                return f"(UNION {{{inner} : {d} \\in SUBSET {DOMAINS[domain][0]}}})"
            case ("set", member):
                return f"(SUBSET {self.all_of(member)})"
            case _:
                texts = {"int": "(0..3)", "bool": "BOOLEAN", "str": '{"a", "b", "c"}', "mv": "M"}
                return texts.get(kind[0], "((0..2) \\cup {nil})")

    def bounded(self, kind: Kind, value: str) -> str:
        """That a value is among those which variables of a kind may have."""
        match kind:
            case ("seq", item):
                if self.chance(0.5):
                    i = self.fresh()
                    inner = self.bounded(item, f"{value}[{i}]")
                    return f"(Len({value}) < 3 /\\ \\A {i} \\in 1..Len({value}) : {inner})"
                if item[0] != "seq":
                    return f"(Len({value}) < 3 /\\ {value} \\in Seq({self.all_of(item)}))"
                i = self.fresh()
                inner = self.bounded(item, f"{value}[{i}]")
                return f"(Len({value}) < 3 /\\ \\A {i} \\in DOMAIN {value} : {inner})"
            case ("rec", fields) if self.chance(0.4):
                parts = [self.bounded(k, f"{value}.{n}") for n, k in fields]
                return "(" + " /\\ ".join(parts) + ")"
            case ("tup", parts) if self.chance(0.4):
                found = [self.bounded(k, f"{value}[{i}]") for i, k in enumerate(parts, 1)]
                return "(" + " /\\ ".join(found) + ")"
            case ("set", member) if self.chance(0.5):
                return f"({value} \\subseteq {self.all_of(member)})"
            case _:
                return f"({value} \\in {self.all_of(kind)})"
