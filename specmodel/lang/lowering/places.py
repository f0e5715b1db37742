"""Places, the parts of a state or of a local value that assignments store in, and new values."""

from __future__ import annotations

from specmodel.domains import StructDomain
from specmodel.ir.nodes import Apply, At, Call, Choose, Each, Get, Make, Name, Term
from specmodel.ir.symbolic.references import mutable
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


def is_new(term: Term) -> bool:
    """Whether no object that can change is a part of a term's value and has another name too."""
    if not any(mutable(part) for part in term.type.nested()):
        return True
    if isinstance(term, Make):  # a struct copies what it is given
        return isinstance(term.type, StructDomain) or all(map(is_new, term.items))
    if isinstance(term, Apply) and term.op == "some":
        return is_new(term.args[0])
    return isinstance(term, Each) and is_new(term.body)
