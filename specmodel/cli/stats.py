"""`specmodel stats`: what a saved space is made of, or what saved walks have shown."""

from __future__ import annotations

from specmodel.cli.guard import HOLDS, guarded
from specmodel.cli.options import Counting, NoVerify, Output, Run


@guarded
def stats(run: Run, *, master: Counting = None, report: Output, no_verify: NoVerify = False) -> int:
    """Say what a saved space is made of: levels, actions, variables, what leads to violations.

    Of saved walks: their lengths, actions, how many new states came when, what they violate.

    Starts no Java without --master. Exit codes: 0 done; 2 wrong usage, no such space, or a damaged
    one.
    """
    from specmodel import space
    from specmodel.cli.progress import ProgressLine
    from specmodel.cli.query import spark_of
    from specmodel.space.statistics import statistics
    from specmodel.space.walk_tables import Walks
    from specmodel.views.statistics import statistics_json, statistics_lines
    from specmodel.views.walks import walks_json, walks_lines

    opened = space.open(run, verify=not no_verify)
    if isinstance(opened, Walks):
        report.show(
            json=lambda: walks_json(opened), text=lambda: walks_lines(opened, report.page())
        )
        return HOLDS
    with ProgressLine() as line:
        found = statistics(opened, spark=spark_of(master), progress=line.progress)
    report.show(
        json=lambda: statistics_json(found),
        text=lambda: statistics_lines(found, report.page()),
    )
    return HOLDS
