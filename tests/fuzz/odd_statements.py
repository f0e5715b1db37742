"""Statements that the reference says are refused, and some that it does not speak of."""

from __future__ import annotations

from tests.fuzz.changes import STEP, Lines
from tests.fuzz.kinds import INT, Kind
from tests.fuzz.matching import Matching


class OddStatements(Matching):
    """Writes statements that specs seldom have, and a Python programmer may well try."""

    def odd_statement(self) -> Lines:
        lists, sets = self.places("list"), self.places("set")
        forms: list[Lines] = [
            [f"assert {self.condition(1)}"],
            ["def inner() -> None:", f"{STEP}pass", "inner()"],
            ["try:", *self.inner(1, 0), "finally:", f"{STEP}pass"],
            [f"if (n := {self.expr(INT, 1)}) > 1:", f"{STEP}pass"],
            [
                f"match {self.expr(INT, 1)}:",
                "    case 0:",
                "        pass",
                "    case _:",
                "        pass",
            ],
            ["n = k = 1"],
            [f"f = lambda x: x + {self.number()}", f"n = f({self.expr(INT, 1)})"],
            ["for i in range(2):", f"{STEP}pass", "else:", f"{STEP}pass"],
            [f"print({self.expr(INT, 1)})"],
            [f"x = {self.expr(INT, 1)} / 2"],
            ["t = 1, 2", "n, k = t"],
            ["i = 0", "while i < 2:", f"{STEP}i += 1"],
        ]
        if lists:
            path, kind = self.draw.choice(lists)
            forms += [
                [f"if {path}:", f"{STEP}{path}.pop()"],
                [f"if {path}:", f"{STEP}{path}.pop(0)"],
                [f"if {path}:", f"{STEP}del {path}[0]"],
                [f"{path}.reverse()"],
                [f"while {path}:", f"{STEP}del {path}[:1]"],
                *([[f"{path}.sort()"]] if kind.inner.name == "int" else []),
                [f"if {path}:", f"{STEP}x, *rest = {path}"],
                [f"if {path}:", f"{STEP}{path}.remove({path}[0])"],
                self.room(path, kind, f"{path}.insert(0, {self.literal(kind.inner)})"),
            ]
        for path, kind in self.unions()[:1]:
            part, other = self.draw.sample(kind.alternatives, 2)
            if part.fields and other.fields:
                either = f"{part.text}(x) | {other.text}(x)"
                forms += [[f"match {path}:", f"    case {either}:", "        pass"]]
            inside = [(f, k) for f, k in part.fields if k.mutable]
            if inside:
                field, held = self.draw.choice(inside)
                forms += [[f"if isinstance({path}, {part.text}):", *self.within(path, field, held)]]
            if part.fields:
                field, held = self.draw.choice(part.fields)
                change = f"{STEP}{path}.{field} = {self.literal(held)}"
                forms += [[f"if isinstance({path}, {part.text}):", change]] * 2
            forms += [
                [f"match {path}:", "    case object():", "        pass"],
                [f"require(type({path}) is {part.text})"],
                [f"require({path}.__class__ == {part.text})"],
            ]
        if sets:
            path, kind = self.draw.choice(sets)
            forms += [
                [f"z = set({path})", f"z.add({self.literal(kind.inner)})"],
                [f"z = set({path})", f"z.discard({self.literal(kind.inner)})"],
                [f"x, *rest = sorted({path}, key=repr) or [None]"],
            ]
        return self.draw.choice(forms)

    def within(self, path: str, field: str, kind: Kind) -> Lines:
        """A change in a part of what cannot change, by a name for the part."""
        name = self.fresh(kind)
        lines = [f"{STEP}{name} = {path}.{field}"]
        with self.scope():
            self.bind(name, kind)
            return lines + [STEP + line for line in self.through_local(0)]
