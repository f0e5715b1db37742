"""An S3 server whose answers may be errors: `python -m tests.space.faulty_s3 PORT FILE`.

While there is a file FILE, each request is answered by the error that the file names. If the file
names the end of a path, too, the errors begin when an object of this path has been written; the
file names the error alone from then on.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple

ERRORS = {
    "SlowDown": ("503 Slow Down", "Please reduce your request rate."),
    "InternalError": (
        "500 Internal Server Error",
        "We encountered an internal error. Please try again.",
    ),
    "ExpiredToken": ("400 Bad Request", "The provided token has expired."),
}
"""Statuses and messages, by the codes of errors, as S3 has them."""


class FaultyS3:
    """moto's server, or the error that a file names."""

    def __init__(self, fault: Path) -> None:
        self.fault = fault
        self.server: Any = DomainDispatcherApplication(create_backend_app)

    def __call__(self, environ: Any, start_response: Any) -> Any:
        try:
            code, _, path = self.fault.read_text().partition(" ")
        except FileNotFoundError:
            return self.server(environ, start_response)
        if path:
            answer = self.server(environ, start_response)
            if environ["REQUEST_METHOD"] == "PUT" and environ["PATH_INFO"].endswith(path):
                new = self.fault.with_suffix(".new")
                new.write_text(code)
                new.replace(self.fault)
            return answer
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        status, message = ERRORS[code]
        text = f"<Error><Code>{code}</Code><Message>{message}</Message></Error>"
        headers = [("Content-Type", "application/xml"), ("Content-Length", str(len(text)))]
        start_response(status, headers)
        return [text.encode()] if environ["REQUEST_METHOD"] != "HEAD" else []


if __name__ == "__main__":
    port, fault = sys.argv[1:]
    run_simple("127.0.0.1", int(port), FaultyS3(Path(fault)), threaded=True)
