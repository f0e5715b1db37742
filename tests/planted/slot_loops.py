"""Faults in the loops over the slots of a TLA+ module's state."""

from __future__ import annotations

from tests.planted.fault import Fault

STATES = "tests/tla/test_slot_loops.py -k state_by_state"
FAILURES = "tests/tla/test_slot_loops.py -k failures_within_loops"
GUARDS = "tests/tla/test_slot_loops.py::test_guards_in_loops[Mail]"
GIVEN = "tests/tla/test_slot_loops.py -k given_parameters"
CHEAP = "tests/kernel/test_loops.py -k what_is_decided_first"
ENTRIES = "tests/ir/test_sorting.py"

LOOPED = (
    Fault(
        "a member is taken for the one in the next slot",
        "tla/symbolic/operations.py",
        "return graph.eq(self.slot, graph.int(place))",
        "return graph.eq(self.slot, graph.int(place + 1))",
        (STATES,),
    ),
    Fault(
        "two members are always in one slot",
        "tla/symbolic/operations.py",
        "return self.graph.eq(one.slot, two.slot)",
        "return self.graph.true",
        (STATES,),
    ),
    Fault(
        "the slot of a stored entry is not that which was taken",
        "ir/symbolic/slots.py",
        "return [g.eq(slot, g.int(i)) for i in range(len(keys))]",
        "return [g.eq(slot, g.int(i + 1)) for i in range(len(keys))]",
        (STATES,),
    ),
    Fault(
        "failures within a loop are lost",
        "tla/symbolic/steps.py",
        "self.failing.setdefault(tuple(self.loop_sizes), []).extend(failures[first:])",
        "pass",
        (FAILURES,),
    ),
    Fault(
        "the parameters of a step are those of the first",
        "tla/symbolic/concrete.py",
        "return Codes(self.codes, parameters) if parameters else self",
        "return Codes(self.codes, [0] * len(parameters)) if parameters else self",
        (GIVEN,),
    ),
    Fault(
        "a leaf that is chosen has the place of the first slot's",
        "kernel/chosen.py",
        "tuple(slot.shift for slot in slots)",
        "tuple(slots[0].shift for _ in slots)",
        (GUARDS,),
    ),
    Fault(
        "what one alternative requires is required of all",
        "kernel/loops.py",
        "if all(n in other for other in others)",
        "if True",
        (CHEAP,),
    ),
    Fault(
        "comparators exchange entries that are in order",
        "ir/symbolic/sorting.py",
        "zip(found[b], found[a], strict=True)",
        "zip(found[a], found[b], strict=True)",
        (ENTRIES,),
    ),
    Fault(
        "entries that are not there are sorted before others",
        "ir/symbolic/sorting.py",
        "g.int(1 << WORD)",
        "g.int(0)",
        (ENTRIES,),
    ),
)
