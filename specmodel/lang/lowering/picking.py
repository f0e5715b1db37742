"""Lowering of `x = pick(values)`: x becomes a parameter of the action, the choice of a value.

A pick in a helper is a parameter of the helper, and of each action that calls the helper.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from specmodel.domains import (
    BagDomain,
    Domain,
    IntDomain,
    MapDomain,
    PositionDomain,
    SeqDomain,
    SetDomain,
    SlotSetDomain,
    SparseMapDomain,
    StructDomain,
    UnionDomain,
)
from specmodel.domains.unions import alternatives_of
from specmodel.ir.nodes import BOOL, INT, Apply, At, Bind, Constant, Name, Require, Statement, Term
from specmodel.lang.lowering import narrowing
from specmodel.lang.lowering.expressions import declared, named, of_field
from specmodel.lang.lowering.iterated import domain_of_class, members
from specmodel.lang.lowering.types import coerced, inner_of, widened

if TYPE_CHECKING:
    from specmodel.lang.lowering.functions import FunctionLowering

_WITH_VALUE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return)
"""The statements whose whole value may be a call that picks."""

CASES = "write an action for each case"
"""The hint for a pick inside a condition or a loop."""


def picked(
    lowering: FunctionLowering, node: ast.Assign, target: ast.expr, call: ast.Call
) -> list[Statement]:
    """The statements of `x = pick(values)`, and x as a parameter; a guard requires its value."""
    span = lowering.source.span(node)
    _refuse_misplaced(lowering, node, node, "pick", CASES)
    if not isinstance(target, ast.Name) or target.id in {*lowering.types, *lowering.picks}:
        what = "pick gives a name its first value"
        raise lowering.source.unsupported(node, what, "write x = pick(...), with a new name for x")
    if call.keywords or not call.args:
        hint = "write x = pick(s.messages), or x = pick(s.messages, VoteRequest)"
        raise lowering.source.wrong(call, "pick takes values, and maybe classes", hint)
    chosen, held = _choices_of(lowering, call.args[0])
    values = held.type.parts[-1] if held is not None else chosen
    of = tuple(cls for part in call.args[1:] for cls in _classes(lowering, part, values))
    chosen = _of_classes(chosen, of)
    lowering.picks[target.id] = chosen
    if isinstance(chosen, PositionDomain):
        place = Name(INT, span, target.id)
        length = Apply(INT, span, "len", (held,)) if held is not None else None
        assert held is not None and length is not None
        kind = widened(held.type.parts[-1])
        element = Apply(kind, span, "picked", (At(kind, span, held, place),))
        lowering.types[target.id] = element.type
        lowering.stored |= lowering.once & {target.id}
        there = Require(span, Apply(BOOL, span, "<", (place, length)))
        found = [there, Bind(span, target.id, element)]
        return [*found, *_required(lowering, target, of, call)]
    value = Name(widened(chosen), span, target.id)
    lowering.types[target.id] = value.type
    if held is None:
        return _required(lowering, target, of, call)
    assert isinstance(held.type, SetDomain)
    among = Apply(BOOL, span, "in", (coerced(value, held.type.element), held))
    found = [Require(span, among)]
    return [*_required(lowering, target, of, call), *found]


def passed(
    lowering: FunctionLowering, call: ast.Call, helper: str, picks: Mapping[str, Domain]
) -> tuple[Term, ...]:
    """The choices for the picks of a function that is called: parameters of the caller."""
    lines = (n for n in ast.walk(lowering.definition.node) if isinstance(n, _WITH_VALUE))
    line = next((n for n in lines if n.value is call), None)
    hint = CASES if line else f"write x = {helper}(...) on a line before"
    _refuse_misplaced(lowering, call, line, f"{helper} picks: its call", hint)
    target = line.targets[0] if isinstance(line, ast.Assign) else getattr(line, "target", None)
    wanted = target.id if isinstance(target, ast.Name) and len(picks) == 1 else ""
    taken = {*lowering.types, *lowering.picks}
    if wanted in taken:
        wanted = ""
    found: list[Term] = []
    for name, domain in picks.items():
        own = wanted or _free(name, helper, taken | lowering.assigned)
        taken.add(own)
        lowering.picks[own] = domain
        found.append(Name(widened(domain), lowering.source.span(call), own))
    return tuple(found)


def _free(name: str, helper: str, taken: Collection[str]) -> str:
    """A name for a pick in a helper that is not taken in its caller."""
    names = chain([name, f"{helper}_{name}"], (f"{helper}_{name}_{n}" for n in count(2)))
    return next(free for free in names if free not in taken)


def _refuse_misplaced(
    lowering: FunctionLowering, node: ast.AST, line: ast.stmt | None, which: str, hint: str
) -> None:
    """Raises Unsupported for a pick, or a call that picks, in a line where it cannot stand."""
    body = lowering.definition.node.body
    if not lowering.picking:
        what = "only actions pick, and the functions that they call"
        raise lowering.source.unsupported(node, what, "quantify: any(... for m in s.messages)")
    if line is None or line not in body:
        what = f"{which} stands on a line of its own, outside of conditions and loops"
        raise lowering.source.unsupported(node, what, hint)
    before = body[: body.index(line)]
    if any(isinstance(n, ast.Return) for part in before for n in ast.walk(part)):
        what = f"{which} stands before the first return of a function"
        raise lowering.source.unsupported(node, what, "write require(...) instead of the return")


def _classes(lowering: FunctionLowering, node: ast.expr, values: Domain) -> Iterator[type[Any]]:
    """The classes that an argument names. Raises SpecError for one that no value has."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        hint = f"write the class itself: pick(s.messages, {node.value})"
        raise lowering.source.wrong(node, "pick takes classes, not their names", hint)
    known = tuple(part.cls for part in alternatives_of(inner_of(values)))
    for cls in narrowing.classes_of(lowering, node):
        if not issubclass(cls, known):
            what = f"no value here is of {cls.__name__}: these are of {values}"
            raise lowering.source.wrong(node, what)
        yield cls


