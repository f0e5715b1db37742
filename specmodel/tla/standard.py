"""The standard modules: Naturals, Integers, Sequences, FiniteSets, Bags, TLC and some others.

Their operators are written in Python, with the meaning that TLC gives them. A module for proofs has
no operators that a search needs, so it is empty.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from itertools import permutations
from typing import Any

from specmodel.tla.community import COMMUNITY
from specmodel.tla.lazily import (
    INT,
    NAT,
    SequenceSpace,
    endless,
    finite,
    interval,
    size_of,
)
from specmodel.tla.natives import (
    apply_pairs,
    function,
    holds,
    integer,
    op,
    sequence,
    within,
)
from specmodel.tla.scopes import ModuleScope, NativeSymbol, RefusedSymbol, TlaSymbol
from specmodel.tla.values import (
    FALSE,
    GREATEST,
    LEAST,
    TRUE,
    EvaluationError,
    Value,
    equal,
    function_of,
    ordered,
    settled,
    text_of,
    truth,
)

# Numbers


def _arithmetic(name: str, call: Callable[[int, int], int]) -> NativeSymbol:
    def run(a: Value, b: Value) -> Value:
        if a.__class__ is int and b.__class__ is int:
            found = call(a, b)
            return found if LEAST <= found <= GREATEST else within(found)
        return within(call(integer(a, name), integer(b, name)))

    return op(name, run, 0, 0)


def _comparison(name: str, call: Callable[[int, int], bool]) -> NativeSymbol:
    def run(a: Value, b: Value) -> Value:
        if a.__class__ is int and b.__class__ is int:
            return TRUE if call(a, b) else FALSE
        return truth(call(integer(a, name), integer(b, name)))

    return op(name, run, 0, 0)


def _power(a: int, b: int) -> int:
    if b < 0 or (a == 0 and b == 0):
        raise EvaluationError(f"{a}^{b} has no value")
    if abs(a) > 1 and b > 31:
        raise EvaluationError(f"{a}^{b} has more than 32 bits")
    return a**b


def _divided(a: int, b: int) -> int:
    if b == 0:
        raise EvaluationError(f"{a} is divided by 0")
    return a // b


def _modulo(a: int, b: int) -> int:
    if b <= 0:
        raise EvaluationError(f"{a} % {b}: the second number is above 0")
    return a % b


def _constant(name: str, value: Value) -> NativeSymbol:
    return op(name, lambda: value)


_NATURALS = [
    _arithmetic("+", operator.add),
    _arithmetic("-", operator.sub),
    _arithmetic("*", operator.mul),
    _arithmetic("^", _power),
    _arithmetic("\\div", _divided),
    _arithmetic("%", _modulo),
    _comparison("<", operator.lt),
    _comparison(">", operator.gt),
    _comparison("\\leq", operator.le),
    _comparison("\\geq", operator.ge),
    op("..", lambda a, b: interval(integer(a, ".."), integer(b, "..")), 0, 0),
    _constant("Nat", NAT),
]
_INTEGERS = [
    *_NATURALS,
    _constant("Int", INT),
    op("-.", lambda a: within(-integer(a, "-")), 0),
]

# Sequences


def _length(held: Value) -> Value:
    held = settled(held)
    return len(held) if isinstance(held, str) else len(sequence(held, "Len"))


def _concatenated(first: Value, second: Value) -> Value:
    first, second = settled(first), settled(second)
    if isinstance(first, str) and isinstance(second, str):
        return first + second
    return sequence(first, "\\o") + sequence(second, "\\o")


def _head(held: Value) -> Value:
    items = sequence(held, "Head")
    if not items:
        raise EvaluationError("Head of the empty sequence")
    return items[0]


def _tail(held: Value) -> Value:
    items = sequence(held, "Tail")
    if not items:
        raise EvaluationError("Tail of the empty sequence")
    return items[1:]


def _part(held: Value, first: Value, last: Value) -> Value:
    items = sequence(held, "SubSeq")
    first, last = integer(first, "SubSeq"), integer(last, "SubSeq")
    if first > last:
        return ()
    if first < 1 or last > len(items):
        what = text_of(items, 60)
        raise EvaluationError(f"SubSeq({what}, {first}, {last}) is beyond the sequence")
    return items[first - 1 : last]


def _selected(held: Value, test: Callable[[Value], Value]) -> Value:
    return tuple([v for v in sequence(held, "SelectSeq") if holds(test(v), "SelectSeq")])


_SEQUENCES = [
    op("Seq", SequenceSpace, 0),
    op("Len", _length, 0),
    op("\\o", _concatenated, 0, 0),
    op("Append", lambda s, v: (*sequence(s, "Append"), settled(v)), 0, 0),
    op("Head", _head, 0),
    op("Tail", _tail, 0),
    op("SubSeq", _part, 0, 0, 0),
    op("SelectSeq", _selected, 0, 1),
]

# Sets and TLC

_FINITE_SETS = [
    op("Cardinality", lambda s: within(size_of(s)), 0),
    op("IsFiniteSet", lambda s: truth(not endless(s) and size_of(s) >= 0), 0),
]


def _assert(value: Value, said: Value) -> Value:
    if value is TRUE:
        return TRUE
    held = settled(said)
    text = held if isinstance(held, str) else text_of(held, 200)
    raise EvaluationError(f"an Assert fails: {text}")


def _merged(first: Value, second: Value) -> Value:
    return function({**apply_pairs(second, "@@"), **apply_pairs(first, "@@")})


def _permutations(held: Value) -> Value:
    members = ordered(finite(held))
    return frozenset(
        [function_of(dict(zip(members, p, strict=True))) for p in permutations(members)]
    )


def _sorted(held: Value, before: Callable[[Value, Value], Value]) -> Value:
    found: list[Value] = []
    for item in sequence(held, "SortSeq"):
        place = len(found)
        while place and holds(before(item, found[place - 1]), "SortSeq"):
            place -= 1
        found.insert(place, item)
    return tuple(found)


def _refused(name: str, why: str) -> RefusedSymbol:
    return RefusedSymbol(name, None, why)


def _all_refused(why: str, names: str) -> list[RefusedSymbol]:
    return [_refused(name, why) for name in names.split()]


_FILES = "input and output are not supported"
_RANDOM = "a random choice is not supported"
_STATE = "what depends on the search itself is not supported"
_TLC = [
    op("Print", lambda said, value: (settled(said), settled(value))[1], 0, 0),
    op("PrintT", lambda said: (settled(said), TRUE)[1], 0),
    op("Assert", _assert, 0, 0),
    op(":>", lambda k, v: function_of({settled(k): settled(v)}), 0, 0),
    op("@@", _merged, 0, 0),
    op("Permutations", _permutations, 0),
    op("SortSeq", _sorted, 0, 2),
    op("ToString", lambda v: text_of(settled(v)), 0),
    op("TLCEval", settled, 0),
    _refused("JavaTime", _STATE),
    _refused("TLCGet", _STATE),
    _refused("TLCSet", _STATE),
    _refused("RandomElement", _RANDOM),
    _refused("Any", "Any is not supported"),
]
_REALS = [
    *_INTEGERS,
    _refused("Real", "real numbers are not supported"),
    _refused("/", "the division of real numbers is not supported"),
    _refused("Infinity", "real numbers are not supported"),
]
_TLC_EXT = [
    op("AssertEq", lambda a, b: truth(equal(a, b)), 0, 0),
    op("TLCNoOp", lambda value: value, 0),
    op("TLCCache", lambda value, _: value, 0, 0),
    *_all_refused(
        _STATE,
        "AssertError TLCGetOrDefault TLCGetAndSet Trace CounterExample ToTrace TLCModelValue "
        "TLCDefer PickSuccessor TLCFP TLCEvalDefinition",
    ),
]
_RANDOMIZATION = _all_refused(
    _RANDOM, "RandomSubset RandomSetOfSubsets RandomSubsetSet TestRandomSetOfSubsets"
)
_IO_UTILS = _all_refused(
    _FILES,
    "IOSerialize IODeserialize Serialize Deserialize IOExec IOEnvExec IOExecTemplate "
    "IOEnvExecTemplate IOEnv atoi zeroPadN",
)
_JSON = _all_refused(
    _FILES,
    "ToJson ToJsonArray ToJsonObject JsonSerialize JsonDeserialize ndJsonSerialize "
    "ndJsonDeserialize",
)
_SVG = _all_refused(
    "pictures are not supported",
    "SVGElem Line Circle Rect Text Image Group Svg SVGDoc SVGElemToString NodeOfRingNetwork "
    "NodesOfDirectedMultiGraph PointOnLine SVGSerialize",
)

_MODULES: Mapping[str, list[Any]] = {
    "Naturals": _NATURALS,
    "Integers": _INTEGERS,
    "Reals": _REALS,
    "Sequences": _SEQUENCES,
    "FiniteSets": _FINITE_SETS,
    "TLC": _TLC,
    "TLCExt": _TLC_EXT,
    "Randomization": _RANDOMIZATION,
    "IOUtils": _IO_UTILS,
    "Json": _JSON,
    "CSV": _all_refused(_FILES, "CSVWrite CSVWriteRecord CSVRead CSVRecords"),
    "SVG": _SVG,
    "ShiViz": _all_refused(_STATE, "Host Clock"),
    "Statistics": [*_NATURALS, *_all_refused("statistics are not supported", "ChiSquare")],
    "TLAPS": [],
    "Toolbox": [],
    "NaturalsInduction": [],
    "WellFoundedInduction": [],
    "FiniteSetTheorems": [*_FINITE_SETS, *_SEQUENCES],
    "SequenceTheorems": [*_SEQUENCES, *_INTEGERS],
    "FunctionTheorems": [],
    **COMMUNITY,
}
_made: dict[str, ModuleScope] = {}


def standard_modules() -> list[str]:
    """The names of the standard modules."""
    return list(_MODULES)


def standard_module(name: str) -> ModuleScope | None:
    """The names of a standard module; None if it is none."""
    if name not in _MODULES:
        return None
    if name not in _made:
        scope = ModuleScope(None, name)
        symbols: list[TlaSymbol] = _MODULES[name]
        for symbol in symbols:
            scope.add(symbol)
        _made[name] = scope
    return _made[name]
