"""Choices of an element, and orders of elements: next, and min, max and sorted with a key."""

from __future__ import annotations

from tests.fuzz.kinds import BOOL, INT, Kind, same
from tests.fuzz.unions import UnionExpressions


class Choosing(UnionExpressions):
    """Writes what chooses among elements, and what puts them in order."""

    def next_of(self, kind: Kind, depth: int) -> str:
        with self.scope():
            clauses = self.clauses(depth)
            if " if " not in clauses:
                clauses += f" if {self.condition(depth)}"
            body = self.expr(kind, depth)
        if self.chance(self.risk):
            return f"next({body} {clauses})"
        return f"next(({body} {clauses}), {self.expr(kind, depth)})"

    def by_key(self, kind: Kind, depth: int) -> str:
        """min or max by a key, mostly with a default, which may be None."""
        inner = kind.inner if kind.name == "option" and self.chance(0.6) else kind
        with self.scope():
            clauses = self.clauses(depth)
            body = self.expr(inner, depth)
        default = f", default={self.expr(kind, depth)}" if not self.chance(self.risk) else ""
        word, over = self.pick(("min", "max")), f"({body} {clauses})"
        whole = [t for t, k in self.places("list", "set", "bag") if same(k.inner, inner)]
        if whole and self.chance(0.4):
            over = self.pick(whole)
        return f"{word}({over}, key={self.ranked(inner, depth)}{default})"

    def ranked(self, kind: Kind, depth: int) -> str:
        """A function of an element that gives what it is compared by."""
        keys = [h for h in self.helpers if len(h.parameters) == 1 and not h.changes]
        keys = [h for h in keys if same(h.parameters[0], kind) and h.result in (INT, BOOL)]
        if keys and self.chance(0.5):
            return self.draw.choice(keys).name
        name = self.fresh(kind, inner=True)
        with self.scope():
            self.bind(name, kind, "loop")
            rank = self.expr(INT if self.chance(0.8) else BOOL, depth - 1)
            if self.chance(0.3):
                rank = f"({rank}, {self.expr(BOOL, depth - 1)})"
        return f"lambda {name}: {rank}"

    def in_order_of_module(self, kind: Kind) -> bool:
        """Whether the module has a tuple, or a range, of values of a kind."""
        order = self.world.order
        return order is not None and (order is kind or (kind is INT and order.name == "int"))

    def over(self, kind: Kind, depth: int) -> str:
        """A set, or a generator, whose elements are put in order."""
        sets = [t for t, k in self.places("set", "bag") if same(k.inner, kind.inner)]
        if sets and self.chance(0.5):
            return self.pick(sets)
        return self.comprehension("()", kind.inner, depth)

    def in_order(self, text: str, kind: Kind, depth: int) -> str:
        down = ", reverse=True" if self.chance(0.3) else ""
        if kind.inner.name == "int" and self.chance(0.5):
            return f"sorted({text}{down})"
        return f"sorted({text}, key={self.ranked(kind.inner, depth)}{down})"
