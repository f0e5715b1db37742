"""Packed states as columns of nested values, in Arrow.

A number is a number, a truth value a truth value, an enum member or actor its name. An absent value
is null. A struct is a struct, a map a map, a set or list a list. A union has the name of its class,
`tag`, and a column for each alternative, null in all but one. `specmodel.space.expressions` is the
same in SQL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.domains import (
    BoolDomain,
    Domain,
    IntDomain,
    MapDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    SlottedDomain,
    StructDomain,
    TupleDomain,
    UnionDomain,
)
from specmodel.ir.layout import Layout, chunks_of, codes_of, payload_of, width
from specmodel.space.arrow import arrow
from specmodel.space.types import plain

Codes = NDArray[np.int64]


def decoded(layout: Layout, words: Sequence[NDArray[np.int64]]) -> dict[str, Any]:
    """The fields of some states as Arrow arrays, by name."""
    unsigned = [word.view(np.uint64) for word in words]
    codes = (
        ((unsigned[slot.word] >> np.uint64(slot.shift)) & np.uint64(slot.mask)).astype(np.int64)
        for slot in layout.slots
    )
    rows = len(words[0])
    return {name: _column(kind, codes, rows) for name, kind in layout.domain.fields.items()}


def _column(domain: Domain, codes: Iterator[Codes], rows: int) -> Any:
    """The values whose leaves have these codes; consumes as many as the domain has leaves."""
    if domain.scalar:
        return _scalars(domain, next(codes))
    if isinstance(domain, OptionDomain):
        present = next(codes) == 1
        held = _column(domain.inner, codes, rows)
        return held.take(arrow().array(np.arange(rows), mask=~present))
    if isinstance(domain, TupleDomain):
        parts = [_column(kind, codes, rows) for kind in domain.places]
        return arrow().StructArray.from_arrays(parts, names=list(domain.names))
    if isinstance(domain, StructDomain):
        parts = [_column(kind, codes, rows) for kind in domain.fields.values()]
        if not parts:
            return arrow().array([{}] * rows, arrow().struct([]))
        return arrow().StructArray.from_arrays(parts, names=list(domain.fields))
    if isinstance(domain, UnionDomain):
        return _unions(domain, codes, rows)
    if isinstance(domain, MapDomain):
        return _maps(domain, codes, rows)
    if isinstance(domain, SlottedDomain):
        return _column(domain.slots, codes, rows)
    if isinstance(domain, SetDomain):
        return _sets(domain, codes)
    assert isinstance(domain, SeqDomain)
    lengths = next(codes)
    parts = [_column(domain.element, codes, rows) for _ in range(domain.capacity)]
    if not parts:
        empty = _constants(domain.element, [])
        return arrow().ListArray.from_arrays(np.zeros(rows + 1, np.int32), empty)
    inside = np.arange(domain.capacity) < lengths[:, None]
    return arrow().ListArray.from_arrays(_offsets(lengths), _interleaved(parts, inside))


def _unions(domain: UnionDomain, codes: Iterator[Codes], rows: int) -> Any:
    tags, payload = next(codes), [next(codes) for _ in payload_of(domain)]
    names = [str(part) for part in domain.alternatives]
    parts = [arrow().array(names, arrow().string()).take(arrow().array(tags))]
    for number, part in enumerate(domain.alternatives):
        here = tags == number
        held = _column(part, iter([np.where(here, code, 0) for code in payload]), rows)
        parts.append(held.take(arrow().array(np.arange(rows), mask=~here)))
    return arrow().StructArray.from_arrays(parts, names=["tag", *names])


def _scalars(domain: Domain, codes: Codes) -> Any:
    if isinstance(domain, OptionDomain):
        held = _scalars(domain.inner, np.maximum(codes - 1, 0))
        return held.take(arrow().array(np.arange(len(codes)), mask=codes == 0))
    if isinstance(domain, BoolDomain):
        return arrow().array(codes == 1)
    if isinstance(domain, IntDomain):
        kind = np.int32 if is_narrow(domain) else np.int64
        return arrow().array((codes + domain.low).astype(kind))
    names = [str(plain(value)) for value in domain.values()]
    return arrow().array(names, arrow().string()).take(arrow().array(codes))


def is_narrow(domain: IntDomain) -> bool:
    """Whether the numbers fit in 32 bits."""
    return domain.low >= -(1 << 31) and domain.high < 1 << 31


def _maps(domain: MapDomain, codes: Iterator[Codes], rows: int) -> Any:
    count = len(domain.keys)
    parts = [_column(domain.value, codes, rows) for _ in domain.keys]
    held = _interleaved(parts, np.ones((rows, count), np.bool_))
    names = map_keys(domain)
    text = any(isinstance(name, str) for name in names)
    kind = arrow().string() if text else _constants(domain.key, []).type
    keys = arrow().array(names, kind).take(arrow().array(np.tile(np.arange(count), rows)))
    return arrow().MapArray.from_arrays(_offsets(np.full(rows, count)), keys, held)


def map_keys(domain: MapDomain) -> list[int] | list[bool] | list[str]:
    """The keys of a map as tables show them: keys that are not scalars as text."""
    kept: Any = [plain(key) for key in domain.keys]
    simple = isinstance(domain.key, IntDomain | BoolDomain)
    return kept if simple else [str(key) for key in kept]


def _sets(domain: SetDomain, codes: Iterator[Codes]) -> Any:
    parts: list[NDArray[np.bool_]] = []
    for _, count in chunks_of(domain):
        parts.append((next(codes)[:, None] >> np.arange(count) & 1).astype(np.bool_))
    inside = np.concatenate(parts[::-1], axis=1)
    _, chosen = np.nonzero(inside)
    elements = _constants(domain.element, list(domain.element.values()))
    return arrow().ListArray.from_arrays(
        _offsets(inside.sum(axis=1)), elements.take(arrow().array(chosen))
    )


def _constants(domain: Domain, values: Sequence[Any]) -> Any:
    """Some values as a column."""
    codes = [list(codes_of(domain, value)) for value in values]
    table = np.array(codes, np.int64).reshape(len(values), width(domain))
    return _column(domain, iter(table.T), len(values))


def _offsets(lengths: NDArray[np.integer]) -> NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)


def _interleaved(parts: Sequence[Any], inside: NDArray[np.bool_]) -> Any:
    """Interleaves columns row by row, and keeps the values that are inside."""
    rows = len(inside)
    row, part = np.nonzero(inside)
    return arrow().concat_arrays(parts).take(arrow().array(part * rows + row))
