"""Expressions of sets, bags and maps with a capacity."""

from __future__ import annotations

from tests.fuzz.kinds import Kind, collection, same, sequence
from tests.fuzz.odd import OddExpressions

CONSTANTS = ("SOME", "ALL", "QUORUMS")
"""Sets that a module computes: frozen ones to Python."""


class SetExpressions(OddExpressions):
    """Writes what is a set, a bag or a map with a capacity, and comprehensions."""

    def _set(self, kind: Kind, depth: int) -> str | None:
        def a() -> str:
            return self.path(kind) or self.expr(kind, depth)

        def b() -> str:
            return self.expr(kind, depth)

        methods = ("union", "difference", "intersection", "symmetric_difference")
        return self.weighted(
            (
                (3, lambda: f"({a()} {self.pick(('|', '&', '-', '^'))} {b()})"),
                (2, lambda: self.set_method(a(), self.pick(methods), b())),
                (2, lambda: f"{{{self.expr(kind.inner, depth)}}}"),
                (1, lambda: f"{{{self.expr(kind.inner, depth)}, {self.expr(kind.inner, depth)}}}"),
                (3, lambda: self.comprehension("{}", kind.inner, depth)),
                (0.8, lambda: f"set({self.expr(sequence(kind.inner, 3), depth)})"),
                (0.5, lambda: self.comprehension("set", kind.inner, depth)),
                (0.4, lambda: f"set({a()})"),
                (0.5, lambda: self.set_of_bag(kind)),
                (0.7, lambda: "set()"),
                (2 * self.may("frozenset"), lambda: f"frozenset({a()})"),
            )
        )

    def _bag(self, kind: Kind, depth: int) -> str | None:
        def a() -> str:
            return self.path(kind) or self.expr(kind, depth)

        def item() -> str:
            return self.expr(kind.inner, depth)

        return self.weighted(
            (
                (3, lambda: f"({a()} {self.pick('+-')} {{{item()}}})"),
                (3, lambda: f"({a()} {self.pick('+-')} {self.expr(kind, depth)})"),
                (
                    1,
                    lambda: f"({a()} {self.pick('+-')} {self.expr(collection(kind.inner), depth)})",
                ),
                (2, lambda: f"Bag([{item()}, {item()}])"),
                (1.5, lambda: f"Bag({self.comprehension('[]', kind.inner, depth)[1:-1]})"),
                (0.8, lambda: f"Bag({self.expr(sequence(kind.inner, 3), depth)})"),
                (0.5, lambda: f"Bag({self.expr(collection(kind.inner), depth)})"),
                (0.4, lambda: f"Bag({a()})"),
                (0.7, lambda: "Bag()"),
            )
        )

    def set_of_bag(self, kind: Kind) -> str | None:
        bags = [t for t, k in self.places("bag") if same(k.inner, kind.inner)]
        return f"set({self.pick(bags)})" if bags else None

    def set_method(self, text: str, method: str, other: str) -> str:
        """A method of a set, hardly ever of one of the module's own."""
        if text in CONSTANTS and self.chance(0.9):
            return f"({text} | {other})"
        return f"{text}.{method}({other})"

    def comprehension(self, brackets: str, element: Kind, depth: int) -> str:
        with self.scope():
            clauses = self.clauses(depth, element)
            same_kind = [
                n.text for n in self.names if same(n.kind, element) and n.role in ("loop", "case")
            ]
            body = self.expr(element, depth)
            if same_kind and self.chance(0.6):
                body = self.pick(same_kind)
        if brackets in ("set", "list"):
            return f"{brackets}({body} {clauses})"
        return f"{brackets[0]}{body} {clauses}{brackets[1]}"

    def copies(self, depth: int) -> str | None:
        """How many copies of something a bag has."""
        bags = self.places("bag")
        if not bags:
            return None
        text, kind = self.draw.choice(bags)
        element = self.optional_of(kind.inner) if self.chance(0.1) else kind.inner
        return f"{text}[{self.expr(element, depth)}]"

    def _table(self, kind: Kind, depth: int) -> str | None:
        path = self.path(kind)
        if path and self.chance(0.5):
            return path
        if path and self.chance(0.6):
            key, value = self.fresh(kind.parts[0], inner=True), self.fresh(kind.inner, inner=True)
            if key != value:
                with self.scope():
                    self.bind(key, kind.parts[0], "loop")
                    self.bind(value, kind.inner, "loop")
                    body = value if self.chance(0.6) else self.expr(kind.inner, depth)
                    only = f" if {self.condition(depth)}" if self.chance(0.7) else ""
                return f"{{{key}: {body} for {key}, {value} in {path}.items(){only}}}"
        if self.chance(0.3):
            with self.scope():
                clauses = self.clauses(depth, kind.parts[0])
                entry = f"{self.expr(kind.parts[0], depth)}: {self.expr(kind.inner, depth)}"
            return f"{{{entry} {clauses}}}"
        return f"{{{self.expr(kind.parts[0], depth)}: {self.expr(kind.inner, depth)}}}"

    def got(self, kind: Kind, depth: int) -> str | None:
        """What a map with a capacity has for a key, or something else."""
        inner = kind.inner if kind.name == "option" and self.chance(0.5) else kind
        tables = [(t, k) for t, k in self.places("table") if same(k.inner, inner)]
        if not tables:
            return None
        text, held = self.draw.choice(tables)
        key = self.expr(held.parts[0], depth - 1)
        if inner is not kind:
            return f"{text}.get({key})"
        if self.chance(0.3) and kind.name != "bool":
            return f"({text}[{key}] if {key} in {text} else {self.leaf(kind)})"
        return f"{text}.get({key}, {self.expr(kind, depth - 1)})"
