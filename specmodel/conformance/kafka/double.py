"""A double of Kafka's brokers: one partition, several brokers in this process, on loopback.

Answers are computed from the state of the partition, which a stage takes from the states of a
trace. What a client may learn is held back until the trace allows it.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from specmodel.conformance.kafka.codec import (
    API_VERSIONS,
    FETCH,
    NAMES,
    PRODUCE,
    read_request,
    record_batches,
    values_of_batches,
    versions,
    write_answer,
)
from specmodel.conformance.kafka.group import OneMemberGroup
from specmodel.conformance.kafka.partition import TOPIC_ID, LogEntry, PartitionState, ProduceAnswer
from specmodel.conformance.kafka.sessions import FetchSessions, Wanted
from specmodel.dataclass import dataclass
from specmodel.errors import described

TOPIC = "t"
NO_TOPIC = "00000000-0000-0000-0000-000000000000"
HOST = "127.0.0.1"

MOST_HELD = 8.0
"""Seconds that a request is held back, a fetch beyond its own waiting time: clients give up after
30 seconds."""

BETWEEN = 0.02
"""Seconds between two looks at whether a held fetch may be answered."""

AFTER_ERROR = 0.05
"""Seconds before an error is answered: clients ask again at once."""

BY_ID = 13
"""The first version of Fetch that names topics by their ids."""

NOTHING_FETCHED = {
    "high_watermark": -1,
    "last_stable_offset": -1,
    "log_start_offset": -1,
    "aborted_transactions": None,
    "records": b"",
}
"""The rest of an answer with an error."""

MOST_FRAME = 1 << 24
"""The largest request that is read, in bytes."""

EARLIEST = -2
"""The timestamp by which ListOffsets asks for the first offset."""

Note = Callable[[Mapping[str, Any]], None]


@dataclass
class WaitingProduce:
    """A produce request that a broker has yet to answer."""

    broker: int
    values: Sequence[str]
    answer: asyncio.Future[ProduceAnswer]


class BrokersDouble:
    """Several brokers of one partition.

    `told_epoch` is the latest leader epoch that metadata names: a broker that has noticed later
    ones acts by them, but its metadata is still on its way. `held` names requests that are held
    back unless they are refused, and `visible_end` hides records from that offset on (None: shows
    all). `unnamed_epochs` leaves leader epochs out of metadata. `down` are brokers that cut their
    connections. `last_told` is the leader epoch in the last answer about metadata (-1: it named
    none, or there was none).

    With `told_by_all`, all brokers' metadata names `told_epoch`, whatever they have noticed. With
    `holds_produce`, produce requests wait in `waiting` until they are answered there.
    """

    def __init__(self, brokers: Sequence[int], state: PartitionState, note: Note) -> None:
        self.state = state
        self.told_epoch: int | None = None
        self.held: Collection[str] = ()
        self.visible_end: int | None = None
        self.unnamed_epochs = False
        self.with_sessions = True
        self.last_told = -1
        self.down: set[int] = set()
        self.ports: dict[int, int] = {}
        self.group = OneMemberGroup(TOPIC, TOPIC_ID, self.coordinator)
        self.produced: list[tuple[int, str]] = []
        self.told_by_all = False
        self.holds_produce = False
        self.waiting: list[WaitingProduce] = []
        self.note = note
        self._brokers = {number: _Broker(self, number) for number in brokers}
        self._servers: list[asyncio.Server] = []

    async def open(self) -> None:
        """Listens on a port for each broker."""
        for number, broker in self._brokers.items():
            server = await asyncio.start_server(broker.serve, HOST, 0)
            self.ports[number] = server.sockets[0].getsockname()[1]
            self._servers.append(server)

    async def close(self) -> None:
        """Cuts all connections, and frees the ports."""
        for server in self._servers:
            server.close()
        for broker in self._brokers.values():
            broker.cut()
        for broker in self._brokers.values():
            await broker.ended()
        for server in self._servers:
            await server.wait_closed()

    def take_down(self, number: int) -> None:
        """The broker cuts its connections and takes no more."""
        self.down.add(number)
        self._brokers[number].cut()

    def bring_up(self, number: int) -> None:
        """The broker takes connections again, with the log that it has."""
        self.down.discard(number)

    def epoch_told_by(self, number: int) -> int:
        """The leader epoch of which a broker's metadata speaks."""
        noticed, told = self.state.noticed[number], self.told_epoch
        if told is None:
            return noticed
        return told if self.told_by_all else min(noticed, told)

    def append(self, broker: int, values: Sequence[str]) -> ProduceAnswer:
        """Appends records to a broker's log, if it takes itself for the leader.

        The stage sees them in `produced`.
        """
        error, log = self.state.refusal(broker, None), self.state.logs[broker]
        if error != "none":
            return error, -1
        epoch = self.state.epoch_of(self.state.noticed[broker])
        new = [LogEntry(epoch, value) for value in values]
        self.state.logs = {**self.state.logs, broker: [*log, *new]}
        self.produced += [(broker, value) for value in values]
        return error, len(log)

    def coordinator(self) -> Mapping[str, Any]:
        """A live broker."""
        number = min(n for n in self.ports if n not in self.down)
        return {"node_id": number, "host": HOST, "port": self.ports[number]}

    def heard(
        self,
        broker: int,
        key: int,
        version: int,
        request: Mapping[str, Any],
        answer: Mapping[str, Any],
    ) -> None:
        """Writes a request and its answer into the transcript."""
        self.note(
            {
                "broker": broker,
                "api": NAMES[key],
                "version": version,
                "request": request,
                "answer": answer,
                "all_shown": self.visible_end is None,
            }
        )


