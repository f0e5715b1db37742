"""What a quorum has to keep, whatever happens to messages."""

from __future__ import annotations

from specmodel.lang import invariant, reachable

from .quorum import Quorum, Role, Voter, log_size, voters


@invariant
def one_leader(s: Quorum) -> bool:
    """An epoch has one leader at most."""
    return all(
        a == b
        or s.voter[a].role != Role.leader
        or s.voter[b].role != Role.leader
        or s.voter[a].epoch != s.voter[b].epoch
        for a in Voter
        for b in Voter
    )


def holds(s: Quorum, v: Voter, offset: int, record: int) -> bool:
    """A voter's log has a record at its offset."""
    log = s.voter[v].log
    return offset < len(log) and log[offset] == record


@invariant
def committed_on_majority(s: Quorum) -> bool:
    """A record below a voter's high watermark is in the logs of a majority."""
    return all(
        2 * sum(holds(s, other, offset, s.voter[v].log[offset]) for other in Voter) > voters
        for v in Voter
        for offset in range(s.voter[v].hw)
    )


@invariant
def leader_has_committed(s: Quorum) -> bool:
    """A leader has all that is committed on a voter of its own epoch or an older one."""
    return all(
        holds(s, leader, offset, s.voter[v].log[offset])
        for leader in Voter
        if s.voter[leader].role == Role.leader
        for v in Voter
        if s.voter[v].epoch <= s.voter[leader].epoch
        for offset in range(s.voter[v].hw)
    )


@reachable
def all_committed(s: Quorum) -> bool:
    """A full log can be committed on every voter."""
    return all(s.voter[v].hw == log_size for v in Voter)
