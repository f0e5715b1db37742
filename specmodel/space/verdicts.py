"""What a search came to, in the folder of its space."""

from __future__ import annotations

from specmodel.results import PropertyResult, Result
from specmodel.results.plain import Keys, members
from specmodel.space.files import RunFiles, write_json

VERDICTS: Keys = {PropertyResult: "name kind verdict trace_length"}
"""What is kept of a property on record: its trace is not."""


def write_verdicts(files: RunFiles, result: Result, levels: int) -> None:
    """Puts the verdicts of a search of so many whole levels on record: the space is finished.

    Raises OSError.
    """
    files.unseal()
    write_json(
        files.properties,
        {
            **members(result, "complete stopped? distinct generated depth"),
            "levels": levels,
            **members(result, "actions=coverage properties", VERDICTS),
        },
    )
    files.seal()
