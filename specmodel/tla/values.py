"""The values of TLA+, and TLC's equality of them.

Integers are ints and strings are strs. A finite set is a frozenset. A function with the domain 1..n
is a tuple, whether it is written as a tuple, a sequence or a function; any other function, a record
too, is a `FunctionValue`. So equal values are equal in Python. The truth values are objects of
their own, because Python's True equals 1. Sets and functions that are not computed yet are in
`lazily`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from typing import Any, Final

from specmodel.errors import SpecError

Value = Any
"""A value of TLA+."""


class Boolean:
    """TRUE or FALSE: compare with `is`."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return self is TRUE

    def __reduce__(self) -> str:
        return self.text


TRUE: Final = Boolean("TRUE")
FALSE: Final = Boolean("FALSE")


class ModelValue:
    """A value that a configuration names: it equals itself only.

    One whose name begins with a letter and an underscore has this letter as its type, and is
    compared with values of its type only. `order` is its place in the configuration.
    """

    __slots__ = ("name", "order", "type")

    def __init__(self, name: str, order: int) -> None:
        self.name = name
        self.order = order
        self.type = name[0] if len(name) > 2 and name[1] == "_" else ""

    def __repr__(self) -> str:
        return self.name


class FunctionValue:
    """A function whose domain is not 1..n: `pairs` has its values. Never changed once made."""

    __slots__ = ("_hash", "pairs", "shape")

    def __init__(self, pairs: dict[Value, Value]) -> None:
        self.pairs = pairs
        self._hash: int | None = None
        self.shape: Any = None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, FunctionValue) and self.pairs == other.pairs

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.pairs.items()))
        return self._hash

    def __reduce__(self) -> Any:
        return FunctionValue, (self.pairs,)  # another process has other hashes

    def __repr__(self) -> str:
        return text_of(self)


class EvaluationError(SpecError):
    """An expression has no value, as TLC says it."""


