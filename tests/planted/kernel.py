"""Faults in compiled code."""

from __future__ import annotations

from tests.planted.fault import (
    BAGS,
    BLOCKS,
    CORE,
    FINGERPRINTS,
    FORMS,
    GRAPHS,
    LAYOUT,
    LOOPS,
    MAPS,
    NOTES,
    PICKED,
    SEARCHES,
    Fault,
)

KERNEL = (
    Fault(
        "not < becomes >",
        "kernel/emit.py",
        '"sge" if negated else "slt"',
        '"sgt" if negated else "slt"',
        (GRAPHS,),
    ),
    Fault(
        "the rest by a power of two keeps a bit too many",
        "kernel/emit.py",
        "splat(by.value - 1)",
        "splat(by.value)",
        (GRAPHS,),
    ),
    Fault(
        "a position out of range is not brought into it",
        "kernel/emit.py",
        "within = (node.value or 64) - 1",
        "within = 63",
        (GRAPHS,),
    ),
    Fault(
        "a bit that is tested alone is negated",
        "kernel/emit.py",
        'wanted, equal = 0, "eq" if negated else "ne"',
        'wanted, equal = 0, "ne" if negated else "eq"',
        (GRAPHS,),
    ),
    Fault(
        "a field that changes keeps its lowest bit",
        "kernel/emit.py",
        "clear[slot.word] |= slot.mask << slot.shift",
        "clear[slot.word] |= slot.mask - 1 << slot.shift",
        (FORMS,),
    ),
    Fault(
        "the states of a block's second half are taken from its first",
        "kernel/expanding.py",
        "first = states + w * 64",
        "first = states + w * 32",
        (BLOCKS,),
    ),
    Fault(
        "a block that is not full lacks its last state",
        "kernel/masks.py",
        "(1 << max(left, 0)) - 1",
        "(1 << max(left - 1, 0)) - 1",
        (BLOCKS,),
    ),
)

CIRCUIT = (
    Fault(
        "an or loses its negation",
        "kernel/circuit.py",
        "return self.both(a ^ 1, b ^ 1) ^ 1",
        "return self.both(a ^ 1, b ^ 1)",
        (GRAPHS,),
    ),
    Fault(
        "an exclusive or is turned",
        "kernel/circuit.py",
        "return self.select(args[0], args[1] ^ 1, args[1])",
        "return self.select(args[0], args[1], args[1] ^ 1)",
        (GRAPHS,),
    ),
    Fault(
        "a negated output is that of its gate",
        "kernel/circuit.py",
        "if literal % 2 or gate < 0 or gate in pinned:",
        "if gate < 0 or gate in pinned:",
        (BLOCKS,),
    ),
    Fault(
        "a gate's place is given away before it is read",
        "kernel/circuit.py",
        "last.setdefault(operand, number)",
        "last[operand] = number",
        (BLOCKS,),
    ),
)

TABLES = (
    Fault(
        "states that differ in their first word are one",
        "engines/native/loop/steps.py",
        "equal &= lshr(equal_words(bucket, key[w * stride], -1), w)",
        "equal |= lshr(equal_words(bucket, key[w * stride], -1), w)",
        (CORE, SEARCHES),
    ),
    Fault(
        "a state is put into the table without its tag",
        "engines/native/loop/steps.py",
        "place[R - 1] = last_word | tag",
        "place[R - 1] = last_word",
        (CORE,),
    ),
    Fault(
        "a larger table loses the last of each block",
        "engines/native/loop/steps.py",
        "for i in range(start, min(start + fields.BLOCK, stop)):",
        "for i in range(start, min(start + fields.BLOCK - 1, stop)):",
        (CORE, SEARCHES),
    ),
    Fault(
        "the second bucket of a state is not that of its home",
        "engines/native/loop/probing.py",
        "bucket += 2\n        if bucket >= buckets:\n            bucket -= buckets",
        "bucket += 2\n        if bucket > buckets:\n            bucket -= buckets",
        (CORE, SEARCHES),
    ),
    Fault(
        "the fingerprint of a state is that of its last word",
        "engines/native/loop/fingerprints.py",
        "h = mixed_bits(h ^ base[w * stride + i]) + SEED",
        "h = mixed_bits(SEED ^ base[w * stride + i]) + SEED",
        (CORE, FINGERPRINTS),
    ),
    Fault(
        "a leaf is packed one bit lower than it is read",
        "ir/layout.py",
        "words[slot.word] |= code << slot.shift",
        "words[slot.word] |= code << slot.shift >> 1",
        (LAYOUT,),
    ),
    Fault(
        "the parameters of a loop are taken in reverse",
        "kernel/instructions.py",
        "for code in reversed(codes)",
        "for code in codes",
        (LOOPS,),
    ),
    Fault(
        "a bag keeps members of which no copy is left",
        "ir/symbolic/slots.py",
        "gone.append(g.both(here, g.le(copies_here, most)))",
        "gone.append(g.both(here, g.lt(copies_here, most)))",
        (BAGS,),
    ),
    Fault(
        "a picked member is taken for that of another slot",
        "ir/symbolic/slots.py",
        "g.false for here in own]",
        "g.false for here in reversed(own)]",
        (PICKED,),
    ),
    Fault(
        "a key that a map has keeps its first value",
        "ir/symbolic/slots.py",
        "lambda old: Composite((first(old), value)))",
        "lambda old: old)",
        (MAPS,),
    ),
    Fault(
        "a failing state is looked for at half its place in a block",
        "kernel/note.py",
        "first + w * 64, mask[w]",
        "first + w * 32, mask[w]",
        (NOTES,),
    ),
    Fault(
        "a division by multiplication is a little too small",
        "kernel/emit.py",
        "factor = (1 << shift) // by + 1",
        "factor = (1 << shift) // by",
        ("tests/kernel/test_emit.py",),
    ),
    Fault(
        "states outside of the constraints take the place of those that wait",
        "kernel/module.py",
        "str(GATHERED), count)",
        "str(GATHERED), '0')",
        ("tests/engines/test_searches.py::test_many_states_outside_the_constraints[native-513]",),
    ),
    Fault(
        "the arms of an IF take the places of each other",
        "tla/symbolic/steps.py",
        "[(c, v) for c, a in arms if",
        "[(c, v) for (c, _), (_, a) in zip(arms, reversed(arms)) if",
        ("tests/tla/test_one_way.py::test_the_numbers_are_those_of_tlc",),
    ),
)
