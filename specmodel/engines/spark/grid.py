"""Many errands as tasks of Spark, such as a search each: a design goes along with its errand."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from specmodel.design import Design
from specmodel.engines.native.available import available
from specmodel.engines.spark.parcel import Parcel
from specmodel.engines.spark.session import session
from specmodel.engines.spark.trouble import understood

T = TypeVar("T")


@dataclass(frozen=True)
class Errand(Generic[T]):
    """Work on a design that is sent along: `run` is told how many bytes it may take, if known."""

    parcel: Parcel
    run: Callable[[Design, int | None], T]


def carry_out(
    errands: Sequence[Errand[T]], names: Sequence[str], master: str | None, slots: int
) -> Iterator[tuple[int, T]]:
    """What each errand gives, with its number, as it comes; `names` are what Spark calls them.

    Raises what `session` does, and SpecmodelError when a task has failed for good.
    """
    running = session(master, slots)
    context: Any = running.context
    group = uuid.uuid4().hex

    def send(number: int) -> T:
        context.setJobGroup(group, names[number])
        (found,) = context.parallelize([errands[number]], 1).mapPartitions(_carried_out).collect()
        return found

    pool = ThreadPoolExecutor(running.slots + 1, thread_name_prefix="specmodel")
    try:
        sent = {pool.submit(send, number): number for number in range(len(errands))}
        for future in as_completed(sent):
            try:
                yield sent[future], future.result()
            except Exception as wrong:
                raise understood(wrong, running) from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        context.cancelJobGroup(group)


def _carried_out(errands: Iterable[Errand[T]]) -> Iterator[T]:
    free = available()
    share = None if free is None else free // (os.cpu_count() or 1)
    for errand in errands:
        yield errand.run(errand.parcel.design(), share)
