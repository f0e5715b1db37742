"""Expressions over the state of a model: typed terms, and their values in a state."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import Any, Protocol

from specmodel.dataclass import dataclass
from specmodel.domains import Domain, MapDomain, OptionDomain, SeqDomain, SetDomain
from specmodel.errors import Disabled, ExpressionError, SpecError, SpecmodelError
from specmodel.ir.budget import Bounded, TooLargeError
from specmodel.ir.children import within
from specmodel.ir.nodes import Call, Get, Lowered, Name, Term

STATE = "state"
"""The name of the whole state in every expression, beside the spec's own name for it."""


class NoValueError(SpecmodelError):
    """An expression has no value in a state, for example because an index is out of range."""


class StateExpression(Protocol):
    """An expression over the state in any language. `text` is the user's text."""

    @property
    def text(self) -> str: ...
    @property
    def reads(self) -> frozenset[str] | None:
        """The variables of the state that the value depends on; None if it may be all of them."""
        ...

    def value(self, state: Any) -> Any:
        """The value in a state. Raises NoValueError if there is none."""
        ...


@dataclass(frozen=True)
class Expression:
    """An expression over the state of a spec.

    `text` is the user's text, `what` its origin, `type` the domain of its values. `term` has one
    free name, STATE; its spans are places in `text`.
    """

    text: str
    type: Domain
    term: Term = field(repr=False)
    model: Lowered = field(repr=False, compare=False)
    what: str = field(default="expression", repr=False, compare=False)

    def value(self, state: Any) -> Any:
        """The value in a state, which is not changed.

        Raises NoValueError if there is none, and ExpressionError, with the part of the text that is
        too large, if the evaluation exceeds a limit of `budget`.
        """
        held = self.model.state.copy(state) if self._calls else state
        try:
            return _settled(self.type, Bounded(self.model).value(self.term, {STATE: held}))
        except TooLargeError as wrong:
            raise self._too_large(wrong) from None
        except Exception as wrong:  # whatever Python raises for a term that has no value
            raise NoValueError(_reason(wrong)) from None

    def _too_large(self, wrong: TooLargeError) -> ExpressionError:
        own = self.term.span
        spans = [part.span for part in wrong.parts if part.span and own]
        start, end = 0, len(self.text)
        for span in spans:
            if own is not None and span.file == own.file:
                start, end = span.column, span.end_column
                break
        hint = "ask for a part of it, or for a smaller range"
        return ExpressionError(self.what, self.text, wrong.message, start, end, hint)

    @property
    def reads(self) -> frozenset[str] | None:
        """The variables of the state that the value depends on; None if it may be all of them."""
        terms = list(within(self.term))
        whole = sum(isinstance(term, Name) and term.name == STATE for term in terms)
        fields = [t.name for t in terms if isinstance(t, Get) and _is_state(t.base)]
        return frozenset(fields) if len(fields) == whole else None

    @cached_property
    def _calls(self) -> bool:
        """Whether it calls a function of the spec, which might change the state."""
        return any(isinstance(term, Call) for term in within(self.term))


def _is_state(term: Term) -> bool:
    return isinstance(term, Name) and term.name == STATE


def _settled(domain: Domain, value: Any) -> Any:
    """A value in the form in which a state holds it: a container can then be hashed and written."""
    if isinstance(domain, OptionDomain):
        return None if value is None else _settled(domain.inner, value)
    if isinstance(domain, SetDomain | SeqDomain | MapDomain):
        return domain.store(value, "")
    return value


def _reason(wrong: Exception) -> str:
    """The reason that an exception gives for the missing value of an expression."""
    if isinstance(wrong, SpecError):
        return wrong.message
    if isinstance(wrong, Disabled):
        return "a condition that a function requires is false"
    kinds: tuple[tuple[type[Exception], str], ...] = (
        (IndexError, "an index is out of range"),
        (KeyError, "there is no such key"),
        (ZeroDivisionError, "division by zero"),
        (ValueError, "min or max of nothing"),
        (AttributeError, "None stands where a value is needed"),
        (TypeError, "None stands where a value is needed"),
    )
    return next((said for kind, said in kinds if isinstance(wrong, kind)), str(wrong))