class Deferred:
    """A set or function that is not computed: `value` computes it. Compares as its value."""

    __slots__ = ()

    def value(self) -> Value:
        """The computed value. Raises EvaluationError if it is infinite."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        mine = self.value()
        return mine == (other.value() if isinstance(other, Deferred) else other)

    def __hash__(self) -> int:
        return hash(self.value())

    def __repr__(self) -> str:
        return repr(self.value())


EMPTY: Final[frozenset[Any]] = frozenset()
LEAST, GREATEST = -(1 << 31), (1 << 31) - 1
"""The integers of TLC have 32 bits."""


def truth(held: bool) -> Boolean:
    """A Python bool as a truth value."""
    return TRUE if held else FALSE


def settled(value: Value) -> Value:
    """A value that is computed."""
    return value if value.__class__ in KINDS else value.value()


def function_of(pairs: dict[Value, Value]) -> Value:
    """The function with these values, in its one form."""
    size = len(pairs)
    if not size:
        return ()
    if 1 in pairs and all(place in pairs for place in range(1, size + 1)):
        return tuple([pairs[place] for place in range(1, size + 1)])
    return FunctionValue(pairs)


def kind_of(value: Value) -> str:
    """The kind of a value: values of different kinds are not compared."""
    found = KINDS.get(value.__class__)
    if found is None:
        found = "set" if value.__class__.__name__ in DEFERRED_SETS else "function"
    return found


KINDS: dict[type[Any], str] = {
    int: "integer",
    str: "string",
    Boolean: "boolean",
    ModelValue: "model value",
    frozenset: "set",
    tuple: "function",
    FunctionValue: "function",
}
"""The kinds of computed values, by their classes."""

DEFERRED_SETS: set[str] = set()
"""The names of the classes of sets that are not computed."""


def equal(a: Value, b: Value) -> bool:
    """Whether two values are equal. Raises EvaluationError where TLC does not compare them."""
    if a is b:
        return True
    first, second = a.__class__, b.__class__
    if first is second:
        if first is int or first is str or first is ModelValue or first is Boolean:
            return _same_typed(a, b) if first is ModelValue else a == b
        if first is tuple:
            return a == b or (len(a) == len(b) and all(map(equal, a, b)))
        if first is FunctionValue:
            return a.pairs == b.pairs or _equal_functions(a.pairs, b.pairs)
        if first is frozenset:
            return _equal_sets(a, b)
    return _equal_mixed(a, b)


def _same_typed(a: ModelValue, b: ModelValue) -> bool:
    if a.type != b.type and a.type and b.type:
        raise _not_compared(a, b)
    return False


def _equal_functions(a: dict[Value, Value], b: dict[Value, Value]) -> bool:
    if len(a) != len(b):
        return False
    for key, value in a.items():
        other = b.get(key)
        if other is None:
            refuse_unlike(key, frozenset(b))
            return False
        if not equal(value, other):
            return False
    return True


def _equal_sets(a: frozenset[Any], b: frozenset[Any]) -> bool:
    return a == b or (len(a) == len(b) and all(map(equal, ordered(a), ordered(b))))


def _equal_mixed(a: Value, b: Value) -> bool:
    if a.__class__ is tuple and b.__class__ is FunctionValue and len(a) != len(b.pairs):
        return False
    if b.__class__ is tuple and a.__class__ is FunctionValue and len(b) != len(a.pairs):
        return False
    if isinstance(a, Deferred) or isinstance(b, Deferred):
        if kind_of(a) == kind_of(b):
            return equal(settled(a), settled(b))
        a, b = settled(a), settled(b)
    for one, other in ((a, b), (b, a)):
        if isinstance(one, ModelValue):
            if one.type and not (isinstance(other, ModelValue) and not other.type):
                raise _not_compared(a, b)
            return False
    if isinstance(a, tuple | FunctionValue) and isinstance(b, tuple | FunctionValue):
        x, y = pairs_of(a), pairs_of(b)
        return _equal_functions(x, y) if len(x) == len(y) else False
    raise _not_compared(a, b)


def _not_compared(a: Value, b: Value) -> EvaluationError:
    one, other = kind_of(a), kind_of(b)
    return EvaluationError(
        f"the {one} {text_of(a, 60)} is compared with the {other} {text_of(b, 60)}",
        hint="TLC compares values of one kind only",
    )


def refuse_unlike(value: Value, members: frozenset[Any]) -> None:
    """Raises EvaluationError if TLC does not compare a value with the members of a set."""
    if value.__class__ in _FLAT:
        for member in members:
            if member.__class__ is value.__class__:
                return
            if member.__class__ is not ModelValue or member.type:
                raise _not_compared(value, member)
        return
    if value.__class__ is ModelValue and not value.type:
        return
    shape = shape_of(value)
    if shape is not None and shape == _member_shape(members):
        return
    keys, key = _keys(members), order_key(value)
    place = bisect_left(keys, key)
    for near in range(max(0, place - 1), min(place + 1, len(keys))):
        if not _compared(key, keys[near]):
            raise _not_compared(value, ordered(members)[near])


def set_of(members: Iterable[Value]) -> frozenset[Any]:
    """The set of some values. Raises EvaluationError for values that TLC does not compare."""
    found = frozenset(map(settled, members))
    refuse_mixed(found)
    return found


def refuse_mixed(found: frozenset[Any]) -> None:
    """Raises EvaluationError for a set with members that TLC does not compare."""
    if len(found) > 1:
        classes = {member.__class__ for member in found}
        if len(classes) > 1 or (classes.isdisjoint(_FLAT) and _member_shape(found) is None):
            ordered(found)


_FLAT = frozenset((int, str, Boolean))
"""The classes of values without parts that are compared with each other."""


def shape_of(value: Value) -> Any:
    """What values that TLC compares have in common; None if it is not known."""
    kind = value.__class__
    if kind in _FLAT:
        return kind
    if kind is tuple:
        items = [shape_of(item) for item in value]
        if None in items or not items:
            return None
        first = items[0]
        return (tuple, first if items.count(first) == len(items) else tuple(items))
    if kind is frozenset:
        inner = _member_shape(value)
        return None if inner is None else (set, inner)
    if kind is FunctionValue:
        if value.shape is None:
            shapes = [shape_of(held) for held in value.pairs.values()]
            made = () if None in shapes else (*value.pairs, *shapes)
            if len(_function_shapes) > _MOST_KEPT:
                _function_shapes.clear()
            value.shape = _function_shapes.setdefault(made, made)
        return value.shape or None
    return value.type if kind is ModelValue else None


_function_shapes: dict[tuple[Any, ...], tuple[Any, ...]] = {(): ()}
"""The shapes of functions, each of them once in memory."""

_member_shapes: dict[frozenset[Any], Any] = {}


def _member_shape(members: frozenset[Any]) -> Any:
    """The shape that all members of a set have; None if they have no common one."""
    if members not in _member_shapes:
        if len(_member_shapes) > _MOST_KEPT:
            _member_shapes.clear()
        shapes = {shape_of(member) for member in members if member != EMPTY}
        shape: Any = shapes.pop() if len(shapes) == 1 else None
        if EMPTY in members and not (shape.__class__ is tuple and shape[0] is set):
            shape = None  # the empty set is compared with all sets
        _member_shapes[members] = shape
    return _member_shapes[members]


def alike(a: Value, b: Value) -> bool:
    """Whether two values are computed sets of which TLC is known to compare all members."""
    if a.__class__ is not frozenset or b.__class__ is not frozenset:
        return False
    if not a or not b:
        return True
    shape = _member_shape(a)
    return shape is not None and shape == _member_shape(b)


def _compared(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether TLC compares two values, given by their keys of `order_key`.

    The first parts that differ decide. If all members of a set that stand side by side in their
    order are compared, so are any two of them.
    """
    if one[0] != other[0] or one[0] == _NAMED:
        types = [key[1] for key in (one, other) if key[0] == _NAMED]
        return "" in types or (len(types) == 2 and types[0] == types[1])
    if one[0] < _SETS or one[1] != other[1]:
        return True
    for parts, others in zip(one[2:], other[2:], strict=True):
        for a, b in zip(parts, others, strict=True):
            if a != b:
                return _compared(a, b)
    return True


