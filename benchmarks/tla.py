"""Checks the models of a checkout of tlaplus/Examples, and compares them with its manifests.

    python -m benchmarks.tla --examples DIR [--timeout 60] [--jobs 2] [--only TEXT] [--all]
                             [--tlc CLASSPATH]

A manifest pins the verdict of a model and, of many, its numbers of distinct and generated states
and its depth, as TLC found them. The table has a line for each exhaustive model: equal (all pinned
figures and the verdict), refused (with the reason), differing, or timed out. Ends with exit code 1
if any model differs.

With `--tlc` (tla2tools.jar, or a class path), TLC checks each model after specmodel, with two
workers and as much time: one model at a time. A line then has the seconds of both commands and
their ratio. specmodel's command runs once before, so its compiled code is in the cache.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

MOST_SECONDS = 300
"""The longest time that the manifest gives a model that is run without --all."""

VERDICTS = {"success": "holds"} | dict.fromkeys(
    ("safety failure", "deadlock failure", "liveness failure"), "violated"
)


@dataclass(frozen=True)
class PinnedModel:
    """A model of a manifest: what TLC found."""

    module: Path
    config: Path
    result: str
    seconds: int
    distinct: int | None
    generated: int | None
    depth: int | None

    @property
    def name(self) -> str:
        """The configuration's name."""
        return f"{self.module.parent.name}/{self.config.stem}"


@dataclass(frozen=True)
class Compared:
    """How a model compares: `outcome` is equal, refused, differing or timed out."""

    model: PinnedModel
    outcome: str
    found: str
    seconds: float
    tlc_seconds: float | None = None
    """What TLC's command took, or the time that it was given; None if it has not run."""

    @property
    def line(self) -> str:
        """The line of the table."""
        beside = ""
        if self.tlc_seconds is not None:
            ratio = self.tlc_seconds / self.seconds
            beside = f"TLC {self.tlc_seconds:6.1f} s {ratio:6.1f} times  "
        name = self.model.name
        return f"{self.outcome:<10} {self.seconds:7.1f} s  {beside}{name:<45} {self.found}"


def pinned_models(examples: Path) -> Iterator[PinnedModel]:
    """The exhaustive models of all manifests."""
    for manifest in sorted(examples.glob("specifications/*/manifest.json")):
        for module in json.loads(manifest.read_text())["modules"]:
            for model in module["models"]:
                if model["mode"] == "exhaustive search":
                    hours, minutes, seconds = map(int, _runtime(model["runtime"]))
                    yield PinnedModel(
                        examples / module["path"],
                        examples / model["path"],
                        model["result"],
                        hours * 3600 + minutes * 60 + seconds,
                        model.get("distinctStates"),
                        model.get("totalStates"),
                        model.get("stateDepth"),
                    )


def _runtime(text: str) -> list[str]:
    parts = text.split(":")
    return parts if len(parts) == 3 and all(p.isdigit() for p in parts) else ["99", "0", "0"]


def compared(model: PinnedModel, timeout: float) -> Compared:
    """The comparison of one model, which is checked in a process of its own."""
    command = [sys.executable, "-m", "specmodel", "check", str(model.module)]
    command += ["--config", str(model.config), "--format", "json", "--timeout", f"{timeout:.0f}s"]
    started = time.perf_counter()
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=timeout + 30)
    except subprocess.TimeoutExpired:
        return Compared(model, "timed out", "", time.perf_counter() - started)
    seconds = time.perf_counter() - started
    try:
        found = json.loads(run.stdout)
    except ValueError:
        lines = run.stderr.strip().splitlines()
        shown = lines[0].removeprefix("error: ") if lines else f"exit code {run.returncode}"
        crashed = run.returncode not in (2, 3) or "unforeseen" in run.stderr
        late = run.returncode == 3
        outcome = "timed out" if late else "differing" if crashed else "refused"
        return Compared(model, outcome, _short(shown, model), seconds)
    outcome, text = _judged(model, found)
    return Compared(model, outcome, text, seconds)


