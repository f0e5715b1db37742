"""Lowering of comparisons: equality, order, None, membership."""

from __future__ import annotations

import ast

from specmodel.domains import (
    BagDomain,
    BoolDomain,
    Domain,
    MapDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    SparseMapDomain,
)
from specmodel.ir.nodes import BOOL, INT, NONE, Apply, Constant, Term
from specmodel.lang.lowering.expressions import named
from specmodel.lang.lowering.maps import MapLowering
from specmodel.lang.lowering.types import bag, coerced, inner_of, is_int, join

_SYMBOLS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


class Comparisons(MapLowering):
    """Lowers comparisons and tests of membership."""

    def _compare(self, node: ast.Compare, expected: Domain | None) -> Term:
        operands = [node.left, *node.comparators]
        pairs = zip(operands, node.ops, operands[1:], strict=False)
        terms = [self._comparison(node, left, op, right) for left, op, right in pairs]
        if len(terms) == 1:
            return terms[0]
        for middle in node.comparators[:-1]:  # each is evaluated with both of its neighbours
            self.pure(self.term(middle), middle)
        return Apply(BOOL, self.source.span(node), "and", tuple(terms))

    def _comparison(
        self, node: ast.Compare, left: ast.expr, op: ast.cmpop, right: ast.expr
    ) -> Term:
        span = self.source.span(node)
        if isinstance(op, ast.In | ast.NotIn):
            made = self._membership(node, left, right)
            return made if isinstance(op, ast.In) else Apply(BOOL, span, "not", (made,))
        a = self.term(left)
        made = isinstance(right, ast.Dict | ast.DictComp)
        sparse = isinstance(inner_of(a.type), SparseMapDomain)
        b = self.given(right, inner_of(a.type)) if made and sparse else self.term(right)
        if isinstance(op, ast.Is | ast.IsNot):
            if b.type is not NONE:
                raise self.source.unsupported(node, "`is` compares with None only", "use ==")
            made = self._is_none(a, node)
            return made if isinstance(op, ast.Is) else Apply(BOOL, span, "not", (made,))
        symbol = _SYMBOLS[type(op)]
        if symbol in ("==", "!="):
            return self._equality(node, a, b, symbol)
        a, b = coerced(a, inner_of(a.type)), coerced(b, inner_of(b.type))
        if is_int(a.type) and is_int(b.type):
            return Apply(BOOL, span, symbol, (a, b))
        if isinstance(a.type, SetDomain) and (joined := join(a.type, b.type)):
            return Apply(BOOL, span, symbol, (coerced(a, joined), coerced(b, joined)))
        what = f"{named(a.type)} and {named(b.type)} have no order"
        raise self.source.wrong(node, what)

    def _equality(self, node: ast.Compare, a: Term, b: Term, symbol: str) -> Term:
        span = self.source.span(node)
        for none, other in ((b, a), (a, b)):
            if none.type is NONE and self.certain(none):
                made = self._is_none(other, node)
                return made if symbol == "==" else Apply(BOOL, span, "not", (made,))
        joined = join(a.type, b.type)
        if joined is None:
            what = f"{named(a.type)} never equals {named(b.type)}"
            raise self.source.wrong(node, what)
        return Apply(BOOL, span, symbol, (coerced(a, joined), coerced(b, joined)))

    def _is_none(self, term: Term, node: ast.AST) -> Term:
        if isinstance(term.type, OptionDomain):
            return Apply(BOOL, self.source.span(node), "is_none", (term,))
        if self.certain(term):
            return Constant(BOOL, self.source.span(node), term.type is NONE)
        optional = coerced(term, OptionDomain(BOOL if term.type is NONE else term.type))
        return Apply(BOOL, self.source.span(node), "is_none", (optional,))

    def _membership(self, node: ast.Compare, item: ast.expr, collection: ast.expr) -> Term:
        span = self.source.span(node)
        if isinstance(collection, ast.Call) and self.static(collection.func) is range:
            return self._in_range(node, self.term(item), collection)
        value = self.term(item)
        if isinstance(collection, ast.Tuple | ast.List | ast.Set):
            choices = [self.term(choice) for choice in collection.elts]
            if isinstance(collection, ast.Set):
                self.hashed(value, item)
                for choice, part in zip(choices, collection.elts, strict=True):
                    self.hashed(choice, part)
            equal = tuple(self._equality(node, value, choice, "==") for choice in choices)
            acting = any(map(self.acts, (value, *choices)))
            if not acting and all(map(self.certain, choices[1:])):
                return Apply(BOOL, span, "or", equal)
            # Each element is evaluated once, before any of them is compared.
            collection = ast.copy_location(ast.List(collection.elts, ast.Load()), collection)
        held = self.collection(collection)
        if isinstance(held.type, SetDomain | BagDomain):
            self.hashed(value, item)
        if isinstance(held.type, SetDomain | BagDomain | SeqDomain):
            element = held.type.element
            joined = join(element, value.type)
            if joined is not None:
                # An optional is compared by its value with elements that are not optional.
                optional = isinstance(element, OptionDomain) or element is NONE
                inner = joined if optional else inner_of(joined)
                many = SetDomain(inner) if isinstance(held.type, SetDomain) else SeqDomain(inner, 0)
                many = bag(inner) if isinstance(held.type, BagDomain) else many
                return Apply(BOOL, span, "in", (coerced(value, joined), coerced(held, many)))
        if isinstance(held.type, SparseMapDomain):
            return Apply(BOOL, span, "in", self.sought(value, held, node))
        if isinstance(held.type, MapDomain):
            hint = "it is true of each: leave it out, or give the map a Capacity"
            raise self.source.wrong(node, "a map has every key of its domain", hint)
        what = f"{named(value.type)} cannot be in {named(held.type)}"
        raise self.source.wrong(node, what)

    def _in_range(self, node: ast.Compare, value: Term, collection: ast.Call) -> Term:
        low, high = self.range_bounds(collection)
        kind = inner_of(value.type)
        if not isinstance(kind, BoolDomain) and not is_int(kind) and kind is not NONE:
            raise self.source.wrong(node, f"{named(value.type)} cannot be in a range")
        value = coerced(value, OptionDomain(INT)) if kind is NONE else value
        numbers = Apply(SeqDomain(INT, 0), self.source.span(collection), "range", (low, high))
        found = Apply(BOOL, self.source.span(node), "in", (value, numbers))
        return self.pure(found, node)

    def range_bounds(self, node: ast.Call) -> tuple[Term, Term]:
        """The bounds of a range: its first number, and its last number plus 1."""
        if not node.args or node.keywords:
            raise self.source.wrong(node, "range takes one value or two: range(n), range(a, b)")
        if len(node.args) > 2:
            hint = "count up by one and compute the value from the index"
            raise self.source.unsupported(node, "range has no step here", hint)
        bounds = [self.integer(a) for a in node.args]
        zero = Constant(INT, self.source.span(node), 0)
        return (zero, bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
