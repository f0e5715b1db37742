"""Packed states as columns of values: the same as the values themselves, of every type."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
from hypothesis import given

from specmodel.domains import (
    BagDomain,
    BoolDomain,
    Domain,
    IntDomain,
    MapDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    SparseMapDomain,
    StructDomain,
    TupleDomain,
    UnionDomain,
)
from specmodel.ir.layout import Layout
from specmodel.space.arrow import arrow
from specmodel.space.columns import decoded
from tests.random_specs import few
from tests.strategies import domains_with_values, struct_of


def expected(domain: Domain, value: Any) -> Any:
    """What a table has for a value, as Arrow gives it back."""
    if value is None:
        return None
    if isinstance(domain, OptionDomain):
        return expected(domain.inner, value)
    if isinstance(domain, UnionDomain):
        held = {str(part): None for part in domain.alternatives}
        part = domain.alternatives[domain.tag(value)]
        return {"tag": str(part), **held, str(part): expected(part, value)}
    if isinstance(domain, StructDomain):
        return {name: expected(kind, vars(value)[name]) for name, kind in domain.fields.items()}
    if isinstance(domain, TupleDomain):
        return dict(zip(domain.names, map(expected, domain.kinds, value), strict=True))
    if isinstance(domain, MapDomain):
        scalar = isinstance(domain.key, IntDomain | BoolDomain)
        return [
            (k if scalar else k.name if isinstance(k, enum.Enum) else repr(k),
             expected(domain.value, held))
            for k, held in value.items()
        ]  # fmt: skip
    if isinstance(domain, BagDomain):
        held = value.items()
        return [{"member": expected(domain.element, m), "count": n} for m, n in held]
    if isinstance(domain, SparseMapDomain):
        places = domain.key, domain.value
        return [
            dict(zip(("key", "value"), map(expected, places, entry), strict=True))
            for entry in value.items()
        ]
    if isinstance(domain, SetDomain | SeqDomain):
        return [expected(domain.element, held) for held in value]
    if isinstance(value, enum.Enum):
        return value.name
    return value if isinstance(value, int) else repr(value)


@few(150)
@given(domains_with_values(4))
def test_decoded_columns_have_the_values(found: tuple[Domain, list[Any]]) -> None:
    """Every type of value, nested, absent, empty: what was packed is what the column has."""
    domain, values = found
    state = struct_of({"held": domain})
    layout = Layout(state)
    stored = [domain.store(value, "") for value in values]
    packed = np.array([layout.pack(state.build([value])) for value in stored], np.uint64)
    words = [np.ascontiguousarray(column).view(np.int64) for column in packed.T]
    column = decoded(layout, words)["held"]
    assert column.to_pylist() == [expected(domain, value) for value in stored]
    column.validate(full=True)
    again = decoded(layout, [word[:0] for word in words])["held"]
    assert (len(again), again.type) == (0, column.type), "no rows have the type of some"
    assert arrow().table({"held": column}).num_rows == len(values)
