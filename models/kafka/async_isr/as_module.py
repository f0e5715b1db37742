"""What a state of kip497 is in the public TLA+ module AsyncIsr (hachikuji/kafka-specification).

A map for `specmodel equal`. The module has the leader in every set, and bounds nothing: the state
constraint is that of the design.
"""

from collections.abc import Mapping
from typing import Any

LEADER = "leader"
NIL = -1


def configuration(constants: Mapping[str, Any]) -> str:
    """The module at the constants of the design."""
    followers = [f"f{number}" for number in range(1, constants["replicas"])]
    return f"""
        INIT Init
        NEXT Next
        CONSTANT Replicas = {{{", ".join([LEADER, *followers])}}}
        CONSTANT Leader = {LEADER}
        CONSTANT MaxOffset = {constants["max_offset"]}
        CHECK_DEADLOCK FALSE
    """


def state(s: Any, constants: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of the module."""
    leader = s.leader
    updates = s.updates.items()
    return {
        "controllerState": versioned(s.controller.isr, s.controller.version),
        "leaderState": {
            **versioned(leader.isr, leader.version),
            "pendingIsr": set() if leader.pending is None else members(leader.pending),
            "pendingVersion": NIL if leader.pending is None else leader.version,
            "offsets": {LEADER: leader.end, **s.end},
        },
        "requests": {"#set": [versioned(each.isr, each.version) for each in s.requests]},
        "updates": {
            "#set": [versioned(isr, version) for version, isr in updates if isr is not None]
        },
    }


def versioned(isr: Any, version: int) -> dict[str, Any]:
    """An ISR with its version."""
    return {"isr": members(isr), "version": version}


def members(isr: Any) -> set[Any]:
    """An ISR with the leader in it."""
    return {LEADER, *isr}
