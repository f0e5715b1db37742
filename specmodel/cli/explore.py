"""`specmodel explore`: a trace to be read and a model to be driven, in the browser."""

from __future__ import annotations

from pathlib import Path

from specmodel.cli import output as out
from specmodel.cli.groups import option
from specmodel.cli.guard import HOLDS, guarded, remark
from specmodel.cli.options import Bound, DesignOrTrace, TraceBy
from specmodel.cli.progress import SeriesProgress
from specmodel.errors import UsageError

NEEDED = "the explorer needs two packages more: pip install starlette uvicorn"


@guarded
def explore(
    target: DesignOrTrace,
    *,
    on: TraceBy = "",
    bound: Bound,
    export: Path | None = option(
        None, "Write one HTML file that needs no server, and serve nothing.", metavar="FILE"
    ),
    states: int | None = option(
        None,
        "From so many states, those of the trace and those around it, the file takes other"
        " steps. By default 200; 0: from none.",
        min=0,
    ),
    watches: list[str] | None = option(
        None, "Show this along the trace. Repeatable.", "--watch", metavar="EXPR"
    ),
    port: int = option(8123, "0: any that is free.", min=0, max=65535),
    browse: bool = option(True, "Whether to open a browser.", "--open/--no-open"),
) -> int:
    """Explore a design or a recorded trace in the browser, or write a page to share.

    Serves this machine only, until Ctrl-C. Exit codes: 0 done; 2 wrong usage or a mistake in a
    spec.
    """
    from specmodel.explorer.opening import open_target

    out.refuse_unwritable(export)
    if states is not None and export is None:
        raise UsageError("--states is for a file: give --export too")
    if on and not target.endswith(".json"):
        raise UsageError("--on is for a trace: give x.itf.json")
    if on:
        on = bound.named(on)
    else:
        target = bound.named(target)
    reading = open_target(target, bound.constants, bound.profile, on)
    notice = reading.about()["notice"]
    if notice:
        remark(notice)
    if export is not None:
        from specmodel.explorer.export import MOST_EXPLORED, exported

        most = MOST_EXPLORED if states is None else states
        with SeriesProgress(what="states explored") as line:
            page = exported(reading, watches or [], most, line.update)
        out.write_file(export, page)
        remark(f"{export} is written")
        return HOLDS
    try:
        from specmodel.explorer.serving import serve
    except ImportError as wrong:
        if (wrong.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise UsageError(NEEDED) from None
    serve(reading, watches or [], port, browse, remark)
    return HOLDS
