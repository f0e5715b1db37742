"""How a state is drawn: the fields that are logs, epochs, roles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.domains import IntDomain, ScalarDomain
from specmodel.domains.records import Record
from specmodel.domains.scalars import ScalarSet
from specmodel.errors import SpecError

Place = str | Callable[..., Any]
"""The place of a value: a path of fields, or a function of the spec that computes the value.

For a value of each actor, a path enters maps at the actor (`"replica.hw"` is `s.replica[r1].hw`),
and a function takes the state and the actor. For other values, a function takes the state alone.
"""

Places = Mapping[str, Place] | Sequence[str]
"""Places by title, or paths that are their own titles."""

SENDER = ("source", "src", "sender", "from_")
RECEIVER = ("to", "dest", "dst", "destination", "receiver")
"""The usual names of the fields of a message that hold its sender, and its receiver."""

SEVERAL = ("facts", "members", "cursors", "status", "messages", "sender", "receiver")
"""The lanes that are several paths or names."""


@dataclass(frozen=True, kw_only=True)
class Lanes:
    """A row for each member of `actor`, or number of a range; below the rows what they share. All
    else is optional.

    Of each actor: `log` is a list, drawn as a lane with a column for each offset; `high_watermark`
    the offset up to which it is committed; `epoch` the newest epoch it knows; `leader` the actor
    that it follows (itself: it leads); `isr` its set of in-sync actors; `role` its other role;
    `facts` are further columns.

    `cell` writes a record of the log, a format over its fields: `"m{id}@e{epoch}"`. `shade` is the
    field of a record that selects its colour. `formats` are formats of other structs of the state.

    Of the whole state: `members` are sets of actors, each a column of marks; `cursors` are offsets
    to mark on the lanes, such as a consumer's position; `requests` is a map from epochs to the
    requests announced under them (None: none yet), which an actor with an older epoch has yet to
    accept; `status` is printed below the rows.

    A struct in a set or bag of the state is a message if it has a field with one of the names in
    `sender` or `receiver` whose type is `actor`; in a list it needs both. The other structs of the
    same collection are messages too, and an end may also be of another scalar set, such as a
    client. `messages` are the paths of the collections (empty: all with such a struct, but no log).
    """

    actor: type[ScalarSet] | range
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
    messages: Sequence[str] = ()
    sender: Sequence[str] = SENDER
    receiver: Sequence[str] = RECEIVER

    def __post_init__(self) -> None:
        """Raises SpecError for one path where several are expected: a text is a sequence too."""
        for name in SEVERAL:
            held = getattr(self, name)
            if isinstance(held, str):
                raise SpecError(f'lanes: {name} takes several paths: write {name}=("{held}",)')

    @property
    def actors(self) -> ScalarDomain | IntDomain:
        """The domain of the actors."""
        if isinstance(self.actor, range):
            return IntDomain(self.actor.start, self.actor.stop - 1)
        return self.actor.__domain__


def titled(places: Places) -> dict[str, Place]:
    """Places by title."""
    if isinstance(places, Mapping):
        return dict(places)
    return {path: path for path in places}
