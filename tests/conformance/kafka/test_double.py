"""The double's answers: those of the design's own functions, in every version of the protocol."""

from __future__ import annotations

import asyncio
import datetime
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from specmodel import load
from specmodel.behaviour.steps import Interpreter
from specmodel.conformance.binding import read_binding
from specmodel.conformance.kafka.partition import LogEntry, PartitionState
from tests.docs.pages import ROOT

pytest.importorskip("kio", reason="pip install 'specmodel[conformance]'")

from specmodel.conformance.kafka import codec
from specmodel.conformance.kafka.double import TOPIC, TOPIC_ID, BrokersDouble
from tests.conformance.kafka.wire import WireClient

BINDING = ROOT / "models/kafka/consumer/binding.py"


def two_brokers(**changes: Any) -> PartitionState:
    """r1 leads epoch 2 with records of epochs 0 and 2; r2 led epoch 1."""
    logs = {1: [LogEntry(0, "a"), LogEntry(2, "b"), LogEntry(2, "c")], 2: [LogEntry(0, "a")]}
    given = {"logs": logs, "leaders": {0: 1, 1: 2, 2: 1}, "epoch": 2, "noticed": {1: 2, 2: 1}}
    return PartitionState(**{**given, "exposed": {1: 2, 2: 1}, **changes})


def on_double(
    scenario: Callable[[BrokersDouble, WireClient], Awaitable[None]], state: PartitionState
) -> list[Mapping[str, Any]]:
    """Runs a scenario with a client of broker 1; returns the transcript."""
    notes: list[Mapping[str, Any]] = []

    async def run() -> None:
        double = BrokersDouble([1, 2], state, notes.append)
        await double.open()
        client = await WireClient.to(double.ports[1])
        try:
            await scenario(double, client)
        finally:
            client.close()
            await double.close()
        for port in double.ports.values():
            with pytest.raises(ConnectionRefusedError):
                await WireClient.to(port)

    asyncio.run(run())
    return notes


def test_answers_are_those_of_the_design() -> None:
    """In 400 states of the consumer design: where epochs end, high watermarks, who refuses."""
    design = load("consumer-end-offset", max_records=2, max_leader_epoch=2, slow_brokers=True)
    binding: Any = read_binding(BINDING)
    functions = _functions_of(design)
    interpreter = Interpreter(design.spec)
    states = [design.spec.domain.copy(state) for state in interpreter.initial()]
    for state in states[:]:
        assert binding.observed(state) == {}
    seen = set(states)
    for state in states:
        if len(states) > 400:
            break
        for _, after in interpreter.successors(state):
            held = design.spec.domain.copy(after)
            if held not in seen:
                seen.add(held)
                states.append(held)
    module = sys.modules["specmodel_binding_binding"]
    differing = 0
    for state in states:
        held = module.partition(state)
        for broker in state.log:
            number = module.number(broker)
            assert held.exposed[number] == functions["high_watermark"](state, broker)
            for epoch in range(3):
                wanted = functions["end_offset_for_epoch"](state, broker, epoch)
                end = 0 if wanted.epoch == -1 else held.end_of_epoch(number, epoch)[1]
                assert (held.end_of_epoch(number, epoch)[0], end) == (wanted.epoch, wanted.end)
                differing += wanted.epoch != epoch
            led = functions["leads"](state, broker)
            refused = held.refusal(number, state.noticed[broker])
            assert (refused == "none") == led
    assert differing > 50


def _functions_of(design: Any) -> Mapping[str, Any]:
    """Functions of the modules of a design, by name."""
    rule: Any = next(rule for rule in design.spec.rules if rule.name == "validate_end_offset")
    held = dict(rule.function.__globals__)
    held |= held["fenced_leader"].__globals__
    return held


