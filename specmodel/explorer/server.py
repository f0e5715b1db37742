"""The explorer as a web application: the page's files, and answers in JSON (docs/internals).

Every answer depends only on the request: the page keeps its place in its address, and the server
keeps none. Requests are answered side by side, so that none waits for another. Only one search runs
at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from threading import Event, Lock
from typing import Any, cast

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from specmodel.errors import SpecmodelError, UsageError
from specmodel.explorer.behaviours import Behaviours
from specmodel.explorer.branch import Branch
from specmodel.explorer.bundle import KINDS, page_files
from specmodel.explorer.charting import charted
from specmodel.explorer.driving import Driving
from specmodel.explorer.guarding import AsciiAnswer, RequestGuard, body_of, refusal
from specmodel.explorer.questions import asked_of
from specmodel.explorer.reading import DesignReading
from specmodel.explorer.sampling import samples
from specmodel.explorer.saving import saved
from specmodel.explorer.searching import DesignSearch, check_from, other_counterexamples
from specmodel.files import parsed_json


class Application:
    """Answers the requests about the opened reading."""

    def __init__(self, reading: Behaviours) -> None:
        self.reading = reading
        self.files = page_files()
        self.searching = Lock()
        self.stopping = Event()
        self.whole: DesignSearch | None = None
        self.answers: dict[str, Callable[..., Any]] = {
            "about": self.about,
            "spine": reading.spine,
            "frames": reading.frames,
            "why": reading.why,
        }
        if isinstance(reading, DesignReading):
            driving = Driving(reading)
            self.whole = DesignSearch(reading, self.searching, self.stopping)
            self.answers |= {
                "verdicts": self.whole.verdicts,
                "watch": reading.watch,
                "moves": driving.moves,
                "reasons": driving.reasons,
                "rivals": driving.rivals,
                "compare": driving.compare,
                "rival": driving.rival,
                "chart": partial(charted, reading),
                "counterexamples": partial(other_counterexamples, reading, self.searching),
                "samples": partial(samples, reading),
                "save": partial(_save, reading),
            }

    def asgi(self, hosts: Collection[str], token: str) -> RequestGuard:
        """The web application.

        `hosts` are the addresses to which it answers, with the port; every request needs the
        `token`.
        """
        wrong = {SpecmodelError: _wrong, HTTPException: _wrong}
        return RequestGuard(Starlette(routes=self.routes(), exception_handlers=wrong), hosts, token)

    def stop(self) -> None:
        """Ends the running search, if there is one."""
        self.stopping.set()

    def end(self) -> None:
        """Ends the running search, and lets none begin that waits for it."""
        if self.whole is not None:
            self.whole.closed = True
        self.stop()

    def routes(self) -> list[Route]:
        """The addresses with answers."""
        return [
            Route("/", self._file("index.html")),
            *(Route(f"/page/{name}", self._file(name)) for name in self.files),
            Route("/api/check", self.check, methods=["POST"]),
            Route("/api/stop", self.stop_search, methods=["POST"]),
            Route("/api/{question}", self.answer),
        ]

    def about(self) -> dict[str, Any]:
        """The title of the page, and whether it can drive a model."""
        return {**self.reading.about(), "live": isinstance(self.reading, DesignReading)}

    def answer(self, request: Request) -> Response:
        """The answer to a question of the page."""
        answer = self.answers.get(request.path_params["question"])
        if answer is None:
            self._driven()
            raise HTTPException(404)
        found = answer(**asked_of(answer, request.query_params))
        return found if isinstance(found, Response) else AsciiAnswer(found)

    async def check(self, request: Request) -> Response:
        """A search from a state."""
        asked = parsed_json(await body_of(request), "the question")
        if not isinstance(asked, dict):
            raise UsageError("send a branch and a number of seconds")
        asked = asked_of(self._search, cast(dict[str, Any], asked))
        return await run_in_threadpool(self._search, **asked)

    def stop_search(self, request: Request) -> Response:
        """Ends the running search; its answer has the findings so far."""
        self.stop()
        return AsciiAnswer({})

    def _search(self, branch: Branch, seconds: float) -> Response:
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

    def _file(self, name: str) -> Callable[[Request], Response]:
        text = self.files[name]
        kind = KINDS["." + name.rpartition(".")[2]]
        return lambda request: Response(text, media_type=kind)


def _wrong(request: Request, wrong: Exception) -> Response:
    """The answer to a question that is wrong."""
    if isinstance(wrong, HTTPException):
        return refusal(wrong.detail, wrong.status_code)
    return refusal(str(wrong))


def _save(reading: DesignReading, branch: Branch, form: str = "itf") -> Response:
    """A behaviour as a file to download."""
    name, text = saved(reading, branch, form)
    safe = "".join(c if (c.isalnum() and c.isascii()) or c in "-_." else "_" for c in name)
    headers = {"Content-Disposition": f'attachment; filename="{safe}"'}
    return Response(text, media_type="application/octet-stream", headers=headers)
