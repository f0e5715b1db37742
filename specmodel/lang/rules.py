"""Marks for the functions of a spec, and the words used inside them.

A mark changes nothing: a marked function is the same function, to be called, tested and debugged as
it stands. It says what the function is, so that a spec listing it in the wrong place is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NoReturn, TypeVar, overload

from specmodel.errors import Disabled, SpecError

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

ROLE = "__specmodel_role__"
KIND = "__specmodel_kind__"
WHEN = "__specmodel_when__"
REFINES = "__specmodel_refines__"


def _mark(function: F, role: str) -> F:
    setattr(function, ROLE, role)
    return function


@overload
def action(function: F, /) -> F: ...
@overload
def action(*, kind: str) -> Callable[[F], F]: ...
def action(function: F | None = None, /, *, kind: str = "") -> F | Callable[[F], F]:
    """An atomic step: `def fetch(s: Cluster, follower: Replica, leader: Replica) -> None`.

    The first parameter is the state, changed in place. The others range over finite domains: each
    combination of their values (a binding) is one transition, if every `require` on its way holds.

    `@action(kind="fetch")` says what the action is a version of. Rival designs are compared kind by
    kind, so their actions may have names of their own. Unsaid, an action is of the kind of the one
    that it replaces (see `Spec.replacing`), or else of a kind of its own.
    """

    def marked(function: F) -> F:
        if kind:
            setattr(function, KIND, kind)
        return _mark(function, "action")

    return marked if function is None else marked(function)


def init(function: F) -> F:
    """Gives an initial state for each binding of its parameters, `require` choosing among them."""
    return _mark(function, "init")


def invariant(function: F) -> F:
    """True in every reachable state: `def weak_isr(s: Cluster) -> bool`."""
    return _mark(function, "invariant")


def reachable(function: F) -> F:
    """True in at least one reachable state: shows that the model can do what it is meant to."""
    return _mark(function, "reachable")


def transition(function: F) -> F:
    """True of every step: `def hw_monotone(before: Cluster, after: Cluster) -> bool`."""
    return _mark(function, "transition")


def refines(abstract: Any) -> Callable[[F], F]:
    """Every step is a step of an abstract design, or leaves its state as it is.

        @refines(tcommit)
        def outcome(s: Transaction) -> Commitment: ...

    The function gives the state of the abstract design that a state stands for. An initial state
    has to stand for one of the abstract design's. It is listed among the transition properties.
    Raises SpecError unless the abstract design is a spec.
    """
    from specmodel.lang.spec import Spec  # which imports the marks

    if not isinstance(abstract, Spec):
        named = getattr(abstract, "__name__", repr(abstract))
        hint = "name the abstract design: @refines(design)"
        raise SpecError(f"refines takes a spec, not {named}", hint=hint)

    def marked(function: F) -> F:
        setattr(function, REFINES, abstract)
        return _mark(function, "transition")

    return marked


def constraint(function: F) -> F:
    """Bounds the search: a state where it is false is checked, not counted nor explored from."""
    return _mark(function, "constraint")


def eventually(function: F) -> F:
    """True in some state of every behaviour: sooner or later it happens, maybe just once.

    A behaviour goes on for ever, or stops where nothing that is fair can happen any more. As with
    every temporal property, parameters after the state are for each value of theirs: the property
    has to hold for all of them.
    """
    return _mark(function, "eventually")


def always_eventually(function: F) -> F:
    """True again and again in every behaviour: after each state there is one where it is true."""
    return _mark(function, "always_eventually")


def eventually_always(function: F) -> F:
    """True from some state on, for ever, in every behaviour: it may fail before, then settles."""
    return _mark(function, "eventually_always")


def leads_to(*, when: Callable[..., bool]) -> Callable[[F], F]:
    """Each state in which `when` is true is followed by one in which the function is true.

        @leads_to(when=requested)
        def answered(s: Server, c: Client) -> bool: ...

    The same state will do. `when` is a plain function with the same parameters.
    """

    def marked(function: F) -> F:
        setattr(function, WHEN, when)
        return _mark(function, "leads_to")

    return marked


@overload
def require(condition: Literal[False]) -> NoReturn: ...
@overload
def require(condition: bool) -> None: ...
def require(condition: bool) -> None:
    """A guard: unless it holds, the action cannot happen with this binding in this state.

    It is not an assertion: a false guard is no error, the step simply does not exist.
    """
    if not condition:
        raise Disabled


def require_some(value: T | None) -> T:
    """A guard that a value is not None, giving the value."""
    if value is None:
        raise Disabled
    return value
