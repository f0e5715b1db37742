"""Whether a spec does no more with the values that a constant bounds than to compare them.

Two IRs of the same spec are walked side by side, at two values of the constant. A place whose
domain is not the same in both holds such values; they are told apart from other numbers as they
pass through names, calls and stores. Allowed are comparisons with each other, with -1, 0 and the
constant, to be a key of a map that has such keys, and in actions the next one (+ 1). A claim may
speak of all of them at once only as "for all", where its falsehood needs no more than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NoReturn, cast

from specmodel.domains import (
    Domain,
    IntDomain,
    MapDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    StructDomain,
)
from specmodel.errors import Span, SpecError
from specmodel.ir import nodes as ir


class Kind(Enum):
    """What a term's value is: one of the values looked at, -1 or 0, or anything else."""

    ORDERED = "ordered"
    KNOWN = "known"
    OTHER = "other"


def refuse(what: str, span: Span | None = None) -> NoReturn:
    """Raises SpecError: a proof at one value of the constant says nothing of others."""
    raise SpecError(what, span)


@dataclass(frozen=True)
class Pair:
    """The domain of the same place at two values of a constant."""

    one: Domain
    other: Domain

    def moves(self, value: int) -> bool:
        """Whether these are integers up to the constant, whose lesser value this is."""
        if not (isinstance(self.one, IntDomain) and isinstance(self.other, IntDomain)):
            return False
        if self.one == self.other:
            return False
        one, other = self.one, self.other
        if one.low != other.low or one.low not in (-1, 0) or other.high != one.high + 1:
            refuse(f"it changes {one} to {other}")
        if one.high not in (value - 1, value):
            refuse(f"{one} does not end with the constant, which is {value}")
        return True


@dataclass
class _Frame:
    """A function being walked.

    `names` say what they hold; `claim`, that "for all" is allowed in what it returns; `loop`, that
    this is done again and again.
    """

    names: dict[str, Kind]
    claim: bool
    loop: bool = False
    result: Kind = Kind.OTHER
    returned: bool = False


