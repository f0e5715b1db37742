"""What the tests of the explorer share: traces, a server in a thread, a browser."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import uvicorn

import specmodel
from specmodel.explorer.behaviours import Behaviours
from specmodel.explorer.opening import open_target
from specmodel.explorer.server import Application
from specmodel.explorer.serving import ADDRESS, listening
from specmodel.traces.itf_write import itf_text

TOKEN = "known-to-the-tests"

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

DESKTOP = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}

PATIENCE = 120_000
"""Milliseconds to wait for the page: it shares the machine with other tests."""

Open = Callable[..., Any]


@dataclass(frozen=True)
class Answered:
    """An answer of the server."""

    status: int
    headers: Message
    text: str

    def json(self) -> Any:
        return json.loads(self.text)


@dataclass(frozen=True)
class Client:
    """Sends requests just as they are given: no path is tidied up, no header added."""

    host: str
    token: str = ""

    @classmethod
    def of(cls, address: str) -> Client:
        """Requests to the server at an address, with the token that it has."""
        parts = urlsplit(address)
        return cls(parts.netloc, parse_qs(parts.query)["token"][0])

    def get(self, path: str, query: Mapping[str, Any] | None = None, **headers: str) -> Answered:
        return self.send("GET", f"{path}?{urlencode(query)}" if query else path, None, headers)

    def post(self, path: str, body: Any, **headers: str) -> Answered:
        """`body` is sent as JSON, unless it is bytes or an iterator of them; _ in names is -."""
        raw = isinstance(body, bytes) or hasattr(body, "__next__")
        headers = {"Content_Type": "application/json", **headers}
        return self.send("POST", path, body if raw else json.dumps(body).encode(), headers)

    def send(self, method: str, path: str, body: Any, headers: Mapping[str, str]) -> Answered:
        connection = HTTPConnection(self.host, timeout=PATIENCE / 1000)
        if self.token:
            headers = {"Authorization": f"token {self.token}", **headers}
        try:
            connection.putrequest(method, path, skip_host=True)
            given = {"Host": self.host} | {k.replace("_", "-"): v for k, v in headers.items()}
            chunked = hasattr(body, "__next__")
            if chunked:
                given["Transfer-Encoding"] = "chunked"
            elif body is not None:
                given["Content-Length"] = str(len(body))
            for name, value in given.items():
                connection.putheader(name, value)
            connection.endheaders(body, encode_chunked=chunked)
            found = connection.getresponse()
            return Answered(found.status, found.headers, found.read().decode("utf-8"))
        finally:
            connection.close()


Serve = Callable[[Behaviours], str]


def recorded(folder: Path, design: str, name: str, **constants: Any) -> Path:
    """The counterexample of a design to a property, in a file."""
    loaded = specmodel.load(design, **constants)
    trace = specmodel.check(loaded, properties=[name], workers=1)[name].trace
    assert trace is not None
    file = folder / f"{design}.itf.json"
    file.write_text(itf_text(loaded, trace, property_name=name), encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def first_try(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first draft of KIP-320 loses what was exposed: 12 states at its own constants."""
    return recorded(tmp_path_factory.mktemp("traces"), "kip320-first-try", "weak_isr")


