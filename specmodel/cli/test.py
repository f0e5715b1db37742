"""`specmodel test`: hold designs to what their files expect, and traces to their designs."""

from __future__ import annotations

import datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from specmodel.cli import output as out
from specmodel.cli.groups import argument, option
from specmodel.cli.guard import EXIT_CODES, HOLDS, INCOMPLETE, VIOLATED, WRONG, guarded, remark
from specmodel.cli.options import EachSearch, Jobs, NoProgress, Output
from specmodel.errors import UsageError
from specmodel.options import MOST

if TYPE_CHECKING:
    from specmodel.regression.session import Report


@guarded
def test(
    paths: list[str] | None = argument(
        "[PATHS]...",
        "Folders, .yaml files, traces, names of designs. [default: models and traces]",
        default=None,
    ),
    *,
    keywords: list[str] | None = option(
        None, "Cases with this in their name. Repeatable.", "-k", "--keyword", metavar="TEXT"
    ),
    up_to: int | None = option(
        None, "Skip what is expected to have more states.", metavar="N", min=1, max=MOST
    ),
    update: bool = option(False, "Write what was found into the files, show how.", "--update"),
    against: Path | None = option(
        None,
        "The designs as they were, to explain failures by. [default: those shipped]",
        metavar="FOLDER",
    ),
    baseline: Path | None = option(
        None, "Sizes to compare with; --update records them.", metavar="FILE"
    ),
    max_growth: float | None = option(
        None, "Fail if more states than that are added.", metavar="PERCENT", min=0
    ),
    allow_vacuous: bool = option(False, "Let success pass that means nothing.", "--allow-vacuous"),
    failures: Path = option(
        Path("test-failures"), "Where traces of failures are left.", metavar="FOLDER"
    ),
    search: Annotated[EachSearch, "engine", "master"],
    limits: Annotated[EachSearch, "max_states", "max_memory", "timeout"],
    jobs: Jobs = None,
    report: Annotated[Output, "text", "json", "junit", "github: with annotations"],
    junit: Path | None = option(None, "Write JUnit XML here as well.", metavar="FILE"),
    verbose: bool = option(False, "Tell of the cases that passed too.", "--verbose", "-v"),
    quiet: NoProgress = False,
) -> int:
    """Check every design against what its file expects, and replay every recorded trace.

    Exit codes: 0 all as expected; 1 something is not; 2 a file is broken, or wrong usage; 3 a
    search was incomplete.
    """
    from specmodel import api
    from specmodel.analysis.checking import refuse_series
    from specmodel.analysis.searches import SearchLimits
    from specmodel.cli.progress import SeriesProgress
    from specmodel.regression.baseline import read_baseline
    from specmodel.regression.formats import report_json, report_junit
    from specmodel.regression.report import github_annotations, report_lines
    from specmodel.regression.session import run_suites
    from specmodel.regression.suites import collect, selected

    out.refuse_unwritable(junit, baseline if update else None)
    given = search.given()
    refuse_series(**given)
    if max_growth is not None and baseline is None:
        raise UsageError("--max-growth needs a --baseline to grow from")
    recorded = None
    if baseline is not None and (baseline.exists() or not update):
        recorded = read_baseline(baseline)
    suites = collect(paths or [], against)
    cases = selected(suites.cases, keywords or [])
    if suites.cases and not cases:
        raise UsageError(f"no case has {' or '.join(keywords or [])} in its name")
    with SeriesProgress(quiet) as line:
        found = run_suites(
            suites,
            cases,
            **given,
            limits=SearchLimits(**limits.given()),
            jobs=jobs or api.default_workers(),
            up_to=up_to,
            allow_vacuous=allow_vacuous,
            baseline=recorded,
            most_growth=None if update else max_growth,
            progress=line.update,
        )
    written = _keep_traces(found, failures) if not update else {}
    lines = report_lines(found, written, verbose=verbose)
    report.show(
        json=lambda: report_json(found, written),
        junit=lambda: report_junit(found),
        text=lambda: lines,
        github=lambda: chain(lines, github_annotations(found)),
    )
    if junit is not None:
        out.write_file(junit, f"{report_junit(found)}\n")
    if not update:
        return EXIT_CODES[found.verdict]
    if baseline is not None:
        _record(found, baseline)
    return _update(found)


def _keep_traces(report: Report, folder: Path) -> dict[str, Path]:
    """Writes the traces of failures; makes the folder if there are any."""
    written: dict[str, Path] = {}
    for outcome in report.outcomes:
        for kept in outcome.traces:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as wrong:
                raise UsageError(f"cannot make the folder {folder}: {wrong.strerror}") from None
            out.write_file(folder / kept.name, kept.text)
            written[kept.name] = folder / kept.name
    return written


def _record(report: Report, file: Path) -> None:
    from specmodel.regression.baseline import baseline_text, read_baseline, sizes_of

    old = read_baseline(file) if file.exists() else None
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    out.write_file(file, baseline_text(today, sizes_of(report.outcomes), old))


def _update(report: Report) -> int:
    """Rewrites the files and shows the changes; cases that this cannot correct still fail."""
    from specmodel.regression.updating import updates

    found = updates(report.entries)
    for update in found:
        out.emit(update.diff())
        out.write_file(update.file, update.after)
    right = {case for update in found for case in update.cases}
    left = [o for o in report.outcomes if o.status != "passed" and o.name not in right]
    if not found and not left:
        remark("nothing to update")
    if report.broken or any(o.status == "broken" for o in left):
        return WRONG
    if any(o.status == "failed" for o in left):
        return VIOLATED
    return INCOMPLETE if left else HOLDS
