"""Consensus as such, and voting on it without messages: Lamport's modules Consensus and Voting.

They say what Paxos does, and not how: Paxos refines Voting, and Voting refines Consensus.
"""

from __future__ import annotations

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
    init,
    invariant,
    reachable,
    refines,
    require,
)

acceptors = constant("acceptors", 3, low=1, high=5, doc="acceptors")
values = constant("values", 2, low=1, high=3, doc="values that may be proposed")
ballots = constant("ballots", 2, low=1, high=4, doc="ballots")

MAJORITY = acceptors // 2 + 1
"""The acceptors of a quorum."""

Ballot = Annotated[int, Range(0, ballots - 1)]
SomeBallot = Annotated[int, Range(-1, ballots - 1)]


class Acceptor(ScalarSet, size=acceptors, symmetric=True):
    """A process that votes."""


class Value(ScalarSet, size=values, symmetric=True):
    """A value that may be chosen."""


class Choice(Struct):
    """The values that are chosen."""

    chosen: Set[Value]


@init
def nothing_chosen() -> Choice:
    """Nothing is chosen."""
    return Choice(chosen=set())


@action
def choose(s: Choice, v: Value) -> None:
    """A value is chosen, once and for all."""
    require(len(s.chosen) == 0)
    s.chosen = {v}


@invariant
def one_choice(s: Choice) -> bool:
    """At most one value is chosen."""
    return len(s.chosen) <= 1


@reachable
def some_choice(s: Choice) -> bool:
    """A value can be chosen."""
    return len(s.chosen) == 1


consensus = Spec(
    state=Choice,
    init=nothing_chosen,
    actions=[choose],
    invariants=[one_choice],
    reachable=[some_choice],
    lanes=Lanes(actor=Value, members=("chosen",)),
)


class Ballotted(Struct):
    """A vote: the ballot and the value."""

    ballot: Ballot
    value: Value


class Votes(Struct):
    """All votes, and the smallest ballot in which each acceptor may still vote."""

    votes: dict[Acceptor, Set[Ballotted]]
    least: dict[Acceptor, SomeBallot]


@init
def no_votes() -> Votes:
    """Nobody has voted."""
    return Votes(votes={a: set() for a in Acceptor}, least={a: -1 for a in Acceptor})


@action
def skip_to(s: Votes, a: Acceptor, b: Ballot) -> None:
    """An acceptor will not vote in smaller ballots any more."""
    require(b > s.least[a])
    s.least[a] = b


@action
def vote_for(s: Votes, a: Acceptor, b: Ballot, v: Value, quorum: Set[Acceptor]) -> None:
    """An acceptor votes for the only value of a ballot, which a quorum shows to be safe."""
    require(len(quorum) == MAJORITY)
    require(s.least[a] <= b)
    require(all(held.ballot != b for held in s.votes[a]))
    require(all(held.ballot != b or held.value == v for c in Acceptor for held in s.votes[c]))
    require(all(s.least[c] >= b for c in quorum))
    newest = max(
        (held.ballot for c in quorum for held in s.votes[c] if held.ballot < b), default=-1
    )
    require(newest == -1 or any(Ballotted(newest, v) in s.votes[c] for c in quorum))
    s.votes[a] |= {Ballotted(b, v)}
    s.least[a] = b


@refines(consensus)
def choice(s: Votes) -> Choice:
    """The values for which a majority has voted in one ballot."""
    return Choice(
        chosen={
            v
            for v in Value
            if any(
                sum(Ballotted(b, v) in s.votes[a] for a in Acceptor) >= MAJORITY
                for b in range(ballots)
            )
        }
    )


@invariant
def one_value_per_ballot(s: Votes) -> bool:
    """All who vote in a ballot vote for the same value."""
    return all(
        held.value == other.value
        for a in Acceptor
        for held in s.votes[a]
        for b in Acceptor
        for other in s.votes[b]
        if held.ballot == other.ballot
    )


@reachable
def all_have_voted(s: Votes) -> bool:
    """Every acceptor can vote in every ballot."""
    return all(len(s.votes[a]) == ballots for a in Acceptor)


voting = Spec(
    state=Votes,
    init=no_votes,
    actions=[skip_to, vote_for],
    invariants=[one_value_per_ballot],
    transitions=[choice],
    reachable=[all_have_voted],
    lanes=Lanes(actor=Acceptor, facts=("least", "votes")),
)
