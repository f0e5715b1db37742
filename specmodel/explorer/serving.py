"""Runs the server: on this machine only, on a port that is free, until it is interrupted."""

from __future__ import annotations

import contextlib
import socket
import webbrowser
from collections.abc import Callable, Sequence
from types import FrameType
from urllib.parse import urlencode

import uvicorn

from specmodel.errors import UsageError
from specmodel.explorer.plain import PlainReading
from specmodel.explorer.reading import Reading
from specmodel.explorer.server import Application

ADDRESS = "127.0.0.1"
PORT = 8123
TRIED = 20
"""So many ports after the wanted one are tried before any is taken."""


def listening(port: int) -> socket.socket:
    """A socket of this machine on a port, or on the next one that is free; 0: any.

    Raises UsageError for a port that may not be used.
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
    reading: Reading | PlainReading,
    watches: Sequence[str],
    port: int,
    browse: bool,
    say: Callable[[str], None],
) -> None:
    """Serve the explorer until Ctrl-C. `say` is told the address; `browse` opens a browser.

    The page starts with the expressions `watches`; raises ExpressionError if one is wrong.
    """
    start = reading.start
    if isinstance(reading, Reading):
        for text in watches:
            reading.watch(start, text, 1, 1)
    sock = listening(port)
    taken = sock.getsockname()[1]
    if port not in (0, taken):
        say(f"port {port} is taken: using {taken}")
    hosts = (f"{ADDRESS}:{taken}", f"localhost:{taken}")
    address = f"http://{ADDRESS}:{taken}/"
    if watches:
        asked = urlencode([("panel", "watch"), *(("watch", text) for text in watches)])
        address += f"#/{start}/{start.length}?{asked}"
    application = Application(reading)
    server = _Server(
        application,
        uvicorn.Config(
            application.asgi(hosts),
            log_level="warning",
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=2,
        ),
    )
    say(f"{address}   (Ctrl-C stops it)")
    if browse:
        webbrowser.open(address)
    with contextlib.suppress(KeyboardInterrupt), sock:
        server.run(sockets=[sock])


class _Server(uvicorn.Server):
    """A server that ends a running search before it waits for the answers under way."""

    def __init__(self, application: Application, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.application = application

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.application.stop()
        super().handle_exit(sig, frame)
