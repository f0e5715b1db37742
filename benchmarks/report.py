"""Tables of the measurements for a reader, and the same as JSON."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.sample import Contender, Timing
from benchmarks.targets import Comparison


def machine() -> dict[str, str]:
    """The machine measured on, as far as it can tell."""
    names = [platform.processor() or platform.machine()]
    information = Path("/proc/cpuinfo")
    if information.is_file():
        text = information.read_text(encoding="utf-8").splitlines()
        names = [line.split(":", 1)[1].strip() for line in text if line.startswith("model name")]
    return {
        "processor": names[0] if names else platform.machine(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load": f"{os.getloadavg()[0]:.2f}",
    }


def text(
    surroundings: dict[str, str],
    contenders: Sequence[Contender],
    comparisons: Sequence[Comparison],
    missing: Iterable[str],
    failures: Iterable[str],
) -> str:
    """The whole report, lines of text in fixed-width tables."""
    blocks = ["  ".join(f"{key}: {value}" for key, value in surroundings.items())]
    blocks.append(_table(_SEARCH_HEADINGS, [_search_row(c) for c in contenders if c.samples]))
    blocks.append(_table(_COMPARISON_HEADINGS, [_comparison_row(c) for c in comparisons]))
    blocks += [f"not present, left out: {line}" for line in missing]
    blocks += [f"failed: {line}" for line in failures]
    return "\n\n".join(blocks)


def json_object(
    surroundings: dict[str, str],
    contenders: Sequence[Contender],
    timings: Sequence[Timing],
    comparisons: Sequence[Comparison],
    missing: Sequence[str],
    failures: Sequence[str],
) -> dict[str, Any]:
    """Every single sample and every comparison, ready for `json.dump`."""
    return {
        "machine": surroundings,
        "searches": [
            {
                "name": contender.name,
                "design": contender.configuration.design,
                "configuration": contender.configuration.constants,
                "symmetric": contender.configuration.symmetric,
                "workers": contender.workers,
                "samples": [asdict(sample) for sample in contender.samples],
            }
            for contender in contenders
        ],
        "timings": [{"name": timing.name, "seconds": timing.values} for timing in timings],
        "comparisons": [
            {
                "what": comparison.what,
                "measured": comparison.measured,
                "unit": comparison.unit,
                "target": comparison.target,
                "verdict": comparison.verdict,
            }
            for comparison in comparisons
        ],
        "not_present": list(missing),
        "failures": list(failures),
    }


_SEARCH_HEADINGS = (
    *("configuration", "checker", "distinct", "generated", "depth"),
    *("min s", "median s", "max s", "wall s", "M/s", "B/state"),
)


def _search_row(contender: Contender) -> tuple[str, ...]:
    sample = contender.samples[0]
    search = contender.search
    return (
        str(contender.configuration),
        contender.name,
        f"{sample.distinct:,}",
        f"{sample.generated:,}",
        "-" if sample.depth is None else str(sample.depth),
        *(f"{seconds:.3f}" for seconds in (search.least, search.median, search.greatest)),
        f"{contender.wall.median:.2f}",
        f"{contender.rate / 1e6:.3f}",
        f"{contender.bytes_per_state:,.0f}",
    )


_COMPARISON_HEADINGS = ("figure", "measured", "target", "verdict")


def _comparison_row(comparison: Comparison) -> tuple[str, ...]:
    measured = comparison.measured
    shown = "-" if measured is None else f"{measured:.4g} {comparison.unit}"
    return (comparison.what, shown, comparison.target, comparison.verdict)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
