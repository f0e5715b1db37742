"""What real software does, held to designs: plays, and logs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from specmodel.analysis.checking import loaded
from specmodel.constants import Value
from specmodel.design import Design

if TYPE_CHECKING:
    from specmodel.conformance.logs.validation import LogEngine, ValidatedLog
    from specmodel.conformance.verdicts import ConformanceReport


def conform(
    target: str | Path | Design,
    binding: str | Path,
    /,
    *,
    subjects: Sequence[str] = (),
    stage: str = "",
    settings: Mapping[str, str] | None = None,
    traces: Sequence[str] = (),
    covering: bool = False,
    walks: int = 0,
    depth: int = 20,
    seed: int = 0,
    repeat: int = 1,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
    **constants: Value,
) -> ConformanceReport:
    """Plays behaviours of a design to real software, by a binding file, which is run.

    `subjects` are names of the binding (default: all), `stage` is one of its stages (default: the
    first), made with `settings`. `traces` are ITF files, scenarios of the binding, properties (a
    counterexample of each) or `counterexamples`; `covering` adds walks that take every action,
    `walks` random ones of `depth` states. Without any, the scenarios of the binding are played, or
    else a covering set. Each is played `repeat` times, and `jobs` plays go on side by side.
    `progress` is told the plays made and planned. Raises the errors of `load`, and UsageError for a
    binding or a name that is wrong.
    """
    from specmodel.conformance.plays import chosen_traces
    from specmodel.conformance.running import play_all

    design = loaded(target, constants)
    return play_all(
        design,
        Path(binding),
        lambda held: chosen_traces(
            design, held, traces, covering=covering, walks=walks, depth=depth, seed=seed
        ),
        subjects=subjects,
        stage=stage,
        settings=settings,
        repeat=repeat,
        jobs=jobs,
        progress=progress,
    )


def validate(
    target: str | Path | Design,
    logs: str | Path | Sequence[str | Path],
    binding: str | Path,
    /,
    *,
    engine: LogEngine = "auto",
    progress: Callable[[int, int], None] | None = None,
    **constants: Value,
) -> ValidatedLog:
    """Whether the events of a log, or of the logs of several nodes, are a behaviour of a design.

    Logs are JSON lines. `binding` is a Python file with a variable `log`, which is run. The engine
    that computes steps is "native", "interpret", or "auto": native code where the design compiles.
    `progress` is told the events that are matched and all. Raises the errors of `load`, and
    UsageError for a log or a binding that is wrong.
    """
    from specmodel.conformance.logs.validation import LogValidator

    files = [logs] if isinstance(logs, str | Path) else logs
    validator = LogValidator(loaded(target, constants), Path(binding), engine)
    return validator.validated([Path(file) for file in files], progress)