class _Broker:
    """One broker: its connections, its fetch sessions, its answers."""

    def __init__(self, double: BrokersDouble, number: int) -> None:
        self.double, self.number = double, number
        self.sessions = FetchSessions()
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        group = double.group
        self.answers: Mapping[int, Callable[[Mapping[str, Any], int], Any]] = {
            PRODUCE: self._produce,
            FETCH: self._fetch,
            2: self._list_offsets,
            3: self._metadata,
            8: group.commit,
            9: group.fetch,
            10: group.find_coordinator,
            11: group.join,
            12: group.empty,
            13: group.empty,
            14: group.sync,
            API_VERSIONS: self._api_versions,
            22: self._init_producer_id,
            23: self._epoch_ends,
        }

    def cut(self) -> None:
        """Cuts all connections."""
        for task, writer in list(self._connections.items()):
            writer.transport.abort()
            task.cancel()
        self.sessions = FetchSessions()

    async def ended(self) -> None:
        """Waits until no connection is served any more."""
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers the requests of one connection in order."""
        if self.number in self.double.down:
            writer.transport.abort()
            return
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = writer
        try:
            while True:
                (size,) = struct.unpack(">i", await reader.readexactly(4))
                if not 8 <= size <= MOST_FRAME:
                    return
                answer = await self._answer(await reader.readexactly(size))
                if answer is not None:
                    writer.write(struct.pack(">i", len(answer)) + answer)
                    await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        except Exception as wrong:  # a request that kio cannot read: the client is cut off
            self.double.note({"broker": self.number, "failure": described(wrong)})
        finally:
            self._connections.pop(task, None)
            with contextlib.suppress(ConnectionError):
                writer.close()

    async def _answer(self, frame: bytes) -> bytes | None:
        key, version, correlation = struct.unpack(">hhi", frame[:8])
        least, greatest = versions().get(key, (0, -1))
        if key == API_VERSIONS and not least <= version <= greatest:
            # A client that knows more asks with its newest version, and falls back to what it gets.
            answer = {**self._api_versions({}, 0), "error_code": "unsupported_version"}
            return write_answer(key, 0, correlation, answer)
        if not least <= version <= greatest:
            raise ValueError(f"request {key} in version {version} was not offered")
        request = read_request(key, version, frame)
        if key != FETCH:
            await self._come_to(key, request)
        answer = self.answers[key](request, version)
        if asyncio.iscoroutine(answer):
            answer = await answer
        self.double.heard(self.number, key, version, request, answer)
        if key == PRODUCE and request["acks"] == 0:
            return None
        return write_answer(key, version, correlation, answer)

    def _api_versions(self, request: Mapping[str, Any], version: int) -> Mapping[str, Any]:
        return {
            "api_keys": [
                {"api_key": key, "min_version": least, "max_version": greatest}
                for key, (least, greatest) in versions().items()
            ]
        }

    def _metadata(self, request: Mapping[str, Any], version: int) -> Mapping[str, Any]:
        double = self.double
        term = double.epoch_told_by(self.number)
        leader, topic_id = double.state.leaders[term], double.state.topic_of(term)
        epoch = double.state.epoch_of(term)
        # Who has not noticed the latest election has not noticed that a broker is down, either.
        late = double.state.noticed[self.number] < double.state.epoch
        lives = [n for n in double.ports if n not in double.down or late]
        available = leader in lives
        double.last_told = -1 if double.unnamed_epochs else epoch
        partition = {
            "partition_index": 0,
            "error_code": "none" if available else "leader_not_available",
            "leader_id": leader if available else -1,
            "leader_epoch": double.last_told,
            "replica_nodes": list(double.ports),
            "isr_nodes": lives,
        }
        topic = {
            "name": TOPIC,
            "topic_id": topic_id or NO_TOPIC,
            "error_code": "none" if topic_id else "unknown_topic_or_partition",
            "partitions": [partition] if topic_id else [],
        }
        return {
            "brokers": [{"node_id": n, "host": HOST, "port": double.ports[n]} for n in lives],
            "cluster_id": "double",
            "controller_id": lives[0],
            "topics": [topic],
        }

    def _list_offsets(self, request: Mapping[str, Any], version: int) -> Mapping[str, Any]:
        return self._each(request, "topics", self._listed, "topics", "partitions")

    def _listed(self, partition: Mapping[str, Any]) -> Mapping[str, Any]:
        state = self.double.state
        answer: dict[str, Any] = {
            "partition_index": partition["partition_index"],
            "error_code": state.refusal(self.number, partition.get("current_leader_epoch")),
            "offset": -1,
            "timestamp": -1,
            "leader_epoch": -1,
        }
        if answer["error_code"] == "none":
            first = state.start.get(self.number, 0)
            earliest = partition["timestamp"] == EARLIEST
            offset = first if earliest else state.exposed[self.number]
            log = state.logs[self.number]
            answer["offset"] = offset
            answer["leader_epoch"] = log[offset].epoch if offset < len(log) else -1
        return answer

    def _epoch_ends(self, request: Mapping[str, Any], version: int) -> Mapping[str, Any]:
        return self._each(request, "topics", self._epoch_end, "topics", "partitions")

    def _epoch_end(self, partition: Mapping[str, Any]) -> Mapping[str, Any]:
        state = self.double.state
        error = state.refusal(self.number, partition["current_leader_epoch"])
        epoch, end = (-1, -1)
        if error == "none":
            epoch, end = state.end_of_epoch(self.number, partition["leader_epoch"])
        return {
            "partition": partition["partition"],
            "error_code": error,
            "leader_epoch": epoch,
            "end_offset": end,
        }

    async def _produce(self, request: Mapping[str, Any], version: int) -> Mapping[str, Any]:
        decided = await self._awaited(request) if self.double.holds_produce else None

        def answered(partition: Mapping[str, Any]) -> Mapping[str, Any]:
            values = values_of_batches(partition["records"])
            error, base = decided or self.double.append(self.number, values)
            return {"index": partition["index"], "error_code": error, "base_offset": base}

        return self._each(request, "topic_data", answered, "responses", "partition_responses")

    async def _awaited(self, request: Mapping[str, Any]) -> ProduceAnswer:
        """The answer to a request that waits. Raises ConnectionError if it is to be lost."""
        values = [
            value
            for topic in request["topic_data"]
            for partition in topic["partition_data"]
            for value in values_of_batches(partition["records"])
        ]
        loop = asyncio.get_running_loop()
        waiting = WaitingProduce(self.number, values, loop.create_future())
        self.double.note({"broker": self.number, "asked": NAMES[PRODUCE], "values": values})
        self.double.waiting.append(waiting)
        try:
            answer = await waiting.answer
        finally:
            self.double.waiting.remove(waiting)
        if answer[0] == "lost":
            raise ConnectionError("the request or its answer is lost")
        return answer

    def _init_producer_id(self, request: Mapping[str, Any], version: int) -> Mapping[str, Any]:
        return {"producer_id": 1000, "producer_epoch": 0}

    def _each(
        self,
        request: Mapping[str, Any],
        asked: str,
        answer: Callable[[Mapping[str, Any]], Mapping[str, Any]],
        answered: str,
        partitions: str,
    ) -> Mapping[str, Any]:
        """An answer for each partition that a request lists."""
        topics: list[Mapping[str, Any]] = []
        for topic in request[asked]:
            of_topic = topic.get("partitions") or topic.get("partition_data") or ()
            names = {n: topic[n] for n in ("name", "topic", "topic_id") if topic.get(n)}
            topics.append({**names, partitions: [answer(one) for one in of_topic]})
        return {answered: topics}

    async def _fetch(self, request: Mapping[str, Any], version: int) -> Mapping[str, Any]:
        # The answer may come much later, when the client is no longer where it was. And the client
        # may have sent the request before it looked at the last metadata.
        told = {"asked": NAMES[FETCH], "told": self.double.last_told}
        self.double.note({"broker": self.number, **told, "request": request})
        if not self.double.with_sessions:
            request = {**request, "session_id": 0, "session_epoch": -1}
        found = self.sessions.of(request)
        if found is None:
            return {"error_code": "fetch_session_id_not_found", "responses": []}
        session, wanted = found
        incremental = session is not None and request["session_epoch"] > 0
        deadline = time.monotonic() + request["max_wait"]
        while True:
            answers = {key: self._fetched(key, asked, version) for key, asked in wanted.items()}
            now = time.monotonic()
            held = self._held(wanted) and now < deadline + MOST_HELD
            if not held and (any(map(_says_something, answers.values())) or now >= deadline):
                break
            await asyncio.sleep(BETWEEN)
        if any(answer["error_code"] != "none" for answer in answers.values()):
            await asyncio.sleep(AFTER_ERROR)
        if session is not None:
            unchanged = [
                key
                for key, answer in answers.items()
                if incremental
                and not _says_something(answer)
                and session.answered.get(key) == answer["high_watermark"]
            ]
            session.answered.update({k: a["high_watermark"] for k, a in answers.items()})
            for key in unchanged:  # brokers leave these out of the answer
                del answers[key]
        return {
            "session_id": 0 if session is None else session.number,
            "responses": [
                {
                    "topic": topic,
                    "topic_id": TOPIC_ID if topic == TOPIC else topic,
                    "partitions": [answer],
                }
                for (topic, _), answer in answers.items()
            ],
        }

    def _held(self, wanted: Wanted) -> bool:
        """Whether a fetch is held back: it is not yet its time in the trace, or its answer would
        tell of an election that the trace has not told the client of."""
        double = self.double
        if not wanted:
            return False
        if double.epoch_told_by(self.number) < double.state.noticed[self.number]:
            return True
        refused = [
            double.state.refusal(self.number, asked.get("current_leader_epoch")) != "none"
            for asked in wanted.values()
        ]
        return NAMES[FETCH] in double.held and not any(refused)

    async def _come_to(self, key: int, request: Mapping[str, Any]) -> None:
        """Waits until the trace comes to a request that is held back and would not be refused."""
        end = time.monotonic() + MOST_HELD
        while NAMES[key] in self.double.held and time.monotonic() < end:
            refused = [
                self.double.state.refusal(self.number, partition.get("current_leader_epoch"))
                for topic in request.get("topics") or ()
                for partition in topic.get("partitions") or ()
            ]
            if any(error != "none" for error in refused):
                break
            await asyncio.sleep(BETWEEN)

    def _fetched(
        self, key: tuple[str, int], asked: Mapping[str, Any], version: int
    ) -> dict[str, Any]:
        double = self.double
        own = double.state.topic_of(double.state.noticed[self.number])
        if version >= BY_ID and own and key[0] != own:
            return {**NOTHING_FETCHED, "partition_index": key[1], "error_code": "unknown_topic_id"}
        found = double.state.fetched(
            self.number,
            asked["fetch_offset"],
            asked.get("current_leader_epoch"),
            asked.get("last_fetched_epoch", -1) if version >= 12 else -1,
            double.visible_end,
        )
        answer: dict[str, Any] = {
            "partition_index": key[1],
            "error_code": found.error,
            "high_watermark": found.high_watermark,
            "last_stable_offset": found.high_watermark,
            "log_start_offset": found.log_start,
            "aborted_transactions": None,
            "records": record_batches(found.entries, asked["fetch_offset"]),
        }
        if found.diverging is not None:
            epoch, end = found.diverging
            answer["diverging_epoch"] = {"epoch": epoch, "end_offset": end}
        return answer


def _says_something(answer: Mapping[str, Any]) -> bool:
    """Whether an answer has records, an error or a divergence."""
    return bool(answer["records"] or answer["error_code"] != "none" or "diverging_epoch" in answer)
