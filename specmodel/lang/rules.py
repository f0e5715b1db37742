"""The marks (decorators) of a spec's functions, and the functions used inside them.

A mark does not change a function: it can be called, tested and debugged as before. The mark says
what role the function has, so that a spec that lists it under another role is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NoReturn, TypeVar, overload

from specmodel.errors import Disabled

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

ROLE = "__specmodel_role__"
KIND = "__specmodel_kind__"
WHEN = "__specmodel_when__"
REFINES = "__specmodel_refines__"


def mark(function: F, role: str) -> F:
    """The function, with its role."""
    setattr(function, ROLE, role)
    return function


@overload
def action(function: F, /) -> F: ...
@overload
def action(*, kind: str) -> Callable[[F], F]: ...
def action(function: F | None = None, /, *, kind: str = "") -> F | Callable[[F], F]:
    """An atomic step: `def fetch(s: Cluster, follower: Replica, leader: Replica) -> None`.

    The first parameter is the state, which the action changes in place. The others have finite
    domains. Each combination of their values is a binding, which is one step where every `require`
    that it reaches is true.

    `@action(kind="fetch")` gives the action a kind. Rival designs are compared kind by kind, so
    their actions may have different names. Without a mark, the kind of an action is the kind of the
    action that it replaces (see `Spec.replacing`), or else its own name.
    """

    def marked(function: F) -> F:
        if kind:
            setattr(function, KIND, kind)
        return mark(function, "action")

    return marked if function is None else marked(function)


def init(function: F) -> F:
    """Returns an initial state for each binding of its parameters whose `require`s hold."""
    return mark(function, "init")


def invariant(function: F) -> F:
    """True in every reachable state: `def weak_isr(s: Cluster) -> bool`."""
    return mark(function, "invariant")


def reachable(function: F) -> F:
    """True in at least one reachable state: shows that the model can do what it should."""
    return mark(function, "reachable")


def transition(function: F) -> F:
    """True of every step: `def hw_monotone(before: Cluster, after: Cluster) -> bool`."""
    return mark(function, "transition")


def constraint(function: F) -> F:
    """Bounds the search: a state where it is false is checked, but not counted or expanded."""
    return mark(function, "constraint")


def eventually(function: F) -> F:
    """True in at least one state of every behaviour.

    A behaviour goes on for ever, or stops where no fair action is enabled. A temporal property may
    have parameters after the state: it has to hold for all their values.
    """
    return mark(function, "eventually")


def always_eventually(function: F) -> F:
    """True again and again in every behaviour: each state has a later state where it is true."""
    return mark(function, "always_eventually")


def eventually_always(function: F) -> F:
    """True for ever from some state on, in every behaviour; before, it may be false."""
    return mark(function, "eventually_always")


def leads_to(*, when: Callable[..., bool]) -> Callable[[F], F]:
    """After each state in which `when` is true, there is one in which the function is true.

        @leads_to(when=requested)
        def answered(s: Server, c: Client) -> bool: ...

    It may be the same state. `when` is a plain function with the same parameters.
    """

    def marked(function: F) -> F:
        setattr(function, WHEN, when)
        return mark(function, "leads_to")

    return marked


@overload
def require(condition: Literal[False]) -> NoReturn: ...
@overload
def require(condition: bool) -> None: ...
def require(condition: bool) -> None:
    """A guard: if the condition is false, the binding is not enabled in the state.

    It is not an assertion: a false guard is no error.
    """
    if not condition:
        raise Disabled


def require_some(value: T | None) -> T:
    """A guard that a value is not None; returns the value."""
    if value is None:
        raise Disabled
    return value
