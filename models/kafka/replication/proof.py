"""KIP-320 with the lemmas that prove strong ISR for any number of leader epochs and records.

The state remembers what each record was first committed under: a history that no rule reads, so
what is proved of the protocol's own fields holds without it, too. The lemmas say, in this order:
what requests and replicas have to do with each other; what logs have in common; what the ISR of
one epoch has to do with that of another; and who holds what is committed.

The last two are the heart of it. A leader can only advance its high watermark while no member of
its ISR has left for a later epoch (KIP-320's fence), and as long as none has, no later epoch can
have an ISR with anyone else in it: so whoever can be elected later holds the record.
"""

from specmodel.lang import Struct, action, invariant

from .core import (
    Cluster,
    LeaderEpoch,
    Position,
    Record,
    Replica,
    Request,
    is_true_leader,
    log_size,
    presumes_leadership,
)
from .designs import kip320
from .high_watermark import advance_hw_fenced


class Commit(Struct):
    """A record that was below a leader's high watermark, and the leader epoch it came there in."""

    record: Record
    epoch: LeaderEpoch


class RememberingCluster(Cluster):
    """A cluster, and by offset what was committed there first."""

    committed: dict[Position, Commit | None] = {offset: None for offset in range(log_size)}


@action
def advance_hw_remembered(s: RememberingCluster, leader: Replica) -> None:
    """As `advance_hw_fenced`."""
    advance_hw_fenced(s, leader)
    offset = s.replica[leader].hw - 1
    if s.committed[offset] is None:
        s.committed[offset] = Commit(s.log[leader][offset], s.replica[leader].epoch)


# Requests and replicas


@invariant
def requests_issued(s: Cluster) -> bool:
    """Every epoch up to the quorum's has its request, and none after it has one."""
    return all(
        (request is None) == (epoch > s.quorum.epoch) for epoch, request in s.requests.items()
    )


@invariant
def requests_name_members(s: Cluster) -> bool:
    """A request names a leader out of its ISR, if it names one."""
    return all(
        request is None or request.leader is None or request.leader in request.isr
        for request in s.requests.values()
    )


def agrees(s: Cluster, request: Request | None) -> bool:
    """A request names the quorum's leader, and its ISR as long as that leader has not started."""
    return (
        request is not None
        and request.leader == s.quorum.leader
        and (
            (request.leader is not None and s.replica[request.leader].epoch == s.quorum.epoch)
            or request.isr == s.quorum.isr
        )
    )


@invariant
def quorum_as_requested(s: Cluster) -> bool:
    """The quorum's leader is the last request's, and so is its ISR until the leader has started."""
    if s.quorum.epoch < 0:
        return s.quorum.leader is None
    return agrees(s, s.requests[s.quorum.epoch])


@invariant
def true_leader_isr(s: Cluster) -> bool:
    """The true leader's own ISR is the quorum's."""
    return all(s.replica[r].isr == s.quorum.isr for r in Replica if is_true_leader(s, r))


def leads_in(request: Request | None, leader: Replica | None) -> bool:
    """A request is there and names this leader."""
    return request is not None and request.leader is not None and request.leader == leader


@invariant
def replicas_as_requested(s: Cluster) -> bool:
    """A replica's leader is whom the request of its epoch names; one that has none has no log."""
    return all(
        s.replica[r].leader is None and len(s.log[r]) == 0
        if s.replica[r].epoch < 0
        else leads_in(s.requests[s.replica[r].epoch], s.replica[r].leader)
        for r in Replica
    )


@invariant
def leaders_go_first(s: Cluster) -> bool:
    """Whom a replica takes for its leader is in no earlier epoch than the replica itself."""
    return all(
        s.replica[leader].epoch >= s.replica[r].epoch
        for r in Replica
        for leader in Replica
        if s.replica[r].leader == leader
    )


@invariant
def leaders_in_own_isr(s: Cluster) -> bool:
    """Whoever takes itself for the leader is in its own ISR; whoever follows has one that is."""
    return all(
        leader in s.replica[r].isr
        for r in Replica
        for leader in Replica
        if s.replica[r].leader == leader
    )


# Logs


