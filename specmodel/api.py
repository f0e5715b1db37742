"""The checker from Python: `load` a design, `check` it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from specmodel.design import Design
from specmodel.engines import registry
from specmodel.errors import UsageError
from specmodel.lang.constants import Value
from specmodel.results import Options, Progress, Result
from specmodel.suite.targets import load_target

MOST_DEFAULT_WORKERS = 8


def load(target: str | Path, /, *, profile: str = "", **constants: Value) -> Design:
    """The design that a target names, with constants bound.

    A target is a design's name, the path of its YAML file, or a Python file's spec (`file.py:spec`,
    or `file.py` if it has one spec). `profile` names a set of constants in the design's YAML file;
    `constants` override it. Raises UsageError for a wrong name, path or constant, and SpecError for
    a mistake in the file.
    """
    return load_target(str(target), constants, profile)


def check(
    target: str | Path | Design,
    /,
    *,
    engine: str = registry.DEFAULT,
    properties: Sequence[str] | None = None,
    keep_going: bool = False,
    deadlock: bool | None = None,
    workers: int | None = None,
    max_states: int | None = None,
    max_depth: int | None = None,
    max_memory: int | None = None,
    timeout: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    **constants: Value,
) -> Result:
    """Explore a design and say which of its properties hold.

    `properties` names those to check (default: the design's own choice); `keep_going` explores the
    whole space past a violation; `deadlock` also reports states without a successor. `workers` is
    the number of threads (default: the cores, at most 8). Limits: `max_states` and `max_depth` as
    counted in the result, `max_memory` in bytes, `timeout` in seconds; a search that reaches one is
    incomplete. `progress` is called now and then. `constants` are for a target that is not yet
    loaded.

    Raises what `load` does, and SpecFailure, with a trace, when the spec itself fails during the
    search.
    """
    if isinstance(target, Design):
        if constants:
            raise UsageError(
                f"{target.name} is loaded already: give {', '.join(constants)} to specmodel.load"
            )
        design = target
    else:
        design = load_target(str(target), constants)
    options = Options(
        properties=tuple(properties) if properties else None,
        keep_going=keep_going,
        deadlock=deadlock,
        workers=default_workers() if workers is None else workers,
        max_states=max_states,
        max_depth=max_depth,
        max_memory=max_memory,
        timeout=timeout,
        progress=progress,
    )
    _refuse_wrong(options)
    return registry.engine(engine)(design, options)


def default_workers() -> int:
    """The cores this process may use, at most 8."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MOST_DEFAULT_WORKERS)
    return min(os.cpu_count() or 1, MOST_DEFAULT_WORKERS)


def _refuse_wrong(options: Options) -> None:
    for name in ("workers", "max_states", "max_depth", "max_memory", "timeout"):
        value = getattr(options, name)
        if value is not None and value <= 0:
            raise UsageError(f"{name} is above 0, not {value}")
