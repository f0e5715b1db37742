"""Requests and answers of Kafka's protocol as dictionaries, in every version that kio has."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import io
import types
import typing
import uuid
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, cast

from kio.index import load_request_schema, load_response_schema
from kio.records.readers import read_batch
from kio.records.schema import NewRecordBatch, Record
from kio.records.writers import write_new_batch
from kio.schema.errors import ErrorCode
from kio.schema.index import schema_name_map
from kio.serial import entity_reader, entity_writer
from kio.static.primitive import i8, i16, i32, i64

from specmodel.conformance.kafka.partition import LogEntry

NAMES = {
    0: "Produce",
    1: "Fetch",
    2: "ListOffsets",
    3: "Metadata",
    8: "OffsetCommit",
    9: "OffsetFetch",
    10: "FindCoordinator",
    11: "JoinGroup",
    12: "Heartbeat",
    13: "LeaveGroup",
    14: "SyncGroup",
    18: "ApiVersions",
    22: "InitProducerId",
    23: "OffsetForLeaderEpoch",
}
"""The requests that the double answers, by their keys."""

PRODUCE, FETCH, API_VERSIONS = 0, 1, 18

NO_PRODUCER = -1
FIRST_TIME = 1_700_000_000
"""The time of the record at offset 0, in seconds; each offset is a second later."""


@cache
def versions() -> Mapping[int, tuple[int, int]]:
    """The least and the greatest version of each request that kio has and the double answers."""
    found: dict[int, tuple[int, int]] = {}
    for key, name in NAMES.items():
        snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")
        known = schema_name_map[snake]
        found[key] = min(known), max(known)
    return found


def read_request(key: int, version: int, frame: bytes) -> dict[str, Any]:
    """A request, without its header, as plain values."""
    schema = load_request_schema(key, version)  # type: ignore[arg-type]
    _, size = entity_reader(schema.__header_schema__)(frame, 0)
    request, _ = entity_reader(schema)(frame, size)
    return cast(dict[str, Any], plain_values(request))


def write_answer(key: int, version: int, correlation: int, values: Mapping[str, Any]) -> bytes:
    """An answer with its header. Fields that the version lacks are left out of it, and fields that
    are not given are zero."""
    schema = load_response_schema(key, version)  # type: ignore[arg-type]
    header = schema.__header_schema__
    with io.BytesIO() as buffer:
        entity_writer(header)(buffer, filled(header, {"correlation_id": correlation}))
        entity_writer(schema)(buffer, filled(schema, values))
        return buffer.getvalue()


def record_batches(entries: Sequence[LogEntry], first: int) -> bytes:
    """Records as bytes, each in a batch of its own with its leader epoch."""
    with io.BytesIO() as buffer:
        for offset, entry in enumerate(entries, start=first):
            time = datetime.datetime.fromtimestamp(FIRST_TIME + offset, datetime.UTC)
            record = Record(
                attributes=i8(0),
                timestamp=cast(Any, time),
                offset=i64(offset),
                key=None,
                value=entry.value.encode(),
                headers=(),
            )
            write_new_batch(
                buffer,
                NewRecordBatch(
                    producer_id=i64(NO_PRODUCER),
                    producer_epoch=i16(NO_PRODUCER),
                    partition_leader_epoch=i32(entry.epoch),
                    base_sequence=i32(NO_PRODUCER),
                    records=(record,),
                    attributes=i16(0),
                ),
            )
        return buffer.getvalue()


def values_of_batches(data: bytes | None) -> list[str]:
    """The values of the records that a producer sent."""
    found: list[str] = []
    at = 0
    while data and at < len(data):
        batch, size = read_batch(data, at)
        found += [(record.value or b"").decode(errors="replace") for record in batch.records]
        at += size
    return found


def plain_values(value: Any) -> Any:
    """A value of kio as one of Python's own; bytes stay bytes."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain_values(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [plain_values(item) for item in cast(tuple[Any, ...], value)]
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, int):
        return int(value)
    return bytes(value) if isinstance(value, bytes) else str(value)


@cache
def _hints(schema: type[Any]) -> dict[str, Any]:
    return typing.get_type_hints(schema)


def filled(schema: type[Any], values: Mapping[str, Any]) -> Any:
    """An entity with the given fields. The others have their defaults, or are zero."""
    hints, given = _hints(schema), dict[str, Any]()
    for held in dataclasses.fields(schema):
        if held.name in values:
            given[held.name] = _converted(hints[held.name], values[held.name])
        elif held.default is dataclasses.MISSING:
            given[held.name] = _zero(hints[held.name])
    return schema(**given)


def _optional(kind: Any) -> Any | None:
    """The kind within an optional one; None for any other."""
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        (inner,) = (part for part in typing.get_args(kind) if part is not types.NoneType)
        return inner
    return None


def _converted(kind: Any, value: Any) -> Any:
    inner = _optional(kind)
    if inner is not None:
        return None if value is None else _converted(inner, value)
    if typing.get_origin(kind) is tuple:
        return tuple(_converted(typing.get_args(kind)[0], item) for item in value)
    if kind is uuid.UUID and isinstance(value, str):
        return uuid.UUID(value)
    if kind is ErrorCode and isinstance(value, str):
        return ErrorCode[value]
    if isinstance(value, Mapping):
        return filled(kind, cast(Mapping[str, Any], value))
    return value


def _zero(kind: Any) -> Any:
    if _optional(kind) is not None:
        return None
    if typing.get_origin(kind) is tuple:
        return ()
    if kind is ErrorCode:
        return ErrorCode.none
    if kind is uuid.UUID:
        return uuid.UUID(int=0)
    if dataclasses.is_dataclass(kind):
        return filled(cast(type[Any], kind), {})
    if "Timedelta" in kind.__name__:
        return datetime.timedelta(0)
    for plain in (bool, int, float, str, bytes):
        if issubclass(kind, plain):
            return plain()
    raise TypeError(f"no zero for {kind}")
