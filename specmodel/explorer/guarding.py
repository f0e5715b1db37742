"""What the server refuses: strangers, other names for this machine, other sites, large bodies.

Anybody on this machine can send requests to a server on it. So the address that is printed has a
token. Whoever comes with that gets it as a cookie, and an address without it; a program may send it
in a header, `Authorization: token ...`.

A page of any other site can make a browser send requests to a server on this machine. It cannot
read the answers; unless its own name is made to mean this machine (then the Host header has that
name), or the server does something on being asked (then the browser says who asks).
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from typing import Any

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

MOST_BODY = 64 * 1024
"""Bytes of the largest body that is read. What the page sends is far smaller."""

NO_TOKEN = (
    "open the address that specmodel explore printed when it started:"
    " it has a token, and this one has none, or an old one"
)

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
    """Stands before the application.

    `hosts` are the names it answers to, with the port; `token` is what a request has to have.
    """

    def __init__(self, app: Any, hosts: Collection[str], token: str) -> None:
        self.app = app
        self.hosts = frozenset(hosts)
        self.token = token
        # Cookies are for all ports of a host: each server has a name of its own.
        self.cookie = f"specmodel-{next(iter(self.hosts)).rpartition(':')[2]}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope["method"], scope["path"], headers)
        if refusal is not None:
            status, message = refusal
            answer: Response = JSONResponse({"error": message}, status)
            await answer(scope, receive, _with_headers(send))
        elif not self._known(headers):
            await self._to_stranger(scope)(scope, receive, _with_headers(send))
        else:
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

    def _known(self, headers: Headers) -> bool:
        """Whether a request has the token, as a cookie or in its header."""
        cookies = cookie_parser(headers.get("cookie", ""))
        sent = headers.get("authorization", "").removeprefix("token ")
        return self._right(cookies.get(self.cookie, "")) or self._right(sent)

    def _right(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self.token.encode())

    def _to_stranger(self, scope: Any) -> Response:
        """For a token in the address: a cookie, and the way to the address without. Or nothing."""
        if (scope["method"], scope["path"]) != ("GET", "/"):
            return JSONResponse({"error": NO_TOKEN}, 403)
        if not self._right(QueryParams(scope["query_string"]).get("token", "")):
            return PlainTextResponse(f"{NO_TOKEN}\n", 403)
        found = RedirectResponse("/", 303)  # browsers keep what stands after #
        # Lax: a kept address that is followed from elsewhere opens the page.
        found.set_cookie(self.cookie, self.token, httponly=True, samesite="lax")
        return found


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
