"""A step that takes any member of the state's slots is one loop, which does what each step does."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from specmodel import check
from specmodel.kernel import program
from specmodel.results import SpecFailure
from specmodel.tla.loading import load_module
from specmodel.tla.symbolic.concrete import Codes
from specmodel.tla.symbolic.storage import stored
from specmodel.tla.symbolic.stored import StoredNumber
from specmodel.tla.symbolic.stored_sets import StoredMask, StoredSlots
from specmodel.tla.symbolic.types import (
    FEW_MEMBERS,
    MANY_KEYS,
    NumberType,
    ProductType,
    SetType,
)
from specmodel.tla.values import Value
from tests.tla.both_ways import outcome
from tests.tla.oracle import MODULES
from tests.tla.random_actions import RandomModule
from tests.tla.test_compiled import compiled as search
from tests.tla.test_step_properties import compiled

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

CARELESS = (MODULES / "Mail.cfg").read_text().replace("Careless = FALSE", "Careless = TRUE")


def test_which_steps_are_loops() -> None:
    """One for a member, two for two of them; the steps of an action have as many numbers."""
    model = compiled(MODULES / "Mail.cfg")
    found: dict[str, list[tuple[int, ...]]] = {
        name: [step.sizes for step in steps if not step.never]
        for name, steps in model.module.own.steps.items()
    }
    assert found == {
        "Send": [(), (), (), ()],
        "Receive": [(3,)],
        "Later": [(3, 3), (3, 3)],
        "Settle": [(3, 3)],
        "Again": [()] * 4,  # the copies of four letters have places of their own
        "Both": [(3,)] * 4,
        "Drop": [()] * 4,
    }
    assert (model.binding_counts["Later"], model.binding_counts["Receive"]) == (18, 3)


@pytest.mark.parametrize("name", ["Mail", "Mail-symmetry", "Messages", "Slots"])
def test_effects_with_given_parameters(name: str) -> None:
    """A loop with numbers for its parameters is the step of these numbers."""
    model, draw = compiled(MODULES / f"{name}.cfg"), random.Random(3)
    graphs, looped = model.module.own, 0
    for step in (step for steps in graphs.steps.values() for step in steps):
        looped += bool(step.sizes)
        for parameters in product(*map(range, step.sizes)):
            given: Any = step.effect.given(graphs.graph, parameters)
            for _ in range(3):
                codes = Codes([draw.randrange(size) for size in model.module.sizes])
                within = codes.within(parameters)
                for one, other in (
                    (step.effect.guards, given.guards),
                    (step.effect.failures, given.failures),
                ):
                    pairs = zip(one, other, strict=True)
                    assert all(within.number(a.node) == codes.number(b.node) for a, b in pairs)
                pairs = zip(step.effect.leaves, given.leaves, strict=True)
                assert all(within.number(a) == codes.number(b) for a, b in pairs)
    assert looped


def by_both(configuration: str, whole: bool) -> str:
    """How the module of letters fares: by its graphs or in a whole search."""
    text = (MODULES / "Mail.tla").read_text().replace("MODULE Mail ", "MODULE R ")
    return outcome(RandomModule(text, configuration), whole).kind


def test_state_by_state() -> None:
    """The next states of a state are those that the evaluator finds."""
    assert by_both((MODULES / "Mail.cfg").read_text(), whole=False) == "agree"


@pytest.mark.parametrize("whole", [False, True])
def test_failures_within_loops(whole: bool) -> None:
    """A field that the member in some slot lacks is found, by the graphs and by native code."""
    assert by_both(CARELESS, whole) == "failing"


def test_the_message_of_such_a_failure(tmp_path: Any) -> None:
    """It is that of the evaluator."""
    (tmp_path / "Careless.cfg").write_text(CARELESS)
    with pytest.raises(SpecFailure, match=r"Mail.tla:45:8: .* has no field from"):
        check(load_module(MODULES / "Mail.tla", tmp_path / "Careless.cfg"))


@pytest.mark.parametrize("name", ["Mail", "Mail-symmetry", "Messages"])
def test_guards_in_loops(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step and every state is the evaluator's, also where guards are too long for gates."""
    monkeypatch.setattr(program, "MOST_GUARDS", 0)
    found: Any = search(MODULES / f"{name}.cfg")
    assert found.self_check is not None and found.self_check.states == found.distinct


def test_sets_of_many_different_members_lie_in_slots() -> None:
    """Else each new member would widen the type. `test_compiled` compares Window with TLC."""
    model = compiled(MODULES / "Window.cfg")
    assert [type(each) for each in model.module.stored] == [StoredNumber, StoredSlots]
    pair, most = ProductType((1, 2), (NumberType(0, 500), NumberType(0, 500))), FEW_MEMBERS + 1
    for count, kind in ((MANY_KEYS, StoredMask), (MANY_KEYS + 1, StoredSlots)):
        known = frozenset[Value]((n, n) for n in range(count))
        assert isinstance(stored(SetType(pair, known, most), "sent"), kind)