def pairs_of(function: Value) -> dict[Value, Value]:
    """The values of a function by its arguments."""
    if function.__class__ is tuple:
        held: tuple[Value, ...] = function
        return dict(enumerate(held, start=1))
    return function.pairs


def contains(members: Value, value: Value) -> bool:
    """Whether a set has a member. Raises EvaluationError for what is no set."""
    if members.__class__ is frozenset:
        value = settled(value)
        if value in members:
            return True
        if members:
            refuse_unlike(value, members)
        return False
    has: Callable[[Value], bool] | None = getattr(members, "has", None)
    if has is None:
        raise no_set(members)
    return has(settled(value))


def no_set(value: Value) -> EvaluationError:
    """The error about a value that should be a set."""
    return EvaluationError(f"{text_of(settled(value), 80)} is no set")


_ordered: dict[frozenset[Any], tuple[Value, ...]] = {}
_MOST_KEPT = 50_000


def ordered(members: frozenset[Any]) -> tuple[Value, ...]:
    """The members of a set in one fixed order: integers by size, strings by their letters.

    Raises EvaluationError for members that TLC does not compare.
    """
    found = _ordered.get(members)
    if found is None:
        if len(_ordered) > _MOST_KEPT:
            _ordered.clear()
        shape = _member_shape(members)
        if shape is int or shape is str:
            in_order = sorted(members)
        else:
            keyed = sorted([(order_key(m), place, m) for place, m in enumerate(members)])
            if shape is None:
                for (one, _, a), (other, _, b) in pairwise(keyed):
                    if not _compared(one, other):
                        raise _not_compared(a, b)
            in_order = [member for _, _, member in keyed]
        found = _ordered[members] = tuple(in_order)
    return found


