"""Z3 behind one small typed module: terms, a solver with limits, models.

Z3's own package says little of its types, so a term is `Any` outside as well: a z3 expression of
this `Logic`'s context. Arithmetic, comparisons and bit operations are written with Python's
operators, as z3 has them.
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
    """What a solver says of its assertions: they can be met, cannot be, or it does not know."""

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
        with held_back():  # z3 complains on stderr of a context that is left half made
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
        """And of any number of terms."""
        found = list(terms)
        return found[0] if len(found) == 1 else self.z3.And(*found, self.context)

    def either(self, terms: Iterable[Formula]) -> Formula:
        """Or of any number of terms."""
        found = list(terms)
        return found[0] if len(found) == 1 else self.z3.Or(*found, self.context)

    def exactly_one(self, terms: Sequence[Formula]) -> Formula:
        """That one of some bools is true, and no other."""
        return self.z3.PbEq([(term, 1) for term in terms], 1) if terms else self.false

    def negate(self, term: Formula) -> Formula:
        return self.z3.Not(term)

    def implies(self, term: Formula, other: Formula) -> Formula:
        return self.z3.Implies(term, other)

    def choose(self, condition: Formula, then: Formula, other: Formula) -> Formula:
        return self.z3.If(condition, then, other)

    # Bit-vectors

    def resized(self, term: Formula, width: int, signed: bool) -> Formula:
        """Bits made more (by the sign, or by zeros) or fewer (the low ones)."""
        has: int = term.size()
        if has == width:
            return term
        if has > width:
            return self.z3.Extract(width - 1, 0, term)
        extend = self.z3.SignExt if signed else self.z3.ZeroExt
        return extend(width - has, term)

    def below(self, term: Formula, other: Formula) -> Formula:
        """Whether bits are below others, both without sign."""
        return self.z3.ULT(term, other)

    def joined(self, terms: Sequence[Formula]) -> Formula:
        """Bits put together, those of the first lowest."""
        return self.z3.Concat(*reversed(terms)) if len(terms) > 1 else terms[0]

    def as_bits(self, terms: Sequence[Formula]) -> Formula:
        """Bools put together as bits, the first lowest."""
        one, none = self.bits(1, 1), self.bits(0, 1)
        return self.joined([self.choose(term, one, none) for term in terms])

    # Terms as a whole

    def replacement(self, pairs: Sequence[tuple[Formula, Formula]]) -> Substitution:
        """What puts terms in the places of variables, all at once, in any term."""
        return Substitution(self, pairs)

    def simplified(self, term: Formula) -> Formula:
        """A term made simple: without variables it is a number, or true or false."""
        if self._interrupted:  # until its next check z3 simplifies nothing
            self._interrupted = False
            self.z3.Solver(ctx=self.context).check()
        return self.z3.simplify(term)

    def number(self, term: Formula) -> int:
        """The number that a term of bits without variables is, without sign."""
        return int(self.simplified(term).as_long())

    def truth(self, term: Formula) -> bool:
        """Whether a boolean term without variables is true."""
        return bool(self.z3.is_true(self.simplified(term)))

    def solver(self, kind: str = "") -> Solver:
        """An empty solver, for a logic that z3 has a name for, or for everything."""
        z3 = self.z3
        made = z3.SolverFor(kind, ctx=self.context) if kind else z3.Solver(ctx=self.context)
        made.set("random_seed", 0)
        made.set("ctrl_c", False)  # who waits for the answer hears of Ctrl-C, and interrupts
        return Solver(self, made, kind)

    def interrupt(self) -> None:
        """Has a check that runs in another thread answer UNKNOWN soon.

        What else z3 is doing then ends with an exception, which `cut_short` knows.
        """
        self._interrupted = True
        self.context.interrupt()

    def cut_short(self, wrong: BaseException) -> bool:
        """Whether an exception is due to `interrupt`."""
        return isinstance(wrong, self.z3.Z3Exception) and "canceled" in str(wrong)


class Substitution:
    """Terms to be put in the places of variables.

    z3's own function looks at the sorts of all pairs at each call, which for the variables of a
    state takes longer than the replacement.
    """

    def __init__(self, logic: Logic, pairs: Sequence[tuple[Formula, Formula]]) -> None:
        for old, new in pairs:
            assert old.sort() == new.sort(), (old, new)
        self._logic = logic
        self._kept = list(pairs)  # z3 frees a term that nobody has
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
    """Values for variables that meet a solver's assertions."""

    def __init__(self, logic: Logic, model: Any) -> None:
        self.logic = logic
        self.model = model

    def number(self, term: Formula) -> int:
        """The number that a term of bits or ints has; bits are without sign."""
        return int(self.model.eval(term, model_completion=True).as_long())

    def truth(self, term: Formula) -> bool:
        """Whether a boolean term holds."""
        return bool(self.logic.z3.is_true(self.model.eval(term, model_completion=True)))


class Solver:
    """Assertions, and whether they can be met.

    `seconds` is the time spent on checks, `why` what z3 said last of an unknown answer.
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
        """Asserts terms, for good or until `pop`."""
        self.solver.add(*terms)
        self._asserted += terms

    def push(self) -> None:
        """What is asserted from here on goes with `pop`."""
        self.solver.push()
        self._pushed.append(len(self._asserted))

    def pop(self) -> None:
        self.solver.pop()
        del self._asserted[self._pushed.pop() :]

    def renew(self) -> None:
        """Goes on with the same assertions, for good, in a solver that has not been asked yet.

        To be done after UNKNOWN: z3's solver for finite domains, once cut short, has been seen to
        answer SAT to what cannot be met.
        """
        self.solver = self.logic.solver(self.kind).solver
        self.solver.add(*self._asserted)
        self._pushed.clear()

    def check(self, assumed: Sequence[Formula] = (), timeout: float | None = None) -> Answer:
        """Whether the assertions and what is assumed can be met, in at most some seconds."""
        milliseconds = (1 << 32) - 1 if timeout is None else max(1, round(timeout * 1000))
        self.solver.set("timeout", milliseconds)
        started = time.perf_counter()
        found = str(self.solver.check(*assumed))
        self.seconds += time.perf_counter() - started
        self.why = str(self.solver.reason_unknown()) if found == "unknown" else ""
        return Answer(found)

    def model(self) -> SolverModel:
        """The values that the last check, which said SAT, has found."""
        return SolverModel(self.logic, self.solver.model())

    def core(self) -> list[Formula]:
        """Those of the assumptions of the last check, which said UNSAT, that it rests on."""
        return list(self.solver.unsat_core())
