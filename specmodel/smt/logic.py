"""Z3 as a small typed interface: terms, a solver with a time limit, models.

The package z3 has few types, so a term is `Any`: a z3 expression of one `Logic`'s context. Callers
write arithmetic, comparisons and bit operations of terms with Python's operators.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from specmodel.errors import UsageError
from specmodel.interrupts import held_back

Formula = Any
"""A z3 expression."""


class Answer(enum.Enum):
    """A solver's answer: its assertions are satisfiable, are unsatisfiable, or it does not know."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


def refuse_without_z3() -> None:
    """Raises UsageError unless z3 is installed."""
    if find_spec("z3") is None:
        raise UsageError("formulas need z3: run `pip install 'specmodel[smt]'`")


class Logic:
    """Makes terms in a z3 context of its own. Raises UsageError if z3 is not installed."""

    def __init__(self) -> None:
        refuse_without_z3()
        with held_back():  # z3 writes to stderr if Ctrl-C leaves a context half made
            self.z3: Any = import_module("z3")
            self.context: Any = self.z3.Context()
        self.true: Formula = self.z3.BoolVal(True, self.context)
        self.false: Formula = self.z3.BoolVal(False, self.context)
        self._interrupted = False

    # Variables and constants

    def bool_variable(self, name: str) -> Formula:
        return self.z3.Bool(name, self.context)

    def bits_variable(self, name: str, width: int) -> Formula:
        return self.z3.BitVec(name, width, self.context)

    def bits(self, value: int, width: int) -> Formula:
        """A number as `width` bits, in two's complement."""
        return self.z3.BitVecVal(value, width, self.context)

    # Logic

    def both(self, terms: Iterable[Formula]) -> Formula:
        """The conjunction of any number of terms."""
        found = list(terms)
        return found[0] if len(found) == 1 else self.z3.And(*found, self.context)

    def either(self, terms: Iterable[Formula]) -> Formula:
        """The disjunction of any number of terms."""
        found = list(terms)
        return found[0] if len(found) == 1 else self.z3.Or(*found, self.context)

    def exactly_one(self, terms: Sequence[Formula]) -> Formula:
        """The formula: exactly one of several bools is true."""
        return self.z3.PbEq([(term, 1) for term in terms], 1) if terms else self.false

    def negate(self, term: Formula) -> Formula:
        return self.z3.Not(term)

    def implies(self, term: Formula, other: Formula) -> Formula:
        return self.z3.Implies(term, other)

    def choose(self, condition: Formula, then: Formula, other: Formula) -> Formula:
        return self.z3.If(condition, then, other)

    # Bit-vectors

    def resized(self, term: Formula, width: int, signed: bool) -> Formula:
        """A term with `width` bits: extended by its sign or by zeros, or cut to its low bits."""
        has: int = term.size()
        if has == width:
            return term
        if has > width:
            return self.z3.Extract(width - 1, 0, term)
        extend = self.z3.SignExt if signed else self.z3.ZeroExt
        return extend(width - has, term)

    def below(self, term: Formula, other: Formula) -> Formula:
        """The formula: a bit-vector is less than another, both unsigned."""
        return self.z3.ULT(term, other)

    def joined(self, terms: Sequence[Formula]) -> Formula:
        """Bit-vectors concatenated; the first has the lowest bits."""
        return self.z3.Concat(*reversed(terms)) if len(terms) > 1 else terms[0]

    def as_bits(self, terms: Sequence[Formula]) -> Formula:
        """Bools as one bit-vector; the first is the lowest bit."""
        one, none = self.bits(1, 1), self.bits(0, 1)
        return self.joined([self.choose(term, one, none) for term in terms])

    # Terms as a whole

    def replacement(self, pairs: Sequence[tuple[Formula, Formula]]) -> Substitution:
        """The simultaneous substitution of variables by terms, for pairs (variable, term)."""
        return Substitution(self, pairs)

    def simplified(self, term: Formula) -> Formula:
        """A term simplified by Z3; a term without variables becomes a number, true or false."""
        if self._interrupted:  # after an interrupt, z3 simplifies nothing until its next check
            self._interrupted = False
            self.z3.Solver(ctx=self.context).check()
        return self.z3.simplify(term)

    def number(self, term: Formula) -> int:
        """The value of a bit-vector term without variables, unsigned."""
        return int(self.simplified(term).as_long())

    def truth(self, term: Formula) -> bool:
        """The value of a boolean term without variables."""
        return bool(self.z3.is_true(self.simplified(term)))

    def solver(self, kind: str = "") -> Solver:
        """A solver without assertions. `kind` is z3's name of a logic; "" is the general solver."""
        z3 = self.z3
        made = z3.SolverFor(kind, ctx=self.context) if kind else z3.Solver(ctx=self.context)
        made.set("random_seed", 0)
        made.set("ctrl_c", False)  # the waiting thread gets Ctrl-C and calls `interrupt`
        return Solver(self, made, kind)

    def interrupt(self) -> None:
        """Makes a check that runs in another thread answer UNKNOWN soon.

        Any other call of z3 that runs then raises an exception, which `cut_short` recognises.
        """
        self._interrupted = True
        self.context.interrupt()

    def cut_short(self, wrong: BaseException) -> bool:
        """Whether an exception is due to `interrupt`."""
        return isinstance(wrong, self.z3.Z3Exception) and "canceled" in str(wrong)


