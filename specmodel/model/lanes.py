"""How a state is drawn: which of its fields are a log, an epoch, a role."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from specmodel.domains.records import Record
from specmodel.domains.scalars import ScalarSet

Place = str | Callable[..., Any]
"""Where a value is: a path of fields, or a function of the spec that computes it.

Of what each actor has, a path enters maps at the actor (`"replica.hw"` is `s.replica[r1].hw`), and
a function takes the state and the actor; otherwise a function takes the state alone.
"""

Places = Mapping[str, Place] | Sequence[str]
"""Places by title, or paths that are their own titles."""


@dataclass(frozen=True, kw_only=True)
class Lanes:
    """A row for each member of `actor`; below the rows what they share. All else is optional.

    Of each actor: `log` is a list, drawn as a lane with a column an offset; `high_watermark` the
    offset up to which it is committed; `epoch` the newest epoch it knows; `leader` whom it follows
    (itself: it leads); `isr` the set of actors that it takes for in sync; `role` what part it plays
    otherwise; `facts` are further columns.

    `cell` writes a record of the log, a format over its fields: `"m{id}@e{epoch}"`. `shade` is the
    field of a record that colours it. `formats` writes other structs of the state so.

    Of the whole state: `members` are sets of actors, each a column of marks; `cursors` offsets to
    mark on the lanes, such as a consumer's position; `requests` a map from epochs to what was
    announced under them (None: nothing yet), which an actor has yet to accept if its own epoch is
    older; `status` what is printed below the rows.
    """

    actor: type[ScalarSet]
    log: Place = ""
    cell: str = ""
    shade: str = ""
    high_watermark: Place = ""
    epoch: Place = ""
    leader: Place = ""
    isr: Place = ""
    role: Place = ""
    facts: Places = field(default=())
    members: Places = field(default=())
    cursors: Places = field(default=())
    requests: Place = ""
    formats: Mapping[type[Record], str] = field(default_factory=dict[type[Record], str])
    status: Places = field(default=())


def titled(places: Places) -> dict[str, Place]:
    """Places by title."""
    if isinstance(places, Mapping):
        return dict(places)
    return {path: path for path in places}