class OrderOnly:
    """Walks two models of one spec. Raises SpecError, with the place, for any other use."""

    def __init__(self, one: ir.Model, other: ir.Model, value: int) -> None:
        self.one = one
        self.other = other
        self.value = value
        self.made = 0
        self.asked = 0

    def action(self, name: str) -> int:
        """How many values an action can come across that its state does not hold."""
        a, b = self.one.actions[name], self.other.actions[name]
        self.made = 0
        frame = _Frame({}, claim=False)
        given = 0
        for parameter, domain in a.parameters.items():
            moves = Pair(domain, b.parameters[parameter]).moves(self.value)
            frame.names[parameter] = Kind.ORDERED if moves else Kind.OTHER
            given += moves
        self._block(a.body, b.body, frame)
        return given + self.made

    def claim(self, name: str) -> int:
        """How many values a property can be false of at once that its state does not hold."""
        a, b = self.one.properties[name][1], self.other.properties[name][1]
        self.asked = 0
        self._block(a.body, b.body, _Frame(dict.fromkeys(a.parameters, Kind.OTHER), claim=True))
        return self.asked

    # Statements

    def _block(
        self, one: Sequence[ir.Statement], other: Sequence[ir.Statement], frame: _Frame
    ) -> None:
        if len(one) != len(other):
            refuse("the constant decides what the code is", one[0].span if one else None)
        for a, b in zip(one, other, strict=True):
            self._statement(a, b, frame)

    def _statement(self, a: ir.Statement, b: ir.Statement, frame: _Frame) -> None:
        if type(a) is not type(b):
            refuse("the constant decides what the code is", a.span)
        if isinstance(a, ir.Require):
            self._term(a.condition, cast("ir.Require", b).condition, frame, False)
        elif isinstance(a, ir.Bind):
            kind = self._term(a.value, cast("ir.Bind", b).value, frame, False)
            known = frame.names.get(a.name, kind)
            frame.names[a.name] = self._joined(known, kind, a.span)
        elif isinstance(a, ir.Store):
            other = cast("ir.Store", b)
            if _keyed(a.target.type, other.target.type, self.value):
                refuse("a map that has such keys is replaced as a whole", a.span)
            into = self._term(a.target, other.target, frame, False)
            self._fits(into, self._term(a.value, other.value, frame, False), a.span)
        elif isinstance(a, ir.If):
            other = cast("ir.If", b)
            self._term(a.condition, other.condition, frame, False)
            before = self.made
            self._block(a.then, other.then, frame)
            then, self.made = self.made, before
            self._block(a.other, other.other, frame)
            self.made = max(then, self.made)
        elif isinstance(a, ir.For):
            other = cast("ir.For", b)
            outer, frame.loop = frame.loop, True
            if self._generator(a.generator, other.generator, frame):
                refuse("a loop over all of them", a.span)
            self._block(a.body, other.body, frame)
            self._block(a.body, other.body, frame)
            frame.loop = outer
        elif isinstance(a, ir.Perform):
            self._term(a.call, cast("ir.Perform", b).call, frame, False)
        elif isinstance(a, ir.Return):
            other = cast("ir.Return", b)
            if a.value is not None and other.value is not None:
                kind = self._term(a.value, other.value, frame, frame.claim)
                before = frame.result if frame.returned else kind
                frame.result = self._joined(before, kind, a.span)
                frame.returned = True

    # Kinds

    def _joined(self, a: Kind, b: Kind, span: Span | None) -> Kind:
        """The kind of what is one or the other."""
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

    def _of_type(self, one: Domain, other: Domain) -> Kind:
        """The kind of what a place of a domain holds."""
        return Kind.ORDERED if Pair(one, other).moves(self.value) else Kind.OTHER

    # Terms

    def _term(self, a: ir.Term, b: ir.Term, frame: _Frame, forall: bool) -> Kind:
        """The kind of a term's value. `forall`: a claim is false if this is."""
        if type(a) is not type(b):
            refuse("the constant decides what the code is", a.span)
        if isinstance(a, ir.Constant):
            return self._constant(a, cast("ir.Constant", b))
        if isinstance(a, ir.Name):
            return frame.names.get(a.name, Kind.OTHER)
        if isinstance(a, ir.Get):
            other = cast("ir.Get", b)
            self._term(a.base, other.base, frame, False)
            one, two = a.base.type, other.base.type
            assert isinstance(one, StructDomain) and isinstance(two, StructDomain)
            return self._of_type(one.fields[a.name], two.fields[a.name])
        if isinstance(a, ir.At):
            return self._at(a, cast("ir.At", b), frame)
        if isinstance(a, ir.Slice):
            other = cast("ir.Slice", b)
            self._term(a.base, other.base, frame, False)
            for one, two in ((a.low, other.low), (a.high, other.high)):
                if one is not None and two is not None:
                    self._number(one, two, frame)
            return Kind.OTHER
        if isinstance(a, ir.Apply):
            return self._apply(a, cast("ir.Apply", b), frame, forall)
        if isinstance(a, ir.Choose):
            other = cast("ir.Choose", b)
            self._term(a.condition, other.condition, frame, False)
            then = self._term(a.then, other.then, frame, forall)
            return self._joined(then, self._term(a.other, other.other, frame, forall), a.span)
        if isinstance(a, ir.Make):
            return self._make(a, cast("ir.Make", b), frame)
        if isinstance(a, ir.Each):
            return self._each(a, cast("ir.Each", b), frame, forall)
        assert isinstance(a, ir.Call)
        return self._call(a, cast("ir.Call", b), frame, forall)

    def _number(self, a: ir.Term, b: ir.Term, frame: _Frame) -> None:
        """Raises SpecError for a term that is one of the values, where a plain number is due."""
        if self._term(a, b, frame, False) is Kind.ORDERED:
            refuse("such a value is used as a number", a.span)

    def _constant(self, a: ir.Constant, b: ir.Constant) -> Kind:
        if isinstance(a.value, int) and not isinstance(a.value, bool):
            if a.value == b.value:
                return Kind.KNOWN if a.value in (-1, 0) else Kind.OTHER
            if (a.value, b.value) == (self.value, self.value + 1):
                return Kind.ORDERED
            refuse("a number is worked out from the constant", a.span)
        if repr(a.value) != repr(b.value):  # two loads have no actors in common
            refuse("a value is worked out from the constant", a.span)
        return Kind.OTHER

    def _at(self, a: ir.At, b: ir.At, frame: _Frame) -> Kind:
        self._term(a.base, b.base, frame, False)
        one, two = a.base.type, b.base.type
        if isinstance(one, MapDomain) and isinstance(two, MapDomain):
            key = self._term(a.key, b.key, frame, False)
            keyed = Pair(one.key, two.key).moves(self.value)
            if isinstance(one.key, IntDomain) and keyed != (key is Kind.ORDERED):
                refuse("a key is not such a value, or is one where it should not be", a.span)
            return self._of_type(one.value, two.value)
        assert isinstance(one, SeqDomain) and isinstance(two, SeqDomain)
        self._number(a.key, b.key, frame)
        return self._of_type(one.element, two.element)

    _COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")

    def _apply(self, a: ir.Apply, b: ir.Apply, frame: _Frame, forall: bool) -> Kind:
        if a.op != b.op:
            refuse("the constant decides what the code is", a.span)
        deeper = forall and a.op in ("and", "or")
        kinds = [self._term(x, y, frame, deeper) for x, y in zip(a.args, b.args, strict=True)]
        if a.op in ("the", "need", "sure"):
            one, two = a.args[0].type, b.args[0].type
            if isinstance(one, OptionDomain) and isinstance(two, OptionDomain):
                return self._of_type(one.inner, two.inner)
            return Kind.OTHER
        if a.op in ("==", "!=") and any(
            _keyed(x.type, y.type, self.value) for x, y in zip(a.args, b.args, strict=True)
        ):
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

    def _make(self, a: ir.Make, b: ir.Make, frame: _Frame) -> Kind:
        one, two = a.type, b.type
        if isinstance(one, StructDomain) and isinstance(two, StructDomain):
            fields = zip(one.fields.values(), two.fields.values(), a.items, b.items, strict=True)
            for first, second, x, y in fields:
                if _keyed(first, second, self.value):
                    refuse("a map that has such keys is made as a whole", a.span)
                kind = self._term(x, y, frame, False)
                if isinstance(first, IntDomain):
                    self._fits(self._of_type(first, second), kind, a.span)
            return Kind.OTHER
        for x, y in zip(a.items, b.items, strict=True):
            self._number(x, y, frame)
        return Kind.OTHER

    def _each(self, a: ir.Each, b: ir.Each, frame: _Frame, forall: bool) -> Kind:
        names, loop = dict(frame.names), frame.loop
        frame.loop = True
        free = forall and a.kind == "all"
        for one, two in zip(a.generators, b.generators, strict=True):
            if self._generator(one, two, frame):
                if not free:
                    refuse("something else than a claim for all of them", a.span)
                self.asked += 1
        kind = self._term(a.body, b.body, frame, free)
        if a.default is not None and b.default is not None:
            self._number(a.default, b.default, frame)
        if kind is Kind.ORDERED:
            refuse(f"such values are put together by {a.kind}", a.span)
        frame.names, frame.loop = names, loop
        return Kind.OTHER

    def _generator(self, a: ir.Generator, b: ir.Generator, frame: _Frame) -> bool:
        """Binds the names of a generator; whether it runs over all of the values."""
        source, other = a.source, b.source
        terms = list(zip(source.terms, other.terms, strict=True))
        everything, kinds = False, [Kind.OTHER] * len(a.names)
        if source.kind == "domain":
            assert source.domain is not None and other.domain is not None
            everything = Pair(source.domain, other.domain).moves(self.value)
            kinds = [Kind.ORDERED if everything else Kind.OTHER]
        elif source.kind == "range":
            for x, y in terms:
                self._number(x, y, frame)
        else:
            ((x, y),) = terms
            self._term(x, y, frame, False)
            one, two = x.type, y.type
            if isinstance(one, MapDomain) and isinstance(two, MapDomain):
                everything = Pair(one.key, two.key).moves(self.value)
                key = Kind.ORDERED if everything else Kind.OTHER
                value = self._of_type(one.value, two.value)
                kinds = {"keys": [key], "values": [value]}.get(source.kind, [key, value])
            elif isinstance(one, (SeqDomain, SetDomain)):
                assert isinstance(two, (SeqDomain, SetDomain))
                kinds = [Kind.OTHER, self._of_type(one.element, two.element)][-len(a.names) :]
        frame.names.update(zip(a.names, kinds, strict=True))
        if a.condition is not None and b.condition is not None:
            self._term(a.condition, b.condition, frame, False)
        return everything

    def _call(self, a: ir.Call, b: ir.Call, frame: _Frame, forall: bool) -> Kind:
        one, two = self.one.helpers[a.function], self.other.helpers[b.function]
        inner = _Frame({}, forall, frame.loop)
        pairs = zip(one.parameters.items(), a.args, b.args, strict=True)
        for (name, domain), x, y in pairs:
            kind = self._term(x, y, frame, False)
            if isinstance(domain, IntDomain) and kind is Kind.KNOWN:
                kind = self._of_type(domain, two.parameters[name])
            inner.names[name] = kind
        self._block(one.body, two.body, inner)
        return inner.result


def _is_one(term: ir.Term) -> bool:
    return isinstance(term, ir.Constant) and term.value == 1


def _keyed(one: Domain, other: Domain, value: int) -> bool:
    """Whether a domain has a map in it whose keys are such values."""
    if isinstance(one, MapDomain) and isinstance(other, MapDomain):
        return Pair(one.key, other.key).moves(value) or _keyed(one.value, other.value, value)
    if isinstance(one, StructDomain) and isinstance(other, StructDomain):
        parts = zip(one.fields.values(), other.fields.values(), strict=True)
        return any(_keyed(a, b, value) for a, b in parts)
    if isinstance(one, OptionDomain) and isinstance(other, OptionDomain):
        return _keyed(one.inner, other.inner, value)
    if isinstance(one, SeqDomain) and isinstance(other, SeqDomain):
        return _keyed(one.element, other.element, value)
    return False
