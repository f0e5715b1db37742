"""Work on designs as tasks of Spark, for example one search each: a task carries its design."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, Generic, TypeVar

from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.engines.spark.failures import readable_failure
from specmodel.engines.spark.sent_design import SentDesign, design_to_send
from specmodel.engines.spark.session import session
from specmodel.kernel.program import Program
from specmodel.model.model import Rule
from specmodel.resources import available

T = TypeVar("T")


@dataclass(frozen=True)
class DesignTask(Generic[T]):
    """Work on a design that the task carries: `run` gets its memory limit in bytes, if known.

    `name` is the name that Spark shows.
    """

    name: str
    sent_design: SentDesign
    run: Callable[[Design, int | None], T]


def design_task(
    name: str, design: Design, rules: Sequence[Rule], run: Callable[[Design, int | None], T]
) -> DesignTask[T]:
    """Work on a design with some of its properties. Raises the errors of `design_to_send`."""
    return DesignTask(name, design_to_send(design, rules, Program(design.spec, ())), run)


def run_tasks(
    tasks: Mapping[int, DesignTask[T]], master: str | None, slots: int
) -> Iterator[tuple[int, T]]:
    """The result of each task, with its number, as it arrives.

    Raises the errors of `session`, and SpecmodelError when a task has failed for good.
    """
    running = session(master, slots)
    context: Any = running.context
    group = uuid.uuid4().hex

    def send(number: int) -> T:
        sent = tasks[number]
        context.setJobGroup(group, sent.name)
        (found,) = context.parallelize([sent], 1).mapPartitions(_run_here).collect()
        return found

    pool = ThreadPoolExecutor(running.slots + 1, thread_name_prefix="specmodel")
    try:
        waiting = {pool.submit(send, number): number for number in tasks}
        for future in as_completed(waiting):
            try:
                yield waiting[future], future.result()
            except Exception as wrong:
                raise readable_failure(wrong, running) from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        context.cancelJobGroup(group)


def _run_here(tasks: Iterable[DesignTask[T]]) -> Iterator[T]:
    free = available()
    share = None if free is None else free // (os.cpu_count() or 1)
    for sent in tasks:
        yield sent.run(sent.sent_design.design(), share)
