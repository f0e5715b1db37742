"""A client of the double that speaks the protocol by kio, in any version."""

from __future__ import annotations

import asyncio
import io
import struct
from collections.abc import Mapping
from typing import Any

from kio.index import load_request_schema, load_response_schema
from kio.serial import entity_reader, entity_writer

from specmodel.conformance.kafka import codec


class WireClient:
    """One connection to a broker."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.sent = 0

    @classmethod
    async def to(cls, port: int) -> WireClient:
        """Connects to a port."""
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def ask(self, key: int, version: int, /, **values: Any) -> Mapping[str, Any]:
        """The answer to a request, as plain values."""
        schema: Any = load_request_schema(key, version)  # type: ignore[arg-type]
        header = schema.__header_schema__
        with io.BytesIO() as buffer:
            self.sent += 1
            about = {
                "request_api_key": key,
                "request_api_version": version,
                "correlation_id": self.sent,
                "client_id": "wire",
            }
            entity_writer(header)(buffer, codec.filled(header, about))
            entity_writer(schema)(buffer, codec.filled(schema, values))
            frame = buffer.getvalue()
        self.writer.write(struct.pack(">i", len(frame)) + frame)
        (size,) = struct.unpack(">i", await self.reader.readexactly(4))
        return read_answer(key, version, await self.reader.readexactly(size))

    def close(self) -> None:
        """Ends the connection."""
        self.writer.close()


def read_answer(key: int, version: int, frame: bytes) -> Mapping[str, Any]:
    """An answer, without its header, as plain values. All bytes have to be read."""
    schema: Any = load_response_schema(key, version)  # type: ignore[arg-type]
    header, at = entity_reader(schema.__header_schema__)(frame, 0)
    assert header.correlation_id > 0
    answer, size = entity_reader(schema)(frame, at)
    assert at + size == len(frame)
    return codec.plain_values(answer)
