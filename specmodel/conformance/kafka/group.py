"""A classic consumer group of one member, for clients that cannot do without one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Answer = Mapping[str, Any]

MEMBER = "member-1"


class OneMemberGroup:
    """Answers the requests of a group; `coordinator` gives node, host and port of a live broker.

    `committed` is the offset and its leader epoch, or None.
    """

    def __init__(self, topic: str, topic_id: str, coordinator: Callable[[], Answer]) -> None:
        self.topic, self.topic_id = topic, topic_id
        self.coordinator = coordinator
        self.committed: tuple[int, int] | None = None

    def find_coordinator(self, request: Mapping[str, Any], version: int) -> Answer:
        """The broker that coordinates any group."""
        node = self.coordinator()
        keys: Sequence[str] = request.get("coordinator_keys") or [request.get("key") or "group"]
        return {**node, "coordinators": [{**node, "key": key} for key in keys]}

    def join(self, request: Mapping[str, Any], version: int) -> Answer:
        """The member leads the group."""
        member = request.get("member_id") or MEMBER
        protocol = request["protocols"][0]
        return {
            "generation_id": 1,
            "protocol_name": protocol["name"],
            "protocol_type": request["protocol_type"],
            "leader": member,
            "member_id": member,
            "members": [{"member_id": member, "metadata": protocol["metadata"]}],
        }

    def sync(self, request: Mapping[str, Any], version: int) -> Answer:
        """The assignment that the leader made."""
        made = request["assignments"]
        return {
            "assignment": made[0]["assignment"] if made else b"",
            "protocol_type": request.get("protocol_type"),
            "protocol_name": request.get("protocol_name"),
        }

    def empty(self, request: Mapping[str, Any], version: int) -> Answer:
        """An answer without content: heartbeats, and leaving."""
        return {}

    def commit(self, request: Mapping[str, Any], version: int) -> Answer:
        """Keeps the offset that a client commits."""
        partition = request["topics"][0]["partitions"][0]
        self.committed = partition["committed_offset"], partition.get("committed_leader_epoch", -1)
        return {"topics": [self._of_topic({"partition_index": 0})]}

    def fetch(self, request: Mapping[str, Any], version: int) -> Answer:
        """The committed offset; -1 if there is none."""
        offset, epoch = self.committed or (-1, -1)
        partition = {
            "partition_index": 0,
            "committed_offset": offset,
            "committed_leader_epoch": epoch,
            "metadata": "",
        }
        topics = [self._of_topic(partition)]
        groups = [group["group_id"] for group in request.get("groups") or ()]
        return {"topics": topics, "groups": [{"group_id": g, "topics": topics} for g in groups]}

    def _of_topic(self, partition: Answer) -> Answer:
        return {"name": self.topic, "topic_id": self.topic_id, "partitions": [partition]}
