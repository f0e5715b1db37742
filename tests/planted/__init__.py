"""The faults that `tests.mutants` plants: where, what becomes of the source, who should see it."""

from tests.planted.facts import PATHS
from tests.planted.fault import Fault
from tests.planted.kernel import CIRCUIT, KERNEL, TABLES
from tests.planted.lowering import LOWERING
from tests.planted.slot_loops import LOOPED
from tests.planted.symbolic import REFERENCES, SIMPLIFICATIONS, SYMBOLIC
from tests.planted.symmetry import SLOTS

FAULTS = (
    *LOWERING,
    *SIMPLIFICATIONS,
    *SYMBOLIC,
    *REFERENCES,
    *KERNEL,
    *CIRCUIT,
    *TABLES,
    *SLOTS,
    *PATHS,
    *LOOPED,
)

__all__ = ["FAULTS", "Fault"]
