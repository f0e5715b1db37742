"""Lowering of expressions: names, access to parts, literals."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

from specmodel.domains import (
    BagDomain,
    BoolDomain,
    Domain,
    MapDomain,
    NamedDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    SlottedDomain,
    SparseMapDomain,
    StructDomain,
    TupleDomain,
    UnionDomain,
)
from specmodel.errors import Span, suggestion
from specmodel.ir.nodes import (
    BOOL,
    INT,
    NONE,
    NOTHING,
    Apply,
    At,
    Choose,
    Constant,
    Get,
    Make,
    Name,
    Slice,
    Term,
)
from specmodel.ir.symbolic.references import mutable
from specmodel.lang.annotations import slotted_name
from specmodel.lang.lowering import narrowing
from specmodel.lang.lowering.narrowing import Facts, IsInstance
from specmodel.lang.lowering.source import NOT_STATIC, STATIC, Text
from specmodel.lang.lowering.types import (
    alike,
    coerced,
    constant_type,
    constants,
    holds_all,
    inner_of,
    is_int,
    join,
    list_type,
    mixed,
    truth,
    widened,
)

_MADE_OF = (
    ast.List,
    ast.Tuple,
    ast.Set,
    ast.IfExp,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.Dict,
)
"""Expressions whose parts are stored in the same place as the expression."""

_FOREIGN: dict[str, tuple[str, str]] = {
    "Lambda": ("a lambda", "define a helper function, or write the expression itself"),
    "NamedExpr": (":=", "assign the value to a name on a line of its own"),
    "JoinedStr": ("an f-string", "specs hold no text; use an enum for names"),
    "Await": ("await", "actions are atomic: nothing waits"),
    "Yield": ("yield", "actions are atomic: nothing waits"),
    "Starred": ("*", "write the arguments out"),
    "GeneratorExp": ("a generator alone", "generators stand inside all, any, sum, min, max, set"),
}
"""The names, in messages, of expressions that the language lacks, with hints, by syntax node."""


_VALUES = (
    "only ints, bools, None, enum members, scalars, structs and sets of them are values; "
    "a tuple of them can be gone through"
)


@cache
def _method_name(kind: type[ast.expr]) -> str:
    return f"_{kind.__name__.lower()}"


class ExpressionLowering:
    """Lowers the expressions of one function.

    `types` has the locals in scope. `changes` counts how often facts about fields were removed.
    `once` are the names that one place of the function binds, `stored` those of them that are bound
    to what a struct or a set holds: such a list can be hashed. `unpacked` has the names that stand
    for a part of a tuple that a comprehension goes through, with that part.
    """

    def __init__(self, source: Text, types: dict[str, Domain]) -> None:
        self.source = source
        self.types: dict[str, Domain] = types
        self.assigned: set[str] = set()
        self.once: set[str] = set()
        self.stored: set[str] = set()
        self.unwrap = "the"
        self.facts: Facts = {}
        self.changes = 0
        self.unpacked: dict[str, Term] = {}

    def local(self, name: str) -> bool:
        """Whether a name is a parameter or local rather than a global."""
        return name in self.types

    def acts(self, term: Term) -> bool:
        """Whether a function that a term calls changes an object."""
        return False

    def certain(self, term: Term) -> bool:
        """Whether a term has a value in every state, so that it need not be evaluated."""
        if isinstance(term, Get):
            return self.certain(term.base)
        if isinstance(term, Apply):
            return term.op in ("+", "-", "*", "neg", "some") and all(map(self.certain, term.args))
        return isinstance(term, Constant) or (
            isinstance(term, Name) and term.name not in self.assigned
        )

    def pure(self, term: Term, node: ast.AST) -> Term:
        """A term that is evaluated repeatedly or out of order. Raises Unsupported if it acts."""
        if self.acts(term):
            what = "a function that changes something cannot be called here"
            raise self.source.unsupported(node, what, "give its result a name on a line before")
        return term

    def static(self, node: ast.expr) -> Any:
        return self.source.static(node, self.local)

    # The entry points

    def term(self, node: ast.expr, expected: Domain | None = None) -> Term:
        """A term for an expression; with `expected`, a term of that type."""
        kind = node.__class__
        method = getattr(self, _method_name(kind), None)
        if method is None:
            name = kind.__name__
            what, hint = _FOREIGN.get(name, (name, ""))
            raise self.source.unsupported(node, f"{what} is not part of the spec language", hint)
        static = self.static(node) if kind in STATIC else NOT_STATIC
        unwrap = self.unwrap
        if kind not in _MADE_OF:
            self.unwrap = "the"
        try:
            found: Term = (
                method(node, expected) if static is NOT_STATIC else self.constant(static, node)
            )
        finally:
            self.unwrap = unwrap
        if self.facts:
            found = narrowing.applied(self, node, found)
        return self.fitted(found, expected, node) if expected is not None else found

    def given(self, node: ast.expr, wanted: Domain, how: str = "sure") -> Term:
        """The term of a value that is bound to a name, where Python accepts None for any type."""
        unwrap, self.unwrap = self.unwrap, how
        try:
            return self.term(node, wanted)
        finally:
            self.unwrap = unwrap

    def fitted(self, term: Term, expected: Domain, node: ast.AST, unwrap: str = "") -> Term:
        """The term converted to the expected type. Raises SpecError, naming both types."""
        made = coerced(term, expected, unwrap or self.unwrap)
        within = join(inner_of(term.type), inner_of(widened(expected)))
        absent = made.type is NONE and expected is not NONE
        both = join(term.type, expected)  # is there another value where only None is expected?
        fits = holds_all(expected, term.type)
        lost = NONE in expected.nested() and both is not None and not alike(both, expected)
        whole = fits and join(made.type, widened(expected)) is not None
        if within is None or absent or lost or not whole:
            what = f"this is {named(term.type)}, where {named(expected)} is wanted"
            hint = "where None and others are to be, annotate the name: x: list[int | None] = ..."
            test = "test it before: isinstance(x, A), or match" if within and not fits else ""
            raise self.source.wrong(node, what, hint if lost else test)
        return made

    def condition(self, node: ast.expr) -> Term:
        """The boolean term of Python's truth of an expression."""
        if isinstance(node, ast.BoolOp):
            return self._junction(node, self.condition)
        return self.truth_of(self.term(node), node)

    def truth_of(self, term: Term, node: ast.expr) -> Term:
        """The boolean term of Python's truth of a term. Raises SpecError if it has none."""
        made = truth(term)
        if made is None:
            what = f"{named(term.type)} has no clear truth"
            raise self.source.wrong(node, what, "write the comparison out")
        return made

    def _junction(self, node: ast.BoolOp, lower: Callable[[ast.expr], Term]) -> Term:
        every = isinstance(node.op, ast.And)
        op, args = "and" if every else "or", list[Term]()
        known, changes = self.facts, self.changes
        for value in node.values:
            args.append(lower(value))
            narrowing.learn(self, value, every, args[-1])
        narrowing.resume(self, known, changes)
        return Apply(BOOL, self.source.span(node), op, tuple(args))

    def plain(self, node: ast.expr) -> Term:
        """The term of an expression that may not be None: an optional is unwrapped."""
        term = self.term(node)
        return coerced(term, widened(inner_of(term.type)))

    def collection(self, node: ast.expr) -> Term:
        """As `plain`, for a collection that is iterated, searched or counted.

        It may be a constant tuple or range: elsewhere no value, since in Python it equals no list.
        """
        known = constants(self.static(node))
        kind = None if known is None else list_type(known)
        return Constant(kind, self.source.span(node), known) if kind else self.plain(node)

    def integer(self, node: ast.expr) -> Term:
        """The int term of an expression; a bool is 0 or 1."""
        return self.integer_of(self.plain(node), node)

    def integer_of(self, term: Term, node: ast.AST) -> Term:
        """A term that is not None as an int term. Raises SpecError for another type."""
        if isinstance(term.type, BoolDomain):
            one, zero = Constant(INT, term.span, 1), Constant(INT, term.span, 0)
            return Choose(INT, term.span, term, one, zero)
        if not is_int(term.type):
            raise self.source.wrong(node, f"this is {named(term.type)}, not an int")
        return term

    def bound(self, node: ast.expr | None) -> Term | None:
        """A bound of a slice. A term that may be None is refused: to Python, None is no bound."""
        if node is None:
            return None
        if isinstance(inner := self.term(node).type, OptionDomain) or inner is NONE:
            raise self.source.wrong(
                node, "this may be None, which is no bound", "test for it first"
            )
        return self.integer(node)

    # Names and constants

    def constant(self, value: Any, node: ast.AST) -> Term:
        kind = constant_type(value)
        if kind is None:
            shown = getattr(value, "__name__", None) or repr(value)
            hint = _VALUES
            raise self.source.unsupported(node, f"{shown} is not a value of the language", hint)
        if kind is INT and not INT.low <= value <= INT.high:
            raise self.source.wrong(node, f"{value} is beyond 62 bits")
        return Constant(kind, self.source.span(node), value)

    def _constant(self, node: ast.Constant, expected: Domain | None) -> Term:
        return self.constant(node.value, node)

    def _name(self, node: ast.Name, expected: Domain | None) -> Term:
        if node.id not in self.types:
            hint = "give it one before" if self.local(node.id) else ""
            what = "has no value yet" if hint else "is not defined"
            raise self.source.wrong(node, f"{node.id} {what}", hint)
        span = self.source.span(node)
        part = self.unpacked.get(node.id)
        return replace(part, span=span) if part else Name(self.types[node.id], span, node.id)

    # Access to parts

    def _attribute(self, node: ast.Attribute, expected: Domain | None) -> Term:
        owner = self.static(node.value)
        if isinstance(owner, type):
            names = [name for name in dir(owner) if not name.startswith("_")]
            what = f"{owner.__name__} has no {node.attr}{suggestion(node.attr, names)}"
            raise self.source.wrong(node, what)
        base = self.plain(node.value)
        if isinstance(base.type, UnionDomain):
            return narrowing.field(self, node, base)
        if not isinstance(base.type, StructDomain):
            what = f"{named(base.type)} has no fields"
            raise self.source.unsupported(node, what)
        if node.attr not in base.type.fields:
            fields = ", ".join(base.type.fields)
            what = f"{base.type.name} has no field {node.attr}; it has {fields}"
            raise self.source.wrong(node, what)
        kind = widened(base.type.fields[node.attr])
        return Get(kind, self.source.span(node), base, node.attr)

    def _subscript(self, node: ast.Subscript, expected: Domain | None) -> Term:
        base, span = self.collection(node.value), self.source.span(node)
        if isinstance(node.slice, ast.Slice):
            if not isinstance(base.type, SeqDomain):
                raise self.source.wrong(node, f"{named(base.type)} cannot be sliced")
            if node.slice.step is not None:
                raise self.source.unsupported(node, "a slice has no step here")
            low, high = self.bound(node.slice.lower), self.bound(node.slice.upper)
            return Slice(base.type, span, base, low, high)
        if isinstance(base.type, BagDomain):
            return self._count_of(node, base)
        if isinstance(base.type, MapDomain | SparseMapDomain):
            key = self.hashed(self.term(node.slice, widened(base.type.key)), node.slice)
            return At(widened(base.type.value), span, base, key)
        if isinstance(base.type, SeqDomain):
            return At(widened(base.type.element), span, base, self.integer(node.slice))
        if isinstance(base.type, TupleDomain):
            return self._part(node, base, base.type)
        raise self.source.wrong(node, f"{named(base.type)} cannot be indexed")

    def _count_of(self, node: ast.Subscript, base: Term) -> Term:
        """The number of copies of a member in a bag."""
        assert isinstance(base.type, BagDomain)
        member = self.hashed(self.term(node.slice), node.slice)
        joined = join(base.type.element, member.type)
        if joined is None:
            what = f"{named(member.type)} cannot be in {named(base.type)}"
            raise self.source.wrong(node, what)
        held = coerced(base, BagDomain(joined, base.type.capacity))
        return At(INT, self.source.span(node), held, coerced(member, joined))

    def _part(self, node: ast.Subscript, base: Term, kind: TupleDomain) -> Term:
        """The part of a tuple at an index, which the spec has to state as a number."""
        index = self.static(node.slice)
        if index is NOT_STATIC:
            with suppress(ValueError):
                index = ast.literal_eval(node.slice)
        if not isinstance(index, int):
            raise self.source.wrong(node, "a tuple is indexed by a number, such as t[0]")
        if not -len(kind.kinds) <= index < len(kind.kinds):
            raise self.source.wrong(node, f"a tuple of {len(kind.kinds)} has no part {index}")
        return part_of(base, index % len(kind.kinds), self.source.span(node))

    def _isinstance(self, node: IsInstance, expected: Domain | None) -> Term:
        return narrowing.tested(self, node)

    # Literals

    def hashed(self, term: Term, node: ast.AST) -> Term:
        """A member of a set, or a value looked up in one: Python has to hash it."""
        made = not of_field(term, self.stored)
        if made and isinstance(inner_of(term.type), SeqDomain | MapDomain):
            what = f"{named(term.type)} that is made here cannot be in a set or a key"
            raise self.source.wrong(node, what, "make it a field of a struct, or use a struct")
        return term

    def member(self, term: Term, node: ast.AST) -> Term:
        """A member of a set or bag that the spec makes, which has to be ordered among others.

        The order of sets with a capacity depends on their domain, which is not known here.
        """
        slotted = (part for part in term.type.nested() if isinstance(part, SlottedDomain))
        if (inner := next(slotted, None)) is not None:
            has = "" if inner is term.type else f" has a {slotted_name(inner)} in it, and"
            what = f"{named(term.type)}{has} cannot be in a set"
            raise self.source.wrong(node, what, "use a list")
        return self.hashed(term, node)

    def _set(self, node: ast.Set, expected: Domain | None) -> Term:
        element, items = self._elements(node, node.elts, expected)
        for item, part in zip(items, node.elts, strict=True):
            self.member(item, part)
        return Make(SetDomain(element), self.source.span(node), items)

    def _list(self, node: ast.List, expected: Domain | None) -> Term:
        element, items = self._elements(node, node.elts, expected)
        return Make(SeqDomain(element, len(items)), self.source.span(node), items)

    def _tuple(self, node: ast.Tuple, expected: Domain | None) -> Term:
        wanted = inner_of(expected) if expected else None
        fits = isinstance(wanted, TupleDomain) and len(wanted.kinds) == len(node.elts)
        kinds = map(widened, wanted.kinds) if fits and isinstance(wanted, TupleDomain) else None
        given = zip(node.elts, kinds or [None] * len(node.elts), strict=True)
        items = tuple(self.term(part, kind) for part, kind in given)
        if not items:
            raise self.source.unsupported(node, "a tuple without parts is not part of the language")
        for item, part in zip(items, node.elts, strict=True):
            if mutable(item.type):
                what = f"a tuple is a value, and {named(item.type)} can change"
                raise self.source.wrong(part, what, "name its parts as the fields of a Struct")
        kind = TupleDomain(tuple(item.type for item in items))
        return Make(kind, self.source.span(node), items)

    def _elements(
        self, node: ast.AST, elements: list[ast.expr], expected: Domain | None
    ) -> tuple[Domain, tuple[Term, ...]]:
        expected = inner_of(expected) if expected else None
        if isinstance(expected, SetDomain | SeqDomain):
            wanted = widened(expected.element)
            return expected.element, tuple(self.term(e, wanted) for e in elements)
        items = [self.term(e) for e in elements]
        kind: Domain | None = NOTHING
        for item in items:
            kind = mixed(kind, item.type) if kind else None
        if kind is None:
            raise self.source.wrong(node, "the elements are of different types")
        return kind, tuple(coerced(i, kind) for i in items)


