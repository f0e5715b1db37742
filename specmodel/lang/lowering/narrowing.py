"""Narrowing of types by tests: `isinstance(m, A)`, `m is None`, and patterns.

A fact is about a path, a local name followed by fields, whose value is a union or an optional: the
alternatives that are left. A fact is removed when the value may have changed. If one alternative is
left, the path is lowered to a term of this type ("narrow").
"""

from __future__ import annotations

import ast
import enum
import types
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from specmodel.domains import Domain, EnumDomain, OptionDomain, StructDomain, UnionDomain
from specmodel.domains.scalars import ScalarSet
from specmodel.domains.unions import Alternative, alternatives_of
from specmodel.errors import Span, suggestion
from specmodel.ir.nodes import BOOL, INT, NONE, Apply, Choose, Constant, Get, Term
from specmodel.lang.lowering.types import coerced, inner_of, join, widened

if TYPE_CHECKING:
    from specmodel.lang.lowering.expressions import ExpressionLowering

Left = tuple[Domain, ...]
"""The alternatives that are left; NONE is the alternative of None."""

Facts = Mapping[str, Left]
"""The known facts, by path."""


class IsInstance(ast.expr):
    """The syntax node of `isinstance(subject, classes)` with known classes, also for patterns."""

    _fields = ("subject",)

    def __init__(self, subject: ast.expr, classes: tuple[type[Any], ...]) -> None:
        super().__init__()
        self.subject = subject
        self.classes = classes


def instance_test(lowering: ExpressionLowering, node: ast.Call) -> IsInstance:
    """The node for a call of isinstance. Raises SpecError for wrong arguments."""
    if len(node.args) != 2 or node.keywords:
        raise lowering.source.wrong(node, "isinstance takes a value and a class")
    made = IsInstance(node.args[0], tuple(classes_of(lowering, node.args[1])))
    return ast.copy_location(made, node)


def classes_of(lowering: ExpressionLowering, node: ast.expr) -> Iterable[type[Any]]:
    """The classes that an expression names: one, a tuple, or a union. Raises SpecError."""
    if isinstance(node, ast.Tuple):
        parts = node.elts
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        parts = [node.left, node.right]
    else:
        value = lowering.static(node)
        held = get_args(value) if get_origin(value) in (Union, types.UnionType) else (value,)
        for one in (types.NoneType if each is None else each for each in held):
            if one is not types.NoneType and not (
                isinstance(one, type) and isinstance(_domain(one), Domain)
            ):
                what = "only Structs, Enums, ScalarSets and None can be tested for"
                hint = "isinstance(m, A), isinstance(m, A | B) or isinstance(m, (A, B))"
                raise lowering.source.unsupported(node, what, hint)
            yield one
        return
    for part in parts:
        if isinstance(part, ast.Constant) and part.value is None and isinstance(node, ast.Tuple):
            raise lowering.source.wrong(part, "this is no class", "write isinstance(x, A | None)")
        yield from classes_of(lowering, part)


def _domain(cls: type[Any]) -> Any:
    """The domain of a class that can be an alternative, else None."""
    known = getattr(cls, "__domain__", None)
    if known is not None or cls is ScalarSet:
        return known
    return EnumDomain(cls) if issubclass(cls, enum.Enum) and cls is not enum.Enum else None


# Facts


def path_of(lowering: ExpressionLowering, node: ast.expr) -> str:
    """The path of an expression, as text; "" if it is not a path."""
    if isinstance(node, ast.Name):
        return node.id if lowering.local(node.id) else ""
    if isinstance(node, ast.Attribute):
        base = path_of(lowering, node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def _left(lowering: ExpressionLowering, node: ast.expr) -> Left:
    """The alternatives that are left for an expression; none if its type has no alternatives."""
    known = lowering.facts.get(path_of(lowering, node))
    if known is not None:
        return known
    kind = lowering.term(node).type
    alternatives = alternatives_of(inner_of(kind))
    absent = (NONE,) if alternatives and isinstance(kind, OptionDomain) else ()
    return (*alternatives, *absent)


def certain(lowering: ExpressionLowering, test: ast.expr) -> bool:
    """Whether the facts so far imply a test of classes."""
    if not isinstance(test, IsInstance):
        return False
    yes, no = _split(_left(lowering, test.subject), test.classes)
    return bool(yes) and not no


def _split(left: Left, classes: tuple[type[Any], ...]) -> tuple[Left, Left]:
    """The alternatives that belong to the classes, and the others."""

    def among(kind: Domain) -> bool:
        cls: type[Any] = types.NoneType if kind is NONE else getattr(kind, "cls", object)
        return issubclass(cls, classes)

    return tuple(filter(among, left)), tuple(kind for kind in left if not among(kind))


def learn(lowering: ExpressionLowering, test: ast.expr, holds: bool, term: Term) -> None:
    """Adds the facts of a test, lowered to `term`, that is true (`holds`) or false."""
    if lowering.acts(term):
        forget_fields(lowering)
        return
    found = _learnt(lowering, test, holds)
    if found:
        lowering.facts = {**lowering.facts, **found}


def _learnt(lowering: ExpressionLowering, test: ast.expr, holds: bool) -> Facts:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _learnt(lowering, test.operand, not holds)
    if isinstance(test, ast.BoolOp):
        return _of_junction(lowering, test, holds)
    if isinstance(test, ast.Call) and lowering.static(test.func) is isinstance:
        test = instance_test(lowering, test)
    if isinstance(test, IsInstance):
        subject, classes = test.subject, test.classes
    elif (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.Is | ast.IsNot)
        and lowering.static(test.comparators[0]) is None
    ):
        subject, classes = test.left, (types.NoneType,)
        holds = holds == isinstance(test.ops[0], ast.Is)
    else:
        return {}
    path = path_of(lowering, subject)
    left = _left(lowering, subject) if path else ()
    return {path: _split(left, classes)[0 if holds else 1]} if left else {}


