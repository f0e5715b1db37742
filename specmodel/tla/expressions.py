"""Expressions over the state of a module, in TLA+: their values in a state."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.errors import SpecError
from specmodel.ir.expression import NoValueError
from specmodel.tla.calling import no_truth
from specmodel.tla.nodes import TlaTerm
from specmodel.tla.parsing import in_expression
from specmodel.tla.recursion import deeply
from specmodel.tla.scopes import Run
from specmodel.tla.specification import Specification
from specmodel.tla.values import FALSE, TRUE, settled
from specmodel.tla.written import WrittenValue, values_of


@dataclass(frozen=True)
class ModuleExpression:
    """An expression over states of a class. `truth`: it is true or false, and its value a bool."""

    text: str
    term: TlaTerm = field(repr=False)
    run: Run = field(repr=False)
    what: str
    states: type[Any] = field(repr=False)
    truth: bool = False
    reads: None = None

    def value(self, state: Any) -> Any:
        """The value in a state. Raises NoValueError if there is none, and ExpressionError if it
        is not true or false and should be.
        """
        if not isinstance(state, self.states):
            raise NoValueError("an ALIAS shows other variables")
        held = values_of(state)
        try:
            found = deeply(lambda: settled(self.run((), held, None)))
        except SpecError as wrong:
            raise NoValueError(wrong.message) from None
        except RecursionError:
            raise NoValueError("the evaluation is too deeply nested") from None
        if not self.truth:
            return WrittenValue(found)
        if found is not TRUE and found is not FALSE:
            with in_expression(self.text, self.what):
                raise no_truth(found, self.term.span)
        return found is TRUE


class ModuleExpressions:
    """Reads expressions over the state of a module."""

    def __init__(self, spec: Specification, states: type[Any]) -> None:
        self.spec = spec
        self.states = states

    def read(self, text: str, what: str = "expression") -> ModuleExpression:
        """The expression of a text; `what` is its origin, for messages.

        The names are those of the module, and the model values of its configuration. Raises
        ExpressionError, with the place in the text.
        """
        return self._read(text, what, truth=False)

    def condition(self, text: str, what: str = "expression") -> ModuleExpression:
        """As `read`, for an expression that is true or false."""
        return self._read(text, what, truth=True)

    def _read(self, text: str, what: str, truth: bool) -> ModuleExpression:
        term, _, run = self.spec.stated(text, what)
        return ModuleExpression(text, term, run, what, self.states, truth)
