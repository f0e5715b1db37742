"""Expressions of unions, and conditions that ask for a class and go on to use it."""

from __future__ import annotations

from tests.fuzz.kinds import Kind, option, same
from tests.fuzz.sets import SetExpressions


class UnionExpressions(SetExpressions):
    """Writes what is of one of several classes."""

    def _union(self, kind: Kind, depth: int) -> str | None:
        def one() -> str:
            return self.expr(self.draw.choice(kind.parts), depth)

        return self.weighted(
            (
                (4, lambda: self.path(kind)),
                (4, one),
                (1, lambda: f"({one()} if {self.condition(depth)} else {one()})"),
                (1, lambda: self.chosen(kind, depth)),
                (1, lambda: self.of_fewer(kind)),
            )
        )

    def of_fewer(self, kind: Kind) -> str | None:
        """A path to a value of a union of some of the alternatives."""
        fewer = [k for k in self.world.unions if set(k.parts) < set(kind.parts)]
        return self.path(self.draw.choice(fewer)) if fewer else None

    def chosen(self, kind: Kind, depth: int) -> str | None:
        """An element of a collection of unions: the least by a key, or the first that fits."""
        found = [(t, k) for t, k in self.places("list", "set", "bag") if same(k.inner, kind)]
        if not found:
            return None
        text = self.draw.choice(found)[0]
        name = self.fresh(kind, inner=True)
        with self.scope():
            self.bind(name, kind, "loop")
            test = self.asking(name, kind, depth) if self.chance(0.7) else self.condition(depth)
        default = self.expr(kind, depth)
        if self.chance(0.5):
            return f"next(({name} for {name} in {text} if {test}), {default})"
        default = "" if self.chance(self.risk) else f", default={default}"
        return f"{self.pick(('min', 'max'))}({text}, key=lambda {name}: {test}{default})"

    def asking(self, text: str, kind: Kind, depth: int) -> str:
        """A condition on a value of a union: its class, and what this class has."""
        test, yes, no = self.tested(text, kind)
        form = self.draw.random()
        if form < 0.25:
            return test if self.chance(0.6) else f"(not {test})"
        with self.scope():
            self.narrow(text, yes if form < 0.6 or form > 0.85 else no)
            rest = self.about(text, depth)
        if form < 0.6:
            return f"({test} and {rest})"
        if form < 0.75:
            return f"({test} or {rest})"
        if form < 0.85:
            return f"(not {test} and {rest})"
        return f"(not {test} or {rest})"

    def about(self, text: str, depth: int) -> str:
        """A condition on the parts of a value, if it has any."""
        held = next((n.kind for n in self.names if n.text == text), None)
        if held is None or not held.fields or self.chance(0.3):
            return self.condition(depth)
        field, kind = self.draw.choice(held.fields)
        place = f"{text}[{field}]" if held.name == "tuple" else f"{text}.{field}"
        if kind.name == "bool":
            return place
        if kind.name in ("list", "set", "bag", "table"):
            return f"(len({place}) {self.pick(('>', '=='))} {self.draw.randint(0, 2)})"
        if kind.name == "int":
            return f"({place} {self.pick(('<', '<=', '>', '==', '!='))} {self.leaf(kind)})"
        return f"({place} {self.pick(('==', '!='))} {self.leaf(kind)})"

    def by_class(self, kind: Kind, depth: int) -> str | None:
        """One of two values, as a test of a class tells."""
        found = self.unions()
        if not found:
            return None
        text, held = self.draw.choice(found)
        test, yes, no = self.tested(text, held)
        parts: list[str] = []
        for left in (yes, no):
            with self.scope():
                self.narrow(text, left)
                parts.append(self.expr(kind, depth - 1))
        if self.chance(0.2):
            return f"({parts[1]} if not {test} else {parts[0]})"
        return f"({parts[0]} if {test} else {parts[1]})"

    def by_classes(self, depth: int) -> str | None:
        """A condition that asks for the class of something in scope."""
        found = self.unions()
        if not found:
            return None
        text, kind = self.draw.choice(found)
        if kind.name == "option" and self.chance(0.25):
            test, inner = f"({text} is None", kind.inner
            word = "or"
            if self.chance(0.5):
                test, word = f"({text} is not None", "and"
            with self.scope():
                self.narrow(text, inner)
                return f"{test} {word} {self.asking(text, inner, depth)})"
        return self.asking(text, kind, depth)

    def compared_to(self, kind: Kind) -> Kind:
        """What a value of a union may be compared with: the union, or some of it."""
        form = self.draw.random()
        if form < 0.4:
            return self.draw.choice(kind.parts)
        if form < 0.5:
            others = [k for k in self.world.unions if set(k.parts) & set(kind.parts)]
            return self.draw.choice(others) if others else kind
        return option(kind) if form < 0.6 else kind
