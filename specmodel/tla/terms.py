"""Turns expressions of tree-sitter's trees into nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from specmodel.errors import Span, SpecError
from specmodel.tla import nodes as syntax
from specmodel.tla.nodes import Applied, BoundNames, Overwrite, Parameter, TlaTerm, Unit
from specmodel.tla.operators import FIXITIES, INFIX, PREFIX, Fixity, clash
from specmodel.tla.trees import SyntaxNode, Tree, named, operands, part

_OPERATIONS = ("bound_infix_op", "bound_prefix_op", "bound_postfix_op")


class Units(Protocol):
    """Reads the units of a LET."""

    def units(self, node: SyntaxNode, local: bool = False) -> Iterator[Unit]: ...


class TermReader:
    """Turns expressions into nodes. Raises SpecError for operators whose order is not clear."""

    def __init__(self, tree: Tree, units: Units) -> None:
        self.tree = tree
        self.units = units
        self._made: dict[str, Callable[[SyntaxNode, Span], TlaTerm]] = {
            "identifier_ref": self._name,
            "identifier": self._name,
            "nat_number": lambda n, s: syntax.Numeral(s, int(tree.text(n))),
            "real_number": lambda n, s: syntax.Refused(s, "a number with a fraction"),
            "binary_number": self._coded,
            "octal_number": self._coded,
            "hex_number": self._coded,
            "string": self._string,
            "boolean": self._name,
            **dict.fromkeys(_SETS, self._name),
            "parentheses": lambda n, s: self.term(operands(n)[0]),
            "bound_op": self._bound,
            "bound_nonfix_op": self._bound,
            "prefixed_op": self._prefixed,
            "bound_infix_op": self._infix,
            "bound_prefix_op": self._prefix,
            "bound_postfix_op": self._postfix,
            "bounded_quantification": self._quantified,
            "unbounded_quantification": self._unbounded,
            "choose": self._choose,
            "finite_set_literal": lambda n, s: syntax.SetLiteral(s, self.all(n)),
            "set_filter": self._filter,
            "set_map": self._image,
            "function_evaluation": self._call,
            "function_literal": lambda n, s: syntax.FunctionLiteral(
                s, self.bounds(n), self.term(operands(n)[-1])
            ),
            "set_of_functions": lambda n, s: syntax.FunctionSet(s, *self.all(n)),
            "record_literal": lambda n, s: syntax.RecordLiteral(s, self._fields(n)),
            "set_of_records": lambda n, s: syntax.RecordSet(s, self._fields(n)),
            "record_value": self._field,
            "except": self._except,
            "prev_func_val": lambda n, s: syntax.OldValue(s),
            "tuple_literal": lambda n, s: syntax.TupleLiteral(s, self.all(n)),
            "step_expr_or_stutter": lambda n, s: self._box(n, s, False),
            "step_expr_no_stutter": lambda n, s: self._box(n, s, True),
            "fairness": self._fairness,
            "if_then_else": lambda n, s: syntax.IfTerm(s, *self.all(n)),
            "case": self._case,
            "let_in": self._let,
            "conj_list": lambda n, s: self._junction(n, s, "/\\"),
            "disj_list": lambda n, s: self._junction(n, s, "\\/"),
            "lambda": self._lambda,
            "subexpression": self._part,
            "label": lambda n, s: self.term(part(n, "expression")),
        }

    def term(self, node: SyntaxNode) -> TlaTerm:
        """The node of an expression."""
        made = self._made.get(node.type)
        span = self.tree.span(node)
        if span in self.tree.dropped:
            self.tree.left.discard(span)
            return Applied(span, "TRUE")
        if made is None:
            what = self.tree.text(node) if len(node.type) > 40 else node.type.replace("_", " ")
            return syntax.Refused(span, f"{what} is not supported")
        return made(node, span)

    def all(self, node: SyntaxNode) -> tuple[TlaTerm, ...]:
        """The nodes of all operands."""
        return tuple(map(self.term, operands(node)))

    def argument(self, node: SyntaxNode) -> TlaTerm:
        """An argument: an expression, or an operator."""
        if node.type.endswith("op_symbol"):
            return Applied(self.tree.span(node), self.symbol(node))
        return self.term(node)

    def symbol(self, node: SyntaxNode) -> str:
        """The name of an operator that is a symbol."""
        inner = node.named_children[0] if node.named_children else node
        return FIXITIES[inner.type].name

    def operator_name(self, node: SyntaxNode) -> str:
        """The name of an operator, written with letters or a symbol."""
        return self.symbol(node) if node.type.endswith("op_symbol") else self.tree.text(node)

    def parameters(self, found: Iterable[SyntaxNode]) -> list[Parameter]:
        """Declared names with their arities."""
        made: list[Parameter] = []
        for node in found:
            span = self.tree.span(node)
            if node.type == "identifier":
                made.append(Parameter(self.tree.text(node), 0, span))
            elif node.type == "operator_declaration":
                name = part(node, "name")
                arity = sum(c.type == "placeholder" for c in node.children)
                made.append(Parameter(self.operator_name(name), arity, span))
        return made

    def bounds(self, node: SyntaxNode) -> tuple[BoundNames, ...]:
        """The bounds of a quantifier or function."""
        return tuple(map(self.bound, named(node, "quantifier_bound")))

    def bound(self, node: SyntaxNode) -> BoundNames:
        """Names bound to the members of a set; the set may be missing."""
        pattern = named(node, "tuple_of_identifiers")
        intro = named(pattern[0], "identifier") if pattern else named(node, "identifier")
        members = node.child_by_field_name("set")
        return BoundNames(
            tuple(map(self.tree.text, intro)),
            tuple(map(self.tree.span, intro)),
            bool(pattern),
            None if members is None else self.term(members),
        )

    def _name(self, node: SyntaxNode, span: Span) -> TlaTerm:
        return Applied(span, self.tree.text(node))

    def _coded(self, node: SyntaxNode, span: Span) -> TlaTerm:
        text = self.tree.text(node)
        base = {"b": 2, "o": 8, "h": 16}[text[1].lower()]
        return syntax.Numeral(span, int(text[2:], base))

    def _string(self, node: SyntaxNode, span: Span) -> TlaTerm:
        text = self.tree.text(node)[1:-1]
        for escape, character in _ESCAPES:
            text = text.replace(escape, character)
        return syntax.StringLiteral(span, text.replace("\0", "\\"))

    def _bound(self, node: SyntaxNode, span: Span) -> TlaTerm:
        first, *rest = operands(node)
        return Applied(span, self.operator_name(first), tuple(map(self.argument, rest)))

    def _prefixed(self, node: SyntaxNode, span: Span) -> TlaTerm:
        path: list[Applied] = []
        for component in named(part(node, "prefix"), "subexpr_component"):
            inner = component.named_children[0]
            found = self.term(inner)
            if not isinstance(found, Applied) or inner.type.startswith("subexpr"):
                return syntax.Refused(span, "a name of a part of an expression (A!1!<<)")
            path.append(found)
        operator = part(node, "op")
        if operator.type.endswith("op_symbol"):
            return Applied(span, self.symbol(operator), (), tuple(path))
        found = self.term(operator)
        if not isinstance(found, Applied):
            return syntax.Refused(span, "a name of a part of an expression (A!1!<<)")
        return Applied(span, found.name, found.arguments, tuple(path))

    def _part(self, node: SyntaxNode, span: Span) -> TlaTerm:
        """`I!Op!2!1`: names, then the places of parts."""
        path: list[Applied] = []
        places: list[int] = []
        prefix, *rest = node.named_children
        for component in [*prefix.named_children, *rest]:
            inner = component.named_children[0]
            text = self.tree.text(inner)
            if component.type == "subexpr_component" and not places:
                found = self.term(inner)
                if not isinstance(found, Applied):
                    return syntax.Refused(span, "this name of a part of an expression")
                path.append(found)
            elif component.type == "subexpr_tree_nav" and (text.isdigit() or text == ":"):
                places.append(int(text) if text.isdigit() else 0)
            else:
                return syntax.Refused(span, "this name of a part of an expression")
        *before, last = path
        whole = Applied(last.span, last.name, last.arguments, (*before, *last.path))
        return syntax.PartOf(span, whole, tuple(places))

    # Operators

    def _infix(self, node: SyntaxNode, span: Span) -> TlaTerm:
        symbol = part(node, "symbol")
        lhs, rhs = part(node, "lhs"), part(node, "rhs")
        fixity = INFIX[symbol.type]
        self._refuse_conflict(node, fixity, lhs, True)
        self._refuse_conflict(node, fixity, rhs, False)
        if symbol.type == "times":
            return syntax.ProductTerm(span, tuple(map(self.term, self._factors(node))))
        arguments = (self.term(lhs), self.term(rhs))
        return Applied(span, fixity.name, arguments)

    def _factors(self, node: SyntaxNode) -> list[SyntaxNode]:
        """The factors of a product: `A \\X B \\X C` has three, `(A \\X B) \\X C` two."""
        lhs, rhs = part(node, "lhs"), part(node, "rhs")
        if lhs.type == "bound_infix_op" and part(lhs, "symbol").type == "times":
            return [*self._factors(lhs), rhs]
        return [lhs, rhs]

    def _prefix(self, node: SyntaxNode, span: Span) -> TlaTerm:
        symbol, rhs = part(node, "symbol"), part(node, "rhs")
        fixity = PREFIX[symbol.type]
        if rhs.type != "bound_prefix_op":
            self._refuse_conflict(node, fixity, rhs, False)
        if fixity.name == "-." and rhs.type == "nat_number":
            return syntax.Numeral(span, -int(self.tree.text(rhs)))
        return Applied(span, fixity.name, (self.term(rhs),))

    def _postfix(self, node: SyntaxNode, span: Span) -> TlaTerm:
        symbol, lhs = part(node, "symbol"), part(node, "lhs")
        fixity = FIXITIES[symbol.type]
        self._refuse_conflict(node, fixity, lhs, True)
        return Applied(span, fixity.name, (self.term(lhs),))

    def _refuse_conflict(
        self, node: SyntaxNode, outer: Fixity, operand: SyntaxNode, left: bool
    ) -> None:
        if operand.type not in _OPERATIONS:
            return
        symbol = part(operand, "symbol")
        inner = FIXITIES[symbol.type]
        if operand.type == "bound_prefix_op" and not left:
            return  # nothing else can be meant
        if operand.type == "bound_prefix_op" and inner.low >= outer.high:
            return  # SUBSET S \\ T is (SUBSET S) \\ T
        if operand.type == "bound_postfix_op" and left and inner.high >= outer.high:
            return
        if clash(outer, inner, left):
            raise SpecError(
                f"{outer.name} and {inner.name} side by side: their order is not defined",
                self.tree.span(part(node, "symbol")),
                "write parentheses",
            )

    # Binders

    def _quantified(self, node: SyntaxNode, span: Span) -> TlaTerm:
        quantifier = "\\A" if part(node, "quantifier").type == "forall" else "\\E"
        body = self.term(part(node, "expression"))
        return syntax.Quantification(span, self.bounds(node), body, quantifier)

    def _unbounded(self, node: SyntaxNode, span: Span) -> TlaTerm:
        kind = part(node, "quantifier").type
        quantifier = {"forall": "\\A", "exists": "\\E", "temporal_forall": "\\AA"}.get(kind, "\\EE")
        body = self.term(part(node, "expression"))
        return syntax.Quantification(span, (self.bound(node),), body, quantifier)

    def _choose(self, node: SyntaxNode, span: Span) -> TlaTerm:
        return syntax.ChooseTerm(span, (self.bound(node),), self.term(part(node, "expression")))

    def _filter(self, node: SyntaxNode, span: Span) -> TlaTerm:
        bound = self.bound(part(node, "generator"))
        return syntax.SetFilter(span, (bound,), self.term(part(node, "filter")))

    def _image(self, node: SyntaxNode, span: Span) -> TlaTerm:
        return syntax.SetImage(span, self.bounds(node), self.term(part(node, "map")))

    def _lambda(self, node: SyntaxNode, span: Span) -> TlaTerm:
        *names, body = operands(node)
        return syntax.LambdaTerm(span, tuple(self.parameters(names)), self.term(body))

    # Functions and records

    def _call(self, node: SyntaxNode, span: Span) -> TlaTerm:
        function, *arguments = self.all(node)
        return syntax.FunctionCall(span, function, tuple(arguments))

    def _fields(self, node: SyntaxNode) -> tuple[tuple[str, TlaTerm], ...]:
        parts = operands(node)
        names = map(self.tree.text, parts[::2])
        fields = tuple(zip(names, map(self.term, parts[1::2]), strict=True))
        seen: set[str] = set()
        for (name, _), place in zip(fields, parts[::2], strict=True):
            if name in seen:
                raise SpecError(f"the field {name} is given twice", self.tree.span(place))
            seen.add(name)
        return fields

    def _field(self, node: SyntaxNode, span: Span) -> TlaTerm:
        record, name = operands(node)
        return syntax.FieldAccess(span, self.term(record), self.tree.text(name))

    def _except(self, node: SyntaxNode, span: Span) -> TlaTerm:
        updates: list[Overwrite] = []
        for update in named(node, "except_update"):
            path: list[tuple[TlaTerm, ...] | str] = []
            for specifier in named(update, "except_update_specifier"):
                for step in operands(specifier):
                    if step.type == "except_update_record_field":
                        path.append(self.tree.text(operands(step)[0]))
                    else:
                        path.append(self.all(step))
            value = self.term(part(update, "new_val"))
            updates.append(Overwrite(tuple(path), value, self.tree.span(update)))
        return syntax.ExceptTerm(span, self.term(part(node, "expr_to_update")), tuple(updates))

    # The rest

    def _box(self, node: SyntaxNode, span: Span, angle: bool) -> TlaTerm:
        action, subscript = self.all(node)
        return syntax.ActionBox(span, action, subscript, angle)

    def _fairness(self, node: SyntaxNode, span: Span) -> TlaTerm:
        subscript, action = self.all(node)
        strong = node.children[0].type == "SF_"
        return syntax.FairnessTerm(span, strong, subscript, action)

    def _case(self, node: SyntaxNode, span: Span) -> TlaTerm:
        arms: list[tuple[TlaTerm, TlaTerm]] = []
        other: TlaTerm | None = None
        for arm in node.named_children:
            if arm.type == "case_arm":
                test, value = self.all(arm)
                arms.append((test, value))
            elif arm.type == "other_arm":
                (other,) = self.all(arm)
        return syntax.CaseTerm(span, tuple(arms), other)

    def _let(self, node: SyntaxNode, span: Span) -> TlaTerm:
        made = [u for child in operands(node)[:-1] for u in self.units.units(child)]
        return syntax.LetTerm(span, tuple(made), self.term(part(node, "expression")))

    def _junction(self, node: SyntaxNode, span: Span, operator: str) -> TlaTerm:
        items = [self.term(operands(item)[0]) for item in node.named_children if operands(item)]
        return syntax.Junction(span, operator, tuple(items))


_SETS = (
    "nat_number_set", "int_number_set", "real_number_set", "boolean_set", "string_set",
)  # fmt: skip
_ESCAPES = (
    ("\\\\", "\0"),
    ('\\"', '"'),
    ("\\t", "\t"),
    ("\\n", "\n"),
    ("\\r", "\r"),
    ("\\f", "\f"),
)
