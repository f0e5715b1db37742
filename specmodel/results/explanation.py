"""Why a property or guard is true or false in a state: the truth tree of its expression."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.errors import Span


@dataclass(frozen=True)
class Explanation:
    """An expression of a spec with its value in a state, and the parts that decide the value.

    `text` is the expression as the spec has it, at `span`; `witness` are the variables bound to
    values that decide it, such as the elements for which an `all` is false; `parts` are the
    deciding subexpressions.

    `operator` is what makes the value of the parts: an operator or quantifier of the IR, "call",
    "choose", "constant", "return" (a literal, returned because the parts are as they are),
    "refinement" (`text` is a sentence about the abstract design), "pick" (`ground` is a sentence
    about a pick in a branch), or empty. Otherwise `ground` is the expression with names and indices
    replaced by what they stand for there, `replica[r1].epoch`; `reads` are the places of the state
    that the value was computed from. `failure` says why there is no value.
    """

    text: str
    value: Any
    span: Span | None = None
    witness: Mapping[str, Any] = field(default_factory=dict[str, Any])
    parts: tuple[Explanation, ...] = ()
    operator: str = ""
    ground: str = ""
    reads: tuple[str, ...] = ()
    failure: str = ""
