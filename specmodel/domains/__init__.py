"""Finite domains and the values of a state."""

from specmodel.domains.containers import Map, Seq, Writes
from specmodel.domains.kinds import (
    MOST_PLACES,
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    NamedDomain,
    OptionDomain,
    Position,
    PositionDomain,
    ProductDomain,
    ScalarDomain,
    SeqDomain,
    SetDomain,
    StructDomain,
)
from specmodel.domains.sets import LocalSet, ValueSet, frozen

__all__ = [
    "MOST_PLACES",
    "BoolDomain",
    "Domain",
    "EnumDomain",
    "IntDomain",
    "LocalSet",
    "Map",
    "MapDomain",
    "NamedDomain",
    "OptionDomain",
    "Position",
    "PositionDomain",
    "ProductDomain",
    "ScalarDomain",
    "Seq",
    "SeqDomain",
    "SetDomain",
    "StructDomain",
    "ValueSet",
    "Writes",
    "frozen",
]