_kept_keys: dict[frozenset[Any], tuple[tuple[Any, ...], ...]] = {}


def _keys(members: frozenset[Any]) -> tuple[tuple[Any, ...], ...]:
    """The keys of the members of a set, in their order."""
    found = _kept_keys.get(members)
    if found is None:
        if len(_kept_keys) > _MOST_KEPT:
            _kept_keys.clear()
        found = _kept_keys[members] = tuple(map(order_key, ordered(members)))
    return found


def has_names(value: Value) -> bool:
    """Whether strings or model values are parts of a value: TLC's order of them is its own."""
    if value.__class__ is int or value.__class__ is Boolean:
        return False
    if value.__class__ is frozenset or value.__class__ is tuple:
        return any(map(has_names, value))
    if isinstance(value, FunctionValue):
        return any(has_names(k) or has_names(v) for k, v in value.pairs.items())
    return True


def order_key(value: Value) -> tuple[Any, ...]:
    """A key that orders all values: of one kind as TLC does, as far as its order is defined.

    Functions are ordered by size, then by their domains, then by their values.
    """
    if value.__class__ is int:
        return (_INTEGERS, value)
    if value.__class__ is str:
        return (_STRINGS, value)
    if value.__class__ is Boolean:
        return (_TRUTHS, value is TRUE)
    if value.__class__ is ModelValue:
        return (_NAMED, value.type, value.order, value.name)
    if value.__class__ is frozenset:
        held: frozenset[Any] = value
        return (_SETS, len(held), _keys(held))
    if value.__class__ is tuple:
        items: tuple[Value, ...] = value
        return (_FUNCTIONS, len(items), _places(len(items)), tuple(map(order_key, items)))
    if isinstance(value, Deferred):
        return order_key(settled(value))
    both = sorted([(order_key(key), order_key(held)) for key, held in value.pairs.items()])
    return (_FUNCTIONS, len(both), tuple([k for k, _ in both]), tuple([v for _, v in both]))


_NAMED, _TRUTHS, _INTEGERS, _STRINGS, _SETS, _FUNCTIONS = range(6)


@cache
def _places(size: int) -> tuple[tuple[int, int], ...]:
    """The keys of the domain of a tuple."""
    return tuple((_INTEGERS, place) for place in range(1, size + 1))


# Their notation

_NAME = re.compile(r"\w*[A-Za-z]\w*")
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f"}


def text_of(value: Value, most: int | None = None) -> str:
    """A value in the notation of TLA+, cut after `most` characters."""
    try:
        text = _text(value)
    except RecursionError:
        text = "..."
    return text if most is None or len(text) <= most else f"{text[: most - 3]}..."


def quoted(text: str) -> str:
    """A string as TLA+ writes it."""
    return '"' + "".join(_ESCAPED.get(c, c) for c in text) + '"'


def _text(value: Value) -> str:
    if isinstance(value, str):
        return quoted(value)
    if value.__class__ is frozenset:
        return f"{{{', '.join(map(_text, ordered(value)))}}}"
    if value.__class__ is tuple:
        items: tuple[Value, ...] = value
        return f"<<{', '.join(map(_text, items))}>>"
    if isinstance(value, FunctionValue):
        pairs = value.pairs
        if all(isinstance(key, str) and _NAME.fullmatch(key) for key in pairs):
            return f"[{', '.join(f'{key} |-> {_text(held)}' for key, held in pairs.items())}]"
        keys = sorted(pairs, key=order_key)
        return f"({' @@ '.join(f'{_text(key)} :> {_text(pairs[key])}' for key in keys)})"
    return repr(value)
