"""Many errands as tasks of Spark, such as a search each: a design goes along with its errand."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from specmodel.design import Design
from specmodel.engines.spark.parcel import Parcel, parcel_of
from specmodel.engines.spark.session import session
from specmodel.engines.spark.trouble import understood
from specmodel.kernel.program import Program
from specmodel.model.model import Rule
from specmodel.resources import available

T = TypeVar("T")


@dataclass(frozen=True)
class Errand(Generic[T]):
    """Work on a design that is sent along: `run` is told how many bytes it may take, if known.

    `name` is what Spark calls it.
    """

    name: str
    parcel: Parcel
    run: Callable[[Design, int | None], T]


def errand(
    name: str, design: Design, rules: Sequence[Rule], run: Callable[[Design, int | None], T]
) -> Errand[T]:
    """Work on a design with some of its properties. Raises what `parcel_of` does."""
    return Errand(name, parcel_of(design, rules, Program(design.spec, ())), run)


def carry_out(
    errands: Mapping[int, Errand[T]], master: str | None, slots: int
) -> Iterator[tuple[int, T]]:
    """What each errand gives, with its number, as it comes.

    Raises what `session` does, and SpecmodelError when a task has failed for good.
    """
    running = session(master, slots)
    context: Any = running.context
    group = uuid.uuid4().hex

    def send(number: int) -> T:
        sent = errands[number]
        context.setJobGroup(group, sent.name)
        (found,) = context.parallelize([sent], 1).mapPartitions(_carried_out).collect()
        return found

    pool = ThreadPoolExecutor(running.slots + 1, thread_name_prefix="specmodel")
    try:
        waiting = {pool.submit(send, number): number for number in errands}
        for future in as_completed(waiting):
            try:
                yield waiting[future], future.result()
            except Exception as wrong:
                raise understood(wrong, running) from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        context.cancelJobGroup(group)


def _carried_out(errands: Iterable[Errand[T]]) -> Iterator[T]:
    free = available()
    share = None if free is None else free // (os.cpu_count() or 1)
    for sent in errands:
        yield sent.run(sent.parcel.design(), share)
