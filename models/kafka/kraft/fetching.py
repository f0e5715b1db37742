"""How a follower fetches: requests and responses as messages, and at once.

A response says in which epoch it was given, and which request it belongs to. Designs differ in what
a follower checks of that.
"""

from __future__ import annotations

from specmodel.lang import action, pick, require, require_some

from .quorum import (
    EpochEnd,
    FetchRequest,
    FetchResponse,
    Log,
    Quorum,
    Role,
    Voter,
    VoterState,
    flying,
    last_epoch,
    send,
    voters,
)


def fetch_request(s: Quorum, follower: Voter, correlation: int) -> FetchRequest:
    """A follower asks for what comes after its log."""
    state = s.voter[follower]
    require(state.role == Role.follower)
    return FetchRequest(
        epoch=state.epoch,
        offset=len(state.log),
        last_epoch=last_epoch(state.log),
        correlation=correlation,
        source=follower,
        to=require_some(state.leader),
    )


def unused_correlation(s: Quorum, follower: Voter) -> int:
    """A correlation id that no message of a follower's fetches has. Ids are compared with those of
    messages on their way only, so one may come again when its messages are gone."""
    return next(
        correlation
        for correlation in range(flying + 1)
        if not any(
            (isinstance(m, FetchRequest) and m.source == follower and m.correlation == correlation)
            or (isinstance(m, FetchResponse) and m.to == follower and m.correlation == correlation)
            for m in s.messages
        )
    )


@action
def fetch(s: Quorum, follower: Voter) -> None:
    """A follower that waits for no response sends a request."""
    require(s.voter[follower].awaits is None)
    m = fetch_request(s, follower, unused_correlation(s, follower))
    s.voter[follower].awaits = m.correlation
    send(s, m)


@action
def give_up(s: Quorum, follower: Voter) -> None:
    """A request takes too long: its response is not waited for any more."""
    require(s.voter[follower].awaits is not None)
    s.voter[follower].awaits = None


def end_of_epoch(log: Log, epoch: int) -> EpochEnd:
    """The newest epoch of a log up to an epoch, and where it ends."""
    end = sum(each <= epoch for each in log)
    return EpochEnd(log[end - 1] if end > 0 else 0, end)


def response_to(s: Quorum, m: FetchRequest) -> FetchResponse:
    """A leader notes how far a follower's log is its own, and sends the next record; or it says
    where the logs diverge."""
    state = s.voter[m.to]
    require(state.role == Role.leader and m.epoch == state.epoch)
    known = end_of_epoch(state.log, m.last_epoch)
    diverges = known.epoch != m.last_epoch or known.end < m.offset
    if not diverges:
        state.ends[m.source] = m.offset
        advance_hw(state, m.to)
    return FetchResponse(
        epoch=m.epoch,
        offset=m.offset,
        record=state.log[m.offset] if not diverges and m.offset < len(state.log) else None,
        diverging=known if diverges else None,
        hw=state.hw,
        correlation=m.correlation,
        source=m.to,
        to=m.source,
    )


def advance_hw(state: VoterState, leader: Voter) -> None:
    """What a majority has is committed, if the last record of it is of the leader's epoch."""
    held = [
        end
        for end in range(state.hw + 1, len(state.log) + 1)
        if 2 * sum(v == leader or state.ends[v] >= end for v in Voter) > voters
    ]
    if len(held) > 0 and state.log[held[-1] - 1] == state.epoch:
        state.hw = held[-1]


@action
def serve(s: Quorum) -> None:
    """A leader answers a request of its epoch."""
    m = pick(s.messages, FetchRequest)
    s.messages = (s.messages - {m}) | {response_to(s, m)}


def use(state: VoterState, m: FetchResponse) -> None:
    """A follower truncates where the logs diverge, or appends the record at its log's end."""
    require(state.role == Role.follower)
    if m.diverging is not None:
        own = end_of_epoch(state.log, m.diverging.epoch)
        del state.log[min(own.end, m.diverging.end) :]
        state.hw = min(state.hw, len(state.log))
        return
    if m.record is not None:
        require(m.offset == len(state.log))
        state.log.append(m.record)
    state.hw = max(state.hw, min(m.hw, len(state.log)))


@action
def take_response(s: Quorum) -> None:
    """A follower uses the response that it waits for, if it is of its epoch."""
    m = pick(s.messages, FetchResponse)
    require(is_awaited(s, m) and is_of_epoch(s, m))
    take(s, m)


@action
def take_response_by_id(s: Quorum) -> None:
    """A follower uses the response that it waits for. It waits for none of an older epoch."""
    m = pick(s.messages, FetchResponse)
    require(is_awaited(s, m))
    take(s, m)


@action
def take_response_by_epoch(s: Quorum) -> None:
    """The mistake: every response of its epoch is used, also to a request that was given up."""
    m = pick(s.messages, FetchResponse)
    require(is_of_epoch(s, m))
    take(s, m)


@action
def take_any_response(s: Quorum) -> None:
    """The mistake: a response is used whatever its epoch, and whichever request it answers."""
    m = pick(s.messages, FetchResponse)
    take(s, m)


def is_awaited(s: Quorum, m: FetchResponse) -> bool:
    """The response answers the last request, which was not given up."""
    return s.voter[m.to].awaits == m.correlation


def is_of_epoch(s: Quorum, m: FetchResponse) -> bool:
    """The response was given in the epoch that its receiver is in."""
    return s.voter[m.to].epoch == m.epoch


def take(s: Quorum, m: FetchResponse) -> None:
    """A response is used, and the follower may fetch again."""
    state = s.voter[m.to]
    s.messages -= {m}
    use(state, m)
    if state.awaits == m.correlation:
        state.awaits = None


@action
def fetch_at_once(s: Quorum, follower: Voter) -> None:
    """A follower asks, the leader answers, and the follower uses the answer, in one step."""
    m = fetch_request(s, follower, 0)
    use(s.voter[follower], response_to(s, m))


@action
def lose(s: Quorum) -> None:
    """The network loses a message, or its receiver ignores it."""
    m = pick(s.messages)
    s.messages -= {m}
