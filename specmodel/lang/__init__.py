"""The names that a spec imports.

A spec is plain typed Python: structs of bounded fields, marked functions, and a `Spec` that lists
them.
"""

from collections.abc import Set

from specmodel.constants import constant
from specmodel.domains.bags import Bag
from specmodel.domains.scalars import ScalarSet
from specmodel.lang.annotations import Capacity, Range
from specmodel.lang.fairness import strong, weak
from specmodel.lang.picking import pick, picking
from specmodel.lang.rules import (
    action,
    always_eventually,
    constraint,
    eventually,
    eventually_always,
    init,
    invariant,
    leads_to,
    reachable,
    require,
    require_some,
    transition,
)
from specmodel.lang.spec import Spec, refines
from specmodel.lang.struct import Struct
from specmodel.lang.values import subsets, values
from specmodel.model.lanes import Lanes

__all__ = [
    "Bag",
    "Capacity",
    "Lanes",
    "Range",
    "ScalarSet",
    "Set",
    "Spec",
    "Struct",
    "action",
    "always_eventually",
    "constant",
    "constraint",
    "eventually",
    "eventually_always",
    "init",
    "invariant",
    "leads_to",
    "pick",
    "picking",
    "reachable",
    "refines",
    "require",
    "require_some",
    "strong",
    "subsets",
    "transition",
    "values",
    "weak",
]
