"""Runs the server: on this machine only, on a free port, until it is interrupted."""

from __future__ import annotations

import contextlib
import html
import logging
import os
import secrets
import socket
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from types import FrameType
from urllib.parse import urlencode

import uvicorn

from specmodel.errors import UsageError
from specmodel.explorer.behaviours import Behaviours
from specmodel.explorer.reading import DesignReading
from specmodel.explorer.server import Application

ADDRESS = "127.0.0.1"
PORT = 8123
TRIED = 20
"""The number of ports after the wanted one that are tried before any is taken."""

PATIENCE = 2
"""Seconds that running answers have after Ctrl-C to end in order."""

SEARCH_PATIENCE = 30
"""Seconds that a stopped search has to end: it may be compiling. A second Ctrl-C ends it."""


def listening(port: int) -> socket.socket:
    """A socket of this machine on a port, or on the next free one; 0: any.

    Raises UsageError for a port that is not permitted.
    """
    last = min(port + TRIED, 65535)
    wanted = [*range(port, last + 1), 0] if port else [0]
    for number in wanted:
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((ADDRESS, number))
            made.listen(128)
        except PermissionError:
            made.close()
            raise UsageError(f"port {number} may not be used: take one above 1023") from None
        except OSError:
            made.close()
        else:
            return made
    raise UsageError("no port is free")


def serve(
    reading: Behaviours,
    watches: Sequence[str],
    port: int,
    browse: bool,
    say: Callable[[str], None],
) -> None:
    """Serves the explorer until Ctrl-C. `say` gets the address; `browse` opens a browser.

    The page starts with the expressions `watches`; raises ExpressionError if one is wrong. If some
    work continues after Ctrl-C, such as a property of the spec that never ends, the process ends
    here.
    """
    start = reading.start
    if isinstance(reading, DesignReading):
        for text in watches:
            reading.watch(start, text, 1, 1)
    sock = listening(port)
    taken = sock.getsockname()[1]
    if port not in (0, taken):
        say(f"port {port} is taken: using {taken}")
    hosts = (f"{ADDRESS}:{taken}", f"localhost:{taken}")
    token = secrets.token_urlsafe(24)
    address = f"http://{ADDRESS}:{taken}/?token={token}"
    if watches:
        asked = urlencode([("panel", "watch"), *(("watch", text) for text in watches)])
        address += f"#/{start}/{start.length}?{asked}"
    application = Application(reading)
    server = _Server(
        application,
        uvicorn.Config(
            application.asgi(hosts, token),
            log_level="warning",
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=PATIENCE,
        ),
    )
    say(f"{address}   (Ctrl-C stops it)")
    with contextlib.suppress(KeyboardInterrupt), sock, _opened(address if browse else ""):
        server.run(sockets=[sock])
        application.end()
    _end_what_runs(SEARCH_PATIENCE if application.searching.locked() else PATIENCE)


@contextlib.contextmanager
def _opened(address: str) -> Generator[None]:
    """Opens a browser at an address, if there is one.

    The browser gets the name of a file that only this user can read, because every user of the
    machine can see the arguments of a process, and the address has the token.
    """
    if not address:
        yield
        return
    there = html.escape(address)
    with tempfile.NamedTemporaryFile(
        "w", prefix="specmodel-explore-", suffix=".html", encoding="utf-8"
    ) as file:
        file.write(
            f'<!doctype html><meta charset="utf-8"><title>specmodel explore</title>\n'
            f'<meta http-equiv="refresh" content="0; url={there}"><a href="{there}">Go on</a>\n'
        )
        file.flush()
        webbrowser.open(Path(file.name).as_uri())
        yield


def _end_what_runs(patience: float) -> None:
    """Waits some seconds for the threads of answers, and ends the process if one continues."""
    end = time.monotonic() + patience
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(max(0.0, end - time.monotonic()))
            if thread.is_alive():
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(0)


class _Server(uvicorn.Server):
    """A server that ends a running search before it waits for running answers."""

    def __init__(self, application: Application, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.application = application

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.application.end()
        if self.application.searching.locked():
            self.config.timeout_graceful_shutdown = SEARCH_PATIENCE
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # of what is cut short
        super().handle_exit(sig, frame)
