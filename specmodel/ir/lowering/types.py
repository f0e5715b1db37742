"""Types during lowering: which values go together, and how one becomes another."""

from __future__ import annotations

import enum
from functools import cached_property
from typing import Any

from specmodel.domains import (
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
)
from specmodel.domains.shapes import is_set
from specmodel.ir.nodes import (
    BOOL,
    INT,
    NONE,
    Apply,
    At,
    Choose,
    Constant,
    Each,
    Get,
    Make,
    Name,
    Term,
)
from specmodel.lang.scalars import ScalarSet
from specmodel.lang.struct import Struct


def widened(domain: Domain) -> Domain:
    """The type of a term that holds values of a domain: ints lose their bounds."""
    return INT if isinstance(domain, IntDomain) else domain


def is_int(domain: Domain) -> bool:
    return isinstance(domain, IntDomain)


def join(a: Domain, b: Domain) -> Domain | None:
    """The type of a term that is now of one type, now of the other; None if there is none."""
    if a == b or isinstance(b, NothingDomain):
        return a
    if isinstance(a, NothingDomain):
        return b
    if a is NONE or b is NONE:
        other = b if a is NONE else a
        return other if isinstance(other, OptionDomain) else OptionDomain(other)
    if isinstance(a, OptionDomain) or isinstance(b, OptionDomain):
        inner = join(inner_of(a), inner_of(b))
        return OptionDomain(inner) if inner else None
    if is_int(a) and is_int(b):
        return INT
    if isinstance(a, SetDomain) and isinstance(b, SetDomain):
        element = join(a.element, b.element)
        return SetDomain(element) if element else None
    if isinstance(a, SeqDomain) and isinstance(b, SeqDomain):
        element = join(a.element, b.element)
        return SeqDomain(element, max(a.capacity, b.capacity)) if element else None
    if isinstance(a, MapDomain) and isinstance(b, MapDomain) and a.key == b.key:
        value = join(a.value, b.value)
        return MapDomain(a.key, value) if value else None
    return None


def inner_of(domain: Domain) -> Domain:
    """What an optional holds; any other type is itself."""
    return domain.inner if isinstance(domain, OptionDomain) else domain


class NothingDomain(Domain):
    """The element type of an empty set or list whose place does not say what it holds."""

    @cached_property
    def size(self) -> int:
        return 0

    def __str__(self) -> str:
        return "nothing"


NOTHING = NothingDomain()


_WHOLE = (Name, Get, At, Constant)
"""Terms without parts that could be of another type than they are."""


def coerced(term: Term, wanted: Domain) -> Term:
    """The term as a value of the wanted type: None and plain values become optionals, and back."""
    if term.type is wanted and isinstance(term, _WHOLE):
        return term
    if isinstance(wanted, OptionDomain) and not isinstance(term.type, OptionDomain):
        if term.type is NONE:
            return Constant(wanted, term.span, None)
        return Apply(wanted, term.span, "some", (coerced(term, wanted.inner),))
    if isinstance(term.type, OptionDomain) and not isinstance(wanted, OptionDomain):
        return Apply(widened(term.type.inner), term.span, "the", (term,))
    if isinstance(term, Choose) and term.type != wanted:
        then, other = coerced(term.then, wanted), coerced(term.other, wanted)
        return Choose(wanted, term.span, term.condition, then, other)
    if isinstance(term, Make) and isinstance(term.type, SetDomain | SeqDomain):
        if isinstance(wanted, SetDomain):
            return Make(wanted, term.span, tuple(coerced(i, wanted.element) for i in term.items))
        if isinstance(wanted, SeqDomain):
            kind = SeqDomain(wanted.element, len(term.items))
            return Make(kind, term.span, tuple(coerced(i, wanted.element) for i in term.items))
    if isinstance(term, Apply) and isinstance(wanted, SetDomain) and term.type == SetDomain(NONE):
        return Apply(wanted, term.span, term.op, tuple(coerced(a, wanted) for a in term.args))
    if isinstance(term, Each) and isinstance(wanted, SetDomain) and term.kind == "set":
        body = coerced(term.body, wanted.element)
        return Each(wanted, term.span, "set", term.generators, body)
    if isinstance(term, Each) and isinstance(wanted, MapDomain) and term.kind == "map":
        body = coerced(term.body, wanted.value)
        return Each(wanted, term.span, "map", term.generators, body)
    return term


def constant_type(value: Any) -> Domain | None:
    """The type of a Python value used as a constant; None if it is not a value of the language."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, enum.Enum):
        return EnumDomain(type(value))
    if isinstance(value, int):
        return INT
    if value is None:
        return NONE
    if isinstance(value, ScalarSet):
        return type(value).__domain__
    if is_set(value):
        element: Domain | None = NOTHING
        for item in value:
            kind = constant_type(item)
            element = join(element, kind) if kind and element else None
        return SetDomain(element) if element else None
    return value.__domain__ if isinstance(value, Struct) else None


def truth(term: Term) -> Term | None:
    """The term as a condition, with Python's truth of collections and ints; None if it has none."""
    kind = term.type
    if isinstance(kind, BoolDomain):
        return term
    if isinstance(kind, SetDomain | SeqDomain):
        length = Apply(INT, term.span, "len", (term,))
        return Apply(BOOL, term.span, "!=", (length, Constant(INT, term.span, 0)))
    if is_int(kind):
        return Apply(BOOL, term.span, "!=", (term, Constant(INT, term.span, 0)))
    own = IntDomain | BoolDomain | SetDomain | SeqDomain | MapDomain
    if isinstance(kind, OptionDomain) and not isinstance(kind.inner, own):
        return Apply(BOOL, term.span, "not", (Apply(BOOL, term.span, "is_none", (term,)),))
    return None
