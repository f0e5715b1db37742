"""The two sides of a play: the stage, which the player controls, and the subject, which it tests.

A play goes as follows. The stage opens in the first state of a trace, the subject starts, and the
stage meets it. For each step the stage performs the action, or allows it, and both are observed.
After the last step the stage releases what it holds back. Then the subject stops and the stage
closes, whatever happened before.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from specmodel.errors import SpecmodelError
from specmodel.results import Step


class SubjectGone(SpecmodelError):  # noqa: N818 - says what happened to the subject
    """The software under test ended, or did not start: nothing more can be observed of it."""


class StageFailed(SpecmodelError):  # noqa: N818 - says what happened to the stage
    """The stage could not make a step happen: the play says nothing about the subject."""


class Noticing:
    """Something with `events`, in order, as JSON objects: the transcript of a play.

    Each has the time at which it was noticed, `at`, in seconds of the system's steady clock.
    """

    def __init__(self) -> None:
        self.events: list[Mapping[str, Any]] = []

    def note(self, event: Mapping[str, Any]) -> None:
        """Adds an event."""
        self.events.append({"at": time.monotonic(), **event})


class Stage(Noticing):
    """The surroundings of a subject. A derived class overrides what it can do.

    Its events are what it has noticed: requests and answers, for example. `subject` is the subject
    of the play, from its start on.
    """

    subject: PlayedSubject | None = None

    def version(self) -> str:
        """The stage's name and version, for the report."""
        return ""

    def missing(self) -> str:
        """Why this machine cannot have the stage; empty if it can."""
        return ""

    async def open(self, state: Any) -> None:
        """Prepares the first state of a trace."""

    def offers(self) -> Mapping[str, Any]:
        """The settings by which a subject finds the stage, such as an address."""
        return {}

    async def meet(self, subject: PlayedSubject) -> None:
        """Is called once the subject has started."""

    async def perform(self, step: Step, before: Any, after: Any) -> None:
        """Makes a step of the trace happen. Raises StageFailed if it cannot."""
        raise NotImplementedError(f"{type(self).__name__} performs no action")

    async def nudge(self, what: str) -> None:
        """Does something that a scenario asks for and that is no step of the design."""
        raise NotImplementedError(f"{type(self).__name__} knows no {what}")

    async def allow(self, step: Step, before: Any, after: Any) -> None:
        """Lets the subject do a step that the stage has held back until now."""

    async def let_go(self) -> None:
        """Holds nothing back for a subject that has parted from the trace."""

    async def observe(self) -> Mapping[str, Any]:
        """Observations of the stage, by their names in the binding."""
        return {}

    async def release(self, state: Any) -> None:
        """Holds nothing back from now on: the trace has ended in this state."""

    async def close(self) -> None:
        """Ends the stage. Is called however a play ends, once."""


class PlayedSubject(Noticing):
    """The software under test. A derived class overrides what it can do.

    Its events are what it says of itself.
    """

    def version(self) -> str:
        """The name and version of the software, for the report; empty until it has started."""
        return ""

    def missing(self) -> str:
        """Why this machine cannot run the subject; empty if it can. The subject is then skipped."""
        return ""

    async def prepare(self) -> None:
        """Builds what the first play needs. Is called once, before the first play.

        Raises SubjectGone if that fails: the subject is then skipped.
        """

    async def start(self, stage: Stage) -> None:
        """Starts the software. Raises SubjectGone if it does not start."""

    async def restart(self, stage: Stage) -> None:
        """Ends the software as a crash does, and starts it anew."""
        await self.stop()
        await self.start(stage)

    async def tell(self, message: Mapping[str, Any]) -> None:
        """Asks for something that is up to the user of the software."""
        raise NotImplementedError(f"{type(self).__name__} cannot be asked for anything")

    async def observe(self) -> Mapping[str, Any]:
        """Observations of the subject, by their names in the binding.

        Raises SubjectGone if the software has ended.
        """
        raise NotImplementedError

    def told(self) -> Sequence[str]:
        """The losses that the software has reported to its user, as texts."""
        return ()

    async def stop(self) -> None:
        """Ends the software. Is called however a play ends, once."""
