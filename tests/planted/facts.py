"""Faults in what is known from the conditions of a path."""

from __future__ import annotations

from tests.planted.fault import FACTS, SETS, Fault

WHERE = "tla/symbolic/facts.py"

PATHS = (
    Fault(
        "the last open part of a clause counts as its opposite",
        WHERE,
        "pending.append((found[0], holds))",
        "pending.append((found[0], not holds))",
        (FACTS,),
    ),
    Fault(
        "a number may have none of its values",
        WHERE,
        "return len(denied) < number.high - number.low + 1",
        "return len(denied) <= number.high - number.low + 1",
        (FACTS,),
    ),
    Fault(
        "the limits of a number are not asked",
        WHERE,
        "return not self._watched.get(2 * number) and not self._below.get(number)",
        "return not self._watched.get(2 * number)",
        (FACTS,),
    ),
    Fault(
        "what a number is does not settle clauses",
        WHERE,
        "changes = *changes, 2 * node.args[0].id",
        "changes = (2 * node.id + holds,)",
        (FACTS,),
    ),
    Fault(
        "what a condition says stays when it is taken back",
        WHERE,
        "for _ in range(len(self._undo) - end):",
        "for _ in range(len(self._undo) - end - 1):",
        (FACTS,),
    ),
    Fault(
        "a set that is written loses an element",
        "ir/symbolic/sets.py",
        "kept.get(whole.id, (whole, 0))[1] | 1 << i",
        "kept.get(whole.id, (whole, 0))[1] ^ 1 << i ^ 1",
        (SETS,),
    ),
    Fault(
        "another element of a set is taken for the one at its place",
        "ir/symbolic/sets.py",
        "not other.constant or one.value != bit:",
        "not other.constant:",
        (SETS,),
    ),
    Fault(
        "what a value's evaluation failed for is noted once and for all",
        "tla/symbolic/path.py",
        "if self._path.failures[self._there] == self._failures:",
        "if self._there:",
        ("tests/tla/test_noted_failures.py::test_they_are_noted_once[dropped]",),
    ),
    Fault(
        "a recursion that is cut is no failure",
        "tla/symbolic/evaluate.py",
        "self.path.fail(self.graph.true, CUT, place)",
        "self.path.fail(self.graph.false, CUT, place)",
        ("tests/tla/test_recursions.py::test_a_violation_far_down",),
    ),
    Fault(
        "a state needs no more calls than compiled code has",
        "tla/symbolic/possible_steps.py",
        "if failure.message == CUT and failure.span and codes.number(failure.node):",
        "if failure.message == '' and failure.span and codes.number(failure.node):",
        ("tests/tla/test_recursions.py::test_a_violation_far_down",),
    ),
    Fault(
        "code does not tell how deep its recursions are",
        "tla/symbolic/model.py",
        "{sorted(self.module.depths.items())}",
        "",
        ("tests/tla/test_recursions.py::test_a_violation_far_down",),
    ),
    Fault(
        "a negative number that may be beyond 32 bits is another one",
        "tla/symbolic/operators.py",
        "first = 0 if node.low >= 0 else LEAST",
        "first = 0",
        ("tests/tla/test_large_numbers.py::test_they_need_not_fit_where_they_are_not_computed",),
    ),
    Fault(
        "the states of a second share have parents of the first",
        "tla/shares.py",
        "search.level[search.position :], counts",
        "search.level[max(0, search.position - 1) :], counts",
        ("tests/tla/test_shares.py::test_as_one_process[Walk]",),
    ),
)
