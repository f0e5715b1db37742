"""Fairness and temporal properties in a spec: what is refused, what becomes of them in others."""

from __future__ import annotations

import pytest

from specmodel.errors import SpecError
from specmodel.lang import Spec, action, eventually, invariant, leads_to, require, strong, weak
from specmodel.lang.fairness import Fairness
from tests.specs.waiting import Queue, Turn, begun, serve, served, skip, waits

SPEC = Spec(
    name="line",
    state=Queue,
    init=begun,
    actions=[serve, skip],
    liveness=[served],
    fairness=[weak(serve, per="t"), strong(serve, skip)],
)


@action
def hurry(s: Queue, t: Turn) -> None:
    """Another way to serve."""
    require(s.waiting == t)
    s.waiting = None


def test_a_replacement_is_as_fair_as_what_it_replaces() -> None:
    """Else a design with one rule changed would lose its fairness without a word."""
    changed = SPEC.replacing("hurried", serve=hurry)
    assert changed.fairness == (weak(hurry, per="t"), strong(hurry, skip))


def test_fairness_goes_with_its_action() -> None:
    """A constraint on several actions goes with the last of them."""
    assert SPEC.without("idle", "serve").fairness == (strong(skip),)
    assert SPEC.without("idle", "serve", "skip").fairness == ()


def test_adding_and_putting_in_place() -> None:
    """`adding` appends, `under` replaces all of it."""
    assert SPEC.adding("more", fairness=[weak(skip)]).fairness[-1] == weak(skip)
    assert SPEC.under("other", weak(skip)).fairness == (weak(skip),)
    assert SPEC.under("none").fairness == ()
    assert SPEC.without("safe", "served").liveness == ()


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        (weak(hurry), "hurry is not among the actions"),
        (weak(serve, per="turn"), 'serve has no parameter "turn"; known: t'),
        (weak(serve, skip, per="t"), 'skip has no parameter "t"'),
    ],
)
def test_fairness_of_what_is_not_there_is_refused(wanted: Fairness, told: str) -> None:
    """A misspelt parameter would otherwise be fairness that nobody has."""
    with pytest.raises(SpecError, match=told):
        SPEC.under("wrong", wanted)


def test_fairness_of_nothing_is_refused() -> None:
    """`weak()` says nothing."""
    with pytest.raises(SpecError, match="takes the action"):
        weak()


def test_only_temporal_properties_are_listed_as_liveness() -> None:
    """And they are listed nowhere else."""

    @invariant
    def always(s: Queue) -> bool:
        """Holds."""
        return True

    @eventually
    def sometime(s: Queue) -> bool:
        """Comes."""
        return True

    with pytest.raises(SpecError, match="always is listed as a temporal property but marked"):
        SPEC.adding("wrong", liveness=[always])
    with pytest.raises(SpecError, match="sometime is listed as invariant but marked @eventually"):
        SPEC.adding("wrong", invariants=[sometime])


def test_an_antecedent_has_the_parameters_of_its_property() -> None:
    """They are filled in together."""

    @leads_to(when=waits)
    def alone(s: Queue) -> bool:
        """Takes none."""
        return True

    with pytest.raises(SpecError, match="alone has the parameters none, and waits"):
        SPEC.adding("wrong", liveness=[alone])
