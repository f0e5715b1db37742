"""Values on a known state: the nodes of a graph, computed from the codes of the state's leaves."""

from __future__ import annotations

from collections.abc import Sequence

from specmodel.ir.symbolic.reading import NodeValues
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.values import (
    CasesOf,
    ChoiceOf,
    FunctionOf,
    FunctionRule,
    KnownValue,
    MembersOf,
    NumberOf,
    PairsOf,
    RuleSet,
    SequenceOf,
    StateValue,
    TruthOf,
)
from specmodel.tla.values import Value, function_of, settled, truth


class Codes:
    """The codes of a state's leaves, with the numbers of nodes that depend on them.

    The number of a condition is 0 or 1.
    """

    def __init__(self, codes: Sequence[int], parameters: Sequence[int] = ()) -> None:
        self.codes = codes
        self.number = NodeValues(codes, parameters)

    def within(self, parameters: Sequence[int]) -> Codes:
        """The same codes, with the parameters of a loop."""
        return Codes(self.codes, parameters) if parameters else self

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
        if isinstance(value, PairsOf):
            found = value.entries()
            return function_of(
                {self.value(k): self.value(v) for there, k, v in found if self.number(there)}
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
