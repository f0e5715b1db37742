"""Designs as lists of functions: replacing, adding, leaving out, extending the state, misuse."""

from __future__ import annotations

import inspect
from typing import Annotated

import pytest

from specmodel import check
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.errors import SpecError
from specmodel.lang import (
    Range,
    ScalarSet,
    Spec,
    Struct,
    action,
    constraint,
    init,
    invariant,
    reachable,
    transition,
)
from specmodel.results import SpecFailure


class Node(ScalarSet, size=3):
    """An actor."""


class State(Struct):
    at: Annotated[int, Range(0, 3)]


class Wider(State):
    extra: bool


@init
def zero() -> State:
    return State(0)


@init
def one() -> State:
    return State(1)


@init
def wide() -> Wider:
    return Wider(0, False)


@action
def up(s: State, n: Node) -> None:
    """Goes up.

    And more prose.
    """


@action
def down(s: State) -> None: ...


@action
def jump(s: State, n: Node, far: bool) -> None: ...


@invariant
def low(s: State) -> bool:
    return True


@reachable
def there(s: State) -> bool:
    return True


@transition
def steady(before: State, after: State) -> bool:
    return True


@constraint
def near(s: State) -> bool:
    return True


def helper(s: State) -> None: ...


PARENT = Spec(
    name="parent",
    state=State,
    init=zero,
    actions=[up, down],
    invariants=[low],
    reachable=[there],
    transitions=[steady],
    constraints=[near],
)


def names(spec: Spec) -> list[str]:
    return [r.name for r in (spec.start, *spec.rules, *spec.properties, *spec.bounds)]


def test_rules_in_order() -> None:
    """Actions keep the author's order; properties come by kind."""
    assert names(PARENT) == ["zero", "up", "down", "low", "steady", "there", "near"]
    assert [r.role for r in PARENT.properties] == ["invariant", "transition", "reachable"]


def test_replacing_keeps_the_place() -> None:
    """A replaced action stands where the old one stood: order matters; the parent is as it was."""
    made = PARENT.replacing("made", up=jump, zero=one)
    assert names(made) == ["one", "jump", "down", "low", "steady", "there", "near"]
    assert (made.name, made.parent) == ("made", PARENT)
    assert names(PARENT)[:3] == ["zero", "up", "down"]


def test_adding_appends() -> None:
    """Additions come last in their list."""
    made = PARENT.adding("made", actions=[jump])
    assert [r.name for r in made.rules] == ["up", "down", "jump"]
    assert made.parent is PARENT


def test_without_leaves_out() -> None:
    """Actions, properties and constraints can be left out."""
    made = PARENT.without("made", "down", "there", "near")
    assert names(made) == ["zero", "up", "low", "steady"]
    assert made.parent is PARENT


def test_over_an_extended_state() -> None:
    """A design with history variables is the same functions over more fields."""
    made = PARENT.over(Wider, "made", zero=wide)
    assert made.state is Wider
    assert list(made.domain.fields) == ["at", "extra"]
    assert names(made) == ["wide", *names(PARENT)[1:]]
    assert made.parent is PARENT


class Defaulted(State):
    extra: bool = True
    seen: dict[Node, bool] = {n: False for n in Node}


@action
def reset(s: State) -> None:
    s.at = 0


def test_further_fields_of_an_extended_state_start_at_their_defaults() -> None:
    """Each engine starts from what the old `init` gives, with the defaults of the new fields."""
    made = Spec(state=State, init=zero, actions=[reset]).over(Defaulted, "made")
    (start,) = Interpreter(made).initial()
    assert start == Defaulted(0, True, {n: False for n in Node})
    results = [check(Design("made", made, {}), engine=engine) for engine in ("interpret", "native")]
    assert [(r.distinct, r.verdict) for r in results] == [(1, "holds")] * 2


def test_further_field_without_a_default() -> None:
    """The message says which field has no value, and points at the function that has to give it."""
    with pytest.raises(SpecFailure, match="zero gives a State, which has no field extra") as caught:
        list(Interpreter(PARENT.over(Wider, "made")).initial())
    assert caught.value.hint.startswith("give Wider.extra a default")
    assert caught.value.span is not None
    assert caught.value.span.line == zero.__code__.co_firstlineno


def test_initial_state_outside_its_domain() -> None:
    """A default that is none of the field's values is refused with the field's name."""

    class Wrong(State):
        extra: Annotated[int, Range(0, 1)] = 2

    with pytest.raises(SpecFailure, match=r"Wrong\.extra"):
        list(Interpreter(PARENT.over(Wrong, "made")).initial())


def test_wrong_names() -> None:
    """A misspelt function or list is refused with what was probably meant."""
    with pytest.raises(SpecError, match=r'no function is called "uq"; did you mean "up"\?'):
        PARENT.replacing("made", uq=jump)
    with pytest.raises(SpecError, match=r'no function is called "dwon"; did you mean "down"\?'):
        PARENT.without("made", "dwon")
    with pytest.raises(SpecError, match=r'a spec has no list "action"; did you mean "actions"'):
        PARENT.adding("made", action=[jump])
    with pytest.raises(SpecError, match="zero gives the initial states: replace it"):
        PARENT.without("made", "zero")
    with pytest.raises(SpecError, match="jump is not listed, so it cannot be left out"):
        PARENT.without(jump)


def test_wrong_roles() -> None:
    """A function listed under a role that it is not marked for is refused where it is defined."""
    with pytest.raises(SpecError, match="low is listed as action but marked @invariant") as error:
        PARENT.adding("made", actions=[low])
    assert error.value.span is not None
    assert error.value.span.line == inspect.getsourcelines(low)[1]
    with pytest.raises(SpecError, match="helper is listed as action but not marked"):
        PARENT.replacing("made", up=helper)
    with pytest.raises(SpecError, match="up is listed as init but marked @action"):
        Spec(state=State, init=up, actions=[])


def test_listed_twice() -> None:
    """The same function, or two of one name, in one design."""
    with pytest.raises(SpecError, match="up is listed twice"):
        PARENT.adding("made", actions=[up])


def test_bindings_of_parameters() -> None:
    """Every combination of parameter values, the last varying fastest; none for the state."""
    rule = PARENT.adding("made", actions=[jump]).rules[2]
    labels = [rule.label(arguments) for arguments in rule.bindings()]
    assert labels == [f"jump(n={n!r}, far={far})" for n in Node for far in (False, True)]
    assert [PARENT.rules[1].label(b) for b in PARENT.rules[1].bindings()] == ["down()"]
    assert list(PARENT.properties[1].parameters) == []


def test_summary_is_the_first_line() -> None:
    """What a list of actions shows of each."""
    assert PARENT.rules[0].summary == "Goes up."
    assert PARENT.rules[1].summary == ""


def test_parameters_are_annotated_and_few() -> None:
    """A parameter without a domain, or with more values than any search could use."""

    @action
    def bare(s: State, n) -> None: ...  # type: ignore[no-untyped-def]  # the missing one is the point

    @action
    def huge(s: State, n: Annotated[int, Range(0, 1 << 20)]) -> None: ...

    with pytest.raises(SpecError, match="bare: parameter n has no annotation"):
        _ = PARENT.adding("made", actions=[bare]).rules[2].parameters
    with pytest.raises(SpecError, match="huge has more than 1,048,576 bindings: 1,048,577 of n"):
        _ = PARENT.adding("made", actions=[huge]).rules[2].parameters
