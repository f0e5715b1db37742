"""Lowering of calls: builtins, structs, helper functions."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from typing import Any, Protocol, TypeGuard

from specmodel.domains import (
    Bag,
    BagDomain,
    BoolDomain,
    Domain,
    MapDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    SlottedDomain,
    SparseMapDomain,
    StructDomain,
)
from specmodel.domains.scalars import ScalarSet
from specmodel.domains.shapes import is_set
from specmodel.ir.effects import Effects
from specmodel.ir.nodes import (
    BOOL,
    INT,
    NONE,
    NOTHING,
    Apply,
    Call,
    Constant,
    Each,
    Function,
    Make,
    Name,
    Term,
)
from specmodel.lang.annotations import DATACLASS
from specmodel.lang.lowering import choosing, narrowing
from specmodel.lang.lowering.comprehensions import Comprehensions
from specmodel.lang.lowering.iterated import domain_of_class, of_kind
from specmodel.lang.lowering.methods import refusal
from specmodel.lang.lowering.source import NOT_STATIC, Text
from specmodel.lang.lowering.types import (
    coerced,
    inner_of,
    is_int,
    join,
    widened,
)
from specmodel.lang.picking import Pick, pick
from specmodel.lang.rules import require, require_some
from specmodel.lang.struct import Struct
from specmodel.lang.values import subsets, values

_CALLED = "len, min, max, sum, any, all, abs, next, sorted, set, list"

_COLLECTIONS: dict[Any, str] = {set: "set", frozenset: "set", list: "list", Bag: "bag"}

_SET_METHODS = {
    "union": "|",
    "intersection": "&",
    "difference": "without",
    "symmetric_difference": "^",
    "issubset": "<=",
    "issuperset": ">=",
}


def _is_struct(callee: object) -> TypeGuard[type[Struct]]:
    return isinstance(callee, type) and issubclass(callee, Struct)


class Helpers(Protocol):
    """The lowered functions that a function calls."""

    def helper(self, function: Callable[..., Any]) -> Function: ...

    def picks_of(self, helper: str) -> Mapping[str, Pick]: ...

    @property
    def effects(self) -> Effects: ...


class Calls(Comprehensions):
    """Lowers the calls of one function."""

    def __init__(self, source: Text, types: dict[str, Domain], helpers: Helpers) -> None:
        super().__init__(source, types)
        self.helpers = helpers

    def acts(self, term: Term) -> bool:
        return self.helpers.effects.acts(term)

    def _call(self, node: ast.Call, expected: Domain | None) -> Term:
        callee = self.static(node.func)
        if callee is NOT_STATIC or is_set(getattr(callee, "__self__", None)):
            return self._method(node)
        if _is_struct(callee):
            return self._struct(node, callee.__domain__)
        if callee is isinstance:
            return self.term(narrowing.instance_test(self, node))
        if callee in _COLLECTIONS:
            return self._collected(node, _COLLECTIONS[callee], expected)
        builtin = self._BUILTINS.get(getattr(callee, "__name__", ""))
        if builtin is not None and isinstance(callee, types.BuiltinFunctionType | type):
            if node.keywords and callee not in (min, max, sorted):
                raise self.source.unsupported(node, f"{callee.__name__} takes no names here")
            return builtin(self, node)
        if callee is require_some:
            value = self.term(self.one(node))
            if value.type is NONE:
                value = coerced(value, OptionDomain(INT))
            elif not isinstance(value.type, OptionDomain):
                return value
            return Apply(widened(inner_of(value.type)), self.source.span(node), "need", (value,))
        if callee in (subsets, values):
            return choosing.known(self, node, callee)
        if callee is pick:
            what = "pick stands on a line of its own, and gives a name its value"
            raise self.source.unsupported(node, what, "write x = pick(...) on a line before")
        if callee is require:
            hint = "put it on a line of its own"
            raise self.source.unsupported(node, "require is a statement, not a value", hint)
        if getattr(callee, "__func__", None) is ScalarSet.nth.__func__:
            return self._nth(node, callee)
        if isinstance(callee, types.FunctionType):
            made = self.call(node, callee)
            if self.helpers.helper(callee).result is None:
                raise self.source.wrong(node, f"{callee.__name__} gives no value")
            return made
        shown = getattr(callee, "__name__", repr(callee))
        hint = f"call builtins ({_CALLED}), structs, or functions"
        raise self.source.unsupported(node, f"{shown} cannot be called in a spec", hint)

    def _nth(self, node: ast.Call, callee: Any) -> Term:
        position = self.static(self.one(node))
        size = len(callee.__self__)
        if not isinstance(position, int) or not 0 <= position < size:
            raise self.source.wrong(node, f"nth takes a constant position, 0 to {size - 1}")
        value: ScalarSet = callee(position)
        return Constant(value.__domain__, self.source.span(node), value)

    # Calls of the model's own functions

    def call(self, node: ast.Call, function: types.FunctionType) -> Call:
        """A call of a helper or action, arguments by position or name."""
        try:
            helper = self.helpers.helper(function)
        except RecursionError as wrong:
            raise self.source.unsupported(
                node, str(wrong), "calls are unrolled: write a loop"
            ) from None
        picks = self.helpers.picks_of(helper.name)
        names = [name for name in helper.parameters if name not in picks]
        given: dict[str, ast.expr] = dict(zip(names, node.args, strict=False))
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg not in names:
                raise self.source.wrong(node, f"{helper.name} has no parameter {keyword.arg}")
            if keyword.arg in given:
                raise self.source.wrong(node, f"{keyword.arg} is given twice")
            given[keyword.arg] = keyword.value
        if len(node.args) > len(names) or len(given) != len(names):
            raise self.source.wrong(node, f"{helper.name} takes {', '.join(names) or 'nothing'}")
        args = tuple(self._argument(given[n], helper, n) for n in names)
        if list(given) != names:  # they are evaluated in the order of the parameters
            for name, arg in zip(names, args, strict=True):
                self.pure(arg, given[name])
        kind = widened(helper.result) if helper.result else BOOL
        chosen = self.choices(node, helper.name, picks) if picks else ()
        made = Call(kind, self.source.span(node), helper.name, (*args, *chosen))
        if self.acts(made):
            narrowing.forget_fields(self)
        return made

    def choices(self, node: ast.Call, helper: str, picks: Mapping[str, Pick]) -> tuple[Term, ...]:
        """The choices for the picks of a function that is called. Raises Unsupported."""
        raise NotImplementedError

    def _argument(self, node: ast.expr, helper: Function, name: str) -> Term:
        """An argument; a struct may be of a subclass, which has the parameter's fields first.

        The function may use only fields of a subclass's struct: the whole equals no other struct.
        """
        term, wanted = self.term(node), helper.parameters[name]
        if (
            isinstance(wanted, StructDomain)
            and isinstance(term.type, StructDomain)
            and issubclass(term.type.cls, wanted.cls)
        ):
            if term.type != wanted and (use := self.helpers.effects.whole(helper.name, name)):
                what = f"{helper.name} uses its {name} whole, and this is of {term.type}"
                wrong = self.source.wrong(node, what, f"let it use fields of {wanted} alone")
                wrong.cause = use.span
                raise wrong
            return term
        return self.kept(self.given(node, widened(wanted)), node)

    def _struct(self, node: ast.Call, domain: StructDomain) -> Term:
        if is_dataclass(domain.cls):
            raise self.source.wrong(node, f"{domain.name} {DATACLASS[0]}", DATACLASS[1])
        if len(node.args) > len(domain.fields):
            raise self.source.wrong(node, f"{domain.name} has {len(domain.fields)} fields")
        given: dict[str, ast.expr] = dict(zip(domain.fields, node.args, strict=False))
        given |= {k.arg: k.value for k in node.keywords if k.arg}
        items: list[Term] = []
        for name, kind in domain.fields.items():
            if name in given:
                items.append(self.term(given[name], widened(kind)))
            elif hasattr(domain.cls, name):
                default = self.constant(getattr(domain.cls, name), node)
                items.append(self.fitted(default, widened(kind), node))
            else:
                raise self.source.wrong(node, f"{domain.name} needs a value for its field {name}")
        if list(given) != [n for n in domain.fields if n in given]:
            for name, item in zip(domain.fields, items, strict=True):
                self.pure(item, given.get(name, node))
        if unknown := [n for n in given if n not in domain.fields]:
            raise self.source.wrong(node, f"{domain.name} has no field {unknown[0]}")
        return Make(domain, self.source.span(node), tuple(items))

    def _method(self, node: ast.Call) -> Term:
        if not isinstance(node.func, ast.Attribute):
            if isinstance(node.func, ast.Name) and not self.local(node.func.id):
                raise self.source.wrong(node.func, f"{node.func.id} is not defined")
            what = "only functions that are defined at the top of a module can be called"
            raise self.source.unsupported(node, what)
        name, span = node.func.attr, self.source.span(node)
        base = self.plain(node.func.value)
        if isinstance(base.type, SetDomain) and name in {*_SET_METHODS, "isdisjoint"}:
            other = self.plain(self.one(node))
            joined = join(base.type, other.type)
            if joined is not None and name in _SET_METHODS:
                op = _SET_METHODS[name]
                kind = BOOL if op in ("<=", ">=") else joined
                return Apply(kind, span, op, (coerced(base, joined), coerced(other, joined)))
            if joined is not None and name == "isdisjoint":
                both = Apply(joined, span, "&", (coerced(base, joined), coerced(other, joined)))
                zero = Constant(INT, span, 0)
                return Apply(BOOL, span, "==", (Apply(INT, span, "len", (both,)), zero))
        if isinstance(base.type, SparseMapDomain) and name == "get":
            return self.got(node, base)
        raise self.source.unsupported(node, *refusal(node, base.type))

    # Builtins

    def _len(self, node: ast.Call) -> Term:
        argument = self.one(node)
        static = self.static(argument)
        if domain := domain_of_class(static):
            return Constant(INT, self.source.span(node), domain.size)
        held = self.collection(argument)
        if isinstance(held.type, MapDomain) and self.certain(held):
            return Constant(INT, self.source.span(node), held.type.key.size)
        if not isinstance(held.type, SetDomain | SlottedDomain | SeqDomain | MapDomain):
            raise self.source.wrong(node, "len is of a set, a bag, a list or a map")
        return Apply(INT, self.source.span(node), "len", (held,))

    def _extreme(self, node: ast.Call) -> Term:
        assert isinstance(node.func, ast.Name)
        op, span = node.func.id, self.source.span(node)
        if any(keyword.arg == "key" for keyword in node.keywords):
            return choosing.by_key(self, node)
        if len(node.args) > 1:
            return Apply(
                INT, span, op, tuple(self._of_extreme(self.plain(a), a) for a in node.args)
            )
        default = None
        for keyword in node.keywords:
            if keyword.arg != "default":
                what = f"{op} takes no {keyword.arg} here"
                raise self.source.unsupported(node, what)
            if isinstance(self.term(keyword.value).type, OptionDomain):
                hint = "test it for None before, and give the int"
                what = "a default that may be None"
                raise self.source.unsupported(keyword.value, what, hint)
            value = self._of_extreme(self.plain(keyword.value), keyword.value)
            default = self.pure(value, keyword.value)
        # For a single element, Python returns it, even if it is None.
        generators, body = self.folded(node.args[0], self._sure)
        if not is_int(body.type):
            raise self.source.wrong(node, f"{op} is of ints")
        return Each(INT, span, op, generators, body, default)

    def _sure(self, node: ast.expr) -> Term:
        """The term of an element. Raises SpecError if it may be None."""
        term = self.term(node)
        return self._of_extreme(coerced(term, inner_of(term.type), "sure"), node)

    def _of_extreme(self, term: Term, node: ast.expr) -> Term:
        if isinstance(term.type, BoolDomain):  # in Python, the max of bools is a bool, not an int
            raise self.source.wrong(node, "this is a bool, not an int", "write int(...)")
        return self.integer_of(term, node)

    def _total(self, node: ast.Call) -> Term:
        generators, body = self.folded(self.one(node), self.plain)
        kind = "count" if isinstance(body.type, BoolDomain) else "sum"
        if kind == "sum" and not is_int(body.type):
            raise self.source.wrong(node, "sum is of ints")
        return Each(INT, self.source.span(node), kind, generators, body)

    def _quantified(self, node: ast.Call) -> Term:
        assert isinstance(node.func, ast.Name)
        argument = self.one(node)
        generators, body = self.folded(argument, self.condition)
        body = self.truth_of(body, argument)
        eager = isinstance(argument, ast.ListComp)
        span = self.source.span(node)
        return Each(BOOL, span, node.func.id, generators, body, eager=eager)

    def _abs(self, node: ast.Call) -> Term:
        return Apply(INT, self.source.span(node), "abs", (self.integer(self.one(node)),))

    def _int(self, node: ast.Call) -> Term:
        return self.integer(self.one(node))

    def _bool(self, node: ast.Call) -> Term:
        return self.condition(self.one(node))

    _BUILTINS: dict[str, Callable[[Calls, ast.Call], Term]] = {
        "len": _len,
        "min": _extreme,
        "max": _extreme,
        "sum": _total,
        "all": _quantified,
        "any": _quantified,
        "abs": _abs,
        "int": _int,
        "bool": _bool,
        "next": choosing.first,
        "sorted": choosing.in_order,
    }

    def _collected(self, node: ast.Call, kind: str, expected: Domain | None) -> Term:
        span = self.source.span(node)
        if not node.args:
            empty = of_kind(kind, NOTHING, 0)
            return coerced(Make(empty, span, ()), expected) if expected else Make(empty, span, ())
        argument = self.one(node)
        if kind == "bag" and not isinstance(
            argument, ast.GeneratorExp | ast.ListComp | ast.SetComp
        ):
            held = self.plain(argument)
            if isinstance(held.type, BagDomain):
                return held
        generators, body = self.folded(argument, lambda part: self._gives(kind, part, None, node))
        if kind != "list" and not isinstance(argument, ast.GeneratorExp | ast.ListComp):
            self.member(Name(body.type, body.span, ""), node)  # "": no name of the spec
        return self._gathered(kind, generators, body, node)
