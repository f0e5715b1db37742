"""Types during lowering: which types are compatible, and conversions of terms between them."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any, cast

from specmodel.domains import (
    MOST_PLACES,
    BagDomain,
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    NamedDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    SlotSetDomain,
    SlottedDomain,
    SparseMapDomain,
    StructDomain,
    TupleDomain,
    UnionDomain,
)
from specmodel.domains.bags import is_bag
from specmodel.domains.scalars import ScalarSet
from specmodel.domains.shapes import is_set
from specmodel.domains.unions import alternatives_of
from specmodel.ir.nodes import (
    BOOL,
    INT,
    NONE,
    NOTHING,
    Apply,
    Choose,
    Constant,
    Each,
    Make,
    NoneDomain,
    NothingDomain,
    Term,
)
from specmodel.ir.symbolic.references import mutable
from specmodel.lang.struct import Struct

_HOLDING = (SetDomain, BagDomain, SeqDomain, MapDomain, SparseMapDomain)
"""The types of containers."""


def widened(domain: Domain) -> Domain:
    """The type of a term whose values are of a domain: ints have no bounds, sets no capacity."""
    if isinstance(domain, SlotSetDomain):
        return SetDomain(domain.element)
    if isinstance(domain, BagDomain):
        return bag(domain.element)
    if isinstance(domain, SparseMapDomain):
        return sparse_map(domain.key, domain.value)
    if type(domain) is TupleDomain:
        return domain.of(map(widened, domain.kinds))
    return INT if isinstance(domain, IntDomain) else domain


def bag(element: Domain) -> BagDomain:
    """The type of a term that is a bag."""
    return BagDomain(element, MOST_PLACES)


def sparse_map(key: Domain, value: Domain) -> SparseMapDomain:
    """The type of a term that is a map with a capacity."""
    return SparseMapDomain(key, value, MOST_PLACES)


def is_int(domain: Domain) -> bool:
    return isinstance(domain, IntDomain)


def join(a: Domain, b: Domain) -> Domain | None:
    """The common type of two compatible types; None if they are not compatible."""
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
    if isinstance(a, UnionDomain) or isinstance(b, UnionDomain):
        overlap = set(alternatives_of(a)) & set(alternatives_of(b))
        return united(a, b) if overlap else None
    if is_int(a) and is_int(b):
        return INT
    if isinstance(a, SetDomain) and isinstance(b, SetDomain):
        element = join(a.element, b.element)
        return SetDomain(element) if element else None
    if isinstance(a, BagDomain) and isinstance(b, BagDomain):
        element = join(a.element, b.element)
        return bag(element) if element else None
    if isinstance(a, SeqDomain) and isinstance(b, SeqDomain):
        element = join(a.element, b.element)
        return SeqDomain(element, max(a.capacity, b.capacity)) if element else None
    if isinstance(a, SparseMapDomain) and isinstance(b, SparseMapDomain) and a.key == b.key:
        value = join(a.value, b.value)
        return sparse_map(a.key, value) if value else None
    if isinstance(a, MapDomain) and isinstance(b, MapDomain) and a.key == b.key:
        value = join(a.value, b.value)
        return MapDomain(a.key, value) if value else None
    if isinstance(a, TupleDomain) and isinstance(b, TupleDomain) and same_length(a, b):
        kinds = [kind for kind in map(join, a.kinds, b.kinds) if kind is not None]
        return a.of(kinds) if len(kinds) == len(a.kinds) else None
    return None


def same_length(a: TupleDomain, b: TupleDomain) -> bool:
    """Whether the tuples of two types have the same length."""
    return len(a.kinds) == len(b.kinds)


def united(a: Domain, b: Domain) -> Domain | None:
    """The union of two types, each an alternative or a union; None if they have no union."""
    parts = dict.fromkeys((*alternatives_of(a), *alternatives_of(b)))
    names = {str(part) for part in parts}
    known = alternatives_of(a) and alternatives_of(b)
    return UnionDomain.of(parts) if known and len(names) == len(parts) else None


def mixed(a: Domain, b: Domain) -> Domain | None:
    """As `join`, for two parts of one expression: values of different classes become a union."""
    if (joined := join(a, b)) is not None:
        return joined
    inner = united(inner_of(a), inner_of(b))
    optional = isinstance(a, OptionDomain) or isinstance(b, OptionDomain)
    return OptionDomain(inner) if inner and optional else inner


def holds_all(wanted: Domain, kind: Domain) -> bool:
    """Whether unions in a type have all alternatives that another type has in the same places."""
    wanted, kind = inner_of(wanted), inner_of(kind)
    if isinstance(wanted, UnionDomain) or isinstance(kind, UnionDomain):
        known = alternatives_of(kind)
        return isinstance(kind, NothingDomain | NoneDomain) or (
            len(known) > 0 and set(known) <= set(alternatives_of(wanted))
        )
    if isinstance(wanted, TupleDomain) and isinstance(kind, TupleDomain):
        return same_length(wanted, kind) and all(map(holds_all, wanted.kinds, kind.kinds))
    if isinstance(wanted, _HOLDING) and type(wanted) is type(kind):
        return holds_all(wanted.parts[-1], kind.parts[-1])
    return True


def optional(domain: Domain) -> OptionDomain:
    """The domain with None as one more value."""
    return domain if isinstance(domain, OptionDomain) else OptionDomain(domain)


def inner_of(domain: Domain) -> Domain:
    """The type of an optional's value; any other type unchanged."""
    return domain.inner if isinstance(domain, OptionDomain) else domain


