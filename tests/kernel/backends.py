"""The values of graph nodes as each back end computes them: the kernel, its gates, and z3."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from specmodel.ir.layout import Layout
from specmodel.ir.symbolic.graph import Node
from specmodel.kernel.blocks import BlockComparisons
from specmodel.kernel.circuit import Circuit
from specmodel.kernel.emit import Emitter
from specmodel.kernel.instructions import BOOLS, DECLARATIONS, INTS
from specmodel.kernel.parts import HEAD, parts
from specmodel.machine import objects
from specmodel.machine.words import LANES
from specmodel.smt.logic import Formula, Logic
from specmodel.smt.translate import Translation

FAST = objects.host(level=0)
"""Compiled with hardly any optimisation: what is tested is what the text says."""

NODES_A_FUNCTION = 150

Codes = Sequence[int]
"""The codes of all leaves of a state; the state may be one that no value has."""


def _packed(layout: Layout, assignments: Sequence[Codes]) -> ctypes.Array[ctypes.c_uint64]:
    """LANES states, word by word."""
    assert len(assignments) == LANES
    columns = (ctypes.c_uint64 * (layout.words * LANES))()
    for lane, codes in enumerate(assignments):
        for slot, code in zip(layout.slots, codes, strict=True):
            columns[slot.word * LANES + lane] |= code << slot.shift
    return columns


def by_kernel(
    layout: Layout, nodes: Sequence[Node], assignments: Sequence[Codes]
) -> list[list[int]]:
    """A row of LANES values for each node, computed by vector instructions."""
    parts = [nodes[i : i + NODES_A_FUNCTION] for i in range(0, len(nodes), NODES_A_FUNCTION)]
    text = [DECLARATIONS]
    for number, part in enumerate(parts):
        e = Emitter(layout)
        e.lines.append(f"define void @values_{number}(ptr %in, ptr %out) {{")
        e.label("entry")
        e.load_words("%in", str(LANES))
        for row, node in enumerate(part):
            made = e.value(node)
            if node.boolean:
                made = e.new(f"zext {BOOLS} {made} to {INTS}")
            target = e.new(f"getelementptr i64, ptr %out, i64 {row * LANES}")
            e.line(f"store {INTS} {made}, ptr {target}, align 8")
        e.line("ret void")
        text += [*e.lines, "}", ""]
    code = objects.load(FAST, "\n".join(text), lambda: ["\n".join(text)])
    columns, rows = _packed(layout, assignments), list[list[int]]()
    for number, part in enumerate(parts):
        out = (ctypes.c_int64 * (len(part) * LANES))()
        run = code.function(f"values_{number}", "pp", "")
        run(ctypes.addressof(columns), ctypes.addressof(out))
        rows += [list(out[i : i + LANES]) for i in range(0, len(out), LANES)]
    return rows


def by_gates(
    layout: Layout, nodes: Sequence[Node], assignments: Sequence[Codes]
) -> list[list[int]]:
    """A row of LANES truths for each boolean node, computed by gates on masks."""
    comparisons = BlockComparisons("nodes", layout, nodes)
    circuit = Circuit("truths", comparisons)
    places = [circuit.output(circuit.node(node)) for node in nodes]
    made = [HEAD, *comparisons.functions()]
    made.append(
        circuit.by_blocks(
            "void @truths(ptr %in, i64 %stride, i64 %n, ptr %given)",
            begin="%scratch = getelementptr i64, ptr %given, i64 0",
            first="0",
            then="",
            end="ret void",
        )
    )
    text = "\n".join(made)
    code = objects.load(FAST, text, lambda: [lambda: parts(layout.words, FAST), text])
    columns = _packed(layout, assignments)
    masks = (ctypes.c_uint64 * (circuit.after * LANES + LANES))()
    start = -(-ctypes.addressof(masks) // 64) * 64
    code.function("truths", "piip", "")(ctypes.addressof(columns), LANES, LANES, start)
    found = (ctypes.c_uint64 * (circuit.after * LANES)).from_address(start)
    return [[found[place * LANES] >> lane & 1 for lane in range(LANES)] for place in places]


def by_z3(layout: Layout, nodes: Sequence[Node], codes: Codes) -> list[int]:
    """The value of each node where the leaves have some codes, by z3's own arithmetic."""
    logic = Logic()
    translation = _Known(logic, {})
    for number, (leaf, code) in enumerate(zip(layout.leaves, codes, strict=True)):
        constant = Node(-1 - number, "const", (), code, code, code, False)
        translation.leaves = {
            **translation.leaves,
            number: translation.fitted(constant, leaf),
        }
    return [_number(logic, node, translation(node)) for node in nodes]


def _number(logic: Logic, node: Node, term: Formula) -> int:
    if node.boolean:
        assert logic.z3.is_true(term) or logic.z3.is_false(term), term
        return int(logic.z3.is_true(term))
    return int(term.as_signed_long() if node.low < 0 else term.as_long())


class _Known(Translation):
    """Each term is a number, since those of the leaves are."""

    def _term(self, node: Node) -> Formula:
        return self.logic.simplified(super()._term(node))
