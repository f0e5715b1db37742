"""Plays traces to subjects, repeatedly, and reports on all of them."""

from __future__ import annotations

import asyncio
import datetime
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from specmodel.conformance.binding import PlayBinding, chosen_names, read_binding
from specmodel.conformance.player import Player
from specmodel.conformance.plays import ChosenTraces, TraceToPlay
from specmodel.conformance.protocol import Stage, SubjectGone
from specmodel.conformance.verdicts import ConformanceReport, Play, PlaySeries
from specmodel.design import Design
from specmodel.errors import UsageError

T = TypeVar("T")

PlayProgress = Callable[[int, int], None]


def play_all(
    design: Design,
    file: Path,
    choose: Callable[[PlayBinding], ChosenTraces],
    *,
    subjects: Sequence[str] = (),
    stage: str = "",
    repeat: int = 1,
    jobs: int = 1,
    progress: PlayProgress | None = None,
) -> ConformanceReport:
    """Plays traces of a design to the subjects of a binding file, on one of its stages.

    `choose` gives the traces. `subjects` are names of the binding (default: all), `stage` one of
    its stages (default: the first); `jobs` plays go on side by side. Subjects that this machine
    cannot run are skipped. Raises UsageError for a binding that cannot be read or does not fit, for
    an unknown name, and for a stage that this machine cannot have.
    """
    started = time.monotonic()
    binding = read_binding(file)
    player = Player(design, binding)
    (place,) = chosen_names("stage", [stage or next(iter(binding.stages))], binding.stages)
    make_stage = binding.stages[place]
    if lacking := make_stage().missing():
        raise UsageError(f"the stage {place} cannot be had here: {lacking}")
    names = chosen_names("subject", subjects, binding.subjects)
    skipped = {n: why for n in names if (why := binding.subjects[n]().missing())}
    played = [name for name in names if name not in skipped]
    chosen = choose(binding)
    for name in tuple(played):
        try:
            _done(binding.subjects[name]().prepare())
        except SubjectGone as wrong:
            skipped[name] = str(wrong)
            played.remove(name)
    rows = [(trace, name) for name in played for trace in chosen.traces]
    wanted = [row for row in rows for _ in range(repeat)]
    run = _Plays(player, make_stage, place, progress or (lambda done, total: None))
    plays = _done(run.all(wanted, jobs))
    series = [
        PlaySeries(trace.name, name, tuple(plays[number * repeat : (number + 1) * repeat]))
        for number, (trace, name) in enumerate(rows)
    ]
    return ConformanceReport(
        design=design.name,
        constants=design.values,
        binding=file,
        stage=place,
        subjects=tuple(played),
        traces={trace.name: trace.title for trace in chosen.traces},
        series=tuple(series),
        skipped=skipped,
        versions=run.versions,
        uncovered=chosen.uncovered,
        step_seconds=binding.step_seconds,
        quiet_seconds=binding.quiet_seconds,
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        seconds=time.monotonic() - started,
    )


@dataclass
class _Plays:
    """Plays that go on side by side."""

    player: Player
    make_stage: Callable[[], Stage]
    place: str
    progress: PlayProgress
    versions: dict[str, str] = field(default_factory=dict[str, str])
    done: int = 0

    async def all(self, wanted: Sequence[tuple[TraceToPlay, str]], jobs: int) -> list[Play]:
        """The plays, in order, of traces to subjects. An error of one ends all."""
        free = asyncio.Semaphore(jobs)
        self.progress(0, len(wanted))
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._one(*row, free, len(wanted))) for row in wanted]
        except BaseExceptionGroup as several:
            raise several.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _one(self, trace: TraceToPlay, name: str, free: asyncio.Semaphore, of: int) -> Play:
        async with free:
            stage, subject = self.make_stage(), self.player.binding.subjects[name]()
            found = await self.player.play(trace, stage, subject)
        for what, version in ((self.place, stage.version()), (name, subject.version())):
            self.versions.update({what: version} if version else {})
        self.done += 1
        self.progress(self.done, of)
        return found


def _done(work: Coroutine[Any, Any, T]) -> T:
    """The result of some work; a thread of its own does it where a loop runs, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
