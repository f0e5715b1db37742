"""Checks that a spec only compares the values that a constant bounds.

The IRs of the same spec at two values of the constant are compared. A place whose domain differs
holds such values. They are followed through names, calls and stores. Allowed are comparisons with
each other, with -1, 0 and the constant, the use as a key of a map that has such keys, and, in
actions, the next value (+ 1). A claim may speak of all of them only by "for all", if one of them is
enough to make it false.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from enum import Enum
from typing import Any, NoReturn, TypeVar, cast

from specmodel.dataclass import dataclass
from specmodel.domains import Domain, IntDomain, MapDomain, OptionDomain, StructDomain
from specmodel.errors import Span, SpecError
from specmodel.ir import nodes as ir

T = TypeVar("T")


class Kind(Enum):
    """The kind of a term's value: bounded by the constant, -1 or 0, or any other."""

    ORDERED = "ordered"
    KNOWN = "known"
    OTHER = "other"


def refuse(what: str, span: Span | None = None) -> NoReturn:
    """Raises SpecError: a proof at one value of the constant says nothing about others."""
    raise SpecError(what, span)


@dataclass(frozen=True)
class DomainPair:
    """The domain of the same place at two values of a constant, of which `value` is the lesser."""

    one: Domain
    other: Domain
    value: int

    @property
    def parts(self) -> list[DomainPair]:
        """The parts of values of the two domains, as `Domain.parts`."""
        assert type(self.one) is type(self.other)
        parts = zip(self.one.parts, self.other.parts, strict=True)
        return [DomainPair(one, other, self.value) for one, other in parts]

    def part(self, name: str) -> DomainPair:
        """The field of two structs."""
        assert isinstance(self.one, StructDomain)
        return self.parts[list(self.one.fields).index(name)]

    @property
    def moves(self) -> bool:
        """Whether these are integers up to the constant."""
        if not (isinstance(self.one, IntDomain) and isinstance(self.other, IntDomain)):
            return False
        if self.one == self.other:
            return False
        one, other = self.one, self.other
        if one.low != other.low or one.low not in (-1, 0) or other.high != one.high + 1:
            refuse(f"it changes {one} to {other}")
        if one.high not in (self.value - 1, self.value):
            refuse(f"{one} does not end with the constant, which is {self.value}")
        return True

    @property
    def kind(self) -> Kind:
        """The kind of the values of a place with this domain."""
        return Kind.ORDERED if self.moves else Kind.OTHER

    @property
    def keyed(self) -> bool:
        """Whether it contains a map whose keys are such values."""
        if isinstance(self.one, MapDomain) and self.parts[0].moves:
            return True
        return any(part.keyed for part in self.parts)


@dataclass
class _FunctionFrame:
    """A function during the walk.

    `names` have the kinds of their values; `claim`: "for all" is allowed in the result; `loop`: the
    code runs repeatedly.
    """

    names: dict[str, Kind]
    claim: bool
    loop: bool = False
    result: Kind = Kind.OTHER
    returned: bool = False


