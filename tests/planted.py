"""The faults that `tests.mutants` plants: where, what becomes of the source, who should see it."""

from __future__ import annotations

from dataclasses import dataclass

GRAPH = "tests/ir/test_graph.py -k every_operation"
GRAPHS = "tests/kernel/test_nodes.py -k every_operation"
NODES = "tests/kernel/test_nodes.py -k every_construct"
FORMS = "tests/kernel/test_forms.py"
CONVERSIONS = "tests/kernel/test_conversions.py"
LARGE = "tests/kernel/test_large_sets.py"
LOOPS = "tests/kernel/test_loops.py"
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


@dataclass(frozen=True)
class Fault:
    """A fault: a file of the package, its text as it should be and as it is not, and tests."""

    name: str
    file: str
    right: str
    wrong: str
    tests: tuple[str, ...]


LOWERING = (
    Fault(
        "<= is taken for <",
        "lang/lowering/comparisons.py",
        'ast.LtE: "<=",',
        'ast.LtE: "<",',
        (FORMS,),
    ),
    Fault(
        "a range of one bound starts at 1",
        "lang/lowering/comparisons.py",
        "zero = Constant(INT, self.source.span(node), 0)\n        return (zero",
        "zero = Constant(INT, self.source.span(node), 1)\n        return (zero",
        (FORMS,),
    ),
    Fault(
        "choices that can fail are left out",
        "lang/lowering/comparisons.py",
        "if not acting and all(map(self.certain, choices[1:])):",
        "if choices:",
        (FORMS,),
    ),
    Fault(
        "a composite is not converted",
        "lang/lowering/types.py",
        "return Apply(_sized(wanted, kind), term.span, whole, (term,))",
        "return term",
        (CONVERSIONS,),
    ),
    Fault(
        "of several conditions of a comprehension one counts",
        "lang/lowering/calls.py",
        "condition = tests[0] if len(tests) == 1 else",
        "condition = tests[0] if tests else",
        (FORMS,),
    ),
    Fault(
        "del xs[n:] keeps what it should drop",
        "lang/lowering/functions.py",
        'Slice(base.type, span, base, None, low), "shift")',
        'Slice(base.type, span, base, low, None), "shift")',
        (FORMS,),
    ),
    Fault(
        "a, b = b, a stores the first at once",
        "lang/lowering/functions.py",
        "made.append(self._assign(node, target, known))",
        "made.append(self._assign(node, target, value))",
        (FORMS,),
    ),
    Fault(
        "a sum of truths is lowered as one of ints where it counts",
        "lang/lowering/calls.py",
        'kind = "count" if isinstance(body.type, BoolDomain) else "sum"',
        'kind = "count"',
        (FORMS,),
    ),
)

