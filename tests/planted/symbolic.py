"""Faults in symbolic execution."""

from __future__ import annotations

from tests.planted.fault import CANONICAL, CONVERSIONS, FORMS, GRAPH, GRAPHS, LARGE, NAMES, Fault

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
        "ir/symbolic/packing.py",
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
        "ir/symbolic/packing.py",
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
        'change.how not in ("assign", "grow" if may_grow else "")',
        'change.how in ("assign", "grow" if may_grow else "")',
        (NAMES,),
    ),
    Fault(
        "a part is changed through a list that holds it",
        "ir/symbolic/run.py",
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
