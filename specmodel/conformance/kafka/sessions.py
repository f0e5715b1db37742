"""Fetch sessions: what a client asked for once, and what it was answered last (KIP-227)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from specmodel.dataclass import dataclass

WITHOUT = 0
"""The number of no session."""

INITIAL, FINAL = 0, -1
"""The session epochs by which a client asks for a new session, and for none."""

Wanted = Mapping[tuple[str, int], Mapping[str, Any]]
"""The request of a client for each partition: a topic, by name or id, and a number."""


@dataclass
class FetchSession:
    """The partitions of a session, and the high watermark last answered for each."""

    number: int
    wanted: dict[tuple[str, int], Mapping[str, Any]] = field(
        default_factory=dict[tuple[str, int], Mapping[str, Any]]
    )
    answered: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])


class FetchSessions:
    """The sessions of one broker."""

    def __init__(self) -> None:
        self._sessions: dict[int, FetchSession] = {}
        self._next = 1

    def of(self, request: Mapping[str, Any]) -> tuple[FetchSession | None, Wanted] | None:
        """The session of a request (None: without one), and what is wanted now.

        None: the request names a session that there is not.
        """
        wanted = asked(request)
        number, epoch = request.get("session_id", WITHOUT), request.get("session_epoch", FINAL)
        if epoch == INITIAL and wanted:
            session = FetchSession(self._next, dict(wanted))
            self._sessions[self._next] = session
            self._next += 1
            return session, session.wanted
        if epoch in (INITIAL, FINAL):
            self._sessions.pop(number, None)
            return None, wanted
        session = self._sessions.get(number)
        if session is None:
            return None
        for key in forgotten(request):
            session.wanted.pop(key, None)
            session.answered.pop(key, None)
        session.wanted.update(wanted)
        return session, session.wanted


def topic_of(topic: Mapping[str, Any], name: str) -> str:
    """The name of a topic, or its id in the versions that have ids."""
    return str(topic.get(name) or topic.get("topic_id"))


def asked(request: Mapping[str, Any]) -> Wanted:
    """The partitions that a fetch lists."""
    return {
        (topic_of(topic, "topic"), partition["partition"]): partition
        for topic in request["topics"]
        for partition in topic["partitions"]
    }


def forgotten(request: Mapping[str, Any]) -> Sequence[tuple[str, int]]:
    """The partitions that a fetch takes out of its session."""
    return [
        (topic_of(topic, "topic"), partition)
        for topic in request.get("forgotten_topics_data", ())
        for partition in topic["partitions"]
    ]
