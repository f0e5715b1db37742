"""What the logs of real brokers say: their records, and where epochs change.

    python -m specmodel.conformance.kafka.load FOLDER

The controller's steps are events, at the time when the load begins to make them happen. The
brokers' epochs have other numbers than those of the designs, whose controller takes two for a
fail-over. So only that a record has another epoch than the one before it is compared.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from specmodel.conformance import NOT_TOLD, LogBinding, LoggedAs


def said(records: Sequence[tuple[str, int]]) -> Mapping[str, Any]:
    """A log, without the numbers of epochs."""
    changes = [one[1] != other[1] for one, other in pairwise(records)]
    return {"records": [value for value, _ in records], "changes": changes}


def observed(state: Any) -> Mapping[str, Any]:
    """The log of each replica."""
    return {
        f"log {replica}": said([(f"m{record.id}", record.epoch) for record in log])
        for replica, log in state.log.items()
    }


def log_of(replica: str) -> Callable[[Mapping[str, Any]], Any]:
    """What an event says of the log of a replica."""
    name = f"log {replica}"
    return lambda event: said(event[name]) if name in event else NOT_TOLD


log = LogBinding(
    events={
        "log": LoggedAs(seen={f"log {r}": log_of(r) for r in ("r1", "r2")}),
        "controller_elect": "controller_elect",
        "controller_shrink": "controller_shrink",
    },
    ignored=["does"],
    ends=["failed"],
    observed=observed,
    silent=[
        *("become_leader", "become_follower", "write", "fetch", "truncate_on_fetch"),
        *("advance_hw", "expand_isr"),
    ],
    most_silent=6,
)
