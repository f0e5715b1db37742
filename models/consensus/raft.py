"""Raft, as Diego Ongaro's module raft has it, without its history variables.

Messages may be lost, come twice and overtake each other. The network is a bag of them.

Source: Diego Ongaro, Consensus: Bridging Theory and Practice (2014), appendix B; raft.tla.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Annotated

from specmodel.lang import (
    Bag,
    Capacity,
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
    pick,
    reachable,
    require,
    require_some,
)

servers = constant("servers", 3, low=1, high=5, doc="servers")
values = constant("values", 1, low=1, high=3, doc="values that clients may write")
terms = constant("terms", 2, low=1, high=5, doc="terms, the first one included")
entries = constant("entries", 1, low=1, high=4, doc="entries of a log")
flying = constant("flying", 2, low=1, high=6, doc="messages on their way at once")

Term = Annotated[int, Range(0, terms + 1)]
Index = Annotated[int, Range(0, entries + 2)]


class Server(ScalarSet, size=servers, symmetric=True):
    """A server: it keeps its term, its vote and its log when it restarts."""


class Value(ScalarSet, size=values, symmetric=True):
    """What a client writes."""


class Role(Enum):
    """What a server takes itself for."""

    follower = auto()
    candidate = auto()
    leader = auto()


class Entry(Struct):
    """A value in a log, with the term of the leader that took it from a client."""

    term: Term
    value: Value


class VoteRequest(Struct):
    """A candidate asks for a vote, and says how far its log goes."""

    term: Term
    last_term: Term
    last_index: Index
    source: Server
    to: Server


class VoteResponse(Struct):
    """A server votes, or not."""

    term: Term
    granted: bool
    source: Server
    to: Server


class AppendRequest(Struct):
    """A leader sends the entry after `previous`, or none, and what is committed."""

    term: Term
    previous: Index
    previous_term: Term
    entry: Entry | None
    commit: Index
    source: Server
    to: Server


class AppendResponse(Struct):
    """A follower tells up to where its log is the leader's."""

    term: Term
    success: bool
    match: Index
    source: Server
    to: Server


Message = VoteRequest | VoteResponse | AppendRequest | AppendResponse


class Cluster(Struct):
    """What each server knows, and the messages on their way."""

    term: dict[Server, Term]
    role: dict[Server, Role]
    voted_for: dict[Server, Server | None]
    log: dict[Server, Annotated[list[Entry], Capacity(entries + 1)]]
    commit: dict[Server, Index]
    responded: dict[Server, Set[Server]]
    granted: dict[Server, Set[Server]]
    next: dict[Server, dict[Server, Index]]
    match: dict[Server, dict[Server, Index]]
    messages: Annotated[Bag[Message], Capacity(flying + 1)]


@init
def started() -> Cluster:
    """Everyone is a follower in the first term, with an empty log."""
    return Cluster(
        term={i: 1 for i in Server},
        role={i: Role.follower for i in Server},
        voted_for={i: None for i in Server},
        log={i: [] for i in Server},
        commit={i: 0 for i in Server},
        responded={i: set() for i in Server},
        granted={i: set() for i in Server},
        next={i: {j: 1 for j in Server} for i in Server},
        match={i: {j: 0 for j in Server} for i in Server},
        messages=Bag(),
    )


def last_term(log: Annotated[list[Entry], Capacity(entries + 1)]) -> int:
    """The term of the last entry, 0 if there is none."""
    return log[-1].term if len(log) > 0 else 0


@action
def restart(s: Cluster, i: Server) -> None:
    """A server restarts, and has lost all but its term, its vote and its log."""
    s.role[i] = Role.follower
    s.responded[i] = set()
    s.granted[i] = set()
    s.next[i] = {j: 1 for j in Server}
    s.match[i] = {j: 0 for j in Server}
    s.commit[i] = 0


@action
def restart_forgetful(s: Cluster, i: Server) -> None:
    """The mistake: a server has not written down for whom it has voted."""
    restart(s, i)
    s.voted_for[i] = None


@action
def time_out(s: Cluster, i: Server) -> None:
    """A server hears of no leader for a while, and stands for the next term."""
    require(s.role[i] != Role.leader)
    s.role[i] = Role.candidate
    s.term[i] += 1
    s.voted_for[i] = None
    s.responded[i] = set()
    s.granted[i] = set()


