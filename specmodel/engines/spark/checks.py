"""Checks of many designs as tasks of Spark, each by the native engine on one core.

For designs that each fit a machine. One that does not is searched by many tasks together, in
`specmodel.engines.spark.search`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from specmodel.behaviour.orbits import interchangeable
from specmodel.design import Design
from specmodel.engines import native
from specmodel.engines.spark.design_tasks import DesignTask, design_task, run_tasks
from specmodel.engines.spark.sending import ResultPickler
from specmodel.errors import SpecError, SpecmodelError
from specmodel.results import Options, Progress, Result

Check = tuple[Design, Options]


def check_all(
    checks: Sequence[Check], master: str | None, slots: int
) -> Iterator[tuple[int, Result | SpecmodelError]]:
    """The result of each check, with its number, as it comes; or what is wrong with the design.

    Of the options those count that say what is checked and when to stop. Raises what `session`
    does, and SpecmodelError when a task has failed for good.
    """
    tasks: dict[int, DesignTask[bytes]] = {}
    for number, (design, options) in enumerate(checks):
        try:
            tasks[number] = _check_task(design, options)
        except SpecmodelError as wrong:
            yield number, wrong
    for number, found in run_tasks(tasks, master, slots):
        yield number, ResultPickler(checks[number][0]).unpacked(found)


def results_of(checks: Sequence[Check], master: str | None, slots: int) -> list[Result]:
    """The results of checks, in their order; the first one's `progress` is told how many are done.

    Raises what `check_all` does, and what is wrong with the first design with which anything is.
    """
    started, found = time.perf_counter(), dict[int, Result | SpecmodelError]()
    progress = checks[0][1].progress if checks else None

    def tell() -> None:
        if progress is not None:
            asking = f"{len(found)} of {len(checks)} checks on Spark"
            seconds = time.perf_counter() - started
            progress(Progress(None, None, 0, 0, seconds, 0, asking=asking))

    tell()
    for number, made in check_all(checks, master, slots):
        found[number] = made
        tell()
    results: list[Result] = []
    for _, made in sorted(found.items(), key=lambda item: item[0]):
        if isinstance(made, SpecmodelError):
            raise made
        results.append(made)
    return results


def _check_task(design: Design, options: Options) -> DesignTask[bytes]:
    """A check, ready to be sent: what the design's own file says is not known there."""
    rules = design.chosen(options.properties)
    if options.symmetry:
        interchangeable(design, rules)
    wanted = replace(
        options,
        properties=tuple(rule.name for rule in rules),
        workers=1,
        master=None,
        progress=None,
        remark=None,
    )
    return design_task(f"check {design.name}", design, rules, partial(_checked, wanted))


def _checked(options: Options, design: Design, memory: int | None) -> bytes:
    """The result of a check, wherever its design is sent to."""
    most = memory if options.max_memory is None else options.max_memory
    pickler = ResultPickler(design)
    try:
        return pickler.packed(native.check(design, replace(options, max_memory=most)))
    except SpecError as wrong:
        return pickler.packed(wrong)
