"""What a state of these designs is in the public TLA+ modules that they reproduce.

A map for `specmodel equal`: of truncate-to-hw to KafkaTruncateToHighWatermark, of kip101 to Kip101,
of kip279 to Kip279, of kip320-first-try to Kip320FirstTry, of kip320 to Kip320
(hachikuji/kafka-specification).
"""

from collections.abc import Mapping
from typing import Any

NONE = "NONE"
NIL = -1


def configuration(constants: Mapping[str, Any]) -> str:
    """The module at the constants of the design."""
    replicas = ", ".join(f"r{number}" for number in range(1, constants["replicas"] + 1))
    return f"""
        SPECIFICATION Spec
        CONSTANT Replicas = {{{replicas}}}
        CONSTANT LogSize = {constants["log_size"]}
        CONSTANT MaxRecords = {constants["max_records"]}
        CONSTANT MaxLeaderEpoch = {constants["max_leader_epoch"]}
        CHECK_DEADLOCK FALSE
    """


def state(s: Any, constants: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of the module. A request there has its leader epoch as a field, not as a key;
    a log has a record or Nil at each offset, and its end."""
    return {
        "replicaLog": {r: log(held, constants["log_size"]) for r, held in s.log.items()},
        "replicaState": {
            r: {"hw": held.hw, **view(held.epoch, held)} for r, held in s.replica.items()
        },
        "nextRecordId": s.next_id,
        "nextLeaderEpoch": s.quorum.epoch + 1,
        "leaderAndIsrRequests": {
            "#set": [view(epoch, held) for epoch, held in s.requests.items() if held is not None]
        },
        "quorumState": view(s.quorum.epoch, s.quorum),
    }


def log(records: Any, size: int) -> dict[str, Any]:
    """A log."""
    held: list[Any] = [*records, *[NIL] * (size - len(records))]
    return {"endOffset": len(records), "records": dict(enumerate(held))}


def view(epoch: int, held: Any) -> dict[str, Any]:
    """A leader and an ISR under a leader epoch."""
    leader = NONE if held.leader is None else held.leader
    return {"leaderEpoch": epoch, "leader": leader, "isr": held.isr}
