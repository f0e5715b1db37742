"""`pick`: a value that an action takes out of a collection of the state, one step for each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from types import FunctionType
from typing import Any, TypeVar, overload

from specmodel.domains import Domain, PositionDomain
from specmodel.domains.sets import member
from specmodel.errors import Disabled, SpecError

T = TypeVar("T")


class _Choices(threading.local):
    """What the picks of the action that a thread runs are to take, and what they have taken."""

    def __init__(self) -> None:
        self.left: list[Callable[[Any], Any]] | None = None
        self.taken: list[Any] = []


_choices = _Choices()


@overload
def pick(values: Iterable[T]) -> T: ...
@overload
def pick(values: Iterable[Any], *of: type[T]) -> T: ...
def pick(values: Iterable[Any], *of: type[Any]) -> Any:
    """A value out of a list, set or bag: the action has one step for each, none if it is empty.

        message = pick(s.network)
        request = pick(s.network, VoteRequest)

    With classes, there is no step for values of others.

    The value is a copy that cannot change: it stays as it is when the list changes.

    It stands on a line of its own in an action, outside of loops and conditions, and gives a name
    its value. The values are those of a list, a set or a bag of the state (a member of a bag counts
    once), the keys of a map with a capacity, or those of a scalar set or an enum. In a test that
    calls the action itself, `picking` says which value it takes. Raises SpecError elsewhere.
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
    """In a test: what the picks of an action take, in order, while it is called directly.

        with picking(Vote(r1)):
            receive(s)

    An action whose pick does not find its value has no such step: it raises Disabled.
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
    """Whether a function's code calls `pick`, as far as its names tell."""
    assert isinstance(function, FunctionType)
    names = function.__globals__
    return any(
        names.get(name) is pick or name == pick.__name__ for name in function.__code__.co_names
    )


def run_picking(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    choices: Sequence[tuple[Domain, Any]],
) -> Any:
    """Runs an action whose picks take the values, or places, of a binding."""
    with _chosen([_taking(domain, choice) for domain, choice in choices]):
        return function(*arguments)


def taken(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    choices: Sequence[tuple[Domain, Any]],
) -> list[Any]:
    """The values that the picks of an action take, until it ends or fails."""
    with _chosen([_taking(domain, choice) for domain, choice in choices]):
        found = _choices.taken
        with suppress(Exception):  # whatever happens after a pick, it has taken its value
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
