"""Finite domains and the values of a state."""

from specmodel.domains.containers import Map, Seq, ValueSet, Writes
from specmodel.domains.kinds import (
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionDomain,
    ScalarDomain,
    SeqDomain,
    SetDomain,
    StructDomain,
)

__all__ = [
    "BoolDomain",
    "Domain",
    "EnumDomain",
    "IntDomain",
    "Map",
    "MapDomain",
    "OptionDomain",
    "ScalarDomain",
    "Seq",
    "SeqDomain",
    "SetDomain",
    "StructDomain",
    "ValueSet",
    "Writes",
]
