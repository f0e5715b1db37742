"""Faults that a task meets, once: put around a stage of a search, and sent to where it runs."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from specmodel.engines.spark import saving, search
from specmodel.engines.spark.shard_tasks import Insert, Work


@dataclass(frozen=True)
class Faulty:
    """A stage in whose first run something happens. `mark` is a file that says it has.

    `fault` is what: killed before it is given anything, between two things that it is given, after
    its states are in the log, or when all is done but Spark has not heard of it; or raises.
    """

    stage: Any
    fault: str
    mark: str

    def __call__(self, shard: int, items: Iterable[Any]) -> Iterator[tuple[int, Any]]:
        if not self._first():
            yield from self.stage(shard, items)
            return
        if self.fault == "raises":
            raise OSError(5, "Input/output error")
        if self.fault == "before":
            _die()
        if self.fault == "between":
            items = _then_die(items)
        done = list(self.stage(shard, items))
        if self.fault in ("logged", "between"):
            _die()
        yield from done[: len(done) // 2]
        _die()

    def _first(self) -> bool:
        try:
            Path(self.mark).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


def _then_die(items: Iterable[Any]) -> Iterator[Any]:
    rest = iter(items)
    yield from islice(rest, 1)
    _die()
    yield from rest


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def inject(patch: pytest.MonkeyPatch, fault: str, level: int, mark: Path) -> None:
    """Makes the insertion of a level meet a fault, in whichever shard comes first."""

    def made(work: Work, at: int, *known: Any) -> Any:
        stage = Insert(work, at, *known)
        return Faulty(stage, fault, str(mark)) if at == level else stage

    patch.setattr(search, "Insert", made)


def inject_saving(patch: pytest.MonkeyPatch, stage: str, fault: str, mark: Path) -> None:
    """Makes a stage that saves a space meet a fault, in whichever shard and job comes first."""
    whole = getattr(saving, stage)
    patch.setattr(saving, stage, lambda *known: Faulty(whole(*known), fault, str(mark)))


def with_tables(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Has tables kept in a folder."""
    patch.setattr(search, "Work", lambda **known: replace(Work(**known), tables=str(folder)))