def alike(a: Domain, b: Domain) -> bool:
    """Whether two types differ in bounds and capacities only."""
    if a is b or (is_int(a) and is_int(b)):
        return True
    if isinstance(a, OptionDomain) and isinstance(b, OptionDomain):
        return alike(a.inner, b.inner)
    if isinstance(a, SetDomain | SeqDomain) and isinstance(b, SetDomain | SeqDomain):
        same = isinstance(a, SetDomain) == isinstance(b, SetDomain)
        return same and alike(a.element, b.element)
    if isinstance(a, BagDomain) and isinstance(b, BagDomain):
        return alike(a.element, b.element)
    if isinstance(a, SparseMapDomain) and isinstance(b, SparseMapDomain):
        return a.key == b.key and alike(a.value, b.value)
    if isinstance(a, MapDomain) and isinstance(b, MapDomain):
        return a.key == b.key and alike(a.value, b.value)
    if isinstance(a, TupleDomain) and isinstance(b, TupleDomain):
        return same_length(a, b) and all(map(alike, a.kinds, b.kinds))
    return a == b


def coerced(term: Term, wanted: Domain, unwrap: str = "the") -> Term:
    """A term converted to a compatible type; the term itself if the types are not compatible.

    Literals, comprehensions and conditional expressions are made with the wanted type; other terms
    are converted as a whole. `unwrap` is the operator that unwraps an optional: "the" where None
    fails in Python too, else "sure". A term that is converted as a whole may have None in it: "as"
    fails then, "as_sure" is refused.
    """
    kind, whole = term.type, "as" if unwrap == "the" else "as_sure"
    if alike(kind, wanted) or not holds_all(wanted, kind):
        return term
    if kind is NONE:
        if not isinstance(wanted, OptionDomain):
            return term
        if isinstance(term, Constant):
            return Constant(wanted, term.span, None)
        return Apply(wanted, term.span, whole, (term,))
    if isinstance(wanted, OptionDomain) and not isinstance(kind, OptionDomain):
        return Apply(wanted, term.span, "some", (coerced(term, wanted.inner, unwrap),))
    if isinstance(kind, OptionDomain) and not isinstance(wanted, OptionDomain):
        held = Apply(widened(kind.inner), term.span, unwrap, (term,))
        return coerced(held, wanted, unwrap)
    if join(kind, wanted) is None:
        return term
    if isinstance(term, Apply) and term.op == "narrow" and alike(term.args[0].type, wanted):
        return term.args[0]  # it is of the alternative for sure, unless a field of it is asked for
    if isinstance(term, Choose):
        then = coerced(term.then, wanted, unwrap)
        other = coerced(term.other, wanted, unwrap)
        return Choose(wanted, term.span, term.condition, then, other)
    if isinstance(term, Make) and isinstance(wanted, SetDomain | BagDomain | SeqDomain):
        items = tuple(coerced(item, wanted.element, unwrap) for item in term.items)
        return Make(_sized(wanted, kind), term.span, items)
    if isinstance(term, Make) and isinstance(wanted, TupleDomain):
        parts = zip(term.items, wanted.kinds, strict=True)
        items = tuple(coerced(item, part, unwrap) for item, part in parts)
        return Make(wanted, term.span, items)
    if isinstance(term, Each) and term.kind in ("set", "bag", "list", "map"):
        assert isinstance(wanted, SetDomain | BagDomain | SeqDomain | MapDomain)
        inner = wanted.value if isinstance(wanted, MapDomain) else wanted.element
        body = coerced(term.body, inner, unwrap)
        return Each(_sized(wanted, kind), term.span, term.kind, term.generators, body)
    return Apply(_sized(wanted, kind), term.span, whole, (term,))


