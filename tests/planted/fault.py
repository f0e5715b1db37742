"""A fault to plant, and the tests that should see it."""

from __future__ import annotations

from dataclasses import dataclass

GRAPH = "tests/ir/test_graph.py -k every_operation"
GRAPHS = "tests/kernel/test_nodes.py -k every_operation"
NODES = "tests/kernel/test_nodes.py -k every_construct"
FORMS = "tests/kernel/test_forms.py"
CONVERSIONS = "tests/kernel/test_conversions.py"
LARGE = "tests/kernel/test_large_sets.py"
LOOPS = "tests/kernel/test_loops.py"
NOTES = "tests/kernel/test_notes.py"
BAGS = "tests/lang/test_bags.py"
PICKED = "tests/lang/test_picked_members.py"
MAPS = "tests/lang/test_sparse_maps.py"
BLOCKS = "tests/kernel/test_blocks.py"
RANDOM = "tests/kernel/test_random_kernels.py"
EVALUATE = "tests/ir/test_evaluate.py"
CORE = "tests/engines/native/test_search_core.py"
SEARCHES = "tests/engines/test_searches.py"
FINGERPRINTS = "tests/engines/test_fingerprints.py"
LAYOUT = "tests/ir/test_layout.py"
NAMES = "tests/ir/test_names.py"
CANONICAL = "tests/symmetry/test_canonical.py -k several_words"
SORTED = "tests/symmetry/test_canonical.py -k slots"
FACTS = "tests/tla/test_facts.py"
SETS = "tests/ir/test_symbolic_sets.py"
REFUSALS = "tests/symmetry/test_refusals.py"
RENAMED = "tests/tla/test_symmetric_types.py"
VIEWED = "tests/tla/test_view.py -k symmetry"
COUNTED = "tests/tla/test_counts.py -k view-symmetry"
ORBITS = "tests/tla/test_orbits.py"
COMPILED = "tests/tla/test_compiled.py -k Locks-symmetry"


@dataclass(frozen=True)
class Fault:
    """A fault: a file of the package, its text as it should be and as it is not, and tests."""

    name: str
    file: str
    right: str
    wrong: str
    tests: tuple[str, ...]