def part_of(base: Term, place: int, span: Span | None) -> Term:
    """The part of a tuple at a place."""
    assert isinstance(base.type, TupleDomain)
    at = Constant(INT, span, place)
    return Apply(widened(base.type.kinds[place]), span, "part", (base, at))


def declared(term: Term) -> Domain:
    """The declared domain of a part of a state, with its bounds."""
    if isinstance(term, Get) and isinstance(term.base.type, StructDomain):
        return term.base.type.fields[term.name]
    if isinstance(term, At):
        return declared(term.base).parts[-1]
    return term.type


def of_field(term: Term, stored: Collection[str] = ()) -> bool:
    """Whether a list or map is in a struct's field, so that it can be hashed.

    `stored` are names of such lists and maps.
    """
    if isinstance(term, At):
        return of_field(term.base, stored)
    if isinstance(term, Apply):
        passes_on = term.op in ("the", "need", "some", "as", "as_sure")
        return passes_on and of_field(term.args[0], stored)
    if isinstance(term, Choose):
        return of_field(term.then, stored) and of_field(term.other, stored)
    return isinstance(term, Get) or (isinstance(term, Name) and term.name in stored)


def named(domain: Domain) -> str:
    """A type's name in messages."""
    if is_int(domain):
        return "an int"
    if isinstance(domain, BoolDomain):
        return "a bool"
    if isinstance(domain, NamedDomain | StructDomain | UnionDomain):
        return f"a value of {domain}"
    if isinstance(domain, SetDomain):
        return f"a set of {named(domain.element)}"
    if isinstance(domain, BagDomain):
        return f"a bag of {named(domain.element)}"
    if isinstance(domain, SparseMapDomain):
        return f"a map from {named(domain.key)} to {named(domain.value)}"
    if isinstance(domain, SeqDomain):
        return f"a list of {named(domain.element)}"
    if isinstance(domain, OptionDomain):
        return f"{named(domain.inner)} or None"
    if isinstance(domain, TupleDomain):
        return f"a tuple of {', '.join(map(named, domain.kinds))}"
    return str(domain)
