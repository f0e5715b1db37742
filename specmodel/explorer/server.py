"""The explorer as a web application: the page's files, and answers in JSON (docs/internals).

Every answer follows from the request: what the page looks at is in its address, not here. Requests
are answered side by side, so that none waits for another; of searches there is one at a time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from threading import Event, Lock
from typing import Any, cast

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from specmodel.errors import SpecmodelError, UsageError
from specmodel.explorer.branch import Branch
from specmodel.explorer.bundle import KINDS, page_files
from specmodel.explorer.driving import Driving
from specmodel.explorer.guarding import MOST_BODY, Guard, TooLargeError
from specmodel.explorer.plain import PlainReading
from specmodel.explorer.reading import Reading
from specmodel.explorer.sampling import samples
from specmodel.explorer.saving import saved_test, saved_trace
from specmodel.explorer.searching import check_from

Answer = Callable[[Mapping[str, str]], Any]


class Application:
    """Answers for what is shown."""

    def __init__(self, reading: Reading | PlainReading) -> None:
        self.reading = reading
        self.driving = Driving(reading) if isinstance(reading, Reading) else None
        self.files = page_files()
        self.searching = Lock()
        self.stopping = Event()

    def asgi(self, hosts: Collection[str], token: str) -> Guard:
        """The web application.

        `hosts` are the addresses it answers to, with the port; `token` is asked of whoever comes.
        """
        return Guard(Starlette(routes=self.routes()), hosts, token)

    def stop(self) -> None:
        """End the search that is running, if there is one."""
        self.stopping.set()

    def routes(self) -> list[Route]:
        """The addresses that are answered."""
        answers: dict[str, Answer] = {
            "about": self.about,
            "spine": lambda q: self.reading.spine(_branch(q), _number(q, "from"), _count(q)),
            "frames": lambda q: self.reading.frames(_branch(q), _number(q, "from"), _count(q)),
            "why": lambda q: self.reading.why(
                _branch(q), _number(q, "state"), q.get("property", "")
            ),
            "watch": lambda q: self._driving().reading.watch(
                _branch(q), _text(q, "text"), _number(q, "from"), _count(q)
            ),
            "moves": lambda q: self._driving().moves(_branch(q), _number(q, "state")),
            "reasons": lambda q: self._driving().reasons(
                _branch(q), _number(q, "state"), _text(q, "action")
            ),
            "samples": lambda q: samples(
                self._driving().reading,
                _branch(q),
                _number(q, "count"),
                _number(q, "length"),
                _number(q, "seed"),
            ),
            "rivals": lambda q: self._driving().rivals(),
            "compare": lambda q: self._driving().compare(_branch(q), _text(q, "with")),
            "rival": lambda q: (
                self._driving()
                .rival(_text(q, "with"))
                .frames(_branch(q), _number(q, "from"), _count(q))
            ),
        }
        return [
            Route("/", self._file("index.html")),
            *(Route(f"/page/{name}", self._file(name)) for name in self.files),
            *(Route(f"/api/{name}", self._answered(a)) for name, a in answers.items()),
            Route("/api/save", self.save),
            Route("/api/check", self.check, methods=["POST"]),
            Route("/api/stop", self.stop_search, methods=["POST"]),
        ]

    def about(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """What is shown, and that it can be driven."""
        return {**self.reading.about(), "live": self.driving is not None}

    def save(self, request: Request) -> Response:
        """A behaviour as a file to download."""
        return self._guarded(lambda: self._saved(request.query_params))

    async def check(self, request: Request) -> Response:
        """A search from a state."""
        try:
            asked = json.loads(await request.body())
            branch = Branch.parse(str(asked["branch"]))
            seconds = float(asked["seconds"])
        except TooLargeError:
            return _wrong(f"a body has at most {MOST_BODY} bytes", 413)
        except (ValueError, KeyError, TypeError, RecursionError, SpecmodelError):
            return _wrong("send a branch and a number of seconds")
        return await run_in_threadpool(self._check, branch, seconds)

    def stop_search(self, request: Request) -> Response:
        """The end of a search that takes too long; what it has found is its answer."""
        self.stop()
        return JSONResponse({})

    def _check(self, branch: Branch, seconds: float) -> Response:
        if not self.searching.acquire(blocking=False):
            return _wrong("another search is running", 409)
        try:
            reading = self._driving().reading
            self.stopping.clear()
            return JSONResponse(check_from(reading, branch, seconds, self.stopping))
        except SpecmodelError as wrong:
            return _wrong(str(wrong))
        finally:
            self.searching.release()

    def _saved(self, asked: Mapping[str, str]) -> Response:
        reading, branch = self._driving().reading, _branch(asked)
        name = reading.design.name
        if asked.get("as") == "test":
            file, text = f"test_{name.replace('-', '_')}.py", saved_test(reading, branch)
        else:
            file, text = f"{name}.itf.json", saved_trace(reading, branch)
        told = {"Content-Disposition": f'attachment; filename="{_safe(file)}"'}
        return Response(text, media_type="application/octet-stream", headers=told)

    def _driving(self) -> Driving:
        if self.driving is None:
            raise UsageError("the trace is shown without its design: it can only be read")
        return self.driving

    def _file(self, name: str) -> Callable[[Request], Response]:
        text = self.files[name]
        kind = KINDS["." + name.rpartition(".")[2]]

        def send(request: Request) -> Response:
            return Response(text, media_type=kind)

        return send

    def _answered(self, answer: Answer) -> Callable[[Request], Response]:
        def send(request: Request) -> Response:
            return self._guarded(lambda: JSONResponse(answer(request.query_params)))

        return send

    def _guarded(self, answer: Callable[[], Response]) -> Response:
        """An answer, or what is wrong with the question."""
        try:
            return answer()
        except SpecmodelError as wrong:
            return _wrong(str(wrong))


def _wrong(message: str, status: int = 422) -> Response:
    return JSONResponse({"error": message}, status)


def _text(asked: Mapping[str, str], name: str) -> str:
    value = asked.get(name, "")
    if not value:
        raise UsageError(f"{name} is missing")
    return value


def _branch(asked: Mapping[str, str]) -> Branch:
    return Branch.parse(_text(asked, "branch"))


def _number(asked: Mapping[str, str], name: str) -> int:
    text = _text(asked, name)
    if not text.isascii() or not text.isdecimal() or len(text) > 9 or int(text) < 1:
        raise UsageError(f"{name} is a number from 1 on")
    return int(text)


def _count(asked: Mapping[str, str]) -> int:
    return _number({"count": "1", **cast(Any, asked)}, "count")


def _safe(name: str) -> str:
    return "".join(c if (c.isalnum() and c.isascii()) or c in "-_." else "_" for c in name)