SIMPLIFICATIONS = (
    Fault(
        "an equation loses a sign",
        "ir/symbolic/graph.py",
        "return self.eq(a.args[0], self.int(b.value - a.args[1].value))",
        "return self.eq(a.args[0], self.int(b.value + a.args[1].value))",
        (GRAPH,),
    ),
    Fault(
        "intervals that touch are taken for ordered",
        "ir/symbolic/graph.py",
        "if a.high < b.low:\n            return self.true",
        "if a.high <= b.low:\n            return self.true",
        (GRAPH,),
    ),
    Fault(
        "a constant on the left is compared off by one",
        "ir/symbolic/graph.py",
        "return self.negate(self.lt(b, self.int(a.value + 1)))",
        "return self.negate(self.lt(b, self.int(a.value)))",
        (GRAPH,),
    ),
    Fault(
        "a mask that covers some bits is taken to cover all",
        "ir/symbolic/graph.py",
        'if op == "band" and b.value & full == full:',
        'if op == "band" and b.value & full:',
        (GRAPH,),
    ),
    Fault(
        "a sibling of a junction counts as its opposite",
        "ir/symbolic/graph.py",
        "if negated not in kept and truth is None:",
        "if negated in kept and truth is None:",
        (GRAPH,),
    ),
    Fault(
        "a choice with a false branch loses a negation",
        "ir/symbolic/graph.py",
        "else self.both(self.negate(condition), b)",
        "else self.both(condition, b)",
        (GRAPH,),
    ),
    Fault(
        "what a number is not is taken for what it is",
        "ir/symbolic/graph.py",
        "holds = value == other if",
        "holds = value != other if",
        ("tests/ir/test_graph.py -k settles",),
    ),
    Fault(
        "the interval of a difference is too narrow",
        "ir/symbolic/intervals.py",
        "return a.low - b.high, a.high - b.low",
        "return a.low - b.low, a.high - b.low",
        (GRAPH,),
    ),
    Fault(
        "the interval of a rest is too narrow",
        "ir/symbolic/intervals.py",
        "return min(0, b.low + 1), max(0, b.high - 1)",
        "return 0, max(0, b.high - 1)",
        (GRAPH,),
    ),
    Fault(
        "the interval of a quotient forgets a divisor of -1",
        "ir/symbolic/intervals.py",
        "for d in (b.low, b.high, -1, 1)",
        "for d in (b.low, b.high, 1)",
        (GRAPH, GRAPHS),
    ),
    Fault(
        "the interval of a bit is that of who asked first",
        "ir/symbolic/graph.py",
        'return self._make("bit", (position,), False, wraps)',
        'made = self._make("bit", (position,), False)\n'
        "        made.high = min(made.high, 1 << (width - 1))\n"
        "        return made",
        ("tests/ir/test_graph.py -k whoever_asks", FORMS),
    ),
    Fault(
        "the number of a node is no part of its key",
        "ir/symbolic/graph.py",
        "key = (op, boolean, value, *[a.id for a in args])",
        "key = (op, boolean, 0, *[a.id for a in args])",
        (GRAPH,),
    ),
    Fault(
        "a factor of 1 makes 1",
        "ir/symbolic/graph.py",
        "return a if b.value else b",
        "return b",
        (GRAPH,),
    ),
)

SYMBOLIC = (
    Fault(
        "the first element of an unrolled index is left out",
        "ir/symbolic/algebra.py",
        "for i in range(high - 1, low - 1, -1):",
        "for i in range(high - 1, low, -1):",
        (FORMS,),
    ),
    Fault(
        "the last element is never stored to",
        "ir/symbolic/algebra.py",
        "if index.low <= i <= index.high",
        "if index.low <= i < index.high",
        (FORMS,),
    ),
    Fault(
        "an element just past the end of a list is compared",
        "ir/symbolic/algebra.py",
        "past = g.le(a.length, g.int(i))\n                parts.append(g.either(past, self.equal",
        "past = g.lt(a.length, g.int(i))\n                parts.append(g.either(past, self.equal",
        (FORMS,),
    ),
    Fault(
        "what lies past the end of a list is packed",
        "ir/symbolic/algebra.py",
        "if value.blank != domain.element:",
        "if value.blank == domain.element:",
        (FORMS,),
    ),
    Fault(
        "a list is numbered as one of the next length",
        "ir/symbolic/algebra.py",
        "before += radix ** (length - 1)",
        "before += radix**length",
        (CONVERSIONS,),
    ),
    Fault(
        "an empty set has one mask",
        "ir/symbolic/terms.py",
        "return SymbolicSet(element, tuple(self.graph.int(0) for _ in chunks(element)))",
        "return SymbolicSet(element, (self.graph.int(0),))",
        (LARGE,),
    ),
    Fault(
        "the second mask of a set starts where the first does",
        "ir/symbolic/sets.py",
        "low = number * SET_CHUNK",
        "low = 0",
        (LARGE,),
    ),
    Fault(
        "an element out of bounds is looked up all the same",
        "ir/symbolic/sets.py",
        "bit = g.select(within, bit, g.int(0))",
        "bit = g.select(g.true, bit, g.int(0))",
        (LARGE,),
    ),
    Fault(
        "a field that stays is packed from the leaves of its neighbour",
        "ir/symbolic/algebra.py",
        "start += width(place)",
        "start += 1",
        (FORMS,),
    ),
    Fault(
        "a slice does not end with the list",
        "ir/symbolic/terms.py",
        "return g.minimum(index, length)",
        "return index",
        (FORMS,),
    ),
    Fault(
        "a loop goes on after break",
        "ir/symbolic/execute.py",
        "ended = g.either(run.frame.returned, run.frame.broke)",
        "ended = run.frame.returned",
        (FORMS,),
    ),
    Fault(
        "a fold's minimum takes candidates that are not there",
        "ir/symbolic/folds.py",
        "best = g.select(present, g.select(some, better, candidate), best)",
        "best = g.select(some, better, candidate)",
        (FORMS,),
    ),
    Fault(
        "None in a list goes unnoticed where it may not be",
        "ir/symbolic/conversion.py",
        "absent = g.false if isinstance(target, OptionDomain) else g.negate(present)",
        "absent = g.false",
        (CONVERSIONS,),
    ),
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
        "kernel/successors.py",
        "%before = shl i64 %w, 6",
        "%before = shl i64 %w, 5",
        (BLOCKS,),
    ),
    Fault(
        "a block of 64 states lacks the last",
        "kernel/blocks.py",
        "%full = icmp sge {INTS} %over, splat (i64 64)",
        "%full = icmp sgt {INTS} %over, splat (i64 64)",
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
        "kernel/emit.py",
        "self.parameters = made[::-1]",
        "self.parameters = made",
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
)

