"""Plays traces to subjects, repeatedly, and reports on all of them."""

from __future__ import annotations

import asyncio
import datetime
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from specmodel.conformance.binding import PlayBinding, chosen_names, read_binding
from specmodel.conformance.player import Player
from specmodel.conformance.plays import ChosenTraces
from specmodel.conformance.verdicts import ConformanceReport, Play, PlaySeries
from specmodel.design import Design
from specmodel.errors import UsageError

PlayProgress = Callable[[int, int], None]


def play_all(
    design: Design,
    file: Path,
    choose: Callable[[PlayBinding], ChosenTraces],
    *,
    subjects: Sequence[str] = (),
    stage: str = "",
    repeat: int = 1,
    progress: PlayProgress | None = None,
) -> ConformanceReport:
    """Plays traces of a design to the subjects of a binding file, on one of its stages.

    `choose` gives the traces. `subjects` are names of the binding (default: all), `stage` one of
    its stages (default: the first). Subjects that this machine cannot run are skipped. Raises
    UsageError for a binding that cannot be read or does not fit, for an unknown name, and for a
    stage that this machine cannot have.
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
    versions: dict[str, str] = {}
    series: list[PlaySeries] = []
    done, total = 0, len(played) * len(chosen.traces) * repeat
    for name in played:
        asyncio.run(binding.subjects[name]().prepare())
        for trace in chosen.traces:
            plays: list[Play] = []
            for _ in range(repeat):
                if progress is not None:
                    progress(done, total)
                on, subject = make_stage(), binding.subjects[name]()
                plays.append(asyncio.run(player.play(trace, on, subject)))
                done += 1
                for what, version in ((place, on.version()), (name, subject.version())):
                    versions.update({what: version} if version else {})
            series.append(PlaySeries(trace.name, name, tuple(plays)))
    return ConformanceReport(
        design=design.name,
        constants=design.values,
        binding=file,
        stage=place,
        subjects=tuple(played),
        traces={trace.name: trace.title for trace in chosen.traces},
        series=tuple(series),
        skipped=skipped,
        versions=versions,
        uncovered=chosen.uncovered,
        step_seconds=binding.step_seconds,
        quiet_seconds=binding.quiet_seconds,
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        seconds=time.monotonic() - started,
    )
