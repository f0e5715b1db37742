"""Packed states as columns of nested values, as expressions of Spark SQL over their words.

The values are those of `specmodel.space.columns`. Spark evaluates the expressions where the states
are, and only for the fields that a query names.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np

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
from specmodel.ir.layout import Layout, chunks_of, codes_of, payload_of
from specmodel.space.columns import decoded, is_narrow, map_keys
from specmodel.space.types import plain


def fields(layout: Layout) -> dict[str, str]:
    """An expression for each field of a state, over columns w0, w1 and so on."""
    codes = (
        f"(shiftrightunsigned(w{slot.word}, {slot.shift}) & {slot.mask}L)" for slot in layout.slots
    )
    # The cast allows nulls in parts, such as those of an absent struct. Without it, Spark concludes
    # that there are none, and cannot convert them to Arrow.
    no_rows = decoded(layout, [np.empty(0, np.int64)] * layout.words)
    kinds: Any = importlib.import_module("pyspark.sql.pandas.types")
    types = {name: kinds.from_arrow_type(held.type) for name, held in no_rows.items()}
    return {
        name: f"cast({_value(kind, codes)} as {types[name].simpleString()})"
        for name, kind in layout.domain.fields.items()
    }


def quoted(value: int | bool | str) -> str:
    """A literal."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _value(domain: Domain, codes: Iterator[str]) -> str:
    """The value whose leaves have these codes; consumes as many as the domain has leaves."""
    if domain.scalar:
        return _scalar(domain, next(codes))
    if isinstance(domain, OptionDomain):
        present = next(codes)
        return f"if({present} = 1, {_value(domain.inner, codes)}, null)"
    if isinstance(domain, TupleDomain):
        pairs = zip(domain.names, domain.places, strict=True)
        parts = [f"'{name}', {_value(kind, codes)}" for name, kind in pairs]
        return f"named_struct({', '.join(parts)})"
    if isinstance(domain, StructDomain):
        parts = [f"'{name}', {_value(kind, codes)}" for name, kind in domain.fields.items()]
        return f"named_struct({', '.join(parts)})"
    if isinstance(domain, UnionDomain):
        return _union(domain, codes)
    if isinstance(domain, MapDomain):
        held = [f"{quoted(key)}, {_value(domain.value, codes)}" for key in map_keys(domain)]
        return f"map({', '.join(held)})"
    if isinstance(domain, SlottedDomain):
        return _value(domain.slots, codes)
    if isinstance(domain, SetDomain):
        return _set(domain, codes)
    assert isinstance(domain, SeqDomain)
    length = next(codes)
    held = [_value(domain.element, codes) for _ in range(domain.capacity)]
    return f"slice(array({', '.join(held)}), 1, cast({length} as int))"


def _union(domain: UnionDomain, codes: Iterator[str]) -> str:
    """The name of the class, and each alternative or null."""
    tag, payload = next(codes), [next(codes) for _ in payload_of(domain)]
    names = [str(part) for part in domain.alternatives]
    chosen = ", ".join(map(quoted, names))
    parts = [f"'tag', element_at(array({chosen}), cast({tag} as int) + 1)"]
    for number, (name, part) in enumerate(zip(names, domain.alternatives, strict=True)):
        own = iter([f"if({tag} = {number}, {code}, 0L)" for code in payload])
        parts.append(f"'{name}', if({tag} = {number}, {_value(part, own)}, null)")
    return f"named_struct({', '.join(parts)})"


def _scalar(domain: Domain, code: str) -> str:
    if isinstance(domain, OptionDomain):
        return f"if({code} = 0, null, {_scalar(domain.inner, f'({code} - 1)')})"
    if isinstance(domain, BoolDomain):
        return f"({code} = 1)"
    if isinstance(domain, IntDomain):
        return f"cast({code} + {domain.low}L as {'int' if is_narrow(domain) else 'bigint'})"
    names = ", ".join(quoted(str(plain(value))) for value in domain.values())
    return f"element_at(array({names}), cast({code} as int) + 1)"


def _set(domain: SetDomain, codes: Iterator[str]) -> str:
    """Each element, if it is in the set, in order."""
    parts: list[str] = []
    masks = [(*chunk, next(codes)) for chunk in chunks_of(domain)]
    for low, count, mask in reversed(masks):
        for place in range(count):
            one = f"array({_constant(domain.element, domain.element.at(low + place))})"
            parts.append(f"if({mask} & {1 << place}L != 0, {one}, array())")
    return f"flatten(array({', '.join(parts)}))"


def _constant(domain: Domain, value: Any) -> str:
    return _value(domain, (f"{code}L" for code in codes_of(domain, value)))