class OrderOnly:
    """Walks one of two models of a spec, and knows for each part the same part of the other.

    Raises SpecError, with the place, for any other use of the values.
    """

    def __init__(self, one: ir.Lowered, other: ir.Lowered, value: int) -> None:
        self.one = one
        self.other = other
        self.value = value
        self.made = 0
        self.asked = 0
        self._twins: dict[int, Any] = {}

    def action(self, name: str) -> int:
        """The number of values that an action can involve, besides those of its state."""
        a, b = self.one.actions[name], self.other.actions[name]
        self.made = 0
        kinds = {
            parameter: DomainPair(domain, b.parameters[parameter], self.value).kind
            for parameter, domain in a.parameters.items()
        }
        self._function(a, b, _FunctionFrame(dict(kinds), claim=False))
        return list(kinds.values()).count(Kind.ORDERED) + self.made

    def claim(self, name: str) -> int:
        """The number of values, besides those of its state, in a violation of a property."""
        a, b = self.one.properties[name][1], self.other.properties[name][1]
        self.asked = 0
        self._function(a, b, _FunctionFrame(dict.fromkeys(a.parameters, Kind.OTHER), claim=True))
        return self.asked

    # The other model

    def _function(self, a: ir.Function, b: ir.Function, frame: _FunctionFrame) -> None:
        self._lay(a.body, b.body, a.span)
        self._block(a.body, frame)

    def _lay(self, a: Any, b: Any, span: Span | None) -> None:
        """Compares code of both models. Raises SpecError where it differs."""
        if isinstance(a, (ir.Term, ir.Statement)):
            span = a.span
        if isinstance(a, tuple):
            parts, others = cast("Sequence[Any]", a), cast("Sequence[Any]", b)
            if len(parts) != len(others):
                refuse("the constant decides what the code is", span)
            for x, y in zip(parts, others, strict=True):
                self._lay(x, y, span)
        elif isinstance(a, (ir.Term, ir.Statement, ir.Generator, ir.Source)):
            if type(a) is not type(b) or (isinstance(a, ir.Apply) and a.op != b.op):
                refuse("the constant decides what the code is", span)
            known, self._twins[id(a)] = self._twins.get(id(a)), b
            for field in fields(a) if known is not b and not isinstance(a, ir.Constant) else ():
                self._lay(getattr(a, field.name), getattr(b, field.name), span)

    def _twin(self, part: T) -> T:
        """The same part of the other model."""
        return self._twins[id(part)]

    def _type(self, term: ir.Term) -> DomainPair:
        return DomainPair(term.type, self._twin(term).type, self.value)

    # Statements

    def _block(self, statements: Sequence[ir.Statement], frame: _FunctionFrame) -> None:
        for statement in statements:
            self._statement(statement, frame)

    def _statement(self, a: ir.Statement, frame: _FunctionFrame) -> None:
        match a:
            case ir.Require(condition=term) | ir.Perform(call=term):
                self._term(term, frame)
            case ir.Bind():
                kind = self._term(a.value, frame)
                known = frame.names.get(a.name, kind)
                frame.names[a.name] = self._joined(known, kind, a.span)
            case ir.Store():
                if self._type(a.target).keyed:
                    refuse("a map that has such keys is replaced as a whole", a.span)
                into = self._term(a.target, frame)
                self._fits(into, self._term(a.value, frame), a.span)
            case ir.If():
                self._term(a.condition, frame)
                before = self.made
                self._block(a.then, frame)
                then, self.made = self.made, before
                self._block(a.other, frame)
                self.made = max(then, self.made)
            case ir.For():
                outer, frame.loop = frame.loop, True
                if self._generator(a.generator, frame):
                    refuse("a loop over all of them", a.span)
                self._block(a.body, frame)
                self._block(a.body, frame)
                frame.loop = outer
            case ir.Return(value=ir.Term() as value):
                kind = self._term(value, frame, frame.claim)
                before = frame.result if frame.returned else kind
                frame.result = self._joined(before, kind, a.span)
                frame.returned = True
            case ir.Refine():
                refuse("a refinement", a.span)
            case _:
                pass

    # Kinds

    def _joined(self, a: Kind, b: Kind, span: Span | None) -> Kind:
        """The kind of a value that is one or the other."""
        if Kind.ORDERED not in (a, b):
            return a if a is b else Kind.OTHER
        if Kind.OTHER in (a, b):
            refuse("such a value and another number in one place", span)
        return Kind.ORDERED

    def _fits(self, into: Kind, kind: Kind, span: Span | None) -> None:
        if into is Kind.ORDERED and kind is Kind.OTHER:
            refuse("another number becomes such a value", span)
        if into is not Kind.ORDERED and kind is Kind.ORDERED:
            refuse("such a value becomes another number", span)

    # Terms

    def _term(self, a: ir.Term, frame: _FunctionFrame, forall: bool = False) -> Kind:
        """The kind of a term's value. `forall`: a claim is false if this is."""
        match a:
            case ir.Constant():
                return self._constant(a)
            case ir.Name(name=name):
                return frame.names.get(name, Kind.OTHER)
            case ir.Get(base=base, name=name):
                self._term(base, frame)
                return self._type(base).part(name).kind
            case ir.At():
                return self._at(a, frame)
            case ir.Slice():
                self._term(a.base, frame)
                self._numbers([end for end in (a.low, a.high) if end is not None], frame)
                return Kind.OTHER
            case ir.Apply():
                return self._apply(a, frame, forall)
            case ir.Choose():
                self._term(a.condition, frame)
                then = self._term(a.then, frame, forall)
                return self._joined(then, self._term(a.other, frame, forall), a.span)
            case ir.Make():
                return self._make(a, frame)
            case ir.Each():
                return self._each(a, frame, forall)
            case _:
                assert isinstance(a, ir.Call)
                return self._call(a, frame, forall)

    def _numbers(self, terms: Iterable[ir.Term], frame: _FunctionFrame) -> None:
        """Raises SpecError for a term that is one of the values, where a plain number is needed."""
        for term in terms:
            if self._term(term, frame) is Kind.ORDERED:
                refuse("such a value is used as a number", term.span)

    def _constant(self, a: ir.Constant) -> Kind:
        other = self._twin(a).value
        if isinstance(a.value, int) and not isinstance(a.value, bool):
            if a.value == other:
                return Kind.KNOWN if a.value in (-1, 0) else Kind.OTHER
            if (a.value, other) == (self.value, self.value + 1):
                return Kind.ORDERED
            refuse("a number is worked out from the constant", a.span)
        if repr(a.value) != repr(other):  # the actors of two loads are different objects
            refuse("a value is worked out from the constant", a.span)
        return Kind.OTHER

    def _at(self, a: ir.At, frame: _FunctionFrame) -> Kind:
        self._term(a.base, frame)
        base = self._type(a.base)
        if isinstance(base.one, MapDomain):
            keys, values = base.parts
            key = self._term(a.key, frame)
            if isinstance(keys.one, IntDomain) and keys.moves != (key is Kind.ORDERED):
                refuse("a key is not such a value, or is one where it should not be", a.span)
            return values.kind
        self._numbers([a.key], frame)
        (element,) = base.parts
        return element.kind

    _COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")

    def _apply(self, a: ir.Apply, frame: _FunctionFrame, forall: bool) -> Kind:
        deeper = forall and a.op in ("and", "or")
        kinds = [self._term(arg, frame, deeper) for arg in a.args]
        if a.op in ("the", "need", "sure"):
            held = self._type(a.args[0])
            return held.parts[0].kind if isinstance(held.one, OptionDomain) else Kind.OTHER
        if a.op in ("==", "!=") and any(self._type(arg).keyed for arg in a.args):
            refuse("maps that have such keys are compared as a whole", a.span)
        if Kind.ORDERED not in kinds:
            return Kind.OTHER
        if a.op in self._COMPARISONS or a.op in ("min", "max"):
            if Kind.OTHER in kinds:
                refuse("such a value is compared with another number", a.span)
            return Kind.OTHER if a.op in self._COMPARISONS else Kind.ORDERED
        if a.op == "+" and _is_one(a.args[1]) and not frame.loop and not frame.claim:
            self.made += 1
            return Kind.ORDERED
        refuse(f"such a value is used in {a.op}", a.span)

    def _make(self, a: ir.Make, frame: _FunctionFrame) -> Kind:
        if not isinstance(a.type, StructDomain):
            self._numbers(a.items, frame)
            return Kind.OTHER
        for field, item in zip(self._type(a).parts, a.items, strict=True):
            if field.keyed:
                refuse("a map that has such keys is made as a whole", a.span)
            kind = self._term(item, frame)
            if isinstance(field.one, IntDomain):
                self._fits(field.kind, kind, a.span)
        return Kind.OTHER

    def _each(self, a: ir.Each, frame: _FunctionFrame, forall: bool) -> Kind:
        names, loop = dict(frame.names), frame.loop
        frame.loop = True
        free = forall and a.kind == "all"
        for generator in a.generators:
            if self._generator(generator, frame):
                if not free:
                    refuse("something else than a claim for all of them", a.span)
                self.asked += 1
        kind = self._term(a.body, frame, free)
        if a.key is not None:
            refuse("a choice by a key", a.span)
        if a.default is not None:
            self._numbers([a.default], frame)
        if kind is Kind.ORDERED:
            refuse(f"such values are put together by {a.kind}", a.span)
        frame.names, frame.loop = names, loop
        return Kind.OTHER

    def _generator(self, a: ir.Generator, frame: _FunctionFrame) -> bool:
        """Binds the names of a generator; whether it runs over all of the values."""
        source, everything = a.source, False
        kinds = [Kind.OTHER] * len(a.names)
        if source.domain is not None:
            other = self._twin(source).domain
            assert other is not None
            kinds = [DomainPair(source.domain, other, self.value).kind]
            everything = kinds == [Kind.ORDERED]
        elif source.kind == "range":
            self._numbers(source.terms, frame)
        elif source.kind != "while":
            (term,) = source.terms
            self._term(term, frame)
            over = self._type(term)
            held = [part.kind for part in over.parts]
            if isinstance(over.one, MapDomain):
                everything = held[0] is Kind.ORDERED
                kinds = {"keys": held[:1], "values": held[1:]}.get(source.kind, held)
            elif held:
                kinds = [Kind.OTHER, *held][-len(a.names) :]
        frame.names.update(zip(a.names, kinds, strict=True))
        if a.condition is not None:
            self._term(a.condition, frame)
        return everything

    def _call(self, a: ir.Call, frame: _FunctionFrame, forall: bool) -> Kind:
        one, two = self.one.helpers[a.function], self.other.helpers[self._twin(a).function]
        inner = _FunctionFrame({}, forall, frame.loop)
        for (name, domain), arg in zip(one.parameters.items(), a.args, strict=True):
            kind = self._term(arg, frame)
            if isinstance(domain, IntDomain) and kind is Kind.KNOWN:
                kind = DomainPair(domain, two.parameters[name], self.value).kind
            inner.names[name] = kind
        self._function(one, two, inner)
        return inner.result


def _is_one(term: ir.Term) -> bool:
    return isinstance(term, ir.Constant) and term.value == 1
