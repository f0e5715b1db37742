"""Functions of TLA+ whose arguments are not known, as domains of a state."""

from __future__ import annotations

from typing import Any

from specmodel.ir.symbolic import values as symbolic
from specmodel.ir.symbolic.graph import Node
from specmodel.tla.symbolic.rules import ValueAlgebra
from specmodel.tla.symbolic.stored import OutsideType, StoredType
from specmodel.tla.symbolic.stored_functions import StoredProduct
from specmodel.tla.symbolic.stored_sets import StoredSlots
from specmodel.tla.symbolic.values import (
    AnyFunction,
    CasesOf,
    MembersOf,
    PairsOf,
    StateValue,
    function_with,
)
from specmodel.tla.values import FunctionValue, Value, function_of, pairs_of


class StoredPairs(StoredType):
    """A function whose arguments are not known: its pairs lie in slots, in order."""

    def __init__(self, name: str, argument: StoredType, part: StoredType, capacity: int) -> None:
        self.slots = StoredSlots(StoredProduct(name, (1, 2), (argument, part)), capacity, True)
        self.domain = self.slots.domain

    def held(self, value: Value) -> Any:
        if not isinstance(value, tuple | FunctionValue):
            raise OutsideType
        pairs: dict[Value, Value] = pairs_of(value)
        return self.slots.held(frozenset(pairs.items()))

    def value(self, held: Any) -> Value:
        pairs: Any = self.slots.value(held)
        return function_of(dict(pairs))

    def written(self, writer: ValueAlgebra, value: StateValue) -> tuple[Node, symbolic.Value]:
        value = writer.open(value)
        if isinstance(value, CasesOf):
            return writer.by_arms(self, value)
        if not isinstance(value, AnyFunction):
            return writer.no(self)
        return self.slots.written(writer, writer.as_pairs(value).pairs)

    def read(self, writer: ValueAlgebra, held: symbolic.Value) -> StateValue:
        made = self.slots.read(writer, held)
        return PairsOf(made) if isinstance(made, MembersOf) else function_with((), ())
