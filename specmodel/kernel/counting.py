"""The native code that counts the points of a spec's code over batches of states, as LLVM IR text.

    count_steps(in, stride, n, counters, scratch)
        Counts n states that are expanded, each with every binding: actions, transition properties.
    count_states(in, stride, n, counters, scratch)
        Counts n states that are looked at: invariants and reachable properties.
    scratch_of_steps(), scratch_of_states()
        The words of scratch that these need.

Batches are columns, as for `specmodel.kernel.module`; reading goes up to LANES - 1 states past the
end. Each counter is a vector of LANES words, whose sum counts.

This is a pass of its own over states at hand, so that the search's own code knows nothing of it. A
block has 512 states. First come the comparisons in them, eight states to a vector, each leaving a
bit a state; then all that is logic, on vectors of 512 bits. So what is counted, for each binding,
costs a few instructions for 512 states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from specmodel.ir.points import Points
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.trail import Path, Trail, action_trail, property_trail
from specmodel.kernel.emit import BOOLS, DECLARATIONS, INTS, LANES, Emitter
from specmodel.kernel.program import Program

BLOCK = 64 * LANES
"""States whose bits are one vector."""

ATOMS_A_FUNCTION = 192
CASES_A_FUNCTION = 12
"""Generating code takes more than linear time in the length of a function."""

NONE, ALL = "zeroinitializer", "splat (i64 -1)"

MORE_DECLARATIONS = f"""\
declare {INTS} @llvm.smin.v{LANES}i64({INTS}, {INTS})
declare {INTS} @llvm.smax.v{LANES}i64({INTS}, {INTS})
declare i64 @llvm.smin.i64(i64, i64)
"""


@dataclass(frozen=True)
class Counters:
    """Which counter is which: for each point how often it is reached, then two for each guard."""

    points: int
    guards: Mapping[int, int]

    @property
    def size(self) -> int:
        return self.points + 2 * len(self.guards)

    def false(self, point: int) -> int:
        """How often a guard is false."""
        return self.points + 2 * self.guards[point]

    def alone(self, point: int) -> int:
        """How often a guard is all that keeps the action from happening."""
        return self.false(point) + 1


def counters_of(points: Points) -> Counters:
    """The counters that points have."""
    guards = (p.number for p in points.found if p.kind == "guard")
    return Counters(len(points.found), {point: place for place, point in enumerate(guards)})


@dataclass(frozen=True)
class Case:
    """A trail to count; of an action, with those of the transition properties of its steps."""

    trail: Trail
    after: tuple[Trail, ...] = ()


class Counting:
    """The module that counts points of a program. Raises SpecError for what cannot be compiled."""

    def __init__(self, program: Program, points: Points) -> None:
        self.program = program
        self.points = points
        self.counters = counters_of(points)

    def text(self) -> str:
        """The LLVM IR of a module with both passes."""
        return f"{DECLARATIONS}{MORE_DECLARATIONS}\n{self.steps()}\n{self.states()}"

    def steps(self) -> str:
        """The pass over states that are expanded."""
        return _Pass("steps", self.program, self.counters, list(self._steps())).text()

    def states(self) -> str:
        """The pass over states that are looked at."""
        return _Pass("states", self.program, self.counters, list(self._states())).text()

    def _steps(self) -> Iterator[list[Case]]:
        """Every binding, as far as it counts for something, in groups of one action."""
        program, points = self.program, self.points
        transitions = [
            r.name for r in program.chosen if r.role == "transition" and r.name in points.keys
        ]
        for name, bindings in groupby(program.bindings, lambda b: b[0].name):
            if name not in points.keys and not transitions:
                continue
            cases: list[Case] = []
            for _, arguments in bindings:
                trail = action_trail(points, program.graph, name, program.leaves, arguments)
                states = (program.leaves, trail.after)
                after = (property_trail(points, program.graph, t, states) for t in transitions)
                cases.append(Case(trail, tuple(after)))
            for start in range(0, len(cases), CASES_A_FUNCTION):
                yield cases[start : start + CASES_A_FUNCTION]

    def _states(self) -> Iterator[list[Case]]:
        program, points = self.program, self.points
        for rule in program.chosen:
            if rule.role != "transition" and rule.name in points.keys:
                states = (program.leaves,)
                yield [Case(property_trail(points, program.graph, rule.name, states))]


class _Pass:
    """The functions of one pass: comparisons, then logic, and what calls them block by block."""

    def __init__(
        self, name: str, program: Program, counters: Counters, groups: Sequence[Sequence[Case]]
    ) -> None:
        self.name = name
        self.program = program
        self.counters = counters
        self.groups = groups
        nodes = (node for group in groups for case in group for node in _nodes(case))
        self.atoms = _atoms(nodes)

    def text(self) -> str:
        """All functions of the pass."""
        atoms = list(self.atoms.values())
        parts = [atoms[i : i + ATOMS_A_FUNCTION] for i in range(0, len(atoms), ATOMS_A_FUNCTION)]
        made = [self._compare(number, part) for number, part in enumerate(parts)]
        for number, group in enumerate(self.groups):
            made.append(_Logic(self.atoms, self.counters).function(f"{self.name}_{number}", group))
        made.append(self._whole(len(parts)))
        words = (len(atoms) + 1) * LANES  # one more than comparisons: which states there are
        made.append(f"define i64 @scratch_of_{self.name}() {{\n  ret i64 {words}\n}}\n")
        return "\n".join(made)

    def _compare(self, number: int, atoms: Sequence[Node]) -> str:
        """Some comparisons on the states of a block, eight at a time."""
        e = Emitter(self.program.layout)
        e.lines.append(
            f"define internal void @{self.name}_compare_{number}(ptr %in, i64 %stride, i64 %at, "
            "i64 %eights, ptr %scratch) {"
        )
        e.label("entry")
        e.line("br label %body")
        e.label("body")
        e.line("%i = phi i64 [ 0, %entry ], [ %i_next, %body ]")
        e.line(f"%from = add i64 %at, {e.new(f'mul i64 %i, {LANES}')}")
        e.load_words(e.new("getelementptr i64, ptr %in, i64 %from"), "%stride")
        for atom in atoms:
            place = list(self.atoms).index(atom.id) + 1
            target = e.new(f"getelementptr i8, ptr %scratch, i64 {place * BLOCK // 8}")
            target = e.new(f"getelementptr i8, ptr {target}, i64 %i")
            e.line(f"store i8 {e.bits(e.value(atom))}, ptr {target}, align 1")
        e.line("%i_next = add i64 %i, 1")
        e.line("%more = icmp slt i64 %i_next, %eights")
        e.line("br i1 %more, label %body, label %done")
        e.label("done")
        e.line("ret void")
        return "\n".join([*e.lines, "}", ""])

    def _whole(self, parts: int) -> str:
        """The pass over a batch."""
        calls = [
            f"call void @{self.name}_compare_{number}(ptr %in, i64 %stride, i64 %at, "
            "i64 %eights, ptr %scratch)"
            for number in range(parts)
        ]
        calls += [
            f"call void @{self.name}_{number}(ptr %counters, ptr %scratch)"
            for number in range(len(self.groups))
        ]
        starts = ", ".join(f"i64 {64 * lane}" for lane in range(LANES))
        inner = "\n  ".join(calls)
        return f"""\