def _of_junction(lowering: ExpressionLowering, test: ast.BoolOp, holds: bool) -> Facts:
    """The facts of an `and` or `or`. If the outcome decides all operands, the facts of each; else
    the facts that any of them may give."""
    outer = lowering.facts
    together = isinstance(test.op, ast.And) == holds
    found: list[Facts] = []
    for value in test.values:
        found.append(_learnt(lowering, value, holds))
        before = found[-1] if together else _learnt(lowering, value, not holds)
        lowering.facts = {**lowering.facts, **before}  # the facts where the next part is evaluated
    lowering.facts = outer
    if together:
        return {path: left for held in found for path, left in held.items()}
    common = [path for path in found[0] if all(path in other for other in found)]
    return {p: tuple(dict.fromkeys(k for held in found for k in held[p])) for p in common}


def common(a: Facts, b: Facts) -> Facts:
    """The facts after one of two paths."""
    return {p: tuple(dict.fromkeys((*a[p], *b[p]))) for p in a if p in b}


def forget(lowering: ExpressionLowering, names: Iterable[str]) -> None:
    """Removes the facts about names that get other values."""
    gone = set(names)
    if lowering.facts and gone:
        lowering.facts = {p: k for p, k in lowering.facts.items() if p.split(".")[0] not in gone}


def forget_fields(lowering: ExpressionLowering) -> None:
    """Removes the facts about fields, because one may have changed."""
    lowering.changes += 1
    if lowering.facts:
        lowering.facts = {path: k for path, k in lowering.facts.items() if "." not in path}


def resume(lowering: ExpressionLowering, known: Facts, changes: int) -> None:
    """Sets the facts back to the time when `changes` fields had changed.

    A call since then, in the same expression, may have changed a field: then the facts about fields
    are removed.
    """
    lowering.facts = known
    if lowering.changes != changes:
        forget_fields(lowering)


# Terms


def applied(lowering: ExpressionLowering, node: ast.expr, term: Term) -> Term:
    """The term of an expression, narrowed to the only alternative that is left, if there is one."""
    left = lowering.facts.get(path_of(lowering, node), ())
    if len(left) != 1 or left[0] is NONE or not isinstance(inner_of(term.type), UnionDomain):
        return term
    return Apply(left[0], term.span, "narrow", (coerced(term, inner_of(term.type)),))


def whole(term: Term) -> Term:
    """A term before `applied` narrowed it: its place."""
    if isinstance(term, Apply) and term.op == "narrow":
        term = term.args[0]
        if isinstance(term, Apply) and term.op == "the":
            term = term.args[0]
    return term


def tested(lowering: ExpressionLowering, node: IsInstance) -> Term:
    """The term of a test of classes."""
    span, subject = lowering.source.span(node), node.subject
    term = lowering.term(subject)
    if term.type is not NONE and not alternatives_of(inner_of(term.type)):
        what = "isinstance tells the alternatives of a union apart, and this is of another type"
        raise lowering.source.wrong(subject, what)
    term = lowering.pure(term, subject)
    path = path_of(lowering, subject)
    if path in lowering.facts and isinstance(inner_of(term.type), UnionDomain):
        yes, no = _split(lowering.facts[path], node.classes)
        if not yes or not no:
            return Constant(BOOL, span, not no)
    absent = issubclass(types.NoneType, node.classes)
    if term.type is NONE:
        return Constant(BOOL, span, absent)
    known = enumerate(alternatives_of(inner_of(term.type)))
    tags = [number for number, part in known if issubclass(part.cls, node.classes)]
    return _is(term, [*tags, -1] if absent else tags, span)


def _is(term: Term, tags: Iterable[int], span: Span | None) -> Term:
    return Apply(BOOL, span, "is", (term, *(Constant(INT, span, tag) for tag in tags)))


def field(lowering: ExpressionLowering, node: ast.Attribute, base: Term) -> Term:
    """A field of a union's value; it fails where the value's class has no such field."""
    assert isinstance(base.type, UnionDomain)
    union = base.type.alternatives
    known = lowering.facts.get(path_of(lowering, node.value)) or union
    fits = [p for p in known if isinstance(p, StructDomain) and node.attr in p.fields]
    if not fits:
        names = {n for p in known if isinstance(p, StructDomain) for n in p.fields}
        what = f"no alternative of {base.type} has a field {node.attr}"
        raise lowering.source.wrong(node, what + suggestion(node.attr, sorted(names)))
    kind: Domain | None = widened(fits[0].fields[node.attr])
    for part in fits[1:]:
        kind = join(kind, widened(part.fields[node.attr])) if kind else None
    if kind is None:
        what = f"{node.attr} is of another type in each of {', '.join(map(str, fits))}"
        hint = "test which it is before: isinstance(x, A), or match"
        raise lowering.source.wrong(node, what, hint)
    base, span = lowering.pure(base, node.value), lowering.source.span(node)

    def of(part: Alternative) -> Term:
        assert isinstance(part, StructDomain) and kind is not None
        held = Apply(part, span, "narrow", (base,))
        return coerced(Get(widened(part.fields[node.attr]), span, held, node.attr), kind)

    found = of(fits[-1])
    for part in reversed(fits[:-1]):
        here = _is(base, [union.index(part)], span)
        found = Choose(kind, span, here, of(part), found)
    return found
