"""The picture of a state, for a terminal, an image or a page.

Plain values: numbers, short texts, marks. `drawer.Drawer` makes them from a state by the lanes that
its spec declares, or by those that `places.inferred_lanes` derives from the state's type.
"""

from __future__ import annotations

from typing import Literal

from specmodel.dataclass import dataclass


@dataclass(frozen=True)
class Cell:
    """A record at an offset of a lane.

    `shade` is the value that selects its colour, such as its epoch (None: no colour). `mark` is
    "new" if it is not in the state before, "truncated" if it is only in the state before.
    `committed`: it is below the high watermark. `divergent`: the first offset at which the log
    differs from that of the leader of the newest epoch.
    """

    text: str
    shade: int | None
    mark: Literal["", "new", "truncated"]
    committed: bool
    divergent: bool


@dataclass(frozen=True)
class Fact:
    """A titled value, and its value in the state before; `kind` is its meaning for its actor.

    The kind is that of the declaration: "high_watermark", "epoch", "leader", "isr", "role",
    "members", or empty.
    """

    title: str
    value: str
    before: str
    kind: str = ""

    @property
    def changed(self) -> bool:
        return self.value != self.before


@dataclass(frozen=True)
class ActorRow:
    """An actor. Truncated cells are behind `log_end`, the number of its records.

    `leads` says whether it leads, "stale" if others know of a later epoch; `follows` is the leader
    that it knows. `isr` is its set of in-sync replicas (None: none is declared). `requests` says of
    each request in order whether it is "pending" (of a later epoch than the actor knows),
    "accepted" or "stale" (older). `divergence` is the first offset at which its log differs from
    that of the leader of the newest epoch, `compared` that leader.
    """

    actor: str
    cells: tuple[Cell, ...] = ()
    log_end: int = 0
    truncated_to: int | None = None
    high_watermark: int | None = None
    epoch: int | None = None
    leads: Literal["", "leader", "stale"] = ""
    follows: str = ""
    isr: tuple[str, ...] | None = None
    facts: tuple[Fact, ...] = ()
    requests: tuple[Literal["pending", "accepted", "stale"], ...] = ()
    divergence: int | None = None
    compared: str = ""


@dataclass(frozen=True)
class Cursor:
    """An offset marked across the lanes, such as a consumer's position; None: it has none now."""

    title: str
    offset: int | None
    before: int | None


@dataclass(frozen=True)
class Request:
    """A request announced under an epoch, as text, and whether it is new."""

    epoch: int
    text: str
    new: bool


@dataclass(frozen=True)
class Flight:
    """A message in flight: kind and payload as text, its ends, and the number of its copies.

    `sources` and `targets` are empty where the message does not name them. `before` is the number
    of its copies in the state before.
    """

    text: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    count: int
    before: int


@dataclass(frozen=True)
class Picture:
    """The picture of a state: its number in the trace from 1, the rows, and the shared values.

    `columns` is the number of offsets that any lane has a cell for; `members` are sets of actors by
    title; `status` further values. `messages` are those in flight, by their senders (None: the
    design has no messages).
    """

    number: int
    rows: tuple[ActorRow, ...]
    columns: int
    cursors: tuple[Cursor, ...] = ()
    requests: tuple[Request, ...] = ()
    status: tuple[Fact, ...] = ()
    messages: tuple[Flight, ...] | None = None
