"""Paxos without leaders or learners, as Lamport's module Paxos has it: messages are never lost.

The set of all messages ever sent stands for the network. A message that nobody takes is one that
was lost.
"""

from __future__ import annotations

from specmodel.lang import (
    Lanes,
    Set,
    Spec,
    Struct,
    action,
    init,
    invariant,
    pick,
    reachable,
    refines,
    require,
    subsets,
)

from .voting import (
    MAJORITY,
    Acceptor,
    Ballot,
    Ballotted,
    SomeBallot,
    Value,
    Votes,
    ballots,
    voting,
)

QUORUMS = subsets(Acceptor, size=MAJORITY)


class Prepare(Struct):
    """Phase 1a: a ballot begins."""

    ballot: Ballot


class Promise(Struct):
    """Phase 1b: an acceptor votes in no smaller ballot any more; `voted` and `value` are its last
    vote."""

    acceptor: Acceptor
    ballot: Ballot
    voted: SomeBallot
    value: Value | None


class Propose(Struct):
    """Phase 2a: the value that a ballot asks for votes for."""

    ballot: Ballot
    value: Value


class Vote(Struct):
    """Phase 2b: an acceptor votes."""

    acceptor: Acceptor
    ballot: Ballot
    value: Value


Message = Prepare | Promise | Propose | Vote


class Network(Struct):
    """What acceptors remember, and every message that was sent."""

    promised: dict[Acceptor, SomeBallot]
    voted: dict[Acceptor, SomeBallot]
    value: dict[Acceptor, Value | None]
    messages: Set[Message]


@init
def nothing_sent() -> Network:
    """Nobody has sent anything."""
    return Network(
        promised={a: -1 for a in Acceptor},
        voted={a: -1 for a in Acceptor},
        value={a: None for a in Acceptor},
        messages=set(),
    )


@action
def prepare(s: Network, b: Ballot) -> None:
    """Phase 1a: someone begins a ballot."""
    s.messages |= {Prepare(b)}


@action
def promise(s: Network, a: Acceptor) -> None:
    """Phase 1b: an acceptor answers a ballot that is larger than all that it has heard of."""
    m = pick(s.messages, Prepare)
    require(m.ballot > s.promised[a])
    s.promised[a] = m.ballot
    s.messages |= {Promise(a, m.ballot, s.voted[a], s.value[a])}


@action
def propose(s: Network, b: Ballot, v: Value) -> None:
    """Phase 2a: a ballot proposes a value that the promises of a quorum show to be safe."""
    quorum = pick(QUORUMS)
    propose_by(s, b, v, quorum)


@action
def propose_early(s: Network, b: Ballot, v: Value) -> None:
    """The mistake: one promise is enough."""
    quorum = pick(subsets(Acceptor, size=1))
    propose_by(s, b, v, quorum)


def propose_by(s: Network, b: int, v: Value, quorum: Set[Acceptor]) -> None:
    """Proposes the value of the newest vote that a quorum tells of, or any if there is none."""
    require(not any(isinstance(m, Propose) and m.ballot == b for m in s.messages))
    require(all(has_promised(s, a, b) for a in quorum))
    newest = max(
        m.voted
        for m in s.messages
        if isinstance(m, Promise) and m.ballot == b and m.acceptor in quorum
    )
    require(
        newest == -1
        or any(
            isinstance(m, Promise)
            and m.ballot == b
            and m.acceptor in quorum
            and m.voted == newest
            and m.value == v
            for m in s.messages
        )
    )
    s.messages |= {Propose(b, v)}


def has_promised(s: Network, a: Acceptor, b: int) -> bool:
    """An acceptor has answered a ballot."""
    return any(isinstance(m, Promise) and m.ballot == b and m.acceptor == a for m in s.messages)


@action
def vote(s: Network, a: Acceptor) -> None:
    """Phase 2b: an acceptor votes, unless it has promised not to."""
    m = pick(s.messages, Propose)
    require(m.ballot >= s.promised[a])
    s.promised[a] = m.ballot
    s.voted[a] = m.ballot
    s.value[a] = m.value
    s.messages |= {Vote(a, m.ballot, m.value)}


def chosen(s: Network, v: Value) -> bool:
    """A majority has voted for a value in one ballot."""
    return any(
        sum(isinstance(m, Vote) and m.ballot == b and m.value == v for m in s.messages) >= MAJORITY
        for b in range(ballots)
    )


@invariant
def agreement(s: Network) -> bool:
    """At most one value is chosen."""
    return sum(chosen(s, v) for v in Value) <= 1


@invariant
def votes_are_safe(s: Network) -> bool:
    """All who vote in a ballot vote for the same value."""
    return all(
        m.value == other.value
        for m in s.messages
        if isinstance(m, Propose)
        for other in s.messages
        if isinstance(other, Vote) and other.ballot == m.ballot
    )


@refines(voting)
def votes_cast(s: Network) -> Votes:
    """The votes that were sent."""
    return Votes(
        votes={
            a: {
                Ballotted(m.ballot, m.value)
                for m in s.messages
                if isinstance(m, Vote) and m.acceptor == a
            }
            for a in Acceptor
        },
        least=s.promised,
    )


@reachable
def all_voted(s: Network) -> bool:
    """Every acceptor can vote in the last ballot."""
    return all(s.voted[a] == ballots - 1 for a in Acceptor)


paxos = Spec(
    state=Network,
    init=nothing_sent,
    actions=[prepare, promise, propose, vote],
    invariants=[agreement, votes_are_safe],
    reachable=[all_voted],
    lanes=Lanes(actor=Acceptor, facts=("promised", "voted", "value"), sender=("acceptor",)),
)

paxos_refines_voting = paxos.adding("paxos-refines-voting", transitions=[votes_cast])

paxos_small_quorum = paxos.replacing("paxos-small-quorum", propose=propose_early)
