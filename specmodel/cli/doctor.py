"""`specmodel doctor`: what this machine has of all that specmodel can use."""

from __future__ import annotations

from specmodel.cli.guard import HOLDS, WRONG, guarded
from specmodel.cli.options import Output


@guarded
def doctor(report: Output) -> int:
    """Say what this machine has of all that specmodel can use, and what to do about the rest.

    Starts Java to ask its version, not Spark. Exit codes: 0 designs can be checked; 2 they cannot.
    """
    from specmodel import environment
    from specmodel.views.environment import findings_json, findings_lines

    found = list(environment.findings())
    works = environment.works(found)
    report.show(
        json=lambda: findings_json(found, works),
        text=lambda: findings_lines(found, works, report.page()),
    )
    return HOLDS if works else WRONG
