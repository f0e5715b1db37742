"""Checks of many designs as tasks of Spark, each by the native engine on one core.

Each design must fit one machine. For a larger design, `specmodel.engines.spark.search` spreads one
search over many tasks.
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
    """The result of each check, with its number, as it arrives; or the error of the design.

    Only the options that say what is checked and when to stop are used. Raises the errors of
    `session`, and SpecmodelError when a task has failed for good.
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
    """The results of checks, in their order.

    The `progress` of the first check is told how many are done.

    Raises the errors of `check_all`, and the first design's error.
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
    """A check, ready to be sent, without the expectations of the design's file."""
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
    """The result of a check, on the machine that the design was sent to."""
    most = memory if options.max_memory is None else options.max_memory
    pickler = ResultPickler(design)
    try:
        return pickler.packed(native.check(design, replace(options, max_memory=most)))
    except SpecError as wrong:
        return pickler.packed(wrong)