def _of_classes(chosen: Domain, of: tuple[type[Any], ...]) -> Domain:
    """A union without the alternatives of other classes; any other domain unchanged."""
    if not isinstance(chosen, UnionDomain):
        return chosen
    left = [part for part in chosen.alternatives if not of or issubclass(part.cls, of)]
    return left[0] if len(left) == 1 else UnionDomain.of(left)


def _required(
    lowering: FunctionLowering, target: ast.Name, of: tuple[type[Any], ...], call: ast.Call
) -> list[Statement]:
    """The guard that the picked value has one of the given classes, if there are any."""
    if not of:
        return []
    subject = ast.copy_location(ast.Name(target.id, ast.Load()), call)
    test = ast.copy_location(narrowing.IsInstance(subject, of), call)
    condition = lowering.term(test)
    narrowing.learn(lowering, test, True, condition)
    return [Require(lowering.source.span(call), condition)]


def _choices_of(lowering: FunctionLowering, node: ast.expr) -> tuple[Domain, Term | None]:
    """The domain of a pick's choice, and the collection of values; None if all values are in it."""
    if (every := domain_of_class(lowering.static(node))) is not None:
        return every, None
    held = lowering.collection(node)
    if isinstance(held.type, SeqDomain) and (of_field(held) or isinstance(held, Constant)):
        return PositionDomain(0, max(held.type.capacity, 1) - 1), held
    if isinstance(kind := declared(held), SlotSetDomain):
        return PositionDomain(0, max(kind.capacity, 1) - 1), held
    if isinstance(kind, BagDomain | SparseMapDomain) and of_field(held):
        return PositionDomain(0, max(kind.capacity, 1) - 1), members(held)
    if isinstance(held.type, SetDomain) and (_of_state(held) or not _has_ints(held.type.element)):
        return held.type.element, held
    if isinstance(held.type, MapDomain):
        return held.type.key, None
    made = f"{named(held.type)} made here"
    what = f"pick takes a value of a list, set or bag of the state, not of {made}"
    raise lowering.source.unsupported(
        node, what, "pick from the whole of it, then require(...) what has to be true"
    )


def _of_state(term: Term) -> bool:
    """Whether the members of a set are of its type's domain: it is made of sets in fields.

    An annotation of a name or a function promises nothing about the bounds of ints.
    """
    if isinstance(term, Apply) and term.op in ("|", "&", "^", "without"):
        return INT not in term.type.nested() and all(map(_of_state, term.args))
    return INT not in term.type.nested() and (of_field(term) or isinstance(term, Constant))


def _has_ints(domain: Domain) -> bool:
    """Whether a value has ints in it that are in no struct, whose fields would bound them."""
    if isinstance(domain, StructDomain):
        return False
    return isinstance(domain, IntDomain) or any(map(_has_ints, domain.parts))
