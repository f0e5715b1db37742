"""Finite domains and the values of a state."""

from specmodel.domains.atoms import (
    BoolDomain,
    EnumDomain,
    IntDomain,
    Position,
    PositionDomain,
    ScalarDomain,
)
from specmodel.domains.bags import Bag
from specmodel.domains.composites import (
    MapDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    StructDomain,
    TupleDomain,
)
from specmodel.domains.containers import Map, Seq, SparseMap, Writes
from specmodel.domains.domain import MOST_PLACES, Domain, NamedDomain, ProductDomain
from specmodel.domains.free import FreeDomain, FreeValue
from specmodel.domains.sets import LocalSet, ValueSet, frozen
from specmodel.domains.slotted import (
    BagDomain,
    EntryDomain,
    SlotSetDomain,
    SlottedDomain,
    SparseMapDomain,
)
from specmodel.domains.unions import UnionDomain

__all__ = [
    "MOST_PLACES",
    "Bag",
    "BagDomain",
    "BoolDomain",
    "Domain",
    "EntryDomain",
    "EnumDomain",
    "FreeDomain",
    "FreeValue",
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
    "SlottedDomain",
    "SparseMap",
    "SparseMapDomain",
    "StructDomain",
    "TupleDomain",
    "UnionDomain",
    "ValueSet",
    "Writes",
    "frozen",
]