@pytest.fixture(scope="session")
def loss(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A smaller one: truncation to the high watermark, with two replicas."""
    folder = tmp_path_factory.mktemp("traces")
    return recorded(folder, "truncate-to-hw", "weak_isr", replicas=2, max_leader_epoch=1)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of no known design that tries to run something wherever it has a word."""
    script = "<img src=x onerror=\"window.hacked='{}'\"><script>window.hacked='{}'</script>"
    deep: Any = "core"
    for level in range(200):
        deep = {f"</script>{level}": [deep]} if level % 2 else {"#map": [["k<b>", deep]]}
    states: list[dict[str, Any]] = []
    for number in range(10_000):
        state: dict[str, Any] = {
            "#meta": {"index": number, "action": f"{script}(x=<b>{number}</b>)"},
            script: {"#bigint": str(number)},
            "deep": deep if number < 3 else {"#set": [script, "'\"--></style>"]},
            "__proto__": {"constructor": script},
        }
        if number % 7 == 3:
            del state[script]
        states.append(state)
    meta = {"format": "ITF", "design": script, "property": script}
    file = tmp_path_factory.mktemp("traces") / "<b>hostile&.itf.json"
    file.write_text(json.dumps({"#meta": meta, "states": states, "loop": 9_000}), encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def serve() -> Iterator[Serve]:
    """Serves a reading until the tests are done; gives the address, with its token."""
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(reading: Behaviours) -> str:
        sock = listening(0)
        host = f"{ADDRESS}:{sock.getsockname()[1]}"
        config = uvicorn.Config(
            Application(reading).asgi([host], TOKEN), log_level="warning", lifespan="off"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([sock],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        running.append((server, thread))
        return f"http://{host}/?token={TOKEN}"

    yield start
    for server, thread in running:
        # A browser may hold a connection open: nobody waits for it to end.
        server.should_exit = server.force_exit = True
        thread.join()


@pytest.fixture(scope="session")
def read() -> Callable[..., Behaviours]:
    """What a trace or design opens as, each once."""
    known: dict[str, Behaviours] = {}

    def open_once(target: object, **constants: Any) -> Behaviours:
        key = f"{target} {constants}"
        if key not in known:
            known[key] = open_target(str(target), constants)
        return known[key]

    return open_once


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser. Without one the tests are skipped, unless REQUIRE_BROWSER is set."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        message = "no browser: install chromium (Debian: apt-get install chromium)"
        if os.environ.get("REQUIRE_BROWSER"):
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Any) -> Iterator[Open]:
    """Opens pages; at the end of a test none may have had an error, or run what a trace says."""
    contexts: list[Any] = []
    wrong: list[str] = []

    def open_page(
        address: str,
        offline: bool = False,
        script: str = "",
        wait: str = "state-view h2",
        **more: Any,
    ) -> Any:
        context = chromium.new_context(**{"viewport": DESKTOP, "offline": offline, **more})
        context.set_default_timeout(PATIENCE)
        if script:
            context.add_init_script(script)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda m: _is_wrong(m) and wrong.append(m.text))
        page.on("dialog", lambda dialog: wrong.append(f"dialog {dialog.message}"))
        page.goto(address)
        if wait:
            page.locator(wait).first.wait_for()
        return page

    yield open_page
    for context in contexts:
        for page in context.pages:
            assert page.evaluate("window.hacked") is None
        context.close()
    assert wrong == []


class Requests:
    """The requests of a page: as the server answers them, or as a test does for a while.

    The page is loaded anew once they are intercepted: one that runs when interception begins makes
    requests past it for a moment.
    """

    def __init__(self, page: Any, addresses: str) -> None:
        self.answer: Callable[[Any], None] | None = None
        page.route(addresses, lambda route: (self.answer or _passed_on)(route))
        page.reload()


def _passed_on(route: Any) -> None:
    route.continue_()


def shows(place: Any, *texts: str) -> None:
    """Wait until each text is there: what is shown comes a little later than what was asked."""
    from playwright.sync_api import expect

    for text in texts:
        expect(place).to_contain_text(text, timeout=PATIENCE)


def counts(places: Any, number: int) -> None:
    """Wait until there are as many."""
    from playwright.sync_api import expect

    expect(places).to_have_count(number, timeout=PATIENCE)


def at(page: Any, number: int) -> None:
    """Wait until a state is shown."""
    page.locator(f"state-view h2:has-text('State {number} ')").first.wait_for()


def _is_wrong(message: Any) -> bool:
    """Whether it is a fault: a question that is refused or not answered is shown on the page."""
    known = "422" in message.text or "ERR_CONNECTION_REFUSED" in message.text
    return message.type == "error" and not known


CONTRAST = """() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const part = (v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const back = rgb(getComputedStyle(e).backgroundColor);
      if (back.length === 3 || back[3] > 0.5) return back;
    }
    return rgb(getComputedStyle(document.body).backgroundColor);
  };
  const opacity = (element) => {
    let all = 1;
    for (let e = element; e; e = e.parentElement) all *= getComputedStyle(e).opacity;
    return all;
  };
  const weak = [];
  for (const element of document.querySelectorAll("spec-explorer *")) {
    const says = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!says || !element.checkVisibility() || element.disabled) continue;
    const back = behind(element);
    const clear = 1 - opacity(element);
    const own = rgb(getComputedStyle(element).color);
    const seen = own.map((v, i) => v * (1 - clear) + back[i] * clear);
    const [a, b] = [light(seen), light(back)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const what = `${element.className} ${element.textContent.slice(0, 30)}`;
    if (ratio < 4.5) weak.push(`${ratio.toFixed(2)} ${what}`);
  }
  return weak;
}"""
"""Texts whose contrast with what is behind them is below 4.5, as WCAG 2 asks for (level AA)."""
