"""Expressions that the reference says are refused, and some that it does not speak of."""

from __future__ import annotations

from tests.fuzz.iteration import Iteration
from tests.fuzz.kinds import BOOL, INT, Kind


class OddExpressions(Iteration):
    """Writes what specs seldom have, and a Python programmer may well try."""

    def odd_expression(self, kind: Kind, depth: int) -> str | None:
        """An expression of a kind, if there is an odd one."""

        def a() -> str:
            return self.path(kind) or self.expr(kind, depth - 1)

        def ints() -> str:
            return self.expr(INT, depth - 1)

        by_kind = {
            "int": (
                lambda: f"({a()} ** 2)",
                lambda: f"int({a()} / 2)",
                lambda: f"({a()} << 1)",
                lambda: f"({a()} & 1)",
                lambda: f"(lambda x: x + 1)({a()})",
                lambda: f"divmod({a()}, 3)[1]",
                lambda: f"pow({ints()}, 2)",
                lambda: f"({a()}, 1)[0]",
            ),
            "bool": (
                lambda: f"((n := {ints()}) > 1)",
                lambda: f"bool({a()} & True)",
                lambda: f"({a()} is True)",
                lambda: f"isinstance({ints()}, int)",
                lambda: f"({a()} ^ {self.expr(BOOL, depth - 1)})",
            ),
            "list": (
                lambda: f"[*{a()}]",
                lambda: f"{a()}[::2]",
                lambda: f"{a()}[::-1]",
                lambda: f"({a()} * 2)[:1]",
                lambda: f"{a()}.copy()",
            ),
            "set": (lambda: f"{{*{a()}}}", lambda: f"{a()}.copy()"),
            "map": (lambda: f"dict({a()})", lambda: f"{a()}.copy()"),
        }
        return self.draw.choice(by_kind[kind.name])() if kind.name in by_kind else None