REFERENCES = (
    Fault(
        "a name outlives the removal of its element",
        "ir/symbolic/references.py",
        'change.how == "shift" and above',
        'change.how == "grow" and above',
        (NAMES,),
    ),
    Fault(
        "a list of parts does not notice that one changes",
        "ir/symbolic/references.py",
        "if within and self._together(change, here):",
        "if within and not self._together(change, here):",
        (NAMES,),
    ),
    Fault(
        "a loop does not notice that its list gets shorter",
        "ir/symbolic/references.py",
        'change.how != "assign"\n                and change.place.may_hold(ref.place)',
        'change.how == "assign"\n                and change.place.may_hold(ref.place)',
        (NAMES,),
    ),
    Fault(
        "a part is changed through a list that holds it",
        "ir/symbolic/frames.py",
        "if not slot.own or (slot.aliases and deep):",
        "if not slot.own:",
        (NAMES,),
    ),
    Fault(
        "an element by a computed index is no other element",
        "ir/symbolic/references.py",
        "        return a.index.value == b.index.value\n    return True",
        "        return a.index.value == b.index.value\n    return False",
        (NAMES,),
    ),
    Fault(
        "what changes on another path is taken for changed here, and the reverse",
        "ir/symbolic/references.py",
        "return self.graph.both(*self._parts(conditions)) is not self.graph.false",
        "return self.graph.both(*self._parts(conditions)) is self.graph.false",
        (NAMES,),
    ),
    Fault(
        "the value of an assignment is taken after its target",
        "ir/symbolic/execute.py",
        "            value = self.terms.binding(term)\n"
        "            self._put(self.terms.target(statement.target), statement, lambda _: value)",
        "            place = self.terms.target(statement.target)\n"
        "            value = self.terms.binding(term)\n"
        "            self._put(place, statement, lambda _: value)",
        (NAMES,),
    ),
    Fault(
        "the members of a set can be changed",
        "domains/composites.py",
        'stored = [frozen(self.element.store(v, f"{where}: element")) for v in value]',
        'stored = [self.element.store(v, f"{where}: element") for v in value]',
        (NAMES,),
    ),
    Fault(
        "states of several words are ordered by the last",
        "kernel/canonical.py",
        "    for x, y in zip(reversed(a[:-1]), reversed(b[:-1]), strict=True):",
        "    for x, y in zip(a[:0], b[:0], strict=True):",
        (CANONICAL,),
    ),
)

FAULTS = (*LOWERING, *SIMPLIFICATIONS, *SYMBOLIC, *REFERENCES, *KERNEL, *CIRCUIT, *TABLES)
