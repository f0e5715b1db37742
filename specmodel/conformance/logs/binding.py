"""A binding of a log: which actions of a design its events are, and what they say of the state.

It is the variable `log` of a Python file, which may have a `binding` for plays too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, TypeVar

from specmodel.companions import run_companion
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.domains.shapes import is_mapping
from specmodel.errors import UsageError, described, suggestion
from specmodel.model.model import Model

T = TypeVar("T")

Event = Mapping[str, Any]
"""An event of a log: a JSON object."""

NOT_TOLD: Any = object()
"""What a function of an event gives if the event says nothing about it."""

Told = str | Callable[[Event], Any]
"""Where an event says something: a field (`a.b`: a field of a field), or a function of the event.

A field that the event lacks says nothing; one that is null says None.
"""


@dataclass(frozen=True)
class LoggedAs:
    """What an event of a kind is: one step of one of some actions.

    `actions` are names or kinds of actions; without any, the event is no step, but reports a state.
    `arguments` says where the event tells the values of parameters, by their names; without it, a
    field with the name of a parameter tells it. `seen` says where the event tells what is observed
    of the state after it; without it, fields with the names of observations tell them. An event
    that `may_be_no_step` may also report a state only: a message that comes twice, for example.
    """

    actions: Sequence[str] = ()
    arguments: Mapping[str, Told] | None = None
    seen: Mapping[str, Told] | None = None
    may_be_no_step: bool = False


@dataclass(frozen=True)
class LogBinding:
    """How the events of a log appear in a design.

    `events` has what an event is, by its kind: a `LoggedAs`, or the name of an action. The kind is
    in the field `event`. Events of the kinds `ignored` are passed over. A log is read up to the
    first event of a kind in `ends`, without that. `observed` gives what a
    state looks like from outside: plain values by name. A log need not tell all of them.

    `parse` gives the events of a line, in their order; without it, a line is an event in JSON.

    Actions that are `silent` leave no event: up to `most_silent` of them may take place before an
    event.

    Several logs are of several nodes. An event is before another of the same log. Of different logs
    it is so if its time, in the field `at`, is earlier by more than `skew` seconds; or if the
    other's field `after` has its `identity`, the value of that field, alone or in a list. All
    orders of the rest are tried.
    """

    events: Mapping[str, LoggedAs | str]
    observed: Callable[[Any], Mapping[str, Any]] | None = None
    event: str = "event"
    ignored: Collection[str] = ()
    ends: Collection[str] = ()
    parse: Callable[[str], Iterable[Event]] | None = None
    silent: Collection[str] = ()
    most_silent: int = 2
    at: str = ""
    skew: float = 0.0
    identity: str = ""
    after: str = ""
    by_kind: Mapping[str, LoggedAs] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        held = {
            kind: LoggedAs((what,)) if isinstance(what, str) else what
            for kind, what in self.events.items()
        }
        object.__setattr__(self, "by_kind", held)

    def refuse_unfit(self, design: Design) -> None:
        """Raises UsageError for a parameter that no action of an event has, if the design has one
        of the actions.

        A binding may serve several designs, so not all of its names have to be of each.
        """
        known = actions_of(design.spec)
        for kind, what in self.by_kind.items():
            parameters = {one for name in what.actions for one in known.get(name, ())}
            for name in (what.arguments or ()) if parameters else ():
                actions = ", ".join(what.actions)
                _refuse_none(f"event {kind}", f"{actions} has no parameter", [name], parameters)
        if self.observed is None and any(what.seen for what in self.by_kind.values()):
            raise UsageError("the log's binding tells what is seen, and has no function observed")


def actions_of(spec: Model) -> dict[str, set[str]]:
    """The parameters of the actions of a design, by their names and kinds."""
    known: dict[str, set[str]] = {}
    for rule in spec.rules:
        for name in (rule.name, spec.kind_of(rule)):
            known.setdefault(name, set()).update(rule.parameters)
    return known


def _refuse_none(where: str, what: str, names: Collection[str], known: Collection[str]) -> None:
    """Raises UsageError unless one of some names is known."""
    if not any(name in known for name in names):
        first = next(iter(names))
        raise UsageError(f'{where}: {what} "{first}"{suggestion(first, known)}')


def told(event: Event, where: Told) -> Any:
    """What an event tells at a place, or NOT_TOLD. Raises UsageError if a function fails."""
    if not isinstance(where, str):
        return run_of_binding(where, event)
    found: Any = event
    for name in where.split("."):
        found = found.get(name, NOT_TOLD) if is_mapping(found) else NOT_TOLD
    return found


def run_of_binding(function: Callable[[Any], T], given: Any) -> T:
    """What a function of a binding gives. Raises UsageError if it fails."""
    try:
        return function(given)
    except Exception as wrong:
        raise UsageError(f"the binding fails: {described(wrong)}, of {given}") from None


def read_log_binding(file: Path) -> LogBinding:
    """The binding of a log in a Python file, which is run. Raises UsageError if there is none."""
    found = getattr(run_companion(file, "binding"), "log", None)
    if not isinstance(found, LogBinding):
        raise UsageError(f"{file} has no variable log that is a specmodel.conformance.LogBinding")
    return found