def test_every_version_of_every_request() -> None:
    """The double reads each request and answers it, in each version that kio has."""
    requests: Mapping[str, Mapping[str, Any]] = {
        "Produce": {"acks": 1, "topic_data": []},
        "Fetch": {"max_wait": _seconds(0), "topics": [_topic(partition=0, fetch_offset=0)]},
        "ListOffsets": {"topics": [_topic(partition_index=0, timestamp=-2)]},
        "OffsetForLeaderEpoch": {
            "topics": [_topic(partition=0, current_leader_epoch=2, leader_epoch=1)]
        },
        "OffsetCommit": {"topics": [_topic(partition_index=0, committed_offset=3)]},
        "OffsetFetch": {"groups": [{"group_id": "g"}]},
        "JoinGroup": {"protocols": [{"name": "p", "metadata": b"x"}], "protocol_type": "c"},
        "FindCoordinator": {"key": "g"},
    }
    asked: list[tuple[str, int]] = []

    async def ask(double: BrokersDouble, client: WireClient) -> None:
        for key, (least, greatest) in codec.versions().items():
            name = codec.NAMES[key]
            for version in range(least, greatest + 1):
                answer = await client.ask(key, version, **requests.get(name, {}))
                asked.append((name, version))
                if name == "OffsetForLeaderEpoch":
                    (found,) = answer["topics"][0]["partitions"]
                    assert (found["leader_epoch"], found["end_offset"]) == (0, 1)
                if name == "Fetch":
                    (found,) = answer["responses"][0]["partitions"]
                    assert found["high_watermark"] == 2 and found["records"]

    notes = on_double(ask, two_brokers())
    answers = [(note["api"], note["version"]) for note in notes if "api" in note]
    assert answers == asked
    assert len(asked) > 100
    assert ("Fetch", 4) in asked and ("Fetch", 18) in asked


def _seconds(seconds: float) -> Any:
    return datetime.timedelta(seconds=seconds)


def _topic(**partition: Any) -> Mapping[str, Any]:
    named = {"name": TOPIC, "topic": TOPIC, "topic_id": TOPIC_ID}
    return {**named, "partitions": [partition]}


async def fetch(client: WireClient, offset: int, version: int = 12, **more: Any) -> Any:
    """The answer to a fetch of one partition."""
    partition = {"partition": 0, "fetch_offset": offset, "current_leader_epoch": 2}
    session = {name: more.pop(name) for name in ("session_id", "session_epoch") if name in more}
    wait = more.pop("wait", 0)
    topics = [] if more.pop("none", False) else [_topic(**{**partition, **more})]
    return await client.ask(1, version, max_wait=_seconds(wait), topics=topics, **session)