@invariant
def records_known(s: Cluster) -> bool:
    """What a log holds was written before, and in no later epoch than the replica's."""
    return all(
        record.id < s.next_id and record.epoch <= s.replica[r].epoch
        for r in Replica
        for record in s.log[r]
    )


@invariant
def log_prefixes_match(s: Cluster) -> bool:
    """A record is at one offset only, and whatever log has it has the same records before it."""
    return all(
        i == j and s.log[a][i] == s.log[b][i] and (i == 0 or s.log[a][i - 1] == s.log[b][i - 1])
        for a in Replica
        for b in Replica
        for i in range(len(s.log[a]))
        for j in range(len(s.log[b]))
        if s.log[a][i].id == s.log[b][j].id
    )


@invariant
def log_epochs_grow(s: Cluster) -> bool:
    """Leader epochs never decrease along a log."""
    return all(
        s.log[r][i - 1].epoch <= s.log[r][i].epoch for r in Replica for i in range(1, len(s.log[r]))
    )


@invariant
def hw_within_log(s: Cluster) -> bool:
    """A high watermark is not beyond the log's end."""
    return all(s.replica[r].hw <= len(s.log[r]) for r in Replica)


# One ISR and the next


def within(s: Cluster, later: Request | None, leader: Replica) -> bool:
    """The ISR of a request, if it is there, has only members of a leader's own ISR."""
    return later is None or later.isr <= s.replica[leader].isr


def left(s: Cluster, leader: Replica) -> bool:
    """A member of a leader's ISR is in a later epoch than the leader."""
    return any(s.replica[r].epoch > s.replica[leader].epoch for r in s.replica[leader].isr)


@invariant
def isr_passed_on(s: Cluster) -> bool:
    """Until a member of a leader's ISR leaves for a later epoch, no later ISR has other members."""
    return all(
        left(s, leader)
        or (
            s.quorum.isr <= s.replica[leader].isr
            and all(
                epoch <= s.replica[leader].epoch or within(s, request, leader)
                for epoch, request in s.requests.items()
            )
        )
        for leader in Replica
        if presumes_leadership(s, leader)
    )


@invariant
def members_added_in_epoch(s: Cluster) -> bool:
    """Whom a leader has added to its own ISR is in its epoch or a later one."""
    return all(
        in_request(s.requests[s.replica[leader].epoch], r)
        or s.replica[r].epoch >= s.replica[leader].epoch
        for leader in Replica
        if presumes_leadership(s, leader) and s.replica[leader].epoch >= 0
        for r in s.replica[leader].isr
    )


def in_request(request: Request | None, r: Replica) -> bool:
    """A request is there and has this replica in its ISR."""
    return request is not None and r in request.isr


def entered(s: Cluster, request: Request, epoch: LeaderEpoch) -> bool:
    """A member of a request's ISR is in its epoch, or a later one."""
    return any(s.replica[r].epoch >= epoch for r in request.isr)


@invariant
def requested_isr_passed_on(s: Cluster) -> bool:
    """Until a member of a request's ISR is in its epoch, no later ISR has other members."""
    return all(
        request is None
        or entered(s, request, epoch)
        or (
            s.quorum.isr <= request.isr
            and all(
                later is None or later.isr <= request.isr
                for e, later in s.requests.items()
                if e > epoch
            )
        )
        for epoch, request in s.requests.items()
    )


# What is committed


def holds_commit(s: RememberingCluster, r: Replica, offset: Position) -> bool:
    """A replica's log has the record that was committed at an offset, if one was."""
    commit = s.committed[offset]
    return commit is None or (offset < len(s.log[r]) and s.log[r][offset] == commit.record)


@invariant
def hw_committed(s: RememberingCluster) -> bool:
    """What a replica takes for committed was committed, in no later epoch than the replica's."""
    return all(
        s.committed[offset] is not None and holds_commit(s, r, offset)
        for r in Replica
        for offset in range(s.replica[r].hw)
    )


def commit_epoch(s: RememberingCluster, offset: Position) -> int:
    """The epoch in which the record at an offset was committed; -1 if none was."""
    commit = s.committed[offset]
    return -1 if commit is None else commit.epoch


