"""Many specs one after the other: in processes of their own, since a wrong kernel may crash one."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.fuzz.specs import spec_text
from tests.fuzz.trial import attempt
from tests.fuzz.verdict import Verdict

SURROUNDINGS = {**os.environ, "PYTHONHASHSEED": "0"}
"""Those of the processes: a seed gives the same outcome again, whatever hashes decide."""

BATCH = 250
"""Specs for each process, which so gives its memory back."""


@dataclass(frozen=True)
class Plan:
    """What to run. `share` of the specs are searched by all engines."""

    first: int
    specs: int | None
    seconds: float | None
    share: float
    out: Path | None
    reducing: float
    each: int


@dataclass
class Tally:
    """How specs have ended so far."""

    kinds: Counter[str] = field(default_factory=Counter[str])
    sorts: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    examples: dict[tuple[str, str], tuple[int, str]] = field(
        default_factory=dict[tuple[str, str], tuple[int, str]]
    )

    def add(self, seed: int, verdict: Verdict) -> None:
        self.kinds[verdict.kind] += 1
        if verdict.kind != "agree":
            self.sorts[verdict.group] += 1
            self.examples.setdefault(verdict.group, (seed, verdict.detail))

    def line(self, seconds: float) -> str:
        """The figures in a sentence."""
        total = sum(self.kinds.values()) - self.kinds["invalid"]
        shown = ", ".join(
            f"{self.kinds[kind]} {kind} ({self.kinds[kind] / max(1, total):.2%})"
            for kind in ("agree", "refused", "difference", "internal", "endless")
        )
        return f"{total} specs in {seconds:.0f} s: {shown}"

    def table(self, *kinds: str) -> str:
        """The sorts of some kinds: how many, and an example of each."""
        lines: list[str] = []
        for (kind, what), count in self.sorts.most_common():
            if kind in kinds:
                seed, detail = self.examples[kind, what]
                shown = " ".join(detail.split())[:110]
                lines.append(f"{count:>6}  {what[:100]:<60}  {shown}  [{seed}]")
        return "\n".join(lines) + "\n"


def engines_for(seed: int, share: float) -> dict[str, bool]:
    """What a spec is compared by, beside its graphs.

    Spark takes some seconds to start, in each process: it is part of one batch in four or so.
    """
    chosen = random.Random(seed * 7 + 1).random()
    full = chosen < share
    return {"full": full, "smt": chosen < share / 4, "spark": full and seed // BATCH % 4 == 0}


def batch(first: int, count: int, share: float) -> None:
    """Compares specs and prints a line of JSON for each before and after."""
    for seed in range(first, first + count):
        print(json.dumps({"seed": seed}), flush=True)
        verdict = attempt(spec_text(seed), seed, **engines_for(seed, share))
        print(json.dumps({"seed": seed, "verdict": asdict(verdict)}), flush=True)


def run(plan: Plan) -> int:
    """Runs a plan; gives 1 if anything was found, else 0."""
    started = time.monotonic()
    tally, seed, kept = Tally(), plan.first, Counter[tuple[str, str]]()
    print(f"seed {plan.first}", flush=True)

    def over() -> bool:
        if plan.specs is not None and seed >= plan.first + plan.specs:
            return True
        return plan.seconds is not None and time.monotonic() - started > plan.seconds

    while not over():
        count = BATCH if plan.specs is None else min(BATCH, plan.first + plan.specs - seed)
        last = seed
        command = [sys.executable, "-m", "tests.fuzz", "--batch", str(seed), str(count)]
        with subprocess.Popen(
            [*command, "--full", str(plan.share)],
            stdout=subprocess.PIPE,
            text=True,
            env=SURROUNDINGS,
        ) as process:
            assert process.stdout is not None
            done = seed - 1
            for line in process.stdout:
                got = json.loads(line)
                last = got["seed"]
                if "verdict" in got:
                    done = last
                    verdict = Verdict(**got["verdict"])
                    tally.add(last, verdict)
                    if verdict.bad:
                        kept[verdict.group] += 1
                        if kept[verdict.group] <= plan.each:
                            _keep(plan, last, verdict)
                if over() and done == last:
                    process.terminate()
                    break
        if done < last:  # the process died of the last spec
            verdict = Verdict("internal", f"the process died: {process.returncode}")
            tally.add(last, verdict)
            _keep(plan, last, verdict)
        seed = last + 1
        _report(plan, tally, time.monotonic() - started)
    print(tally.line(time.monotonic() - started))
    print(tally.table("difference", "internal"), end="")
    return int(tally.kinds["difference"] + tally.kinds["internal"] > 0)


def _keep(plan: Plan, seed: int, verdict: Verdict) -> None:
    """Says what was found, and writes the smallest spec that shows it."""
    print(f"seed {seed}: {verdict.kind}: {verdict.what}\n  {verdict.detail[:300]}", flush=True)
    text = f"# seed {seed}: {verdict.kind}: {verdict.what}\n{spec_text(seed)}"
    if plan.reducing:
        command = [sys.executable, "-m", "tests.fuzz", "--small", str(seed)]
        small = subprocess.run(
            [*command, "--reduce", str(plan.reducing), "--full", str(plan.share)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
            env=SURROUNDINGS,
        )  # fmt: skip
        text = small.stdout if small.returncode == 0 and small.stdout else text
    if plan.out is None:
        print(text)
        return
    plan.out.mkdir(parents=True, exist_ok=True)
    number = 1 + sum(1 for _ in plan.out.glob("found-*.py"))
    while (plan.out / f"found-{number:03}.py").exists():
        number += 1
    (plan.out / f"found-{number:03}.py").write_text(text, encoding="utf-8")


def _report(plan: Plan, tally: Tally, seconds: float) -> None:
    print(tally.line(seconds), flush=True)
    if plan.out is not None:
        plan.out.mkdir(parents=True, exist_ok=True)
        for name, kinds in (("refusals", ("refused",)), ("found", ("difference", "internal"))):
            table = f"{tally.line(seconds)}\n{tally.table(*kinds)}"
            (plan.out / f"{name}.txt").write_text(table, encoding="utf-8")
