"""The native modules of a program: its functions as LLVM IR text.

Batches are columns: word w of state i of a batch is at `base + (w * stride + i) * 8` bytes. The
functions:

    expand(in, in_stride, start, n, out, out_stride, out_limit, context) -> consumed
        Appends every successor of states start..start+n to the out columns, at the context's count.
        `start` is a multiple of LANES. Stops before a block whose successors do not fit; the first
        does if `out_limit` less the count is at least LANES * bindings. Up to LANES entries past
        the count are scribbled on.
    check(columns, stride, start, n, context) -> n
        Looks at the invariants and reachable properties of states.
    outside(columns, stride, start, n, context) -> n
        Looks at the invariants of states outside of the constraints.
    keep(columns, stride, n, context) -> kept
        Moves the states that satisfy the constraints together, in place; looks at the others.
    canonical(columns, stride, n, context) -> n
        Replaces each state by the least of those that renaming the symmetric sets makes of it.
    scratch_of_expand(), scratch_of_check(), scratch_of_keep()
        The words of scratch that these need after the context.

What they find is noted in the context (`specmodel.kernel.context`). Reading goes up to LANES - 1
states past the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from specmodel.ir.points import Points
from specmodel.ir.symbolic.effects import Judgement
from specmodel.kernel.ample import fewer_moves
from specmodel.kernel.blocks import BlockComparisons, scratch_of
from specmodel.kernel.canonical import canonical, steps_constant
from specmodel.kernel.circuit import LIVE, Circuit
from specmodel.kernel.context import FIRST_PROPERTY, PROPERTY_FAILURE
from specmodel.kernel.counting import Counting, deciding_cases
from specmodel.kernel.emit import Emitter
from specmodel.kernel.function import KernelFunction
from specmodel.kernel.instructions import BOOLS
from specmodel.kernel.masks import BLOCK
from specmodel.kernel.parts import HEAD
from specmodel.kernel.program import Program
from specmodel.kernel.successors import SuccessorFunction, effects
from specmodel.kernel.truths import deciding
from specmodel.machine.words import LANES

GATHERED = BLOCK + LANES
"""The places for states outside of the constraints that wait to be looked at."""

_GATHERED = f"ptr %gathered, i64 {GATHERED}, i64 0"


def modules_of(program: Program, points: Points) -> Iterator[str]:
    """The LLVM IR of a program, and of the code that counts the points of its state properties.

    Effects come first, in parts: they take longest to compile.
    """
    moves = yield from effects(program)
    fewer = program.graph.false
    if program.partial_order:
        moves, fewer = fewer_moves(program, moves)
    judged = [(number, judgement, False) for number, judgement in program.judged("invariant")]
    judged += [(number, judgement, True) for number, judgement in program.judged("reachable")]
    nodes = [node for _, judgement, _ in judged for node in deciding(judgement)]
    counting = Counting(program, points)
    comparisons = BlockComparisons(
        "states", program.layout, [*nodes, *deciding_cases(counting.states)]
    )
    parts = [HEAD]
    parts.append(SuccessorFunction(program, "expand", moves, fewer).text())
    parts += comparisons.functions()
    parts.append(check(program, "check", comparisons, judged))
    parts.append(counting.one_pass("states", comparisons, counting.states))
    if program.spec.bounds:
        invariants = [each for each in judged if not each[2]]
        parts.append(check(program, "outside", comparisons, invariants))
        parts.append(keep(program))
    if program.walk:
        parts += [steps_constant(program.walk), canonical(program, program.walk)]
    yield "\n".join(parts)


def check(
    program: Program,
    name: str,
    comparisons: BlockComparisons,
    judged: Sequence[tuple[int, Judgement, bool]],
) -> str:
    """Notes the states in which a property is sought, or fails, if it is wanted at all."""
    circuit, context = Circuit(name, comparisons), program.context
    for number, judgement, sought in judged:
        record = FIRST_PROPERTY + number
        failed = circuit.both(
            LIVE, circuit.any_of(circuit.node(f.node) for f in judgement.failures)
        )
        circuit.note(context, failed, PROPERTY_FAILURE, number, record)
        met = circuit.node(judgement.node)
        hit = circuit.both(LIVE, met if sought else circuit.negate(met))
        circuit.note(context, circuit.both(hit, circuit.negate(failed)), record, number, record)
    return circuit.by_blocks(
        f"i64 @{name}(ptr %in, i64 %stride, i64 %start, i64 %n, ptr %context)",
        begin=scratch_of(context),
        first="%start",
        then=circuit.tell(),
        end="ret i64 %n",
    )


def keep(program: Program) -> str:
    """The constraints on every state of a batch. Those outside are gathered after the scratch of
    `outside`, which looks at them when there are enough."""
    function = KernelFunction(program)
    e, graph = function.e, program.graph
    words = program.layout.words
    e.lines.append("define i64 @keep(ptr %in, i64 %stride, i64 %n, ptr %context) {")
    begin = f"""\
{scratch_of(program.context)}
  %before = call i64 @scratch_of_outside()
  %count_at = getelementptr i64, ptr %scratch, i64 %before
  %gathered = getelementptr i64, ptr %count_at, i64 {LANES}
  store i64 0, ptr %count_at, align 8"""
    with function.blocks("0", "i64", begin):
        e.load_words(e.new("getelementptr i64, ptr %in, i64 %at"), "%stride")
        live = e.new(f"bitcast i8 %lanes to {BOOLS}")
        bounds = program.bounds()
        failure = graph.either(*(f.node for b in bounds for f in b.failures))
        first = len(program.chosen)
        live = function.failing(live, live, failure, PROPERTY_FAILURE, first, "bounds")
        within = e.value(graph.both(*(b.node for b in bounds)))
        inside = e.new(f"and {BOOLS} {live}, {within}")
        outside = e.new(f"xor {BOOLS} {live}, {inside}")
        with e.only_if(e.new(f"icmp ne i8 {e.bits(outside)}, 0"), "outside"):
            count = e.new("load i64, ptr %count_at, align 8")
            e.compress_into(e.words, outside, "%gathered", str(GATHERED), count)
            more = e.new(f"add i64 {count}, {_ones(e, outside)}")
            e.line(f"store i64 {more}, ptr %count_at, align 8")
            with e.only_if(e.new(f"icmp sgt i64 {more}, {BLOCK - LANES}"), "full"):
                e.line(f"call i64 @outside({_GATHERED}, i64 {more}, ptr %context)")
                e.line("store i64 0, ptr %count_at, align 8")
        e.compress_into(e.words, inside, "%in", "%stride", "%carried")
        e.line(f"%carried_next = add i64 %carried, {_ones(e, inside)}")
    rest = e.new("load i64, ptr %count_at, align 8")
    e.line(f"call i64 @outside({_GATHERED}, i64 {rest}, ptr %context)")
    e.line("ret i64 %carried")
    return f"""\
{function.text()}
define i64 @scratch_of_keep() {{
  %before = call i64 @scratch_of_outside()
  %all = add i64 %before, {LANES + words * GATHERED}
  ret i64 %all
}}
"""


def _ones(e: Emitter, mask: str) -> str:
    """The number of lanes of a mask."""
    return e.new(f"zext i8 {e.new(f'call i8 @llvm.ctpop.i8(i8 {e.bits(mask)})')} to i64")
