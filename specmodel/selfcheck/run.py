"""The self-check of a run: the number of states that it compares, and the comparison."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from specmodel.design import Design
from specmodel.errors import Disagreement, SpecmodelError
from specmodel.results import SelfCheck, SelfChecked, SpecFailure
from specmodel.selfcheck.packing import Words
from specmodel.selfcheck.reference import CheckDifference, Facts, Reference

T = TypeVar("T")

SMALL = 200
"""Smaller state spaces are compared whole."""

LEAST = 50
"""The least number of states that are compared."""

MOST_CALLS = 1 << 20
"""The least number of states is smaller where CPython would call actions more often: some 4 s."""

INITIAL = 8
"""States that are compared however few a run has visited: it may lack initial ones."""

MOST = 1000
"""The greatest number of states that are compared, unless more are asked for."""

ONE_IN = 1 << 16
"""In larger spaces, one state in this number is compared."""

SHARE = 0.05
"""The greatest part of a run's time for comparing more than LEAST states."""


class Compiled(ABC):
    """Compiled code, with functions that give its results for single states."""

    @property
    @abstractmethod
    def how(self) -> Mapping[str, Any]:
        """How it was made, in plain values, for `specmodel.analysis.recheck`."""

    @abstractmethod
    def differences(self, facts: Facts) -> Iterator[CheckDifference]:
        """Where it differs from CPython about a state."""

    def differences_of_all(self, facts: Sequence[Facts]) -> Iterator[tuple[Facts, CheckDifference]]:
        """The differences for many states side by side; none, if it treats states one by one."""
        yield from ()


class CompiledPaths(Compiled):
    """Compiled code that can also follow a path."""

    @abstractmethod
    def after(self, state: Words, bindings: Sequence[int]) -> Iterator[Words]:
        """The states that bindings lead to, one after the other."""


def wanted_states(asked: SelfChecked, states: int | None) -> int:
    """The number of states to compare, for a run with `states` states (None: it counts none)."""
    if asked == "all":
        return 1 << 62 if states is None else states
    if asked is not None:
        return asked
    if states is None:
        return LEAST
    return states if states < SMALL else min(max(LEAST, states // ONE_IN), MOST)


def examined(work: Callable[[], T], check: Callable[[], object]) -> T:
    """The result of `work`.

    If it fails, perhaps because of wrong compiled code, the self-check runs first, and its
    Disagreement is raised instead.

    Failures with another cause, such as a full disk, are not checked.
    """
    try:
        return work()
    except Exception as failure:
        if isinstance(failure, SpecFailure) or not isinstance(failure, SpecmodelError):
            try:
                check()
            except Disagreement:
                raise
            except Exception:
                raise failure from None
        raise


def compare(
    design: Design,
    reference: Reference,
    compiled: Sequence[Compiled],
    asked: SelfChecked,
    met: int | None,
    sample: Callable[[int], Iterable[Words]],
    seconds: float,
    stopped: Callable[[], object] = lambda: False,
) -> SelfCheck:
    """Compares states of a run with CPython: as many as are `asked` for, if the run `met` that
    many.

    `sample` gives a number of states. Raises Disagreement at the first difference. Unless the
    number was given, it ends, after LEAST states or MOST_CALLS, when it has taken its share of the
    `seconds` of the run; and at any time if it is `stopped`.
    """
    wanted = wanted_states(asked, met)
    if asked is None:
        wanted, seconds = max(wanted, INITIAL), SHARE * seconds
    else:
        seconds = math.inf
    enough = time.perf_counter() + seconds
    calls = max(1, len(reference.interpreter.bindings))
    least = min(wanted if wanted < SMALL else LEAST, max(1, MOST_CALLS // calls))
    seen: list[Facts] = []
    for words in islice(dict.fromkeys(sample(wanted)), wanted):
        if stopped() or (len(seen) >= least and time.perf_counter() > enough):
            break
        try:
            facts = reference.facts(words)
        except ValueError as wrong:
            none = CheckDifference(
                "the words of a state", None, f"none: {wrong}", "a state it has met"
            )
            raise _disagreement(
                design, reference, Facts(words, words, []), none, compiled[0]
            ) from None
        for one in compiled:
            for found in one.differences(facts):
                raise _disagreement(design, reference, facts, found, one)
        seen.append(facts)
    for one in compiled:
        for facts, found in one.differences_of_all(seen):
            raise _disagreement(design, reference, facts, found, one)
    return SelfCheck(len(seen), sum(len(facts.steps) for facts in seen))


def _disagreement(
    design: Design, reference: Reference, facts: Facts, found: CheckDifference, one: Compiled
) -> Exception:
    from specmodel.selfcheck.disagreement import disagreement  # rarely needed

    return disagreement(design, reference.layout, facts, found, one.how)
