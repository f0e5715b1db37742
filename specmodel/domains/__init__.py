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
from specmodel.domains.slot_sets import SlotSetDomain
from specmodel.domains.unions import UnionDomain

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
    "SlotSetDomain",
    "StructDomain",
    "UnionDomain",
    "ValueSet",
    "Writes",
    "frozen",
]