@action
def request_vote(s: Cluster, i: Server, j: Server) -> None:
    """A candidate asks someone, perhaps itself, for a vote."""
    require(s.role[i] == Role.candidate and j not in s.responded[i])
    s.messages += {VoteRequest(s.term[i], last_term(s.log[i]), len(s.log[i]), i, j)}


@action
def become_leader(s: Cluster, i: Server) -> None:
    """A candidate has the votes of a majority."""
    require(s.role[i] == Role.candidate and 2 * len(s.granted[i]) > len(Server))
    s.role[i] = Role.leader
    s.next[i] = {j: len(s.log[i]) + 1 for j in Server}
    s.match[i] = {j: 0 for j in Server}


@action
def client_request(s: Cluster, i: Server, v: Value) -> None:
    """A leader takes a value from a client."""
    require(s.role[i] == Role.leader)
    s.log[i].append(Entry(s.term[i], v))


@action
def append_entries(s: Cluster, i: Server, j: Server) -> None:
    """A leader sends a follower the next entry, or none if there is none."""
    require(i != j and s.role[i] == Role.leader)
    previous = s.next[i][j] - 1
    last = min(len(s.log[i]), s.next[i][j])
    s.messages += {
        AppendRequest(
            term=s.term[i],
            previous=previous,
            previous_term=s.log[i][previous - 1].term if previous > 0 else 0,
            entry=s.log[i][previous] if previous < len(s.log[i]) else None,
            commit=min(s.commit[i], last),
            source=i,
            to=j,
        )
    }


@action
def advance_any_term(s: Cluster, i: Server) -> None:
    """The mistake: what a majority has is committed, of whichever term it is."""
    require(s.role[i] == Role.leader)
    s.commit[i] = agreed_by_majority(s, i)


@action
def advance_commit(s: Cluster, i: Server) -> None:
    """A leader commits what a majority has, if the last entry of that is of its own term."""
    require(s.role[i] == Role.leader)
    agreed = agreed_by_majority(s, i)
    if agreed > 0 and s.log[i][agreed - 1].term == s.term[i]:
        s.commit[i] = agreed


def agreed_by_majority(s: Cluster, i: Server) -> int:
    """How many entries of a leader's log a majority has."""
    return max(
        (
            index
            for index in range(1, len(s.log[i]) + 1)
            if 2 * len({k for k in Server if k == i or s.match[i][k] >= index}) > len(Server)
        ),
        default=0,
    )


@action
def update_term(s: Cluster) -> None:
    """Whoever hears of a newer term follows in it; the message stays, to be handled then."""
    m = pick(s.messages)
    require(m.term > s.term[m.to])
    s.term[m.to] = m.term
    s.role[m.to] = Role.follower
    s.voted_for[m.to] = None


@action
def answer_vote_request(s: Cluster) -> None:
    """A server votes for the first candidate of a term whose log goes as far as its own."""
    m = pick(s.messages, VoteRequest)
    require(m.term <= s.term[m.to])
    i = m.to
    mine = last_term(s.log[i])
    as_far = m.last_term > mine or (m.last_term == mine and m.last_index >= len(s.log[i]))
    grant = (
        m.term == s.term[i] and as_far and (s.voted_for[i] is None or s.voted_for[i] == m.source)
    )
    if grant:
        s.voted_for[i] = m.source
    s.messages = s.messages + {VoteResponse(s.term[i], grant, i, m.source)} - {m}


@action
def take_vote(s: Cluster) -> None:
    """A server counts a vote of its term, candidate or not."""
    m = pick(s.messages, VoteResponse)
    require(m.term == s.term[m.to])
    s.responded[m.to] |= {m.source}
    if m.granted:
        s.granted[m.to] |= {m.source}
    s.messages -= {m}


@action
def reject_append(s: Cluster) -> None:
    """A leader of an old term, or one whose entry does not follow here, is told so."""
    m = pick(s.messages, AppendRequest)
    require(m.term <= s.term[m.to])
    i = m.to
    require(m.term < s.term[i] or (s.role[i] == Role.follower and not follows(s, i, m)))
    s.messages = s.messages + {AppendResponse(s.term[i], False, 0, i, m.source)} - {m}


def follows(s: Cluster, i: Server, m: AppendRequest) -> bool:
    """The entry before the one that was sent is in a server's log."""
    return m.previous == 0 or (
        m.previous <= len(s.log[i]) and m.previous_term == s.log[i][m.previous - 1].term
    )


