"""Takes the pictures of the explorer in docs/pictures anew: python -m tests.explorer.screenshots

Look at each afterwards: nothing may overlap, be cut off, or need to be guessed.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from playwright.sync_api import sync_playwright

from specmodel.explorer.behaviours import Behaviours
from specmodel.explorer.export import exported
from specmodel.explorer.opening import open_target
from specmodel.explorer.server import Application
from specmodel.explorer.serving import ADDRESS, listening
from tests.docs.pages import ROOT
from tests.explorer.conftest import BROWSERS, FLAGS, TOKEN, recorded

FOLDER = ROOT / "docs" / "pictures"

DESKTOP = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}


def main() -> None:
    """Serve the counterexample of the docs, and take its pictures."""
    folder = Path(tempfile.mkdtemp())
    reading = open_target(str(recorded(folder, "kip320-first-try", "weak_isr")), {})
    alone = folder / "loss.html"
    alone.write_text(exported(reading, ["len(log[r2])"]), encoding="utf-8")
    FOLDER.mkdir(exist_ok=True)
    with browsing() as browser, served(reading) as address:
        at = f"{address}#/t12"
        take(browser, f"{at}/12?panel=why", "explorer-light", DESKTOP, "light")
        take(browser, f"{at}/11?panel=moves", "explorer-dark", DESKTOP, "dark")
        take(browser, f"{at}/10?panel=compare&with=kip320", "explorer-compare", DESKTOP, "light")
        take(browser, f"{alone.as_uri()}#/t12/12?panel=why", "explorer-phone", PHONE, "dark")


@contextmanager
def served(reading: Behaviours) -> Iterator[str]:
    """The address at which a thread of this process serves a reading."""
    sock = listening(0)
    host = f"{ADDRESS}:{sock.getsockname()[1]}"
    server = uvicorn.Server(
        uvicorn.Config(
            Application(reading).asgi([host], TOKEN), log_level="warning", lifespan="off"
        )
    )
    threading.Thread(target=server.run, args=([sock],), daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://{host}/?token={TOKEN}"
    server.should_exit = server.force_exit = True


@contextmanager
def browsing() -> Iterator[Any]:
    """A browser."""
    found = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield browser
        browser.close()


def take(browser: Any, address: str, name: str, size: dict[str, int], scheme: str) -> None:
    """One picture, when the page has all that it shows."""
    page = browser.new_page(viewport=size, color_scheme=scheme)
    page.goto(address)
    page.locator("[role=tabpanel]:visible h3, [role=tabpanel]:visible .headline").first.wait_for()
    page.wait_for_load_state("networkidle")
    page.screenshot(path=FOLDER / f"{name}.png")
    page.close()


if __name__ == "__main__":
    main()
