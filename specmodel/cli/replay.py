"""`specmodel replay`: walk a recorded trace on its design, or on a rival, as far as it goes."""

from __future__ import annotations

from specmodel.cli.guard import HOLDS, VIOLATED, guarded
from specmodel.cli.options import Bound, Format, On, TraceFile


@guarded
def replay(
    file: TraceFile,
    *,
    on: On = "",
    bound: Bound,
    report: Format,
) -> int:
    """Replay a recorded trace on its design or a rival; say why, where it cannot go on.

    Exit codes: 0 every step can happen (on its own design: with the recorded states); 1 one cannot;
    2 wrong usage or a mistake in a spec.
    """
    from specmodel import api
    from specmodel.views.comparison_json import replay_json
    from specmodel.views.replay import replay_lines

    found = api.replay_trace(file, on=bound.named(on), profile=bound.profile, **bound.constants)
    report.show(
        json=lambda: replay_json(found),
        text=lambda: replay_lines(found, report.page()),
    )
    as_recorded = found.blocked is None and (bool(on) or found.parting is None)
    return HOLDS if as_recorded else VIOLATED