@action
def step_down(s: Cluster) -> None:
    """A candidate hears of the leader of its term, and follows it."""
    m = pick(s.messages, AppendRequest)
    require(m.term == s.term[m.to])
    require(s.role[m.to] == Role.candidate)
    s.role[m.to] = Role.follower


@action
def append(s: Cluster) -> None:
    """A follower appends the entry that a leader sends."""
    m = pick(s.messages, AppendRequest)
    require(accepted(s, m))
    entry = require_some(m.entry)
    require(len(s.log[m.to]) == m.previous)
    s.log[m.to].append(entry)


def accepted(s: Cluster, m: AppendRequest) -> bool:
    """A follower takes a request of its term's leader."""
    return m.term == s.term[m.to] and s.role[m.to] == Role.follower and follows(s, m.to, m)


@action
def truncate(s: Cluster) -> None:
    """A follower removes its last entry, if another is where the leader's belongs."""
    m = pick(s.messages, AppendRequest)
    require(accepted(s, m))
    log = s.log[m.to]
    entry = require_some(m.entry)
    require(len(log) > m.previous and log[m.previous].term != entry.term)
    del log[len(log) - 1 :]


@action
def confirm(s: Cluster) -> None:
    """A follower has the entry, or was sent none, and says so."""
    m = pick(s.messages, AppendRequest)
    require(accepted(s, m))
    log = s.log[m.to]
    require(m.entry is None or (len(log) > m.previous and log[m.previous].term == m.entry.term))
    s.commit[m.to] = m.commit
    match = m.previous + (0 if m.entry is None else 1)
    s.messages = s.messages + {AppendResponse(s.term[m.to], True, match, m.to, m.source)} - {m}


@action
def take_response(s: Cluster) -> None:
    """A leader learns how far a follower's log is its own, or tries an entry before."""
    m = pick(s.messages, AppendResponse)
    require(m.term == s.term[m.to])
    if m.success:
        s.next[m.to][m.source] = m.match + 1
        s.match[m.to][m.source] = m.match
    else:
        s.next[m.to][m.source] = max(s.next[m.to][m.source] - 1, 1)
    s.messages -= {m}


@action
def drop_stale(s: Cluster) -> None:
    """A response of an old term is ignored."""
    m = pick(s.messages, VoteResponse, AppendResponse)
    require(m.term < s.term[m.to])
    s.messages -= {m}


@action
def duplicate(s: Cluster) -> None:
    """The network delivers a message twice."""
    m = pick(s.messages)
    s.messages += {m}


@action
def drop(s: Cluster) -> None:
    """The network loses a message."""
    m = pick(s.messages)
    s.messages -= {m}


@constraint
def bounded(s: Cluster) -> bool:
    """What the search is bounded by: terms, logs, and messages on their way."""
    small = all(s.term[i] <= terms and len(s.log[i]) <= entries for i in Server)
    return small and len(s.messages) <= flying


@invariant
def one_leader(s: Cluster) -> bool:
    """A term has one leader at most."""
    return all(
        i == j or s.term[i] != s.term[j] or s.role[i] != Role.leader or s.role[j] != Role.leader
        for i in Server
        for j in Server
    )


@invariant
def logs_match(s: Cluster) -> bool:
    """Logs that have an entry of the same index and term are the same up to there."""
    return all(
        s.log[i][n].term != s.log[j][n].term or s.log[i][: n + 1] == s.log[j][: n + 1]
        for i in Server
        for j in Server
        for n in range(min(len(s.log[i]), len(s.log[j])))
    )


@reachable
def committed(s: Cluster) -> bool:
    """A value can be committed."""
    return any(s.commit[i] > 0 for i in Server)


raft = Spec(
    state=Cluster,
    init=started,
    actions=[
        restart,
        time_out,
        request_vote,
        become_leader,
        client_request,
        append_entries,
        advance_commit,
        update_term,
        answer_vote_request,
        take_vote,
        reject_append,
        step_down,
        append,
        truncate,
        confirm,
        take_response,
        drop_stale,
        duplicate,
        drop,
    ],
    constraints=[bounded],
    invariants=[one_leader, logs_match],
    reachable=[committed],
    lanes=Lanes(
        actor=Server,
        log="log",
        cell="{value}@{term}",
        shade="term",
        high_watermark="commit",
        epoch="term",
        role="role",
        facts={"voted for": "voted_for", "has votes of": "granted"},
    ),
)

raft_forgetful = raft.replacing("raft-forgetful", restart=restart_forgetful)
