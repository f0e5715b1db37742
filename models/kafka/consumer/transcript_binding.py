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

from binding import high_watermark, value
from clients_binding import BROKERS, JOINING

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


def told(epoch: int) -> Mapping[str, Any]:
    """Metadata names a leader, and its epoch or none."""
    return {"event": "told", **({"epoch": epoch} if epoch != UNNAMED else {})}


def asked(said: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What a fetch says of the client's position, when it comes.

    A request of a fetch session has the partition only where the position is another one.
    """
    partition = partition_of(said["request"])
    if partition is not None:
        event = {"event": "asked", "offset": partition["fetch_offset"], "phase": "fetching"}
        if partition.get("current_leader_epoch", UNNAMED) != UNNAMED:
            event["metadata"] = partition["current_leader_epoch"]
        yield event
        yield told(said["told"])


def fetched(said: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What the client gets by a fetch that is not refused."""
    asked, given = partition_of(said["request"]), partition_of(said["answer"])
    if given is None:
        return
    if given["error_code"] == "offset_out_of_range":
        yield {"event": "out of range"}
    elif "diverging_epoch" in given:
        yield {"event": "diverged"}
    elif given["error_code"] == "none":
        if said.get("all_shown"):
            end = given["high_watermark"]
            yield {"event": "high watermark", f"high watermark r{said['broker']}": end}
        first = asked["fetch_offset"] if asked is not None else 0
        for offset, held in records(given.get("records") or ""):
            if offset >= first:
                yield {"event": "fetched", f"record {offset}": held}


def commits(request: Mapping[str, Any]) -> bool:
    """Whether a request commits an offset; kafkajs commits -2 before it begins anew."""
    partition = partition_of(request)
    return partition is not None and partition["committed_offset"] >= 0


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
    if said.get("asked") == "Fetch":
        yield from asked(said)
    if api == "Fetch":
        yield from fetched(said)
    if api == "OffsetFetch" or (api == "OffsetCommit" and commits(said["request"])):
        yield {"event": api}
    if api not in ("Metadata", "OffsetForLeaderEpoch", "ListOffsets"):
        return
    part = partition_of(answer)
    if part is None or part["error_code"] != "none":
        return
    if api == "Metadata":
        yield told(part.get("leader_epoch", UNNAMED))
    if api == "OffsetForLeaderEpoch":
        yield {"event": "validated"}
    if api == "ListOffsets":
        yield {"event": "reset"}


def observed(state: Any) -> Mapping[str, Any]:
    """The client's position and metadata, the records that the application was given, and the high
    watermarks."""
    consumer = state.consumer
    ends = {f"high watermark {broker}": high_watermark(state, broker) for broker in state.log}
    given = {f"record {n}": r and value(r) for n, r in state.delivered.items()}
    return {
        "offset": consumer.position.offset,
        "metadata": consumer.metadata,
        "phase": cast(Enum, consumer.phase).name,
        **given,
        **ends,
    }


log = LogBinding(
    events={
        **{name: name for name in BROKERS},
        "asked": LoggedAs(),
        "high watermark": LoggedAs(),
        # A client may drop an answer, as while it validates, and is given the same record again.
        "fetched": LoggedAs(FETCHES, may_be_no_step=True),
        "told": LoggedAs(["refresh_metadata", "refresh_metadata_unnamed"], may_be_no_step=True),
        "validated": LoggedAs(["validate_end_offset"], may_be_no_step=True),
        "diverged": LoggedAs(FETCHES, may_be_no_step=True),
        "out of range": LoggedAs(["out_of_range"], may_be_no_step=True),
        "reset": LoggedAs(["reset_to_earliest", "reset_to_latest"], may_be_no_step=True),
        "OffsetFetch": LoggedAs(["rejoin", *JOINING], may_be_no_step=True),
        "OffsetCommit": LoggedAs(["save_offset"], may_be_no_step=True),
    },
    silent=["fetch_nothing", "hear_epoch"],
    ends=["end"],
    parse=events,
    observed=observed,
)
