"""The answers about one reading, by the names of the questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from threading import Event, Lock
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response

from specmodel.errors import UsageError
from specmodel.explorer.behaviours import Behaviours
from specmodel.explorer.branch import Branch
from specmodel.explorer.charting import charted
from specmodel.explorer.choosing import Choosing
from specmodel.explorer.driving import Driving
from specmodel.explorer.guarding import AsciiAnswer, refusal
from specmodel.explorer.questions import asked_of
from specmodel.explorer.reading import DesignReading
from specmodel.explorer.sampling import samples
from specmodel.explorer.saving import saved
from specmodel.explorer.searching import DesignSearch, check_from, other_counterexamples

Answer = Callable[..., Any]


class Answers:
    """What is answered about a reading. `searching` is held by the one search that runs."""

    def __init__(
        self, reading: Behaviours, choosing: Choosing | None, searching: Lock, stopping: Event
    ) -> None:
        self.reading = reading
        self.searching = searching
        self.stopping = stopping
        self.search: DesignSearch | None = None
        self.by_question: dict[str, Answer] = {
            "about": self.about,
            "spine": reading.spine,
            "frames": reading.frames,
            "why": reading.why,
        }
        if choosing is not None and isinstance(reading, DesignReading):
            driving = Driving(reading)
            self.search = DesignSearch(reading, searching, stopping)
            self.by_question |= {
                "verdicts": self.verdicts,
                "watch": reading.watch,
                "moves": driving.moves,
                "reasons": driving.reasons,
                "rivals": driving.rivals,
                "compare": driving.compare,
                "rival": driving.rival,
                "constants": choosing.constants,
                "cost": choosing.cost,
                "chart": partial(charted, reading),
                "counterexamples": partial(other_counterexamples, reading, searching),
                "samples": partial(samples, reading),
                "save": partial(_save, reading),
            }

    def answer(self, question: str, query: Mapping[str, Any]) -> Response:
        """The answer to a question of the page."""
        answer = self.by_question.get(question)
        if answer is None:
            self._driven()
            raise HTTPException(404)
        found = answer(**asked_of(answer, query))
        return found if isinstance(found, Response) else AsciiAnswer(found)

    def about(self) -> dict[str, Any]:
        """The title of the page, and whether it can drive a model."""
        return {**self.reading.about(), "live": isinstance(self.reading, DesignReading)}

    def verdicts(self) -> dict[str, Any]:
        """The progress of the search of the whole design, or its verdicts."""
        assert self.search is not None
        return self.search.verdicts()

    def give_way(self) -> bool:
        """Ends a running search of the whole design, which begins again when asked for.

        Returns whether there was one.
        """
        if self.search is None or not self.search.runs:
            return False
        self.search.closed = True
        self.search = DesignSearch(self._driven(), self.searching, self.stopping)
        return True

    def check(self, branch: Branch, seconds: float) -> Response:
        """A search from the last state of a branch."""
        if not self.searching.acquire(blocking=False):
            return refusal("another search is running: wait for it, or press Stop in Verdicts", 409)
        try:
            self.stopping.clear()
            return AsciiAnswer(check_from(self._driven(), branch, seconds, self.stopping))
        finally:
            self.searching.release()

    def _driven(self) -> DesignReading:
        if not isinstance(self.reading, DesignReading):
            raise UsageError("the trace is shown without its design: it can only be read")
        return self.reading


def _save(reading: DesignReading, branch: Branch, form: str = "itf") -> Response:
    """A behaviour as a file to download."""
    name, text = saved(reading, branch, form)
    safe = "".join(c if (c.isalnum() and c.isascii()) or c in "-_." else "_" for c in name)
    headers = {"Content-Disposition": f'attachment; filename="{safe}"'}
    return Response(text, media_type="application/octet-stream", headers=headers)
