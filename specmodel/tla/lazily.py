"""Sets and functions that are computed when they have to be, as TLC does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any, ClassVar

from specmodel.tla.pausing import HALT, poll
from specmodel.tla.values import (
    DEFERRED_SETS,
    EMPTY,
    Deferred,
    EvaluationError,
    FunctionValue,
    Value,
    contains,
    equal,
    function_of,
    kind_of,
    no_set,
    ordered,
    pairs_of,
    refuse_mixed,
    set_of,
    settled,
    text_of,
)

MOST_MEMBERS = 1_000_000
"""The greatest number of members of a set that is computed (TLC's own limit)."""


class DeferredSet(Deferred):
    """A set that is not computed. `text` says what it is in messages."""

    __slots__ = ("_value",)
    text: ClassVar[str] = "the set"

    def __init__(self) -> None:
        self._value: frozenset[Any] | None = None

    def __init_subclass__(cls) -> None:
        DEFERRED_SETS.add(cls.__name__)

    def has(self, value: Value) -> bool:
        """Whether a computed value is a member."""
        raise NotImplementedError

    def endless(self) -> bool:
        """Whether there is no end of members."""
        return False

    def size(self) -> int:
        """The number of members. Raises EvaluationError if there is no end."""
        raise NotImplementedError

    def members(self) -> Iterator[Value]:
        """The members, in a fixed order."""
        raise NotImplementedError

    def value(self) -> frozenset[Any]:
        if self._value is None:
            if self.size() > MOST_MEMBERS:
                raise EvaluationError(
                    f"{self.text} has {self.size():,} members",
                    hint=f"a set that is gone through has at most {MOST_MEMBERS:,}",
                )
            self._value = frozenset(self.members())
        return self._value


class Infinite(DeferredSet):
    """Nat, Int or STRING."""

    __slots__ = ("name", "test")

    def __init__(self, name: str, kind: str, test: Callable[[Value], bool]) -> None:
        super().__init__()
        self.name = name
        self.test = (kind, test)

    def has(self, value: Value) -> bool:
        kind, test = self.test
        return test(value) if kind_of(value) == kind else _no_member(value, self.name)

    def endless(self) -> bool:
        return True

    def size(self) -> int:
        raise EvaluationError(f"the set {self.name} has no end, and is gone through")

    def members(self) -> Iterator[Value]:
        self.size()
        yield

    def value(self) -> frozenset[Any]:
        self.size()
        return EMPTY

    def __eq__(self, other: object) -> bool:
        return self is other or super().__eq__(other)

    def __hash__(self) -> int:
        return hash(self.name)


NAT = Infinite("Nat", "integer", lambda v: v >= 0)
INT = Infinite("Int", "integer", lambda v: True)
STRING = Infinite("STRING", "string", lambda v: True)


class Interval(DeferredSet):
    """A long a..b."""

    __slots__ = ("high", "low")
    text = "an interval"

    def __init__(self, low: int, high: int) -> None:
        super().__init__()
        self.low, self.high = low, high

    def has(self, value: Value) -> bool:
        if value.__class__ is not int:
            return _no_member(value, "a set of integers")
        return self.low <= value <= self.high

    def size(self) -> int:
        return self.high - self.low + 1

    def members(self) -> Iterator[Value]:
        return iter(range(self.low, self.high + 1))


_SHORT = 4096
_intervals: dict[tuple[int, int], frozenset[int]] = {}


def interval(low: int, high: int) -> Value:
    """The set low..high."""
    if high < low:
        return EMPTY
    if high - low > _SHORT:
        return Interval(low, high)
    found = _intervals.get((low, high))
    if found is None:
        found = _intervals[low, high] = frozenset(range(low, high + 1))
    return found


class Powerset(DeferredSet):
    """SUBSET base."""

    __slots__ = ("base",)
    text = "the set of subsets"

    def __init__(self, base: Value) -> None:
        super().__init__()
        self.base = base

    def has(self, value: Value) -> bool:
        if kind_of(value) != "set":
            return _no_member(value, "a set of sets")
        return all(contains(self.base, member) for member in members(value))

    def endless(self) -> bool:
        return endless(self.base)

    def size(self) -> int:
        count = size_of(self.base)
        return 1 << min(count, 64)

    def members(self) -> Iterator[Value]:
        base = tuple(members(self.base))
        for chosen in range(1 << len(base)):
            if HALT:
                poll()
            yield frozenset([m for place, m in enumerate(base) if chosen >> place & 1])


class FunctionSpace(DeferredSet):
    """[source -> target]."""

    __slots__ = ("source", "target")
    text = "the set of functions"

    def __init__(self, source: Value, target: Value) -> None:
        super().__init__()
        self.source, self.target = source, target

    def has(self, value: Value) -> bool:
        if kind_of(value) != "function":
            return _no_member(value, "a set of functions")
        pairs = pairs_of(value)
        if not equal(frozenset(pairs), settled(self.source)):
            return False
        return all(contains(self.target, held) for held in pairs.values())

    def endless(self) -> bool:
        return endless(self.source) or endless(self.target)

    def size(self) -> int:
        arguments, results = size_of(self.source), size_of(self.target)
        return results ** min(arguments, 64) if results < 2 or arguments <= 64 else 1 << 64

    def members(self) -> Iterator[Value]:
        source = ordered(settled(self.source))
        results = tuple(members(self.target))
        in_order = source == tuple(range(1, len(source) + 1))
        for chosen in product(results, repeat=len(source)):
            if HALT:
                poll()
            yield chosen if in_order else FunctionValue(dict(zip(source, chosen, strict=True)))


class RecordSpace(DeferredSet):
    """[name : set, ...]."""

    __slots__ = ("fields",)
    text = "the set of records"

    def __init__(self, fields: Sequence[tuple[str, Value]]) -> None:
        super().__init__()
        self.fields = fields

    def has(self, value: Value) -> bool:
        if kind_of(value) != "function":
            return _no_member(value, "a set of records")
        pairs = pairs_of(value)
        if not all(isinstance(key, str) for key in pairs):
            return _no_member(value, "a set of records")
        if len(pairs) != len(self.fields):
            return False
        return all(name in pairs for name, _ in self.fields) and all(
            contains(held, pairs[name]) for name, held in self.fields
        )

    def endless(self) -> bool:
        return any(endless(held) for _, held in self.fields)

    def size(self) -> int:
        count = 1
        for _, held in self.fields:
            count *= size_of(held)
        return count

    def members(self) -> Iterator[Value]:
        names = [name for name, _ in self.fields]
        for chosen in product(*(tuple(members(held)) for _, held in self.fields)):
            yield FunctionValue(dict(zip(names, chosen, strict=True)))


class ProductSpace(DeferredSet):
    """A \\X B."""

    __slots__ = ("factors",)
    text = "the product"

    def __init__(self, factors: Sequence[Value]) -> None:
        super().__init__()
        self.factors = factors

    def has(self, value: Value) -> bool:
        if value.__class__ is not tuple:
            return _no_member(value, "a set of tuples")
        items: tuple[Value, ...] = value
        return len(items) == len(self.factors) and all(map(contains, self.factors, items))

    def endless(self) -> bool:
        return any(map(endless, self.factors))

    def size(self) -> int:
        count = 1
        for held in self.factors:
            count *= size_of(held)
        return count

    def members(self) -> Iterator[Value]:
        return product(*(tuple(members(held)) for held in self.factors))


class SequenceSpace(DeferredSet):
    """Seq(base)."""

    __slots__ = ("base",)
    text = "the set of sequences"

    def __init__(self, base: Value) -> None:
        super().__init__()
        self.base = base

    def has(self, value: Value) -> bool:
        if kind_of(value) != "function":
            return _no_member(value, "a set of sequences")
        if value.__class__ is not tuple:
            return False
        items: tuple[Value, ...] = value
        return all(contains(self.base, held) for held in items)

    def endless(self) -> bool:
        return True

    def size(self) -> int:
        raise EvaluationError("the set Seq(S) has no end, and is gone through")

    def members(self) -> Iterator[Value]:
        self.size()
        yield


class UnionSet(DeferredSet):
    """The union of sets that are not all computed."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Value]) -> None:
        super().__init__()
        self.parts = parts

    def has(self, value: Value) -> bool:
        return any(contains(part, value) for part in self.parts)

    def endless(self) -> bool:
        return any(map(endless, self.parts))

    def size(self) -> int:
        return len(self.value())

    def members(self) -> Iterator[Value]:
        return iter(ordered(self.value()))

    def value(self) -> frozenset[Any]:
        if self._value is None:
            self._value = frozenset([v for part in self.parts for v in finite(part)])
            refuse_mixed(self._value)
        return self._value


class FilteredSet(DeferredSet):
    """{x \\in base : test(x)}, where the base is not computed."""

    __slots__ = ("base", "test")
    text = "the set"

    def __init__(self, base: Value, test: Callable[[Value], bool]) -> None:
        super().__init__()
        self.base = base
        self.test = test

    def has(self, value: Value) -> bool:
        return contains(self.base, value) and self.test(value)

    def endless(self) -> bool:
        return endless(self.base)

    def size(self) -> int:
        return len(self.value())

    def members(self) -> Iterator[Value]:
        return filter(self.test, members(self.base))

    def value(self) -> frozenset[Any]:
        if self._value is None:
            self._value = frozenset(self.members())
        return self._value


class DeferredFunction(Deferred):
    """A function whose values are computed when they are asked for.

    `compute` gives the value for an argument within the domain.
    """

    __slots__ = ("_value", "compute", "domain", "known")

    def __init__(self, domain: Value, compute: Callable[[Value], Value]) -> None:
        self.domain = domain
        self.compute = compute
        self.known: dict[Value, Value] = {}
        self._value: Value = None

    def at(self, argument: Value) -> Value:
        """The value for an argument; None outside the domain."""
        if self._value is not None:
            return at(self._value, argument)
        argument = settled(argument)
        found = self.known.get(argument)
        if found is None:
            if not contains(self.domain, argument):
                return None
            found = self.known[argument] = settled(self.compute(argument))
        return found

    def value(self) -> Value:
        if self._value is None:
            known, compute, pairs = self.known, self.compute, dict[Value, Value]()
            for argument in members(self.domain):
                found = known.get(argument)
                pairs[argument] = settled(compute(argument)) if found is None else found
            self._value = function_of(pairs)
        return self._value


def at(function: Value, argument: Value) -> Value:
    """The value of a function; None outside its domain. Raises EvaluationError for no function."""
    kind = function.__class__
    if kind is tuple:
        if argument.__class__ is int:
            return function[argument - 1] if 0 < argument <= len(function) else None
        if function and kind_of(argument) != "model value":
            raise EvaluationError(f"{text_of(settled(argument), 80)} is no index of a sequence")
        return None
    if kind is FunctionValue:
        return function.pairs.get(argument)
    if kind is DeferredFunction:
        return function.at(argument)
    raise EvaluationError(f"{text_of(settled(function), 80)} is no function, and is applied")


def domain_of(function: Value) -> Value:
    """The domain of a function. Raises EvaluationError for what is no function."""
    kind = function.__class__
    if kind is tuple:
        return interval(1, len(function))
    if kind is FunctionValue:
        return frozenset(function.pairs)
    if kind is DeferredFunction:
        if not endless(function.domain):
            function.value()  # as in TLC, which computes its values here
        return function.domain
    raise EvaluationError(f"DOMAIN of {text_of(settled(function), 80)}, which is no function")


def members(held: Value) -> Iterable[Value]:
    """The members of a set in a fixed order. Raises EvaluationError for no set, or no end."""
    if held.__class__ is frozenset:
        return ordered(held)
    if isinstance(held, DeferredSet):
        if held.endless():
            held.size()
        return held.members()
    raise no_set(held)


def finite(held: Value) -> frozenset[Any]:
    """A set, computed. Raises EvaluationError for no set, or no end."""
    if held.__class__ is frozenset:
        return held
    if isinstance(held, DeferredSet):
        return held.value()
    raise no_set(held)


def endless(held: Value) -> bool:
    """Whether a set has no end."""
    return isinstance(held, DeferredSet) and held.endless()


def size_of(held: Value) -> int:
    """The number of members of a set. Raises EvaluationError for no set, or no end."""
    if held.__class__ is frozenset:
        return len(held)
    if isinstance(held, DeferredSet):
        return held.size()
    raise no_set(held)


def image(values: Iterable[Value]) -> frozenset[Any]:
    """The set of some values that may not be computed yet."""
    return set_of(values)


def _no_member(value: Value, what: str) -> bool:
    """False for a model value. Raises EvaluationError for any other value, as it is no member."""
    if kind_of(value) == "model value":
        return False
    raise EvaluationError(f"{text_of(value, 80)} is looked for in {what}")
