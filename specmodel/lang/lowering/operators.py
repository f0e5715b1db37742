"""Lowering of operators: arithmetic, sets, bags, lists, truth, choices."""

from __future__ import annotations

import ast

from specmodel.domains import BagDomain, Domain, SeqDomain, SetDomain, SparseMapDomain
from specmodel.ir.evaluate import OPERATORS
from specmodel.ir.nodes import BOOL, INT, Apply, Choose, Constant, Term
from specmodel.lang.lowering import narrowing
from specmodel.lang.lowering.expressions import ExpressionLowering, named
from specmodel.lang.lowering.types import bag, coerced, inner_of, is_int, join, mixed, widened

_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}
_SETS: dict[type[ast.operator], str] = {
    ast.BitOr: "|",
    ast.BitAnd: "&",
    ast.BitXor: "^",
    ast.Sub: "without",
}
_BAGS: dict[type[ast.operator], str] = {ast.Add: "plus", ast.Sub: "minus"}


class Operators(ExpressionLowering):
    """Lowers the operators of one function's expressions."""

    def _binop(self, node: ast.BinOp, expected: Domain | None) -> Term:
        return self.binary(node, self.plain(node.left), node.op, node.right)

    def binary(
        self, node: ast.BinOp | ast.AugAssign, left: Term, operator: ast.operator, other: ast.expr
    ) -> Term:
        """An operator on a term that is not None and an expression."""
        span = self.source.span(node)
        if isinstance(left.type, SetDomain):
            return self._set_operation(node, left, operator, other)
        if isinstance(left.type, BagDomain):
            return self._bag_operation(node, left, operator, other)
        if isinstance(left.type, SeqDomain) and isinstance(operator, ast.Add):
            right = self.plain(other)
            joined = join(left.type, right.type)
            if not isinstance(joined, SeqDomain) or not isinstance(right.type, SeqDomain):
                what = f"{named(left.type)} and {named(right.type)} cannot be joined"
                raise self.source.wrong(node, what)
            capacity = left.type.capacity + right.type.capacity
            kind = SeqDomain(joined.element, capacity)
            args = (coerced(left, joined), coerced(right, joined))
            return Apply(kind, span, "concat", args)
        op = _ARITHMETIC.get(type(operator))
        if op is None:
            hint = "ints have + - * // %"
            raise self.source.unsupported(node, "this operator is not part of the language", hint)
        first = node.left if isinstance(node, ast.BinOp) else node.target
        left, right = self.integer_of(left, first), self.integer(other)
        if op in ("+", "-", "*") and isinstance(left, Constant) and isinstance(right, Constant):
            return self.constant(OPERATORS[op](left.value, right.value), node)
        return Apply(INT, span, op, (left, right))

    def _set_operation(
        self, node: ast.AST, left: Term, operator: ast.operator, other: ast.expr
    ) -> Term:
        op = _SETS.get(type(operator))
        right = self.plain(other)
        joined = join(left.type, right.type)
        if op is None or joined is None:
            what = f"{named(left.type)} and {named(right.type)} cannot be combined so"
            raise self.source.wrong(node, what, "sets have | & - ^")
        args = (coerced(left, joined), coerced(right, joined))
        return Apply(joined, self.source.span(node), op, args)

    def _bag_operation(
        self, node: ast.AST, left: Term, operator: ast.operator, other: ast.expr
    ) -> Term:
        assert isinstance(left.type, BagDomain)
        op = _BAGS.get(type(operator))
        right = self.plain(other)
        known = isinstance(right.type, SetDomain | BagDomain)
        joined = join(left.type.element, right.type.parts[-1]) if known else None
        if op is None or joined is None:
            what = f"{named(left.type)} and {named(right.type)} cannot be combined so"
            raise self.source.wrong(node, what, "bags have + and -, with a bag or a set: b - {x}")
        many = SetDomain(joined) if isinstance(right.type, SetDomain) else bag(joined)
        args = (coerced(left, bag(joined)), coerced(right, many))
        return Apply(bag(joined), self.source.span(node), op, args)

    def _unaryop(self, node: ast.UnaryOp, expected: Domain | None) -> Term:
        span = self.source.span(node)
        if isinstance(node.op, ast.Not):
            return Apply(BOOL, span, "not", (self.condition(node.operand),))
        if isinstance(node.op, ast.USub):
            term = self.integer(node.operand)
            if isinstance(term, Constant):
                return Constant(INT, span, -term.value)
            return Apply(INT, span, "neg", (term,))
        raise self.source.unsupported(node, "this operator is not part of the language")

    def _boolop(self, node: ast.BoolOp, expected: Domain | None) -> Term:
        # In Python its value is one of the operands, so it is a bool only if all of them are.
        if isinstance(node.op, ast.Or) and (chosen := self._or_default(node)) is not None:
            return self.term(chosen, expected)
        return self._junction(node, lambda value: self.given(value, BOOL))

    def _or_default(self, node: ast.BoolOp) -> ast.IfExp | None:
        """The choice that `x or default` is for an int x that may be None; else None."""
        first, *rest = node.values
        known = self.term(first)
        if not is_int(inner_of(known.type)) or self.acts(known):
            return None
        test: ast.expr = ast.Compare(first, [ast.NotEq()], [ast.Constant(0)])
        if not is_int(known.type):
            there = ast.Compare(first, [ast.IsNot()], [ast.Constant(None)])
            test = ast.BoolOp(ast.And(), [there, test])
        other = rest[0] if len(rest) == 1 else ast.BoolOp(ast.Or(), rest)
        made = ast.copy_location(ast.IfExp(test, first, other), node)
        return ast.fix_missing_locations(made)

    def _ifexp(self, node: ast.IfExp, expected: Domain | None) -> Term:
        condition, known, changes = self.condition(node.test), self.facts, self.changes
        sparse = expected is not None and isinstance(inner_of(expected), SparseMapDomain)
        wanted = expected if sparse else None  # the type from which a dict display gets its own
        narrowing.learn(self, node.test, True, condition)
        then, self.facts = self.term(node.body, wanted), known
        narrowing.learn(self, node.test, False, condition)
        other = self.term(node.orelse, wanted)
        narrowing.resume(self, known, changes)
        joined = expected or mixed(then.type, other.type)
        if joined is None:
            what = f"one side is {named(then.type)}, the other {named(other.type)}"
            raise self.source.wrong(node, what)
        then = self.fitted(then, joined, node.body)
        other = self.fitted(other, joined, node.orelse)
        return Choose(widened(joined), self.source.span(node), condition, then, other)