class Substitution:
    """A simultaneous substitution of variables by terms, for use on any term.

    The substitute function of z3's package compares the sorts of all pairs at each call. For the
    variables of a state, the comparison takes longer than the substitution.
    """

    def __init__(self, logic: Logic, pairs: Sequence[tuple[Formula, Formula]]) -> None:
        for old, new in pairs:
            assert old.sort() == new.sort(), (old, new)
        self._logic = logic
        self._kept = list(pairs)  # z3 frees a term without references
        array = logic.z3.Ast * len(pairs)
        self._old = array(*(old.as_ast() for old, _ in pairs))
        self._new = array(*(new.as_ast() for _, new in pairs))

    def __call__(self, term: Formula) -> Formula:
        """A term with the variables replaced."""
        z3, context = self._logic.z3, self._logic.context
        count, reference = len(self._kept), context.ref()
        made = z3.Z3_substitute(reference, term.as_ast(), count, self._old, self._new)
        return term.__class__(made, context)


class SolverModel:
    """Values for variables that satisfy a solver's assertions."""

    def __init__(self, logic: Logic, model: Any) -> None:
        self.logic = logic
        self.model = model

    def number(self, term: Formula) -> int:
        """The value of a bit-vector or integer term; a bit-vector is unsigned."""
        return int(self.model.eval(term, model_completion=True).as_long())

    def truth(self, term: Formula) -> bool:
        """The value of a boolean term."""
        return bool(self.logic.z3.is_true(self.model.eval(term, model_completion=True)))


class Solver:
    """A solver of Z3 with its assertions.

    `seconds` is the time spent on checks, `why` Z3's reason if the last answer was UNKNOWN.
    """

    def __init__(self, logic: Logic, solver: Any, kind: str) -> None:
        self.logic = logic
        self.solver = solver
        self.kind = kind
        self.seconds = 0.0
        self.why = ""
        self._asserted: list[Formula] = []
        self._pushed: list[int] = []

    def add(self, *terms: Formula) -> None:
        """Asserts terms, until `pop` if there was a `push`."""
        self.solver.add(*terms)
        self._asserted += terms

    def push(self) -> None:
        """Makes `pop` remove the terms that are asserted from now on."""
        self.solver.push()
        self._pushed.append(len(self._asserted))

    def pop(self) -> None:
        self.solver.pop()
        del self._asserted[self._pushed.pop() :]

    def renew(self) -> None:
        """Moves the assertions to a new solver, where `pop` no longer removes any of them.

        Call it after UNKNOWN: an interrupted solver of z3 for finite domains has answered SAT for
        assertions that are unsatisfiable.
        """
        self.solver = self.logic.solver(self.kind).solver
        self.solver.add(*self._asserted)
        self._pushed.clear()

    def check(self, assumed: Sequence[Formula] = (), timeout: float | None = None) -> Answer:
        """Whether the assertions and assumptions are satisfiable. `timeout` is in seconds."""
        milliseconds = (1 << 32) - 1 if timeout is None else max(1, round(timeout * 1000))
        self.solver.set("timeout", milliseconds)
        started = time.perf_counter()
        found = str(self.solver.check(*assumed))
        self.seconds += time.perf_counter() - started
        self.why = str(self.solver.reason_unknown()) if found == "unknown" else ""
        return Answer(found)

    def model(self) -> SolverModel:
        """The values that the last check found; its answer has to be SAT."""
        return SolverModel(self.logic, self.solver.model())

    def core(self) -> list[Formula]:
        """The assumptions that the last check used to answer UNSAT."""
        return list(self.solver.unsat_core())
