"""What a transcript of a play says: the steps of the brokers, and the client's requests.

    specmodel conform consumer-end-offset --binding models/kafka/consumer/binding.py \
        --covering --transcripts plays
    specmodel validate consumer-end-offset plays/librdkafka-covering-1-1.jsonl \
        --binding models/kafka/consumer/transcript_binding.py

A play compares the records that the application is given. This looks at what the client asks: the
offset and the leader epoch of each fetch, and when it validates and resets its position.
"""

import json
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, cast

from binding import BROKERS, value

from specmodel.conformance import LogBinding, LoggedAs

FETCHES = ("fetch", "fetch_with_last_epoch", "fetch_to_log_end")

UNNAMED = -1
"""A leader epoch that a request or an answer does not name."""


def partition_of(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The only partition in a request or an answer; None where a fetch session leaves it out."""
    for topic in body.get("topics") or body.get("responses") or ():
        for partition in topic["partitions"]:
            return partition
    return None


def records(batches: str) -> Iterator[tuple[int, str]]:
    """The offsets and values of the records in a fetch answer, whose batches have one each."""
    data = bytes.fromhex(batches)
    while data:
        size = 12 + int.from_bytes(data[8:12], "big")
        batch, data = data[:size], data[size:]
        held = re.findall(rb"m\d+|next", batch)[-1]
        yield int.from_bytes(batch[:8], "big"), held.decode()


def fetched(request: Mapping[str, Any], answer: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What a fetch that is not refused says of the client's position, and what it gets.

    A request of a fetch session has the partition only where the position is another one.
    """
    asked, given = partition_of(request), partition_of(answer)
    if given is not None and given["error_code"] == "offset_out_of_range":
        yield {"event": "out of range"}
    if given is not None and given["error_code"] != "none":
        return
    if asked is not None and given is not None:
        event = {"event": "asked", "offset": asked["fetch_offset"], "phase": "fetching"}
        if asked.get("current_leader_epoch", UNNAMED) != UNNAMED:
            event["metadata"] = asked["current_leader_epoch"]
        yield event
    first = asked["fetch_offset"] if asked is not None else 0
    for offset, held in records((given or {}).get("records") or ""):
        if offset >= first:
            yield {"event": "fetched", f"record {offset}": held}


def events(line: str) -> Iterator[Mapping[str, Any]]:
    """The events of a line of a transcript."""
    said: dict[str, Any] = json.loads(line)
    if str(said.get("stage", "")).startswith("nothing is held back"):
        yield {"event": "end"}
    step = re.match(r"(\w+)\((?:(\w+)=(\w+))?\)", said.get("step", ""))
    if step is not None and step[1] in BROKERS:
        yield {"event": step[1], **({step[2]: step[3]} if step[2] else {})}
    api = said.get("api")
    answer: Mapping[str, Any] = said.get("answer") or {}
    if api == "Fetch":
        yield from fetched(said["request"], answer)
    if api in ("OffsetFetch", "OffsetCommit"):
        yield {"event": api}
    if api not in ("Metadata", "OffsetForLeaderEpoch", "ListOffsets"):
        return
    part = partition_of(answer)
    if part is None or part["error_code"] != "none":
        return
    if api == "Metadata" and part.get("leader_epoch", UNNAMED) != UNNAMED:
        yield {"event": "told", "epoch": part["leader_epoch"]}
    if api == "OffsetForLeaderEpoch":
        yield {"event": "validated"}
    if api == "ListOffsets":
        yield {"event": "reset"}


def observed(state: Any) -> Mapping[str, Any]:
    """The client's position and metadata, and the records that the application was given."""
    consumer = state.consumer
    given = {f"record {n}": r and value(r) for n, r in state.delivered.items()}
    return {
        "offset": consumer.position.offset,
        "metadata": consumer.metadata,
        "phase": cast(Enum, consumer.phase).name,
        **given,
    }


log = LogBinding(
    events={
        **{name: name for name in BROKERS},
        "asked": LoggedAs(),
        # A client may drop an answer, as while it validates, and is given the same record again.
        "fetched": LoggedAs(FETCHES, may_be_no_step=True),
        "told": LoggedAs(["refresh_metadata"], may_be_no_step=True),
        "validated": LoggedAs(["validate_end_offset"], may_be_no_step=True),
        "out of range": LoggedAs(["out_of_range"], may_be_no_step=True),
        "reset": LoggedAs(["reset_to_earliest", "reset_to_latest"], may_be_no_step=True),
        "OffsetFetch": LoggedAs(["rejoin"], may_be_no_step=True),
        "OffsetCommit": LoggedAs(["save_offset"], may_be_no_step=True),
    },
    silent=["fetch_nothing"],
    ends=["end"],
    parse=events,
    observed=observed,
)
