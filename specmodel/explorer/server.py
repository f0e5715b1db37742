"""The explorer as a web application: the page's files, and answers in JSON (docs/internals).

Every answer depends only on the request: the page keeps its place in its address, and the server
keeps none. `of` in a request names what it is about, if that is not what was opened. Requests are
answered side by side, so that none waits for another. Only one search runs at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from threading import Event, Lock
from typing import Any, cast

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from specmodel.errors import SpecmodelError, UsageError
from specmodel.explorer.answers import Answers
from specmodel.explorer.behaviours import Behaviours
from specmodel.explorer.bundle import KINDS, page_files
from specmodel.explorer.choosing import Choosing
from specmodel.explorer.guarding import AsciiAnswer, RequestGuard, body_of, refusal
from specmodel.explorer.questions import asked_of
from specmodel.explorer.reading import DesignReading
from specmodel.files import parsed_json

MOST_CHOSEN = 4
"""Designs that are kept beside the opened one. Others are loaded again when they are asked for."""


class Application:
    """Answers the requests about the opened reading, and about designs chosen in the page."""

    def __init__(self, reading: Behaviours) -> None:
        self.files = page_files()
        self.searching = Lock()
        self.stopping = Event()
        self.choosing: Choosing | None = None
        if isinstance(reading, DesignReading):
            self.choosing = Choosing(reading, self.searching, self.stopping)
        self.opened = self._answers(reading)
        self.chosen: dict[str, Answers] = {}
        self._opening = Lock()

    @cached_property
    def name(self) -> str:
        """The name of what was opened."""
        return self.opened.about()["of"]

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
        for one in (self.opened, *self.chosen.values()):
            if one.search is not None:
                one.search.closed = True
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

    def answer(self, request: Request) -> Response:
        """The answer to a question of the page."""
        question = request.path_params["question"]
        answers = self._of(request.query_params.get("of", ""))
        if question == "about":
            self._make_way(answers)
        return answers.answer(question, request.query_params)

    async def check(self, request: Request) -> Response:
        """A search from a state."""
        asked = parsed_json(await body_of(request), "the question")
        if not isinstance(asked, dict):
            raise UsageError("send a branch and a number of seconds")
        asked = cast(dict[str, Any], asked)
        return await run_in_threadpool(self._check, asked)

    def _check(self, asked: Mapping[str, Any]) -> Response:
        check = self._of(str(asked.get("of", ""))).check
        return check(**asked_of(check, asked))

    def _answers(self, reading: Behaviours) -> Answers:
        return Answers(reading, self.choosing, self.searching, self.stopping)

    def _of(self, name: str) -> Answers:
        """The answers about what has a name: the opened reading, or a design.

        Raises UsageError if nothing has this name, and the errors of a load.
        """
        if self.choosing is None or name in ("", self.name):
            return self.opened
        with self._opening:
            made = self.chosen.pop(name, None) or self._answers(self.choosing.reading(name))
            self.chosen[name] = made  # the last asked for is the last
            while len(self.chosen) > MOST_CHOSEN:
                self.chosen.pop(next(iter(self.chosen))).give_way()
        return made

    def _make_way(self, wanted: Answers) -> None:
        """Ends a search of another design than the one that is opened now."""
        for one in (self.opened, *self.chosen.values()):
            if one is not wanted and one.give_way():
                self.stop()

    def stop_search(self, request: Request) -> Response:
        """Ends the running search; its answer has the findings so far."""
        self.stop()
        return AsciiAnswer({})

    def _file(self, name: str) -> Callable[[Request], Response]:
        text = self.files[name]
        kind = KINDS["." + name.rpartition(".")[2]]
        return lambda request: Response(text, media_type=kind)


def _wrong(request: Request, wrong: Exception) -> Response:
    """The answer to a question that is wrong."""
    if isinstance(wrong, HTTPException):
        return refusal(wrong.detail, wrong.status_code)
    return refusal(str(wrong))
