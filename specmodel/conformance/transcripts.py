"""Transcripts of plays: as files, and held to the designs of the subjects."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from specmodel.conformance.binding import PlayBinding
from specmodel.conformance.logs.validation import LogValidator
from specmodel.conformance.subject_designs import subject_design
from specmodel.conformance.verdicts import ConformanceReport, Play, PlaySeries
from specmodel.design import Design
from specmodel.errors import UsageError


def transcript_name(series: PlaySeries, number: int) -> str:
    """The name of a play's transcript."""
    return f"{series.subject}-{series.trace}-{number}.jsonl".replace(" ", "-")


def write_transcripts(report: ConformanceReport, folder: Path) -> None:
    """Writes the transcript of each play as JSON lines: SUBJECT-TRACE-N.jsonl.

    Raises UsageError if that cannot be done.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for series in report.series:
            for number, play in enumerate(series.plays, start=1):
                _write(folder / transcript_name(series, number), play)
    except OSError as wrong:
        raise UsageError(f"cannot write transcripts to {folder}: {wrong.strerror}") from None


def _write(file: Path, play: Play) -> None:
    lines = [json.dumps(event, default=bytes.hex) for event in play.transcript]
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


class TranscriptJudge:
    """Says of plays whether their transcripts are behaviours of the subjects' designs."""

    def __init__(
        self, played: Design, binding: PlayBinding, file: Path, subjects: Sequence[str]
    ) -> None:
        """`played` is the design whose traces are played to subjects, by the binding in a file.

        Raises UsageError for a log binding that cannot be read or does not fit.
        """
        log_binding = file.parent / binding.transcript
        self._validators = {
            name: LogValidator(subject_design(played, binding.designs[name]), log_binding)
            for name in subjects
            if binding.transcript and name in binding.designs
        }

    def judged(self, series: PlaySeries) -> PlaySeries:
        """The series with what is said of each transcript. A play that can be compared has parted
        if its stage is free and its transcript is no behaviour of the design."""
        validator = self._validators.get(series.subject)
        if validator is None:
            return series
        with tempfile.TemporaryDirectory(prefix="specmodel-plays-") as folder:
            plays = tuple(
                self._judged(play, Path(folder, transcript_name(series, number)), validator)
                for number, play in enumerate(series.plays, start=1)
            )
        return replace(series, plays=plays)

    def _judged(self, play: Play, file: Path, validator: LogValidator) -> Play:
        _write(file, play)
        found = validator.validated([file])
        first = found.unmatched[0] if found.unmatched else None
        said = f": {first.place} is no step: {first.text}" if first is not None else ""
        unlike = "" if found.verdict == "passed" else f"it is no {found.design}{said}"
        parts = play.free and unlike and play.verdict == "followed"
        return replace(play, unlike=unlike, verdict="parted" if parts else play.verdict)
