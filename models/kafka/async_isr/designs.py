"""ISR changes that take time: the leader asks the controller and hears back later (KIP-497).

One leader, fixed, and its followers; logs are reduced to log end offsets. Leader and controller
each have an ISR with a version. The leader's requests and the controller's updates may be lost,
late, doubled or reordered. What keeps the high watermark safe is that the leader counts every
replica that is in its ISR or could be, should a request in flight succeed: the maximal ISR.

Source: the public TLA+ module AsyncIsr (hachikuji/kafka-specification). The leader is in every ISR,
so sets hold followers only. Versions of updates are unique, so `updates` has one place each. The
module bounds nothing: `within_bounds` is the state constraint under which its figures were taken,
and domains have room for the states just outside it.
"""

from typing import Annotated

from specmodel.lang import (
    Lanes,
    Range,
    ScalarSet,
    Set,
    Spec,
    Struct,
    action,
    constant,
    constraint,
    init,
    invariant,
    reachable,
    require,
    require_some,
)

replicas = constant(
    "replicas", 3, low=2, high=6, doc="brokers of the partition, the leader included"
)
max_offset = constant(
    "max_offset", 1, low=1, high=6, doc="the largest log end offset explored from"
)
version_bound = constant(
    "version_bound", 2, low=1, high=8, doc="the largest ISR version explored from"
)

EndOffset = Annotated[int, Range(0, max_offset + 1)]
Version = Annotated[int, Range(0, version_bound + 1)]


class Follower(ScalarSet, size=replicas - 1, prefix="f", symmetric=True):
    """A replica other than the leader."""


class Request(Struct):
    """The leader asks the controller for an ISR, provided that the version is still this one."""

    isr: Set[Follower]
    version: Version


class Controller(Struct):
    """The committed ISR, and how often it has changed."""

    isr: Set[Follower]
    version: Version


class Leader(Struct):
    """The ISR it last learnt of. `pending` is the union of those it asked for since; None: none."""

    isr: Set[Follower]
    version: Version
    pending: Set[Follower] | None
    end: EndOffset


class Partition(Struct):
    """The whole state. `end` in `leader` and here are log end offsets."""

    controller: Controller
    leader: Leader
    end: dict[Follower, EndOffset]
    requests: Set[Request]
    updates: dict[Version, Set[Follower] | None]


@init
def in_sync() -> Partition:
    """Empty logs, and everyone in the ISR at version 0."""
    everyone = {f for f in Follower}
    return Partition(
        controller=Controller(isr=everyone, version=0),
        leader=Leader(isr=everyone, version=0, pending=None, end=0),
        end={f: 0 for f in Follower},
        requests=set(),
        updates={version: None for version in range(version_bound + 2)},
    )


def lowest_end(s: Partition, members: Set[Follower]) -> EndOffset:
    """The lowest log end offset among the leader and these followers."""
    lowest = s.leader.end
    for f in members:
        lowest = min(lowest, s.end[f])
    return lowest


def high_watermark(s: Partition) -> EndOffset:
    """What the leader exposes: held by everyone who is, or may by now be, a member of the ISR."""
    pending = s.leader.pending
    return lowest_end(s, s.leader.isr if pending is None else s.leader.isr | pending)


def commit_isr(s: Partition, isr: Set[Follower]) -> None:
    """The controller changes the ISR and publishes the change under the next version."""
    s.controller.version += 1
    s.controller.isr = isr
    s.updates[s.controller.version] = isr


@action
def controller_shrink(s: Partition, follower: Follower) -> None:
    """The controller fences a broker and takes it out of the ISR."""
    require(follower in s.controller.isr)
    commit_isr(s, s.controller.isr - {follower})


@action
def controller_handle_request(s: Partition, isr: Set[Follower]) -> None:
    """The controller grants a request, unless the ISR has changed since the leader asked."""
    require(Request(isr, s.controller.version) in s.requests)
    commit_isr(s, isr)


def ask(s: Partition, isr: Set[Follower]) -> None:
    """The leader asks for an ISR and from now on counts its members as well."""
    s.requests |= {Request(isr, s.leader.version)}
    pending = s.leader.pending
    s.leader.pending = isr if pending is None else pending | isr


@action
def leader_shrink(s: Partition, follower: Follower) -> None:
    """The leader asks to drop a member; until the answer, the member counts as before."""
    require(follower in s.leader.isr)
    ask(s, s.leader.isr - {follower})


@action
def leader_shrink_optimistic(s: Partition, follower: Follower) -> None:
    """The leader asks to drop a member and at once stops counting it: unsafe."""
    require(follower in s.leader.isr)
    ask(s, s.leader.isr - {follower})
    s.leader.isr -= {follower}


@action
def leader_expand(s: Partition, follower: Follower) -> None:
    """The leader asks to admit a follower that has all the high watermark covers."""
    require(follower not in s.leader.isr and s.end[follower] >= high_watermark(s))
    ask(s, s.leader.isr | {follower})


@action
def leader_expand_committed(s: Partition, follower: Follower) -> None:
    """As `leader_expand`, by a high watermark over the committed ISR alone."""
    require(follower not in s.leader.isr and s.end[follower] >= lowest_end(s, s.leader.isr))
    ask(s, s.leader.isr | {follower})


@action
def leader_handle_update(s: Partition, version: Version) -> None:
    """The leader learns of a newer ISR; requests under older versions can no longer succeed."""
    isr = require_some(s.updates[version])
    require(version > s.leader.version)
    s.leader.isr = isr
    s.leader.version = version
    s.leader.pending = None


@action
def write(s: Partition) -> None:
    """The leader appends a record."""
    s.leader.end += 1


@action
def replicate(s: Partition, follower: Follower) -> None:
    """A follower fetches a record."""
    require(s.end[follower] < s.leader.end)
    s.end[follower] += 1


@constraint
def within_bounds(s: Partition) -> bool:
    """The part of the space that is explored from."""
    return s.leader.end <= max_offset and s.controller.version <= version_bound


@invariant
def valid_high_watermark(s: Partition) -> bool:
    """Every member of the committed ISR, any of which may lead next, has all the leader exposes."""
    return all(s.end[f] >= high_watermark(s) for f in s.controller.isr)


@invariant
def valid_committed_high_watermark(s: Partition) -> bool:
    """As `valid_high_watermark`, of a high watermark over the ISR the leader knows as committed."""
    return all(s.end[f] >= lowest_end(s, s.leader.isr) for f in s.controller.isr)


@reachable
def request_granted(s: Partition) -> bool:
    """The leader learns that the controller let a follower back in."""
    return s.leader.version > 1 and len(s.leader.isr) == replicas - 1 and s.leader.end > 0


kip497 = Spec(
    state=Partition,
    init=in_sync,
    actions=[
        controller_shrink,
        controller_handle_request,
        leader_shrink,
        leader_expand,
        leader_handle_update,
        write,
        replicate,
    ],
    invariants=[valid_high_watermark],
    reachable=[request_granted],
    constraints=[within_bounds],
    lanes=Lanes(
        actor=Follower,
        facts={"log end": "end"},
        members={
            "in the controller's isr": "controller.isr",
            "in the leader's": "leader.isr",
            "asked for": "leader.pending",
        },
        status={
            "leader": "leader",
            "high watermark": high_watermark,
            "controller": "controller",
            "requests": "requests",
            "updates": "updates",
        },
    ),
)

hw_over_committed_isr = kip497.replacing(
    leader_expand=leader_expand_committed,
    valid_high_watermark=valid_committed_high_watermark,
)

optimistic_shrink = kip497.replacing(leader_shrink=leader_shrink_optimistic)
