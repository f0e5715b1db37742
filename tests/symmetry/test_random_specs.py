"""Random specs that pass for symmetric are symmetric, and a symmetric search finds what one without
does."""

from __future__ import annotations

import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, reject
from hypothesis import strategies as st

from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.domains import PositionDomain, ScalarDomain
from specmodel.domains.renaming import Renaming, renamed, scalar_sets, swaps_of
from specmodel.engines import interpret, native
from specmodel.errors import SpecError
from specmodel.ir.symmetry.check import refuse_asymmetric
from specmodel.lang.loading import load_module
from specmodel.model.model import Rule
from specmodel.results import Options, SpecFailure
from tests.engines.outcomes import Failed, outcome
from tests.random_specs import few, many, refusals_allowed, spec_sources
from tests.symmetry.loops import loop_sources

STATES = 10
FAILED = "failed"

SOURCES = st.one_of(loop_sources(), spec_sources(symmetric=True))


def design_of(text: str) -> tuple[Design, tuple[ScalarDomain, ...]]:
    """A random spec as a design, with its symmetric sets; none that is not symmetric."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random_spec.py"
        file.write_text(text, encoding="utf-8")
        design = Design("random", load_module(file).spec("spec"), {})
        sets = tuple({s: s for s in scalar_sets(design.spec.domain)})
        try:
            refuse_asymmetric(design.spec.code, [r.name for r in design.spec.properties], sets)
        except SpecError as error:
            assert "not symmetric in Node" in str(error), error
            event("refused")
            reject()
        return design, sets


class Renamer:
    """A spec under CPython, and what an exchange of two members makes of it."""

    def __init__(self, design: Design, swap: Renaming) -> None:
        self.interpreter = Interpreter(design.spec)
        self.domain = self.interpreter.domain
        self.properties = design.spec.properties
        self.swap = swap
        numbers = {
            (rule.name, places(rule, args)): n
            for n, (rule, args) in enumerate(self.interpreter.bindings)
        }
        self.images = [
            numbers[rule.name, places(rule, args, swap)] for rule, args in self.interpreter.bindings
        ]
        moves: dict[Any, list[int]] = defaultdict(list)
        for n, (rule, args) in enumerate(self.interpreter.bindings):
            moves[rule.name, named(rule, args)].append(n)
        self.moves = list(moves.values())

    def successor(self, state: Any, number: int) -> int | str | None:
        """The place of the state that a binding leads to, None if it cannot, or that it fails."""
        try:
            found = self.interpreter.successor(state, number)
        except SpecFailure:
            return FAILED
        return None if found is None else self.domain.index(found)

    def truth(self, rule: Rule, state: Any) -> bool | str:
        """Whether a property holds in a state, or that it fails."""
        try:
            return self.interpreter.holds(rule, state)
        except SpecFailure:
            return FAILED

    def compare(self, state: Any) -> None:
        """Exchanging members and then taking a step comes to the same as the other way round.

        Whether a step fails may depend on the order of members, so those that fail are left out.
        """
        other = renamed(self.domain, state, self.swap)
        for rule in self.properties:
            held = {self.truth(rule, state), self.truth(rule, other)}
            assert FAILED in held or len(held) == 1, (rule.name, state)
        for numbers in self.moves:
            found = [self.renamed(self.successor(state, n)) for n in numbers]
            after = [self.successor(other, self.images[n]) for n in numbers]
            assert FAILED in (*found, *after) or Counter(found) == Counter(after), (
                [str(self.interpreter.step(n)) for n in numbers],
                state,
            )

    def renamed(self, found: int | str | None) -> int | str | None:
        """What `successor` returns, with two members exchanged."""
        if not isinstance(found, int):
            return found
        return self.domain.index(renamed(self.domain, self.domain.at(found), self.swap))


def places(rule: Rule, arguments: Sequence[Any], swap: Renaming | None = None) -> tuple[int, ...]:
    """The places of arguments in their domains, maybe after an exchange of members."""
    pairs = zip(rule.parameters.values(), arguments, strict=True)
    return tuple(d.index(renamed(d, value, swap) if swap else value) for d, value in pairs)


def named(rule: Rule, arguments: Sequence[Any]) -> tuple[Any, ...]:
    """Arguments without the positions that an action picks: an exchange may move what they hold."""
    pairs = zip(rule.parameters.values(), arguments, strict=True)
    return tuple(None if isinstance(d, PositionDomain) else d.index(value) for d, value in pairs)


def assert_symmetric(design: Design, sets: tuple[ScalarDomain, ...], draw: random.Random) -> None:
    """Random states of a spec, with each exchange of neighbours."""
    for swap in swaps_of(sets):
        renamer = Renamer(design, swap)
        for _ in range(STATES):
            renamer.compare(renamer.domain.at(draw.randrange(renamer.domain.size)))


@few(30)
@given(SOURCES, st.randoms(use_true_random=False))
def test_what_is_accepted_is_symmetric(text: str, draw: random.Random) -> None:
    """Of random specs with loops of all kinds, those not refused treat all actors alike."""
    assert_symmetric(*design_of(text), draw)


@pytest.mark.long
@many(3000)
@given(SOURCES, st.randoms(use_true_random=False))
def test_many_that_are_accepted_are_symmetric(text: str, draw: random.Random) -> None:
    """As above, at leisure."""
    assert_symmetric(*design_of(text), draw)


def compare(text: str) -> None:
    """The same verdict and trace length with and without, and the same symmetric result by both
    engines and any number of workers."""
    design, _ = design_of(text)
    limits: dict[str, Any] = {"max_depth": 6, "keep_going": True, "deadlock": True}
    plain = outcome(interpret.check, design, Options(**limits, max_states=500))
    wanted = outcome(interpret.check, design, Options(**limits, symmetry=True))
    for workers in (1, 2):
        options = Options(**limits, symmetry=True, workers=workers)
        with refusals_allowed():
            assert outcome(native.check, design, options) == wanted, workers
    if isinstance(plain, Failed) or isinstance(wanted, Failed):
        event("fails")
    elif plain["stopped"] != "max-states":
        assert plain["depth"] == wanted["depth"] and plain["complete"] == wanted["complete"]
        assert shape(plain) == shape(wanted)


def shape(said: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Verdicts, and the lengths of traces."""
    return [
        (name, verdict, None if steps is None else len(steps))
        for name, _, verdict, steps in said["properties"]
    ]


@few(8)
@given(SOURCES)
def test_verdicts(text: str) -> None:
    """Random small specs, as far as they go in a few levels; many of them fail on the way."""
    compare(text)


@pytest.mark.long
@many(300)
@given(SOURCES)
def test_many_verdicts(text: str) -> None:
    """As above, at leisure."""
    compare(text)
