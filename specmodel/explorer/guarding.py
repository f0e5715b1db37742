"""The requests that the server refuses: without token, for other hosts, from other sites, too
large.

Every user of this machine can send requests to a server on it. So the printed address has a token.
The server answers a request with the token by a cookie and a redirection to the address without the
token. A program may send the token in a header, `Authorization: token ...`.

A page of any other site can make a browser send requests to a server on this machine. It cannot
read the answers, unless its own name is made to mean this machine (then the Host header has that
name). It could make the server act (then the browser names the origin of the request).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection
from typing import Any

from starlette.exceptions import HTTPException
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp

MOST_BODY = 64 * 1024
"""Bytes of the largest body that is read. The page's requests are far smaller."""

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


class RequestGuard(BaseHTTPMiddleware):
    """Checks each request before the application gets it.

    `hosts` are the names to which it answers, with the port; `token` is the token of valid
    requests.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str], token: str) -> None:
        super().__init__(app)
        self.hosts = frozenset(hosts)
        self.token = token
        # All ports of a host share cookies, so each server has its own name for the cookie.
        self.cookie = f"specmodel-{next(iter(self.hosts)).rpartition(':')[2]}"

    async def dispatch(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        """Answers one request, or refuses it."""
        page = (request.method, request.scope["path"]) == ("GET", "/")
        answer = self._refusal(request, page)
        if answer is None and not self._known(request):
            answer = self._to_stranger(request, page)
        answer = answer or await call_next(request)
        answer.headers.update(HEADERS)
        return answer

    def _refusal(self, request: Request, page: bool) -> Response | None:
        headers = request.headers
        if headers.get("host", "") not in self.hosts:
            return refusal("this server answers to its own address only", 421)
        origin = headers.get("origin")
        foreign = origin is not None and origin.removeprefix("http://") not in self.hosts
        own = headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
        if foreign or not (own or page):  # a link to the page may be on any site
            return refusal("requests of other sites are refused", 403)
        if request.method == "POST":
            kind = headers.get("content-type", "").partition(";")[0].strip()
            if kind != "application/json":
                return refusal("send JSON", 415)
        return None

    def _known(self, request: Request) -> bool:
        """Whether a request has the token, as a cookie or in its header."""
        sent = request.headers.get("authorization", "").removeprefix("token ")
        return self._right(request.cookies.get(self.cookie, "")) or self._right(sent)

    def _right(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self.token.encode())

    def _to_stranger(self, request: Request, page: bool) -> Response:
        """For a token in the address: a cookie and a redirection without it. Else a refusal."""
        if not page:
            return refusal(NO_TOKEN, 403)
        if not self._right(request.query_params.get("token", "")):
            return PlainTextResponse(f"{NO_TOKEN}\n", 403)
        found = RedirectResponse("/", 303)  # browsers keep the part after #
        # Lax: the saved address, opened from elsewhere, shows the page.
        found.set_cookie(self.cookie, self.token, httponly=True, samesite="lax")
        return found


def refusal(message: str, status: int = 422) -> Response:
    """An answer that says why the request is refused."""
    return AsciiAnswer({"error": message}, status)


class AsciiAnswer(JSONResponse):
    """JSON in ASCII: a trace may hold half of a surrogate pair, which UTF-8 cannot write."""

    def render(self, content: Any) -> bytes:
        """The body: every other character is escaped."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


async def body_of(request: Request) -> str:
    """The text of a request. Raises HTTPException if it is too large, whatever its header says."""
    read = bytearray()
    async for part in request.stream():
        read += part
        if len(read) > MOST_BODY:
            raise HTTPException(413, f"a body has at most {MOST_BODY} bytes")
    return read.decode(errors="replace")