def of(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The one partition of an answer."""
    (topic,) = answer["responses"]
    (partition,) = topic["partitions"]
    return partition


def test_fetches() -> None:
    """Records up to the high watermark; fencing; divergence; out of range."""

    async def run(double: BrokersDouble, client: WireClient) -> None:
        assert codec.values_of_batches(of(await fetch(client, 0))["records"]) == ["a", "b"]
        assert of(await fetch(client, 2))["error_code"] == "none"
        assert of(await fetch(client, 4))["error_code"] == "offset_out_of_range"
        errors = [
            of(await fetch(client, 0, current_leader_epoch=epoch))["error_code"]
            for epoch in (1, 3, -1)
        ]
        assert errors == ["fenced_leader_epoch", "unknown_leader_epoch", "none"]
        diverged = of(await fetch(client, 2, last_fetched_epoch=1))["diverging_epoch"]
        assert diverged == {"epoch": 0, "end_offset": 1}
        assert of(await fetch(client, 1, last_fetched_epoch=0))["records"]
        other = await WireClient.to(double.ports[2])
        refused = of(await fetch(other, 0, current_leader_epoch=1))
        assert refused["error_code"] == "none"  # it has noticed epoch 1 only, and leads that
        other.close()

    on_double(run, two_brokers())


def test_sessions() -> None:
    """A session remembers partitions, and leaves unchanged ones out of its answers."""

    async def run(double: BrokersDouble, client: WireClient) -> None:
        first = await fetch(client, 2, session_epoch=0)
        number = first["session_id"]
        assert number > 0 and of(first)["high_watermark"] == 2
        again = await fetch(client, 0, none=True, session_id=number, session_epoch=1)
        assert again["responses"] == []
        double.state.exposed = {1: 3, 2: 1}
        moved = await fetch(client, 0, none=True, session_id=number, session_epoch=2)
        assert codec.values_of_batches(of(moved)["records"]) == ["c"]
        unknown = await fetch(client, 0, none=True, session_id=99, session_epoch=1)
        assert unknown["error_code"] == "fetch_session_id_not_found"
        double.with_sessions = False
        assert (await fetch(client, 2, session_epoch=0))["session_id"] == 0

    on_double(run, two_brokers())


def test_what_is_held_back() -> None:
    """A fetch waits until it is let through, but is refused at once; metadata tells of no later
    epoch; records beyond the visible end are not shown."""

    async def run(double: BrokersDouble, client: WireClient) -> None:
        double.held = ["Fetch", "OffsetForLeaderEpoch"]
        held = asyncio.create_task(fetch(client, 0))
        await asyncio.sleep(0.1)
        assert not held.done()
        double.visible_end, double.held = 1, ["OffsetForLeaderEpoch"]
        assert codec.values_of_batches(of(await held)["records"]) == ["a"]
        double.held = ["Fetch"]
        refused = of(await fetch(client, 0, current_leader_epoch=1))
        assert refused["error_code"] == "fenced_leader_epoch"
        double.told_epoch = 1
        metadata = await client.ask(3, 12)
        (partition,) = metadata["topics"][0]["partitions"]
        assert (partition["leader_id"], partition["leader_epoch"]) == (2, 1)
        double.unnamed_epochs = True
        (partition,) = (await client.ask(3, 12))["topics"][0]["partitions"]
        assert partition["leader_epoch"] == -1
        # An answer would tell of the election that metadata does not name yet.
        held = asyncio.create_task(fetch(client, 0, current_leader_epoch=1))
        await asyncio.sleep(0.1)
        assert not held.done()
        double.told_epoch = 2
        assert of(await held)["error_code"] == "fenced_leader_epoch"

    on_double(run, two_brokers())


def test_a_broker_that_is_down() -> None:
    """It cuts its connections and takes none; a broker that is behind still names it."""

    async def run(double: BrokersDouble, client: WireClient) -> None:
        double.take_down(1)
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await client.ask(3, 12)
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await (await WireClient.to(double.ports[1])).ask(3, 12)
        other = await WireClient.to(double.ports[2])
        answer = await other.ask(3, 12)
        assert [broker["node_id"] for broker in answer["brokers"]] == [1, 2]
        double.state.noticed = {1: 2, 2: 2}
        answer = await other.ask(3, 12)
        assert [broker["node_id"] for broker in answer["brokers"]] == [2]
        (partition,) = answer["topics"][0]["partitions"]
        assert (partition["leader_id"], partition["error_code"]) == (-1, "leader_not_available")
        double.bring_up(1)
        assert (await (await WireClient.to(double.ports[1])).ask(3, 12))["topics"]
        other.close()

    on_double(run, two_brokers())


def test_producing() -> None:
    """A leader appends under its own epoch; the log goes on from there."""

    async def run(double: BrokersDouble, client: WireClient) -> None:
        records = codec.record_batches([LogEntry(0, "x"), LogEntry(0, "y")], 0)
        data = {**_topic(), "partition_data": [{"index": 0, "records": records}]}
        for version in (3, 9, 13):
            answer = await client.ask(0, version, acks=1, topic_data=[data])
            (found,) = answer["responses"][0]["partition_responses"]
            assert found["error_code"] == "none"
        assert [entry.value for entry in double.state.logs[1]] == ["a", "b", "c", *"xyxyxy"]
        assert {entry.epoch for entry in double.state.logs[1][3:]} == {2}
        assert double.produced[:2] == [(1, "x"), (1, "y")]

    on_double(run, two_brokers())


def test_what_no_broker_reads() -> None:
    """A version that was not offered, and bytes that are no request, end the connection."""

    async def run(double: BrokersDouble, client: WireClient) -> None:
        client.writer.write(b"\0\0\0\x0a" + b"\0\x01\0\x63" + b"\0" * 6)
        assert await client.reader.read() == b""
        other = await WireClient.to(double.ports[1])
        other.writer.write(b"\x7f\0\0\0")
        assert await other.reader.read() == b""
        newest = await WireClient.to(double.ports[1])
        newest.writer.write(b"\0\0\0\x0a" + b"\0\x12\0\x63" + b"\0\0\0\x07" + b"\xff\xff")
        answer = await newest.reader.read(200)
        assert answer[4:10] == b"\0\0\0\x07\0\x23"  # its number, and that the version is unknown

    notes = on_double(run, two_brokers())
    assert "request 1 in version 99 was not offered" in notes[0]["failure"]


def test_closing_cuts_held_requests(tmp_path: Path) -> None:
    """A fetch that is held back does not delay the end."""

    async def run(double: BrokersDouble, client: WireClient) -> None:
        double.held = ["Fetch"]
        task = asyncio.create_task(fetch(client, 0, wait=30))
        await asyncio.sleep(0.05)
        started = time.monotonic()
        await double.close()
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await task
        assert time.monotonic() - started < 5

    on_double(run, two_brokers())


def anew(*noticed: int) -> PartitionState:
    """A topic that is deleted and created anew: terms 0 and 1 are of the first, 2 of none, 3 of the
    second, whose leader epochs begin again."""
    logs = {1: [LogEntry(0, "new")], 2: [LogEntry(0, "a"), LogEntry(1, "b")]}
    return PartitionState(
        logs=logs,
        leaders={0: 1, 1: 2, 2: 1, 3: 1},
        epoch=3,
        noticed=dict(enumerate(noticed, 1)),
        exposed={1: 1, 2: 2},
        epochs={0: 0, 1: 1, 2: 0, 3: 0},
        topics={0: FIRST, 1: FIRST, 2: "", 3: SECOND},
    )


FIRST, SECOND = (f"{number:08}-0000-0000-0000-000000000000" for number in (1, 2))


def fetched_by(topic: Mapping[str, Any], epoch: int) -> dict[str, Any]:
    """The values of a fetch from offset 0."""
    partition = {"partition": 0, "fetch_offset": 0, "current_leader_epoch": epoch}
    wait = datetime.timedelta(0)
    topics = [{**topic, "partitions": [partition]}]
    return {"max_wait": wait, "session_epoch": -1, "topics": topics}


def test_a_topic_that_is_created_anew() -> None:
    """Metadata has the new id, and the leader epoch of the new topic; a fetch by another id is
    refused, and so is one by name while there is no topic; an epoch of the old topic is unknown."""

    async def ask(double: BrokersDouble, client: WireClient) -> None:
        (topic,) = (await client.ask(3, 12, topics=None))["topics"]
        assert (topic["topic_id"], topic["error_code"]) == (SECOND, "none")
        (partition,) = topic["partitions"]
        assert (partition["leader_id"], partition["leader_epoch"]) == (1, 0)

        async def fetch(version: int, topic: Mapping[str, Any], epoch: int) -> Mapping[str, Any]:
            answer = await client.ask(1, version, **fetched_by(topic, epoch))
            (found,) = answer["responses"][0]["partitions"]
            return found

        assert (await fetch(13, {"topic_id": FIRST}, 0))["error_code"] == "unknown_topic_id"
        found = await fetch(13, {"topic_id": SECOND}, 0)
        assert found["error_code"] == "none" and found["records"]
        late = await fetch(12, {"topic": TOPIC}, 1)
        assert late["error_code"] == "unknown_leader_epoch"
        asked = {"partition": 0, "current_leader_epoch": 0, "leader_epoch": 1}
        ends = await client.ask(23, 3, topics=[{"topic": TOPIC, "partitions": [asked]}])
        (end,) = ends["topics"][0]["partitions"]
        assert (end["leader_epoch"], end["end_offset"]) == (-1, -1)
        double.state = anew(2, 2)
        (topic,) = (await client.ask(3, 12, topics=None))["topics"]
        assert (topic["error_code"], topic["partitions"]) == ("unknown_topic_or_partition", [])
        gone = await fetch(12, {"topic": TOPIC}, 0)
        assert gone["error_code"] == "unknown_topic_or_partition"

    on_double(ask, anew(3, 3))
