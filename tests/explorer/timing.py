"""Measures the explorer: python -m tests.explorer.timing

It prints the time from a key to the picture of the next state on a behaviour of 3,000 states, the
memory of the server along 1,000 keys, and the time in which a design of 737,794 states shows its
verdicts. Run it on an idle machine.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from specmodel.explorer.opening import open_target
from tests.explorer import test_stepping
from tests.explorer.screenshots import DESKTOP, browsing, served

STATES = 3000
KEYS = 1000

TIMES = """async (keys) => {
  const [place, view] = [document.querySelector(".place"), document.querySelector("state-view")];
  const times = [];
  for (let i = 0; i < keys; i += 1) {
    const [before, since] = [place.textContent, performance.now()];
    dispatchEvent(new KeyboardEvent("keydown", { key: "k", bubbles: true }));
    do await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
    while (place.textContent === before || view.textContent.includes("Loading"));
    times.push(performance.now() - since);
  }
  return times;
}"""
"""The milliseconds from each key to the first frame with the whole state."""


def main() -> None:
    """Measure, and print."""
    test_stepping.STATES = STATES
    trace = test_stepping.long_walk(Path(tempfile.mkdtemp()))
    with browsing() as browser:
        with served(open_target(str(trace), {}, on=test_stepping.own_design(trace))) as address:
            page = browser.new_page(viewport=DESKTOP)
            page.goto(address)
            page.locator("state-view .picture").wait_for()
            for panel in ("moves", "chart", "table"):
                page.locator(f"#tab-{panel}").click()
                page.wait_for_timeout(2000)
                times = page.evaluate(TIMES, 300)
                late = quantiles(times, n=20)[-1]
                told = f"{median(times):.0f} ms at the median, {late:.0f} ms at the 95th percentile"
                say(f"key to picture, {STATES} states, {panel}: {told}")
            first = KEYS // 5
            say(f"memory of the server: {memory(page, first)} MB after {first} keys")
            say(f"memory of the server: {memory(page, KEYS - first)} MB after {KEYS} keys")
            page.close()
        started = time.perf_counter()
        with served(open_target("kip320", {})) as address:
            page = browser.new_page(viewport=DESKTOP)
            page.goto(address)
            page.locator("verdicts-panel table.verdicts").wait_for()
            told = page.locator("verdicts-panel .headline").last.inner_text()
            say(f"verdicts after {time.perf_counter() - started:.1f} s: {told}")


def say(line: str) -> None:
    """Prints a line."""
    sys.stdout.write(f"{line}\n")


def memory(page: Any, keys: int) -> int:
    """The most memory that this process, which serves, had by the end of some keys, in MB."""
    for number in range(keys):
        page.keyboard.press(["j", "k", "m", "w", "j", "k", "t", "s", "Home", "End"][number % 10])
    page.wait_for_timeout(300)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


if __name__ == "__main__":
    main()
