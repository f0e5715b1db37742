"""A model without a front end: nodes that a test writes, run by the evaluator of nodes.

Two counters, of which the second follows the first.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from specmodel.domains import Domain, IntDomain, StructDomain
from specmodel.domains.records import Record
from specmodel.errors import ExpressionError
from specmodel.ir import nodes as ir
from specmodel.ir.evaluate import Evaluator
from specmodel.model.model import Expressions, Model, Rule

COUNT = IntDomain(0, 3)
STEP = IntDomain(1, 2)
STATE = types.new_class("Counters", (Record,)).declare({"one": COUNT, "two": COUNT})


def number(value: int) -> ir.Term:
    """An int as it stands."""
    return ir.Constant(ir.INT, None, value)


def counter(name: str) -> ir.Term:
    """A field of the state."""
    return ir.Get(ir.INT, None, ir.Name(STATE, None, "s"), name)


def apply(op: str, *args: ir.Term) -> ir.Term:
    """An operator on ints."""
    return ir.Apply(ir.INT if op == "+" else ir.BOOL, None, op, args)


def raised(name: str, by: ir.Term) -> ir.Statement:
    """`s.name = s.name + by`."""
    return ir.Store(None, counter(name), apply("+", counter(name), by))


def function(
    name: str, *body: ir.Statement, result: Domain | None = None, **parameters: Domain
) -> ir.Function:
    """A function of the state and its parameters."""
    return ir.Function(name, {"s": STATE, **parameters}, result, body)


BY = ir.Name(ir.INT, None, "by")
CODE = ir.Lowered(
    state=STATE,
    actions={
        "lead": function(
            "lead",
            ir.Require(None, apply("<=", apply("+", counter("one"), BY), number(3))),
            raised("one", BY),
            by=STEP,
        ),
        "follow": function(
            "follow",
            ir.Require(None, apply("<", counter("two"), counter("one"))),
            raised("two", number(1)),
        ),
    },
    properties={
        "behind": (
            "invariant",
            function(
                "behind",
                ir.Return(None, apply("<", counter("two"), number(3))),
                result=ir.BOOL,
            ),
        )
    },
    antecedents={},
    constraints={},
    helpers={},
)


@dataclass(frozen=True)
class NodeRule:
    """A rule that nodes say; without any it gives the initial state."""

    name: str
    role: str
    function: ir.Function | None = None
    start: tuple[int, int] = (0, 0)
    summary: str = ""
    span: None = None
    antecedent: Rule | None = None
    refined: Model | None = None

    @property
    def states(self) -> int:
        return 0 if self.function is None else 1

    @property
    def parameters(self) -> Mapping[str, Domain]:
        taken = {} if self.function is None else dict(self.function.parameters)
        return {name: domain for name, domain in taken.items() if name != "s"}

    def bindings(self) -> Iterator[tuple[Any, ...]]:
        return product(*(tuple(domain.values()) for domain in self.parameters.values()))

    def label(self, arguments: Sequence[Any]) -> str:
        given = zip(self.parameters, arguments, strict=True)
        return f"{self.name}({', '.join(f'{name}={value}' for name, value in given)})"

    def shown(self, state: Any, arguments: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(arguments)

    def run(self, *arguments: Any) -> Any:
        if self.function is None:
            one, two = self.start
            return STATE.cls(one=one, two=two)
        return Evaluator(CODE).run(self.function, arguments)


class NoExpressions:
    """This model has no language of its own: it reads no text."""

    code = CODE

    def read(self, text: str, what: str = "expression") -> Any:
        raise ExpressionError(what, text, "this model reads no expressions", 0, 1)

    condition = read


@dataclass(frozen=True)
class Counters:
    """The model."""

    name: str = "counters"
    domain: StructDomain = STATE
    start: Rule = NodeRule("start", "init")
    rules: tuple[Rule, ...] = tuple(NodeRule(n, "action", f) for n, f in CODE.actions.items())
    properties: tuple[Rule, ...] = tuple(
        NodeRule(name, role, f) for name, (role, f) in CODE.properties.items()
    )
    bounds: tuple[Rule, ...] = ()
    fairness: tuple[Any, ...] = ()
    deadlock: bool = False
    begins: bool = True
    lanes: None = None
    parent: None = None
    code: ir.Lowered = field(default=CODE, repr=False)

    @property
    def binding_counts(self) -> Mapping[str, int]:
        return {rule.name: len(list(rule.bindings())) for rule in self.rules}

    def kind_of(self, rule: Rule) -> str:
        return rule.name

    def type_of(self, place: Callable[..., Any], what: str) -> Domain | None:
        return None

    def expressions(self) -> Expressions:
        return NoExpressions()

    def asking(self, role: str, name: str, text: str, what: str, holds: bool = True) -> Counters:
        raise ExpressionError(what, text, "this model reads no expressions", 0, 1)

    def starting_in(self, state: Any) -> Counters:
        return replace(self, start=NodeRule("start", "init", start=(state.one, state.two)))

    def without(self, *names: str) -> Counters:
        kept = tuple(rule for rule in self.rules if rule.name not in names)
        return replace(self, rules=kept)
