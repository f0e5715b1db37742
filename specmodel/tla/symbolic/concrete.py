"""Values on a known state: the nodes of a graph, computed from the codes of the state's leaves."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from specmodel.ir.symbolic.graph import MOST_BITS, Node
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.values import (
    CasesOf,
    ChoiceOf,
    FunctionOf,
    FunctionRule,
    KnownValue,
    MembersOf,
    NumberOf,
    RuleSet,
    SequenceOf,
    StateValue,
    TruthOf,
)
from specmodel.tla.values import Value, function_of, settled, truth

_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": lambda a, b: a // (b or 1),
    "mod": lambda a, b: a % (b or 1),
    "band": lambda a, b: a & b,
    "bor": lambda a, b: a | b,
    "bxor": lambda a, b: a ^ b,
    "xor": lambda a, b: a ^ b,
    "eq": lambda a, b: int(a == b),
    "lt": lambda a, b: int(a < b),
}


class Codes:
    """The codes of a state's leaves, with the numbers of nodes that depend on them."""

    def __init__(self, codes: Sequence[int]) -> None:
        self.codes = codes
        self._known: dict[int, int] = {}

    def number(self, node: Node) -> int:
        """The number of a node; of a condition 0 or 1."""
        known = self._known
        pending = [node]
        while pending:
            top = pending[-1]
            if top.id in known:
                pending.pop()
                continue
            lacking = [arg for arg in top.args if arg.id not in known]
            if lacking:
                pending += lacking
                continue
            known[top.id] = self._computed(top, [known[arg.id] for arg in top.args])
            pending.pop()
        return known[node.id]

    def _computed(self, node: Node, args: list[int]) -> int:
        op = node.op
        if op == "const":
            return node.value
        if op == "leaf":
            return self.codes[node.value]
        if op == "select":
            return args[1] if args[0] else args[2]
        if op == "and":
            return int(all(args))
        if op == "or":
            return int(any(args))
        if op == "not":
            return 1 - args[0]
        if op == "number":
            return args[0]
        if op == "shl":
            return args[0] << node.value
        if op == "shr":
            return args[0] >> node.value
        if op == "bit":
            return 1 << args[0] % (node.value or MOST_BITS)
        if op == "popcount":
            return args[0].bit_count()
        return _OPERATIONS[op](*args)

    def value(self, value: StateValue) -> Value:
        """A value on this state. Raises NotCompiled for a set that is given by a rule alone."""
        if isinstance(value, KnownValue):
            return settled(value.value)
        if isinstance(value, TruthOf):
            return truth(bool(self.number(value.node)))
        if isinstance(value, NumberOf):
            return self.number(value.node)
        if isinstance(value, ChoiceOf):
            return value.options[self.number(value.node)]
        if isinstance(value, FunctionOf):
            present = value.present or (None,) * len(value.keys)
            return function_of(
                {
                    key: self.value(part)
                    for key, part, there in zip(value.keys, value.parts, present, strict=True)
                    if there is None or self.number(there)
                }
            )
        if isinstance(value, SequenceOf):
            return tuple(self.value(item) for item in value.items[: self.number(value.length)])
        if isinstance(value, MembersOf):
            return frozenset(self.value(m) for there, m in value.members if self.number(there))
        if isinstance(value, CasesOf):
            for condition, arm in value.arms:
                if self.number(condition):
                    return self.value(arm)
        if isinstance(value, RuleSet):
            return self.value(value.members())
        if isinstance(value, FunctionRule):
            return self.value(value.whole())
        raise NotCompiled("a value is not known")
