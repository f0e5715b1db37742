"""`pick`: an action chooses a value of a collection of the state, with one step for each value."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from types import FunctionType, ModuleType
from typing import Any, TypeVar, overload

from specmodel.dataclass import dataclass
from specmodel.domains import Domain, PositionDomain
from specmodel.domains.sets import member
from specmodel.errors import Disabled, SpecError

T = TypeVar("T")


Line = tuple[str, int, int]
"""A statement: its file, its first and its last line."""


@dataclass(frozen=True)
class Pick:
    """A parameter for a pick: its domain, of positions or values, and the sites of picks it is for.

    A site is the lines of calls from the action to the pick. `open`: some paths do not reach the
    pick, and the domain has None for them.
    """

    domain: Domain
    sites: tuple[tuple[Line, ...], ...]
    open: bool = False


class _Choices(threading.local):
    """The choices for the picks of the action that a thread runs, and the values taken so far.

    `left` gives the choice of the coming pick, by its number among the picks of the action.
    """

    def __init__(self) -> None:
        self.left: Callable[[], tuple[int, Callable[[Any], Any]]] | None = None
        self.taken: dict[int, Any] = {}


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

    A pick is a line of its own in an action, or in a function that actions call, outside of loops,
    that binds a name.
    The values are the elements of a list, set or bag of the state (each member of a bag once), the
    keys of a map with a capacity, or the members of a scalar set or an enum. In a test that calls
    the action, `picking` gives the value. Raises SpecError elsewhere.
    """
    if _choices.left is None:
        what = "pick takes a value only while a step of an action is made"
        raise SpecError(what, hint="in a test: with picking(value): receive(s)")
    number, take = _choices.left()
    assert number not in _choices.taken, "two picks of a step have one choice"
    found = member(take(values))
    if of and not isinstance(found, of):
        raise Disabled
    _choices.taken[number] = found
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

    with _chosen(_in_order([taking(value) for value in values])):
        yield


def _in_order(
    choices: Sequence[Callable[[Any], Any]],
) -> Callable[[], tuple[int, Callable[[Any], Any]]]:
    """Gives the choices one after the other."""
    left = iter(enumerate(choices))

    def coming() -> tuple[int, Callable[[Any], Any]]:
        for found in left:
            return found
        raise SpecError("the action picks once more than it was given values")

    return coming


def _at_sites(
    choices: Sequence[tuple[Pick, Any]],
) -> Callable[[], tuple[int, Callable[[Any], Any]]]:
    """Gives the choice for the place in the code at which an action picks."""

    def coming() -> tuple[int, Callable[[Any], Any]]:
        path = list[tuple[str, int]]()
        frame = inspect.currentframe()
        assert frame is not None and frame.f_back is not None
        frame = frame.f_back.f_back  # the caller of pick
        while frame is not None and frame.f_code is not run_picking.__code__:
            path.append((frame.f_code.co_filename, frame.f_lineno))
            frame = frame.f_back
        path.reverse()
        sites = enumerate(choice.sites for choice, _ in choices)
        number = next(n for n, held in sites if any(_leads(site, path) for site in held))
        choice, value = choices[number]
        return number, _taking(choice, value)

    return coming


def _leads(site: Sequence[Line], path: Sequence[tuple[str, int]]) -> bool:
    """Whether the lines that functions are at, outer ones first, are those of a site."""
    return len(site) == len(path) and all(
        file == known and first <= line <= last
        for (known, first, last), (file, line) in zip(site, path, strict=True)
    )


@contextmanager
def _chosen(left: Callable[[], tuple[int, Callable[[Any], Any]]]) -> Generator[dict[int, Any]]:
    """Picks take these choices; gives the values that they take, by their numbers."""
    before = _choices.left, _choices.taken
    _choices.left, _choices.taken = left, {}
    try:
        yield _choices.taken
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
    choices: Sequence[tuple[Pick, Any]],
    taken: dict[int, Any] | None = None,
) -> Any:
    """Runs an action; its picks take the values, or list indexes, of a binding.

    Adds the values that the picks take to `taken`, by their numbers. Raises Disabled if the binding
    has a choice for a pick that the action does not reach.
    """
    some = any(choice.open for choice, _ in choices)
    left = _at_sites if some else _in_values
    with _chosen(left(choices)) as found:
        try:
            result = function(*arguments)
        finally:
            if taken is not None:
                taken.update(found)
    if any(n not in found and value is not None for n, (_, value) in enumerate(choices)):
        raise Disabled
    return result


def _in_values(
    choices: Sequence[tuple[Pick, Any]],
) -> Callable[[], tuple[int, Callable[[Any], Any]]]:
    return _in_order([_taking(choice, value) for choice, value in choices])


def taken(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    choices: Sequence[tuple[Pick, Any]],
) -> dict[int, Any]:
    """The values that the picks of an action take before it ends or fails, by their numbers."""
    found: dict[int, Any] = {}
    with suppress(Exception):  # an exception after a pick does not change the picked value
        run_picking(function, arguments, choices, found)
    return found


def _taking(choice: Pick, value: Any) -> Callable[[Any], Any]:
    def take(values: Any) -> Any:
        if choice.open and value is None:
            iter(values)  # what is no collection fails, whatever the choice
            raise Disabled
        if not any(isinstance(part, PositionDomain) for part in choice.domain.nested()):
            if value not in values:
                raise Disabled
            return value
        held = tuple(values)
        if value >= len(held):
            raise Disabled
        return held[value]

    return take
