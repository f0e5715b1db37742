"""Other designs and constants than those opened, as the page asks for them by a name.

kip320 replicas=2 log_size=3
"""

from __future__ import annotations

from contextlib import suppress
from threading import Event, Lock
from typing import Any

from specmodel.analysis import checking
from specmodel.analysis.forecast import forecast
from specmodel.constants import Value, value_of
from specmodel.design import Design
from specmodel.errors import SpecError, UsageError
from specmodel.explorer.opening import with_room
from specmodel.explorer.reading import DesignReading
from specmodel.explorer.searching import MOST_MEMORY
from specmodel.ir.layout import Layout
from specmodel.results import Progress
from specmodel.results.plain import members
from specmodel.suite.catalog import find
from specmodel.suite.targets import load_target, target_of
from specmodel.views.summary import value_text

TRIED = 3.0
"""Seconds of the search by which the size of a state space is estimated."""


class Choosing:
    """The designs that can be chosen beside the opened one: those with a name, and itself.

    A request names no file, so it can run none that is not in the catalog or opened already.
    """

    def __init__(self, opened: DesignReading, searching: Lock, stopping: Event) -> None:
        self.opened = opened
        self.searching = searching
        self.stopping = stopping
        self._loading = Lock()

    def design(self, of: str) -> Design:
        """The design of a name. Raises UsageError for another text, and the errors of a load."""
        name, *settings = of.split() or [""]
        constants: dict[str, Value] = {}
        for setting in settings:
            key, equals, text = setting.partition("=")
            value = value_of(text)
            if not equals or value is None:
                raise UsageError(f'"{setting}" is no constant: write one as replicas=2')
            constants[key] = value
        own = self.opened.design
        target = target_of(own) if name == own.name else str(find(name).path)
        with self._loading:  # constants are bound for one load at a time
            return load_target(target, constants)

    def reading(self, of: str) -> DesignReading:
        """The reading of a design without a trace."""
        return DesignReading(with_room(self.design(of)))

    def constants(self, design: str) -> list[dict[str, Any]]:
        """The constants of a design that can be chosen, with their values and limits."""
        return [
            {"value": value_text(c.value), **members(c, "name low high doc")}
            for c in self.design(design).constants.values()
            if value_of(str(c.value)) is not None
        ]

    def cost(self, design: str) -> dict[str, Any]:
        """What a search of a design would take, as far as a search of some seconds can tell.

        `bits` are those of a state, null of a TLA+ module; `states` and `seconds` those of the
        search, or of all of it if it is `complete`. `likely` are the least, the likely and the
        greatest number of all states; null: nothing can be said. Raises UsageError while another
        search runs.
        """
        tried = with_room(self.design(design))
        if not self.searching.acquire(blocking=False):
            raise UsageError("another search is running: wait for it, or press Stop in Verdicts")
        try:
            self.stopping.clear()
            found = checking.check(
                tried,
                keep_going=True,
                timeout=TRIED,
                max_memory=MOST_MEMORY,
                progress=self._look,
            )
        except KeyboardInterrupt:
            raise UsageError("the search was stopped") from None
        finally:
            self.searching.release()
        sizes = found.levels if found.complete else found.levels[:-1]  # the last was cut short
        expected = None if found.complete else forecast(sizes)
        bits = None
        with suppress(SpecError):
            bits = Layout(tried.spec.domain).bits
        return {
            "bits": bits,
            "states": found.distinct,
            "seconds": round(found.seconds, 2),
            "complete": found.complete,
            "likely": expected and [expected.low, expected.likely, expected.high],
        }

    def _look(self, progress: Progress) -> None:
        if self.stopping.is_set():
            raise KeyboardInterrupt  # like Ctrl-C: the engine ends the search in order