def _sized(wanted: Domain, kind: Domain) -> Domain:
    """The wanted type; a list has the capacity of the value's type."""
    if isinstance(wanted, SeqDomain) and isinstance(kind, SeqDomain):
        return SeqDomain(wanted.element, kind.capacity)
    return wanted


def constant_type(value: Any) -> Domain | None:
    """The type of a Python value; None if it is not a value of the language."""
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
        element = _element_type(value)
        return SetDomain(element) if element else None
    if is_bag(value):
        held = constant_type(frozenset(value))
        return bag(held.element) if isinstance(held, SetDomain) else None
    if type(value) is tuple:
        parts = cast(tuple[Any, ...], value)
        kinds = [kind for kind in map(constant_type, parts) if kind and not mutable(kind)]
        return TupleDomain(tuple(kinds)) if 0 < len(kinds) == len(parts) else None
    return value.__domain__ if isinstance(value, Struct) else None


def constants(value: Any) -> tuple[Any, ...] | None:
    """The elements of a plain tuple, not a named one, or of a range; None for anything else."""
    if isinstance(value, range):
        return tuple(value) if len(value) <= MOST_PLACES else None
    return cast(tuple[Any, ...], value) if type(value) is tuple else None


def list_type(values: tuple[Any, ...]) -> Domain | None:
    """The type of a list of constants; None if their types are not compatible."""
    element = _element_type(values)
    return SeqDomain(element, len(values)) if element else None


def _element_type(values: Iterable[Any]) -> Domain | None:
    element: Domain | None = NOTHING
    for value in values:
        kind = constant_type(value)
        element = mixed(element, kind) if kind and element else None
    return element


def _true(domain: Domain) -> bool:
    """Whether all values are true. A class such as IntEnum may define a truth of its own."""
    if isinstance(domain, UnionDomain):
        return all(map(_true, domain.alternatives))
    if not isinstance(domain, NamedDomain | StructDomain):
        return True
    return not any({"__bool__", "__len__"} & vars(cls).keys() for cls in domain.cls.__mro__)


def truth(term: Term) -> Term | None:
    """The boolean term of Python's truth of a term; None for types without a clear truth."""
    kind = term.type
    if isinstance(kind, BoolDomain):
        return term
    if isinstance(kind, SetDomain | SlottedDomain | SeqDomain):
        length = Apply(INT, term.span, "len", (term,))
        return Apply(BOOL, term.span, "!=", (length, Constant(INT, term.span, 0)))
    if is_int(kind):
        return Apply(BOOL, term.span, "!=", (term, Constant(INT, term.span, 0)))
    own = IntDomain | BoolDomain | SetDomain | SlottedDomain | SeqDomain | MapDomain
    if isinstance(kind, OptionDomain) and not isinstance(kind.inner, own) and _true(kind.inner):
        return Apply(BOOL, term.span, "not", (Apply(BOOL, term.span, "is_none", (term,)),))
    return None


def resized(a: Domain, b: Domain) -> bool:
    """Whether two types differ only in bounds or capacities."""
    if isinstance(a, SeqDomain) and isinstance(b, SeqDomain):
        return a.element == b.element or resized(a.element, b.element)
    if isinstance(a, MapDomain) and isinstance(b, MapDomain):
        return a.key == b.key and (a.value == b.value or resized(a.value, b.value))
    if isinstance(a, TupleDomain) and isinstance(b, TupleDomain) and same_length(a, b):
        return all(x == y or resized(x, y) for x, y in zip(a.kinds, b.kinds, strict=True))
    return is_int(a) and is_int(b)
