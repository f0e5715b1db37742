"""Plays traces to subjects, repeatedly, and reports on all of them."""

from __future__ import annotations

import asyncio
import datetime
import inspect
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from specmodel.conformance.binding import PlayBinding, chosen_names, read_binding
from specmodel.conformance.player import Player
from specmodel.conformance.plays import ChosenTraces, TraceToPlay
from specmodel.conformance.prediction import NoPrediction, Predictor
from specmodel.conformance.protocol import Stage, SubjectGone
from specmodel.conformance.subject_designs import subject_design
from specmodel.conformance.transcripts import TranscriptJudge
from specmodel.conformance.verdicts import ConformanceReport, Play, PlayEnd, PlaySeries
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.errors import UsageError, suggestion

T = TypeVar("T")

PlayProgress = Callable[[int, int], None]


def play_all(
    design: Design,
    file: Path,
    choose: Callable[[PlayBinding], ChosenTraces],
    *,
    subjects: Sequence[str] = (),
    stage: str = "",
    settings: Mapping[str, str] | None = None,
    repeat: int = 1,
    jobs: int = 1,
    progress: PlayProgress | None = None,
) -> ConformanceReport:
    """Plays traces of a design to the subjects of a binding file, on one of its stages.

    `choose` gives the traces. `subjects` are names of the binding (default: all), `stage` one of
    its stages (default: the first), made with `settings`; `jobs` plays go on side by side. Subjects
    that this machine cannot run are skipped. Raises UsageError for a binding that cannot be read or
    does not fit, for an unknown name or setting, and for a stage that this machine cannot have.
    """
    started = time.monotonic()
    binding = read_binding(file)
    (place,) = chosen_names("stage", [stage or next(iter(binding.stages))], binding.stages)
    player = Player(design, binding, free=place in binding.free)
    make_stage = _with_settings(place, binding.stages[place], settings or {})
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
    judge = TranscriptJudge(design, binding, file, played)
    predicted = list(_predicted(player, place, rows))
    plays = _done(run.all(wanted, jobs))
    series = [
        PlaySeries(trace.name, name, tuple(plays[number * repeat : (number + 1) * repeat]), *said)
        for number, ((trace, name), said) in enumerate(zip(rows, predicted, strict=True))
    ]
    return ConformanceReport(
        design=design.name,
        constants=design.values,
        binding=file,
        stage=place,
        subjects=tuple(played),
        traces={trace.name: trace.title for trace in chosen.traces},
        series=tuple(judge.judged(one) for one in series),
        skipped=skipped,
        versions=run.versions,
        uncovered=chosen.uncovered,
        step_seconds=binding.step_seconds,
        quiet_seconds=binding.quiet_seconds,
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        seconds=time.monotonic() - started,
    )


def _with_settings(
    place: str, make: Callable[..., Stage], settings: Mapping[str, str]
) -> Callable[[], Stage]:
    """The function that makes a stage, with settings. Raises UsageError for an unknown one."""
    known = inspect.signature(make).parameters
    for name in settings:
        if name not in known:
            raise UsageError(f'the stage {place} has no setting "{name}"{suggestion(name, known)}')
    return partial(make, **settings)


def _predicted(
    player: Player, place: str, rows: Sequence[tuple[TraceToPlay, str]]
) -> Iterator[tuple[tuple[PlayEnd, ...], str]]:
    """For each trace and subject the predicted ends, or why the subject's design has none."""
    binding, predictors = player.binding, dict[str, Predictor]()
    for trace, name in rows:
        subject = binding.designs.get(name)
        if subject is None or place not in binding.withholding:
            yield (), ""
            continue
        if name not in predictors:
            design = subject_design(player.design, subject)
            predictors[name] = Predictor(player, subject, design, binding.withholding[place])
        try:
            yield predictors[name].predicted(trace), ""
        except NoPrediction as wrong:
            yield (), str(wrong)


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
