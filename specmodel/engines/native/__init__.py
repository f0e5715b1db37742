"""The native engine: packed states, a compiled kernel, and threads that each own some states."""

from __future__ import annotations

from specmodel.design import Design
from specmodel.results import Options, Result


def check(design: Design, options: Options = Options()) -> Result:
    """Explore a design exhaustively. Raises SpecFailure, with a trace, if the spec itself fails."""
    from specmodel.engines.native.room import room_for

    room = room_for(design, options)
    try:
        from specmodel.engines.native.search import (
            search,  # compiling takes imports that nothing else needs
        )

        return search(design, options, room)
    finally:
        if room is not None:
            room.close()


__all__ = ["check"]
