"""Lowering of choices and orders of elements: next, and min, max and sorted with a key."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from specmodel.domains import BoolDomain, Domain, OptionDomain, SeqDomain
from specmodel.errors import SpecError
from specmodel.ir.nodes import Each, Key, Name, Term
from specmodel.lang.lowering import narrowing
from specmodel.lang.lowering.expressions import named
from specmodel.lang.lowering.iterated import most
from specmodel.lang.lowering.source import NOT_STATIC
from specmodel.lang.lowering.types import coerced, inner_of, is_int, mixed, widened

if TYPE_CHECKING:
    from specmodel.lang.lowering.calls import Calls

_ELEMENT = "the element"
"""The name of the element in a key, if the spec gives it none."""


def first(lowering: Calls, node: ast.Call) -> Term:
    """The term of `next(x for x in xs if ...)`, with or without a default."""
    wanted, *default = node.args or [node]
    if not isinstance(wanted, ast.GeneratorExp) or len(default) > 1:
        hint = "write next(x for x in xs if ...), or next((x for x in xs if ...), None)"
        raise lowering.source.unsupported(node, "next takes a generator here", hint)
    return _one_of(lowering, node, "first", wanted, default[0] if default else None, None)


def by_key(lowering: Calls, node: ast.Call) -> Term:
    """The term of `min` or `max` of one collection, with a key."""
    assert isinstance(node.func, ast.Name)
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    if len(node.args) != 1 or given.keys() - {"key", "default"}:
        what = f"{node.func.id} with a key takes one collection, and maybe a default"
        raise lowering.source.unsupported(node, what)
    if isinstance(node.args[0], ast.ListComp):
        hint = "leave out the brackets"
        raise lowering.source.unsupported(node.args[0], "this list is made for nothing", hint)
    kind = "least" if node.func.id == "min" else "greatest"
    return _one_of(lowering, node, kind, node.args[0], given.get("default"), given["key"])


def _one_of(
    lowering: Calls,
    node: ast.Call,
    kind: str,
    elements: ast.expr,
    default: ast.expr | None,
    key: ast.expr | None,
) -> Term:
    span = lowering.source.span(node)
    generators, body = lowering.folded(elements, lowering.term)
    lowering.pure(body, elements)
    made = _key(lowering, key, body) if key is not None else None
    if default is None:
        return Each(body.type, span, kind, generators, body, key=made)
    other = lowering.pure(lowering.term(default), default)
    joined = mixed(body.type, other.type)
    if joined is None:
        what = f"an element is {named(body.type)}, the default {named(other.type)}"
        raise lowering.source.wrong(node, what)
    kept = coerced(body, joined, "sure")
    return Each(joined, span, kind, generators, kept, coerced(other, joined, "sure"), key=made)


def in_order(lowering: Calls, node: ast.Call) -> Term:
    """The term of `sorted(xs)`, with or without `key=` and `reverse=`."""
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    if len(node.args) != 1 or given.keys() - {"key", "reverse"}:
        what = "sorted takes one collection, and maybe key= and reverse="
        raise lowering.source.unsupported(node, what)
    reverse = lowering.static(given["reverse"]) if "reverse" in given else False
    if not isinstance(reverse, bool):
        hint = "write reverse=True or reverse=False"
        raise lowering.source.unsupported(given["reverse"], "reverse is a constant here", hint)
    generators, body = lowering.folded(node.args[0], lowering.term)
    kind, capacity = "descending" if reverse else "sorted", most(generators)
    made = _key(lowering, given.get("key"), body, node.args[0])
    span = lowering.source.span(node)
    return Each(SeqDomain(body.type, capacity), span, kind, generators, body, key=made)


def _key(
    lowering: Calls, node: ast.expr | None, element: Term, place: ast.AST | None = None
) -> Key:
    """The key of an element; without a key function, the element itself."""
    if node is None:
        it = Name(element.type, element.span, _ELEMENT)
        assert place is not None
        return Key(_ELEMENT, element, (_compared(lowering, it, place, element.type),))
    name, parts = _ELEMENT, [node]
    if isinstance(node, ast.Lambda):
        arguments = node.args
        if len(arguments.args) != 1 or len(ast.unparse(arguments)) != len(arguments.args[0].arg):
            raise lowering.source.unsupported(node, "a key is a function of the element alone")
        name = arguments.args[0].arg
        parts = node.body.elts if isinstance(node.body, ast.Tuple) else [node.body]
    else:
        call = ast.Call(node, [ast.copy_location(ast.Name(name, ast.Load()), node)], [])
        parts = [ast.copy_location(call, node)]
    types_, assigned, facts = lowering.types, lowering.assigned, lowering.facts
    lowering.types = {**types_, name: widened(element.type)}
    lowering.assigned = assigned | {name}
    narrowing.forget(lowering, [name])
    try:
        terms = [(lowering.term(part), part) for part in parts]
        found = [_compared(lowering, lowering.pure(t, p), p, t.type) for t, p in terms]
        return Key(name, element, tuple(found))
    finally:
        lowering.types, lowering.assigned, lowering.facts = types_, assigned, facts


def _compared(lowering: Calls, term: Term, node: ast.AST, kind: Domain) -> Term:
    """A term by which elements are compared. Raises SpecError unless it is an int or a bool."""
    if isinstance(kind, OptionDomain):
        what = f"{named(kind)} has no order"
        raise lowering.source.wrong(node, what, "leave those out that are None")
    if not is_int(inner_of(kind)) and not isinstance(kind, BoolDomain):
        hint = "compare ints: key=lambda x: x.term, or a tuple of ints"
        raise lowering.source.wrong(node, f"{named(kind)} has no order", hint)
    return term


def known(lowering: Calls, node: ast.Call, callee: Callable[..., Any]) -> Term:
    """The constant that a call of `subsets` or `values` returns."""
    given = [lowering.static(part) for part in (*node.args, *(k.value for k in node.keywords))]
    if any(value is NOT_STATIC for value in given):
        what = f"{callee.__name__} takes what is known before the search"
        hint = "choose among all: q for q in subsets(Acceptor) if q <= s.votes"
        raise lowering.source.unsupported(node, what, hint)
    names = [keyword.arg or "" for keyword in node.keywords]
    places = given[: len(node.args)]
    named = dict(zip(names, given[len(node.args) :], strict=True))
    try:
        return lowering.constant(callee(*places, **named), node)
    except TypeError as wrong:
        raise lowering.source.wrong(node, str(wrong)) from None
    except SpecError as wrong:
        raise lowering.source.wrong(node, wrong.message, wrong.hint) from None
