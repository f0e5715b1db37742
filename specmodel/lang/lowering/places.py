"""Places: the parts of a state or of a local value, as terms that assignments store in."""

from __future__ import annotations

from specmodel.ir.nodes import Apply, At, Call, Choose, Get, Name, Term
from specmodel.lang.lowering.expressions import of_field


def unwrap(place: Term) -> str:
    """The `unwrap` of `coerced` for a place: Python checks the types of fields only."""
    return "the" if of_field(place) else "sure"


def is_path(term: Term) -> bool:
    """Whether a term is a part of a name or of a result, which can be assigned."""
    if isinstance(term, Name | Call):
        return True
    if isinstance(term, Get | At):
        return is_path(term.base)
    if isinstance(term, Choose):
        return is_path(term.then) and is_path(term.other)
    return isinstance(term, Apply) and term.op in ("the", "need", "sure") and is_path(term.args[0])


def in_union(term: Term) -> bool:
    """Whether a path leads through a union."""
    if isinstance(term, Get | At):
        return in_union(term.base)
    if isinstance(term, Choose):
        return in_union(term.then) or in_union(term.other)
    return isinstance(term, Apply) and (term.op == "narrow" or in_union(term.args[0]))
