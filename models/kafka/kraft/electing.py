"""How a quorum elects its leader: votes, and the news of who leads, as messages and at once."""

from __future__ import annotations

from specmodel.lang import action, pick, require

from .quorum import (
    BeginQuorumEpoch,
    Quorum,
    Role,
    VoteGranted,
    Voter,
    VoteRequest,
    VoterState,
    enter_epoch,
    last_epoch,
    log_size,
    max_epoch,
    send,
    voters,
)


@action
def stand(s: Quorum, v: Voter) -> None:
    """A voter hears of no leader for a while: it votes for itself in the next epoch."""
    state = s.voter[v]
    require(state.role != Role.leader and state.epoch < max_epoch)
    enter_epoch(state, state.epoch + 1)
    state.role = Role.candidate
    state.voted_for = v
    state.votes = {v}


def vote_request(s: Quorum, candidate: Voter, v: Voter) -> VoteRequest:
    """What a candidate asks a voter who has not voted for it."""
    state = s.voter[candidate]
    require(state.role == Role.candidate and v not in state.votes)
    return VoteRequest(state.epoch, last_epoch(state.log), len(state.log), candidate, v)


@action
def ask_for_vote(s: Quorum, candidate: Voter, v: Voter) -> None:
    """A candidate asks for a vote."""
    send(s, vote_request(s, candidate, v))


def hear_of_candidate(state: VoterState, m: VoteRequest) -> None:
    """A voter joins a newer epoch, whether it votes in it or not."""
    require(m.epoch >= state.epoch)
    if m.epoch > state.epoch:
        enter_epoch(state, m.epoch)


def grants(state: VoterState, m: VoteRequest) -> bool:
    """A voter without a leader votes once, for a log that goes as far as its own."""
    last = last_epoch(state.log)
    as_far = m.last_epoch > last or (m.last_epoch == last and m.end >= len(state.log))
    free = state.voted_for is None or state.voted_for == m.source
    return state.role == Role.unattached and free and as_far


@action
def answer_candidate(s: Quorum) -> None:
    """A voter hears of a candidate, and votes for it or not."""
    m = pick(s.messages, VoteRequest)
    state = s.voter[m.to]
    hear_of_candidate(state, m)
    s.messages -= {m}
    if grants(state, m):
        state.voted_for = m.source
        s.messages |= {VoteGranted(m.epoch, m.to, m.source)}


@action
def count_vote(s: Quorum) -> None:
    """A candidate counts a vote of its epoch, and leads once it has a majority."""
    m = pick(s.messages, VoteGranted)
    require(m.epoch == s.voter[m.to].epoch)
    s.messages -= {m}
    add_vote(s, m.to, m.source)


@action
def count_any_vote(s: Quorum) -> None:
    """The mistake: a vote counts in whatever epoch its candidate is by now."""
    m = pick(s.messages, VoteGranted)
    s.messages -= {m}
    add_vote(s, m.to, m.source)


def add_vote(s: Quorum, candidate: Voter, v: Voter) -> None:
    """A candidate has one more vote, and leads once it has a majority."""
    state = s.voter[candidate]
    require(state.role == Role.candidate)
    state.votes |= {v}
    if 2 * len(state.votes) > voters:
        state.role = Role.leader
        state.leader = candidate
        state.votes = set()


@action
def vote_at_once(s: Quorum, candidate: Voter, v: Voter) -> None:
    """A candidate asks, and the voter answers, in one step."""
    m = vote_request(s, candidate, v)
    state = s.voter[v]
    hear_of_candidate(state, m)
    if grants(state, m):
        state.voted_for = candidate
        add_vote(s, candidate, v)


@action
def announce(s: Quorum, leader: Voter, v: Voter) -> None:
    """A leader tells a voter that it leads."""
    require(s.voter[leader].role == Role.leader and leader != v)
    send(s, BeginQuorumEpoch(s.voter[leader].epoch, leader, v))


@action
def hear_of_leader(s: Quorum) -> None:
    """A voter learns who leads."""
    m = pick(s.messages, BeginQuorumEpoch)
    s.messages -= {m}
    follow(s, m)


def follow(s: Quorum, m: BeginQuorumEpoch) -> None:
    """A voter follows the leader of its epoch, or of a newer one."""
    state = s.voter[m.to]
    require(m.epoch > state.epoch or (m.epoch == state.epoch and state.leader is None))
    enter_epoch(state, m.epoch)
    state.role = Role.follower
    state.leader = m.source


@action
def announce_at_once(s: Quorum, leader: Voter, v: Voter) -> None:
    """A leader tells a voter that it leads, and the voter follows, in one step."""
    require(s.voter[leader].role == Role.leader and leader != v)
    follow(s, BeginQuorumEpoch(s.voter[leader].epoch, leader, v))


@action
def write(s: Quorum, leader: Voter) -> None:
    """A leader appends a record; its first one says that it leads."""
    state = s.voter[leader]
    require(state.role == Role.leader and len(state.log) < log_size)
    state.log.append(state.epoch)
