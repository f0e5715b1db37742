"""What the server refuses: other names for this machine, writes from other sites, large bodies.

A page of any other site can make a browser send requests to a server on this machine. It cannot
read the answers; unless its own name is made to mean this machine (then the Host header has that
name), or the server does something on being asked (then the browser says who asks).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

MOST_BODY = 64 * 1024
"""Bytes of the largest body that is read. What the page sends is far smaller."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Stands before the application. `hosts` are the names it answers to, with the port."""

    def __init__(self, app: Any, hosts: Collection[str]) -> None:
        self.app = app
        self.hosts = frozenset(hosts)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope["method"], scope["path"], Headers(scope=scope))
        if refusal is not None:
            status, message = refusal
            answer = JSONResponse({"error": message}, status)
            await answer(scope, receive, _with_headers(send))
            return
        await self.app(scope, _limited(receive), _with_headers(send))

    def _refusal(self, method: str, path: str, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if host not in self.hosts:
            return 421, "this server answers to its own address only"
        origin = headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self.hosts:
            return 403, "requests of other sites are refused"
        own = headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
        if not own and (method, path) != ("GET", "/"):  # a link to the page may stand anywhere
            return 403, "requests of other sites are refused"
        if method == "POST":
            kind = headers.get("content-type", "").partition(";")[0].strip()
            if kind != "application/json":
                return 415, "send JSON"
            length = headers.get("content-length", "0")
            if not length.isdecimal() or int(length) > MOST_BODY:
                return 413, f"a body has at most {MOST_BODY} bytes"
        return None


class TooLargeError(Exception):
    """A body went on past the limit without having said how long it is."""


def _limited(receive: Any) -> Any:
    """Receives a body no larger than allowed, whatever its header says."""
    seen = 0

    async def limited() -> Any:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MOST_BODY:
            raise TooLargeError
        return message

    return limited


def _with_headers(send: Any) -> Any:
    async def sending(message: Any) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return sending
