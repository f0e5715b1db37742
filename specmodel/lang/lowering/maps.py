"""Lowering for maps with a capacity: displays, comprehensions with conditions, `get`."""

from __future__ import annotations

import ast

from specmodel.domains import Domain, EntryDomain, OptionDomain, SparseMapDomain, StructDomain
from specmodel.ir.nodes import BOOL, Apply, At, Choose, Constant, Each, Make, Term
from specmodel.lang.lowering.expressions import named
from specmodel.lang.lowering.operators import Operators
from specmodel.lang.lowering.types import (
    alike,
    coerced,
    holds_all,
    inner_of,
    join,
    mixed,
    sparse_map,
    widened,
)

DISPLAY = "write {key: value for key in Domain}: a map has every key; the empty set is set()"
"""The hint for a dict display that is refused."""


class MapLowering(Operators):
    """Lowers expressions that make and read maps with a capacity."""

    def _dict(self, node: ast.Dict, expected: Domain | None) -> Term:
        wanted, span = inner_of(expected) if expected else None, self.source.span(node)
        if not isinstance(wanted, SparseMapDomain):
            raise self.source.unsupported(
                node, "a dict display is not part of the spec language", DISPLAY
            )
        entries: list[Term] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                raise self.source.unsupported(node, "** is not part of the spec language")
            entries.append(self.entry(node, wanted, key, value))
        return Make(sparse_map(wanted.key, wanted.value), span, tuple(entries))

    def entry(
        self, node: ast.expr, wanted: SparseMapDomain, key: ast.expr, value: ast.expr
    ) -> Term:
        """The term of an entry of a map with a capacity: a key and its value."""
        kinds = widened(wanted.key), widened(wanted.value)
        parts = self.hashed(self.term(key, kinds[0]), key), self.term(value, kinds[1])
        kind = EntryDomain(kinds, ("key", "value"))
        return Make(kind, self.source.span(node), parts)

    def kept(self, term: Term, node: ast.AST) -> Term:
        """A term that is bound to a name, or iterated. Raises SpecError if it makes a map.

        A dict that Python makes has its keys in the order of assignment, a map of a state in the
        order of their domain. So a map that the spec makes can only be stored.
        """
        if _makes_map(term):
            what = "a map with a capacity that is made here can be stored, and nothing else"
            raise self.source.wrong(node, what, "store it in the state, or in a struct, first")
        return term

    def sought(self, value: Term, held: Term, node: ast.AST) -> tuple[Term, Term]:
        """A value that is looked up among the keys of a map, and the map with keys of its type.

        The value may be an optional of this type.
        """
        assert isinstance(held.type, SparseMapDomain)
        kind, key = held.type, widened(held.type.key)
        joined = join(key, value.type)
        if joined is None or not holds_all(key, joined):
            what = f"{named(value.type)} cannot be in {named(kind)}"
            raise self.source.wrong(node, what)
        inner = joined if isinstance(key, OptionDomain) else inner_of(joined)
        if not alike(inner, key):  # a part of a tuple may be None, which no key has
            held = Apply(sparse_map(inner, kind.value), held.span, "as", (held,))
        return coerced(self.hashed(value, node), joined), held

    def got(self, node: ast.Call, base: Term) -> Term:
        """The term of `m.get(key)` or `m.get(key, default)`; the default is always evaluated."""
        assert isinstance(base.type, SparseMapDomain)
        if not 1 <= len(node.args) <= 2 or node.keywords:
            raise self.source.wrong(node, "get takes a key, and a default")
        span, kind = self.source.span(node), widened(base.type.value)
        key, known = self.sought(self.term(node.args[0]), base, node.args[0])
        if len(node.args) == 1:
            wanted = kind if isinstance(kind, OptionDomain) else OptionDomain(kind)
            there = Apply(BOOL, span, "in", (self.pure(key, node), self.pure(known, node)))
            found = coerced(At(kind, span, base, coerced(key, widened(base.type.key))), wanted)
            return Choose(wanted, span, there, found, Constant(wanted, span, None))
        other = self.term(node.args[1])
        joined = mixed(kind, other.type)
        if joined is None:
            what = f"the value is {named(kind)}, the default {named(other.type)}"
            raise self.source.wrong(node.args[1], what)
        assert isinstance(known.type, SparseMapDomain)
        held = coerced(known, sparse_map(known.type.key, joined))
        return Apply(joined, span, "get", (held, key, coerced(other, joined)))


def _makes_map(term: Term) -> bool:
    """Whether a term makes a map with a capacity, or a list or map with one in it."""
    if isinstance(term, Choose):
        return _makes_map(term.then) or _makes_map(term.other)
    if isinstance(term, Make) and not isinstance(term.type, StructDomain):
        made = isinstance(term.type, SparseMapDomain)
        return made or any(map(_makes_map, term.items))
    if isinstance(term, Each):
        return isinstance(term.type, SparseMapDomain) or _makes_map(term.body)
    if isinstance(term, Apply) and term.op in ("some", "as", "as_sure", "concat"):
        return any(map(_makes_map, term.args))
    return False
