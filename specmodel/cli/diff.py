"""`specmodel diff`: the states and steps that only one of two saved spaces has."""

from __future__ import annotations

from specmodel.cli.groups import argument, option
from specmodel.cli.guard import HOLDS, guarded
from specmodel.cli.options import Counting, NoVerify, Output


@guarded
def diff(
    first: str = argument("RUN_A", "A folder or URL that check --save-space has written."),
    second: str = argument("RUN_B", "Another."),
    *,
    full: bool = option(False, "A way to where they part, for each action.", "--full"),
    master: Counting = None,
    report: Output,
    no_verify: NoVerify = False,
) -> int:
    """Say which states and steps only one of two saved spaces has, with a way to each.

    Starts no Java without --master. Exit codes: 0 done; 2 wrong usage, or spaces that cannot be
    compared, or are damaged.
    """
    from specmodel.space.arrow import need_data

    need_data()
    from specmodel.cli.progress import ProgressLine
    from specmodel.cli.query import spark_of
    from specmodel.space.diff import difference
    from specmodel.views.space_difference import difference_json, difference_lines

    with ProgressLine() as line:
        found = difference(
            first,
            second,
            verify=not no_verify,
            spark=spark_of(master),
            progress=line.progress,
        )
    report.show(
        json=lambda: difference_json(found),
        text=lambda: difference_lines(found, report.page(), full),
    )
    return HOLDS
