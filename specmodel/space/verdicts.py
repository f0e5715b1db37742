"""What a search came to, in the folder of its space."""

from __future__ import annotations

from specmodel.results import Result
from specmodel.space.files import RunFiles, write_json


def write_verdicts(files: RunFiles, result: Result, levels: int) -> None:
    """Puts the verdicts of a search of so many whole levels on record: the space is finished.

    Raises OSError.
    """
    files.unseal()
    write_json(
        files.properties,
        {
            "complete": result.complete,
            "stopped": result.stopped or None,
            "distinct": result.distinct,
            "generated": result.generated,
            "depth": result.depth,
            "levels": levels,
            "actions": dict(result.coverage),
            "properties": [
                {
                    "name": found.name,
                    "kind": found.kind,
                    "verdict": found.verdict,
                    "trace_length": found.trace_length,
                }
                for found in result.properties
            ],
        },
    )
    files.seal()
