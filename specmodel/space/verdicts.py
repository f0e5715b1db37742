"""The result of a search, in the folder of its space."""

from __future__ import annotations

from specmodel.results import PropertyResult, Result
from specmodel.results.plain import Keys, members
from specmodel.space.files import RunFiles, write_json

VERDICTS: Keys = {PropertyResult: "name kind verdict trace_length"}
"""The saved keys of a property: not its trace."""


def write_verdicts(files: RunFiles, result: Result, levels: int) -> None:
    """Writes the verdicts of a search of `levels` whole levels: the space is finished then.

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