def _short(text: str, model: PinnedModel) -> str:
    return text.replace(f"{model.module.parent}/", "")[:140]


def _judged(model: PinnedModel, found: dict[str, Any]) -> tuple[str, str]:
    figures = f"{found['distinct']} distinct, {found['generated']} generated, {found['depth']} deep"
    if found.get("stopped") in ("timeout", "max-memory"):
        return "timed out", figures
    wrong: list[str] = []
    undecided = [p["name"] for p in found["properties"] if p["verdict"] == "incomplete"]
    violated = [p["name"] for p in found["properties"] if p["verdict"] == "violated"]
    wanted = VERDICTS.get(model.result)
    if wanted == "holds" and violated:
        wrong.append(f"violates {', '.join(violated)}")
    if wanted == "violated" and not violated and not undecided:
        wrong.append(f"no violation, and TLC finds a {model.result}")
    for name in ("distinct", "generated"):
        pin = getattr(model, name)
        if pin is not None and pin != found[name]:
            wrong.append(f"{name} {found[name]}, pinned {pin}")
    if wrong:
        return "differing", "; ".join(wrong)
    if model.depth not in (None, found["depth"]):
        figures += f" (manifest: {model.depth})"  # with several workers TLC may count more
    if model.distinct is None:
        figures += " (no pin)"
    if undecided and not violated:
        figures += f"; not decided: {', '.join(undecided)}"
    return "equal", figures


def beside_tlc(model: PinnedModel, timeout: float, tlc: str) -> Compared:
    """The comparison of one model, with the time that TLC takes for it."""
    held = compared(model, timeout)
    if held.outcome != "equal":
        return held
    held = compared(model, timeout)
    words = ["java", "-XX:+UseParallelGC", "-cp", tlc, "tlc2.TLC", "-workers", "2"]
    words += ["-noGenerateSpecTE", "-config", str(model.config)]
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as states:
        words += ["-metadir", states, str(model.module)]
        try:
            run = subprocess.run(
                words, cwd=model.module.parent, capture_output=True, text=True, timeout=timeout
            )
        except subprocess.TimeoutExpired:
            return replace(held, tlc_seconds=timeout, found=f"{held.found}; TLC: not done")
    seconds = time.perf_counter() - started
    if " distinct states found" not in run.stdout:
        return replace(held, found=f"{held.found}; TLC: exit code {run.returncode}")
    return replace(held, tlc_seconds=seconds)


def main() -> int:
    """Runs the comparison; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--examples", type=Path, required=True, help="a checkout")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each model")
    parser.add_argument("--jobs", type=int, default=2, help="models side by side")
    parser.add_argument("--only", default="", help="models whose path has this text")
    parser.add_argument("--all", action="store_true", help="large models too")
    parser.add_argument("--tlc", metavar="CLASSPATH", help="TLC too: tla2tools.jar, or classes")
    given = parser.parse_args()
    for part in given.tlc.split(os.pathsep) if given.tlc else ():
        if not Path(part).exists():
            parser.error(f"--tlc: there is no {part}")
    models = [
        model
        for model in pinned_models(given.examples.resolve())
        if given.only in str(model.config) and (given.all or model.seconds <= MOST_SECONDS)
    ]
    counts: Counter[str] = Counter()

    def measure(model: PinnedModel) -> Compared:
        if given.tlc is None:
            return compared(model, given.timeout)
        return beside_tlc(model, given.timeout, given.tlc)

    with ThreadPoolExecutor(1 if given.tlc else given.jobs) as pool:
        for held in pool.map(measure, models):
            name = held.outcome
            if name == "equal" and held.model.distinct is not None:
                name = "equal to the pin"
            counts[name] += 1
            print(held.line, flush=True)
    print()
    for outcome, number in sorted(counts.items()):
        print(f"{number:>4}  {outcome}")
    return 1 if counts["differing"] else 0


if __name__ == "__main__":
    sys.exit(main())