@invariant
def hw_not_ahead(s: RememberingCluster) -> bool:
    """What a replica takes for committed was committed in no later epoch than the replica's."""
    return all(
        commit_epoch(s, offset) <= s.replica[r].epoch
        for r in Replica
        for offset in range(s.replica[r].hw)
    )


@invariant
def commits_in_order(s: RememberingCluster) -> bool:
    """A record was written no later than committed, and that in an epoch that its leader knows."""
    return all(
        commit is None
        or (
            commit.record.epoch <= commit.epoch
            and commit.epoch <= s.quorum.epoch
            and leader_entered(s, s.requests[commit.epoch], commit.epoch)
        )
        for commit in s.committed.values()
    )


def leader_entered(s: Cluster, request: Request | None, epoch: LeaderEpoch) -> bool:
    """A request names a leader, and that is in its epoch or a later one."""
    return (
        request is not None
        and request.leader is not None
        and s.replica[request.leader].epoch >= epoch
    )


@invariant
def commits_below_own_hw(s: RememberingCluster) -> bool:
    """What is committed in an epoch is below the high watermark of the leader that is in it."""
    return all(
        commit is None or offset < s.replica[leader].hw
        for leader in Replica
        if presumes_leadership(s, leader)
        for offset, commit in s.committed.items()
        if commit_epoch(s, offset) == s.replica[leader].epoch
    )


@invariant
def commits_in_isr(s: RememberingCluster) -> bool:
    """Every member of the quorum's ISR holds all that is committed."""
    return all(holds_commit(s, r, o) for r in s.quorum.isr for o in range(log_size))


@invariant
def commits_in_leaders(s: RememberingCluster) -> bool:
    """A presumed leader holds all that was committed up to its epoch."""
    return all(
        holds_commit(s, leader, o)
        for leader in Replica
        if presumes_leadership(s, leader)
        for o in range(log_size)
        if commit_epoch(s, o) <= s.replica[leader].epoch
    )


@invariant
def commits_in_requested_isr(s: RememberingCluster) -> bool:
    """A member of a request's ISR holds all that was committed before the request's epoch."""
    return all(
        request is None
        or all(
            holds_commit(s, r, offset)
            for r in request.isr
            for offset in range(log_size)
            if commit_epoch(s, offset) < epoch
        )
        for epoch, request in s.requests.items()
    )


@invariant
def commits_seen_by_isr(s: RememberingCluster) -> bool:
    """Whoever is in an ISR after a commit has been in the epoch of that commit, or a later one."""
    return all(
        all(s.replica[r].epoch >= commit_epoch(s, o) for r in s.quorum.isr)
        and all(
            request is None
            or epoch <= commit_epoch(s, o)
            or all(s.replica[r].epoch >= commit_epoch(s, o) for r in request.isr)
            for epoch, request in s.requests.items()
        )
        for o in range(log_size)
    )


@invariant
def commits_seen_by_own_isr(s: RememberingCluster) -> bool:
    """Whoever is in a leader's own ISR has been in the epoch of all commits up to the leader's."""
    return all(
        s.replica[r].epoch >= commit_epoch(s, offset)
        for leader in Replica
        if presumes_leadership(s, leader)
        for r in s.replica[leader].isr
        for offset in range(log_size)
        if commit_epoch(s, offset) <= s.replica[leader].epoch
    )


kip320_proof = kip320.over(
    RememberingCluster,
    advance_hw=advance_hw_remembered,
).adding(
    invariants=[
        requests_issued,
        requests_name_members,
        quorum_as_requested,
        true_leader_isr,
        replicas_as_requested,
        leaders_go_first,
        leaders_in_own_isr,
        records_known,
        log_epochs_grow,
        log_prefixes_match,
        hw_within_log,
        isr_passed_on,
        members_added_in_epoch,
        requested_isr_passed_on,
        hw_committed,
        hw_not_ahead,
        commits_in_order,
        commits_below_own_hw,
        commits_in_isr,
        commits_in_leaders,
        commits_in_requested_isr,
        commits_seen_by_isr,
        commits_seen_by_own_isr,
    ],
)