define void @count_{self.name}(ptr %in, i64 %stride, i64 %n, ptr %counters, ptr %scratch) {{
entry:
  br label %head
head:
  %at = phi i64 [ 0, %entry ], [ %at_next, %body ]
  %left = sub i64 %n, %at
  %more = icmp sgt i64 %left, 0
  br i1 %more, label %body, label %done
body:
  %size = call i64 @llvm.smin.i64(i64 %left, i64 {BLOCK})
  %above = add i64 %size, {LANES - 1}
  %eights = sdiv i64 %above, {LANES}
  %one = insertelement {INTS} poison, i64 %size, i32 0
  %sizes = shufflevector {INTS} %one, {INTS} poison, <{LANES} x i32> zeroinitializer
  %over = sub {INTS} %sizes, <{starts}>
  %low = call {INTS} @llvm.smax.v{LANES}i64({INTS} %over, {INTS} zeroinitializer)
  %bits = call {INTS} @llvm.smin.v{LANES}i64({INTS} %low, {INTS} splat (i64 63))
  %shifted = shl {INTS} splat (i64 1), %bits
  %some = sub {INTS} %shifted, splat (i64 1)
  %full = icmp sge <{LANES} x i64> %over, splat (i64 64)
  %live = select {BOOLS} %full, {INTS} splat (i64 -1), {INTS} %some
  store {INTS} %live, ptr %scratch, align 8
  {inner}
  %at_next = add i64 %at, {BLOCK}
  br label %head
done:
  ret void
}}
"""


class _Logic:
    """A function that counts some cases, given the comparisons: bits of states in vectors."""

    def __init__(self, atoms: dict[int, Node], counters: Counters) -> None:
        self.places = {number: place for place, number in enumerate(atoms, start=1)}
        self.counters = counters
        self.lines: list[str] = []
        self.known: dict[int, str] = {}
        self.paths: dict[tuple[int, ...], str] = {}
        self.made: dict[str, str] = {}
        self.totals: dict[int, str] = {}

    def function(self, name: str, cases: Sequence[Case]) -> str:
        """The text of the function."""
        live = self.new(f"load {INTS}, ptr %scratch, align 8")
        for case in cases:
            happens = self._case(case.trail, live)
            for trail in case.after:
                self._case(trail, happens)
        for counter, total in self.totals.items():
            at = self.new(f"getelementptr i64, ptr %counters, i64 {counter * LANES}")
            held = self.new(f"load {INTS}, ptr {at}, align 8")
            self.lines.append(
                f"  store {INTS} {self.new(f'add {INTS} {held}, {total}')}, ptr {at}, align 8"
            )
        header = f"define internal void @{name}(ptr %counters, ptr %scratch) {{"
        return "\n".join([header, *self.lines, "  ret void", "}", ""])

    def _case(self, trail: Trail, live: str) -> str:
        """Counts a trail in some states; gives those in which every guard holds."""
        held = [live]
        lacking: list[str] = []
        for need in trail.needs:
            lacks = self._and(self._path(need.path), self._not(self._node(need.node)))
            lacking.append(lacks)
            held.append(self._and(held[-1], self._not(lacks)))
        reached: dict[int, str] = {}
        for passage in trail.passages:
            mask = self._and(held[passage.guards], self._path(passage.path))
            reached[passage.point] = self._or(reached.get(passage.point, NONE), mask)
        for point, mask in reached.items():
            self._count(point, mask)
        false: dict[int, str] = {}
        for place, need in enumerate(trail.needs):
            mask = self._and(held[place], lacking[place])
            false[need.point] = self._or(false.get(need.point, NONE), mask)
        for point, mask in false.items():
            if point >= 0:
                self._count(self.counters.false(point), mask)
        self._alone(trail, lacking, live)
        return held[-1]

    def _alone(self, trail: Trail, lacking: Sequence[str], live: str) -> None:
        """Counts for each guard where it is the only one that is false before the spec fails."""
        blocks: dict[int, str] = {}
        for place, need in enumerate(trail.needs):
            failed = self._any(self._node(n) for guards, n in trail.failures if guards <= place)
            mask = self._and(lacking[place], self._not(failed))
            blocks[need.point] = self._or(blocks.get(need.point, NONE), mask)
        once, twice = NONE, NONE
        for mask in blocks.values():
            twice = self._or(twice, self._and(once, mask))
            once = self._or(once, mask)
        single = self._and(live, self._not(twice))
        for point, mask in blocks.items():
            if point >= 0:
                self._count(self.counters.alone(point), self._and(single, mask))

    def _count(self, counter: int, mask: str) -> None:
        if mask == NONE:
            return
        bits = self.new(f"call {INTS} @llvm.ctpop.v{LANES}i64({INTS} {mask})")
        total = self.totals.get(counter)
        self.totals[counter] = self.new(f"add {INTS} {total}, {bits}") if total else bits

    # Masks

    def new(self, text: str) -> str:
        """A register with the result of an instruction; the same one for the same instruction."""
        if text not in self.made:
            self.made[text] = f"%x{len(self.made)}"
            self.lines.append(f"  {self.made[text]} = {text}")
        return self.made[text]

    def _and(self, a: str, b: str) -> str:
        if NONE in (a, b):
            return NONE
        if ALL in (a, b) or a == b:
            return b if a == ALL else a
        return self.new(f"and {INTS} {a}, {b}")

    def _or(self, a: str, b: str) -> str:
        if ALL in (a, b):
            return ALL
        if NONE in (a, b) or a == b:
            return b if a == NONE else a
        return self.new(f"or {INTS} {a}, {b}")

    def _not(self, a: str) -> str:
        if a in (NONE, ALL):
            return ALL if a == NONE else NONE
        return self.new(f"xor {INTS} {a}, {ALL}")

    def _any(self, masks: Iterable[str]) -> str:
        found = NONE
        for mask in masks:
            found = self._or(found, mask)
        return found

    def _path(self, path: Path) -> str:
        """Where all conditions of a path hold. Paths share what they start with."""
        if not path:
            return ALL
        key = tuple(node.id for node in path)
        if key not in self.paths:
            self.paths[key] = self._and(self._path(path[:-1]), self._node(path[-1]))
        return self.paths[key]

    def _node(self, node: Node) -> str:
        """The states in which a node is true."""
        if node.constant:
            return ALL if node.value else NONE
        if node.id not in self.known:
            self.known[node.id] = self._made(node)
        return self.known[node.id]

    def _made(self, node: Node) -> str:
        place = self.places.get(node.id)
        if place is not None:
            at = self.new(f"getelementptr i64, ptr %scratch, i64 {place * LANES}")
            return self.new(f"load {INTS}, ptr {at}, align 8")
        args = [self._node(arg) for arg in node.args]
        if node.op == "not":
            return self._not(args[0])
        if node.op == "xor":
            return self.new(f"xor {INTS} {args[0]}, {args[1]}")
        if node.op == "select":
            chosen = self._and(args[0], args[1])
            return self._or(chosen, self._and(self._not(args[0]), args[2]))
        assert node.op in ("and", "or"), node.op
        join, found = (self._and, ALL) if node.op == "and" else (self._or, NONE)
        for arg in args:
            found = join(found, arg)
        return found


def _nodes(case: Case) -> Iterator[Node]:
    """All nodes whose truth decides what a case counts."""
    for trail in (case.trail, *case.after):
        for passage in trail.passages:
            yield from passage.path
        for need in trail.needs:
            yield from (*need.path, need.node)
        for _, node in trail.failures:
            yield node


def _atoms(nodes: Iterable[Node]) -> dict[int, Node]:
    """The comparisons that truths are made of, by their number, in a fixed order."""
    found: dict[int, Node] = {}
    seen: set[int] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if node.id in seen or node.constant:
            continue
        seen.add(node.id)
        if all(arg.boolean for arg in node.args) and node.args:
            pending.extend(node.args)
        else:
            found[node.id] = node
    return {number: found[number] for number in sorted(found)}
