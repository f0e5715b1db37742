"""`pick`: an action chooses a value of a collection of the state, with one step for each value."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from types import FunctionType, ModuleType
from typing import Any, TypeVar, overload

from specmodel.domains import Domain, PositionDomain
from specmodel.domains.sets import member
from specmodel.errors import Disabled, SpecError

T = TypeVar("T")


class _Choices(threading.local):
    """The choices for the coming picks of the action that a thread runs, and the values so far."""

    def __init__(self) -> None:
        self.left: list[Callable[[Any], Any]] | None = None
        self.taken: list[Any] = []


_choices = _Choices()


@overload
def pick(values: Iterable[T]) -> T: ...
@overload
def pick(values: Iterable[Any], *of: type[T]) -> T: ...
def pick(values: Iterable[Any], *of: type[Any]) -> Any:
    """A value of a list, set or bag: the action has one step for each value.

        message = pick(s.network)
        request = pick(s.network, VoteRequest)

    With classes, there are steps only for values of these classes. The value is an immutable copy:
    it does not change when the list changes.

    A pick is a line of its own in an action, or in a function that actions call, outside of loops
    and conditions, that binds a name.
    The values are the elements of a list, set or bag of the state (each member of a bag once), the
    keys of a map with a capacity, or the members of a scalar set or an enum. In a test that calls
    the action, `picking` gives the value. Raises SpecError elsewhere.
    """
    if _choices.left is None:
        what = "pick takes a value only while a step of an action is made"
        raise SpecError(what, hint="in a test: with picking(value): receive(s)")
    if not _choices.left:
        raise SpecError("the action picks once more than it was given values")
    found = member(_choices.left.pop(0)(values))
    if of and not isinstance(found, of):
        raise Disabled
    _choices.taken.append(found)
    return found


@contextmanager
def picking(*values: Any) -> Generator[None]:
    """In a test: the values that the picks of an action take, in order, in a direct call.

        with picking(Vote(r1)):
            receive(s)

    The action raises Disabled if the collection of a pick does not have its value.
    """

    def taking(value: Any) -> Callable[[Any], Any]:
        def take(held: Iterable[Any]) -> Any:
            for found in held:
                if found == value:
                    return found
            raise Disabled

        return take

    with _chosen(list(map(taking, values))):
        yield


@contextmanager
def _chosen(choices: list[Callable[[Any], Any]]) -> Generator[None]:
    before = _choices.left, _choices.taken
    _choices.left, _choices.taken = choices, []
    try:
        yield
    finally:
        _choices.left, _choices.taken = before


def picks(function: Callable[..., Any]) -> bool:
    """Whether the code of a function, or of a function that it calls, names `pick`."""
    pending, seen = [function], set[Callable[..., Any]]()
    while pending:
        called = pending.pop()
        if called in seen or not isinstance(called, FunctionType):
            continue
        seen.add(called)
        names = called.__code__.co_names
        held = [called.__globals__.get(name) for name in names]
        within = [one for one in held if isinstance(one, ModuleType | type)]
        held += [getattr(one, name, None) for one in within for name in names]
        if pick.__name__ in names or any(one is pick for one in held):
            return True
        pending += [one for one in held if isinstance(one, FunctionType) and not _of_language(one)]
    return False


def _of_language(function: FunctionType) -> bool:
    """Whether a function is no part of a spec: it comes with specmodel."""
    return function.__module__.startswith("specmodel.")


def run_picking(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    choices: Sequence[tuple[Domain, Any]],
) -> Any:
    """Runs an action; its picks take the values, or list indexes, of a binding."""
    with _chosen([_taking(domain, choice) for domain, choice in choices]):
        return function(*arguments)


def taken(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    choices: Sequence[tuple[Domain, Any]],
) -> list[Any]:
    """The values that the picks of an action take before it ends or fails."""
    with _chosen([_taking(domain, choice) for domain, choice in choices]):
        found = _choices.taken
        with suppress(Exception):  # an exception after a pick does not change the picked value
            function(*arguments)
        return found


def _taking(domain: Domain, choice: Any) -> Callable[[Any], Any]:
    def take(values: Any) -> Any:
        if not isinstance(domain, PositionDomain):
            if choice not in values:
                raise Disabled
            return choice
        held = tuple(values)
        if choice >= len(held):
            raise Disabled
        return held[choice]

    return take
