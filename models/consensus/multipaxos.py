"""MultiPaxos: replicas keep a log of commands that clients send to read and write one value.

A replica that steps up as leader prepares a ballot for all slots of the log at once. It takes over
the newest commands that a majority tells of, and then has one command after the other accepted. The
set of all messages ever sent stands for the network: messages arrive late, several times, or never.

Source: Leslie Lamport, Paxos Made Simple (2001), section 3; Guanzhou Hu's module MultiPaxos of
tlaplus/Examples.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Annotated

from specmodel.lang import (
    Capacity,
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
    pick,
    reachable,
    require,
    require_some,
)

from .key_value import (
    COMMANDS,
    Answered,
    Asked,
    Command,
    Event,
    History,
    Write,
    answered,
    asked,
    commands,
    is_linearizable,
)

replicas = constant("replicas", 3, low=1, high=5, doc="replicas of the log")
ballots = constant("ballots", 2, low=2, high=4, doc="ballots")

MAJORITY = replicas // 2 + 1

Ballot = Annotated[int, Range(1, ballots)]
SomeBallot = Annotated[int, Range(0, ballots)]
Slot = Annotated[int, Range(1, commands)]
Length = Annotated[int, Range(0, commands)]
SLOTS = range(1, commands + 1)


class Replica(ScalarSet, size=replicas, prefix="s", symmetric=True):
    """A server that keeps the log, and may lead."""


class Status(Enum):
    """How far a replica is with a slot."""

    empty = auto()
    preparing = auto()
    accepting = auto()
    committed = auto()


class Vote(Struct):
    """The command that a replica has accepted last in a slot, and the ballot (0: none)."""

    ballot: SomeBallot
    command: Command | None


class Instance(Struct):
    """What a replica knows of a slot."""

    status: Status
    command: Command | None
    voted: Vote


class Node(Struct):
    """A replica: whom it takes for the leader, the value, and its log.

    `newest` is the largest ballot that it has heard of, `prepared` the one that it may lead in.
    """

    leader: Replica | None
    value: Write | None
    committed: Length
    prepared: SomeBallot
    newest: SomeBallot
    log: dict[Slot, Instance]


class Prepare(Struct):
    """A replica wants to lead in a ballot."""

    source: Replica
    ballot: Ballot


class PrepareReply(Struct):
    """A replica accepts nothing of smaller ballots any more, and tells its votes."""

    source: Replica
    ballot: Ballot
    votes: dict[Slot, Vote]


class Accept(Struct):
    """A leader asks for votes for a command in a slot."""

    source: Replica
    ballot: Ballot
    slot: Slot
    command: Command


class AcceptReply(Struct):
    """A replica votes for the command of a ballot in a slot."""

    source: Replica
    ballot: Ballot
    slot: Slot


class CommitNotice(Struct):
    """A leader has committed a slot in a ballot (0: it does not say which)."""

    ballot: SomeBallot
    slot: Slot


Message = Prepare | PrepareReply | Accept | AcceptReply | CommitNotice


class System(Struct):
    """The replicas, every message that was sent, and what clients wait for and have seen."""

    node: dict[Replica, Node]
    messages: Set[Message]
    pending: Annotated[list[Command], Capacity(commands)]
    observed: History
    stopped: Set[Replica]


@init
def started() -> System:
    """Nobody leads, and every command is yet to be asked for."""
    blank = Instance(Status.empty, None, Vote(0, None))
    return System(
        node={
            r: Node(None, None, 0, 0, 0, {n: blank for n in range(1, commands + 1)})
            for r in Replica
        },
        messages=set(),
        pending=list(COMMANDS),
        observed=[],
        stopped=set(),
    )


def all_done(s: System) -> bool:
    """Every client has its answer."""
    return len(s.pending) == 0 and all(
        asked(s.observed, c) and answered(s.observed, c) for c in COMMANDS
    )


def require_running(s: System, r: Replica) -> None:
    """Replicas stop once every client has its answer."""
    require(r not in s.stopped and not all_done(s))


def observe(s: System, e: Event) -> None:
    """A client sees something, once."""
    if e not in s.observed:
        s.observed.append(e)


def votes_of(node: Node) -> dict[Slot, Vote]:
    """A replica's votes, slot by slot."""
    return {n: node.log[n].voted for n in range(1, commands + 1)}


def prepare_again(node: Node) -> None:
    """In a new ballot, what was not committed has to be prepared again."""
    for n in SLOTS:
        if node.log[n].status == Status.accepting:
            node.log[n].status = Status.preparing


@action
def step_up(s: System, r: Replica, b: Ballot) -> None:
    """A replica that is no leader begins a ballot that nobody has begun."""
    require_running(s, r)
    node = s.node[r]
    require(node.leader != r and b > node.newest)
    require(not any(isinstance(m, Prepare) and m.ballot == b for m in s.messages))
    node.leader = r
    node.prepared = 0
    node.newest = b
    prepare_again(node)
    s.messages |= {Prepare(r, b), PrepareReply(r, b, votes_of(node))}


@action
def follow(s: System, r: Replica) -> None:
    """A replica hears of a larger ballot, and tells its leader what it has voted for."""
    require_running(s, r)
    m = pick(s.messages, Prepare)
    node = s.node[r]
    require(m.ballot > node.newest)
    node.leader = m.source
    node.newest = m.ballot
    prepare_again(node)
    s.messages |= {PrepareReply(r, m.ballot, votes_of(node))}


@action
def lead(s: System, r: Replica) -> None:
    """A majority has answered: the leader takes over the newest vote of each slot."""
    require_replies(s, r)
    for n in SLOTS:
        take_over(s, r, n, newest_vote(s, s.node[r].newest, n))
    ask_for_votes(s, r)


@action
def lead_by_own_log(s: System, r: Replica) -> None:
    """The mistake: the leader waits for a majority, and goes on with what it has voted for."""
    require_replies(s, r)
    for n in SLOTS:
        take_over(s, r, n, s.node[r].log[n].voted.command)
    ask_for_votes(s, r)


def require_replies(s: System, r: Replica) -> None:
    """A replica prepares its ballot, and a majority has answered."""
    require_running(s, r)
    node = s.node[r]
    require(node.leader == r and node.prepared == 0)
    answered_by = {
        m.source for m in s.messages if isinstance(m, PrepareReply) and m.ballot == node.newest
    }
    require(len(answered_by) >= MAJORITY)


def newest_vote(s: System, ballot: int, n: int) -> Command | None:
    """The command of the newest vote in a slot that the answers to a ballot tell of."""
    votes = {m.votes[n] for m in s.messages if isinstance(m, PrepareReply) and m.ballot == ballot}
    return max(votes, key=lambda vote: vote.ballot).command


def take_over(s: System, r: Replica, n: int, c: Command | None) -> None:
    """A slot that a vote is known of, or that was not finished, is to be accepted again."""
    instance = s.node[r].log[n]
    if instance.status == Status.preparing or (instance.status == Status.empty and c is not None):
        instance.status = Status.accepting
    instance.command = c


def ask_for_votes(s: System, r: Replica) -> None:
    """The leader may lead, and asks for votes in all slots that are to be accepted."""
    node = s.node[r]
    node.prepared = node.newest
    for n in SLOTS:
        if node.log[n].status == Status.accepting:
            s.messages |= {Accept(r, node.prepared, n, require_some(node.log[n].command))}


@action
def take_command(s: System, r: Replica) -> None:
    """A leader puts the next command that its log does not have into its first empty slot."""
    require_running(s, r)
    node = s.node[r]
    require(node.leader == r and node.prepared == node.newest)
    n = next((n for n in SLOTS if node.log[n].status == Status.empty), 0)
    require(n > 0)
    c = require_some(
        next(
            (c for c in s.pending if all(node.log[n].command != c for n in SLOTS)),
            None,
        )
    )
    node.log[n] = Instance(Status.accepting, c, Vote(node.prepared, c))
    s.messages |= {Accept(r, node.prepared, n, c), AcceptReply(r, node.prepared, n)}
    observe(s, Asked(c))


@action
def accept(s: System, r: Replica) -> None:
    """A replica votes for a command, unless it knows of a larger ballot or has voted for it."""
    require_running(s, r)
    m = pick(s.messages, Accept)
    node = s.node[r]
    require(m.ballot >= node.newest and m.ballot > node.log[m.slot].voted.ballot)
    node.leader = m.source
    node.newest = m.ballot
    node.log[m.slot] = Instance(Status.accepting, m.command, Vote(m.ballot, m.command))
    s.messages |= {AcceptReply(r, m.ballot, m.slot)}


@action
def commit(s: System, r: Replica) -> None:
    """A leader commits the next slot once a majority has voted, and answers the client."""
    commit_slot(s, r)
    node = s.node[r]
    s.messages |= {CommitNotice(node.prepared, node.committed)}


@action
def commit_untold(s: System, r: Replica) -> None:
    """As the public module has it: the notice does not tell the ballot."""
    commit_slot(s, r)
    s.messages |= {CommitNotice(0, s.node[r].committed)}


def commit_slot(s: System, r: Replica) -> None:
    """A majority has voted in the leader's ballot: it runs the command and answers the client."""
    require_running(s, r)
    node = s.node[r]
    require(node.leader == r and node.prepared == node.newest)
    n = next_slot(node)
    votes = {
        m.source
        for m in s.messages
        if isinstance(m, AcceptReply) and m.slot == n and m.ballot == node.prepared
    }
    require(len(votes) >= MAJORITY)
    c = require_some(node.log[n].command)
    observe(s, Answered(c, node.value))
    s.pending = [other for other in s.pending if other != c]
    apply(node, n)


@action
def hear_of_commit(s: System, r: Replica) -> None:
    """A follower commits the next slot, if its vote there is as new as the ballot it is told."""
    require_running(s, r)
    m = pick(s.messages, CommitNotice)
    node = s.node[r]
    require(node.leader != r)
    n = next_slot(node)
    require(m.slot == n and node.log[n].voted.ballot >= m.ballot)
    apply(node, n)


def next_slot(node: Node) -> int:
    """The slot after the last committed one, which has to be accepted."""
    require(node.committed < commands)
    n = node.committed + 1
    require(node.log[n].status == Status.accepting)
    return n


def apply(node: Node, n: int) -> None:
    """A slot is committed, and its command is run."""
    c = require_some(node.log[n].command)
    node.log[n].status = Status.committed
    node.committed = n
    if isinstance(c, Write):
        node.value = c


@action
def stop(s: System, r: Replica) -> None:
    """A replica stops, once every client has its answer."""
    require(r not in s.stopped and all_done(s))
    s.stopped |= {r}


@invariant
def agreement(s: System) -> bool:
    """Replicas that have committed a slot have the same command there."""
    return all(
        s.node[a].log[n].command == s.node[b].log[n].command
        for a in Replica
        for b in Replica
        for n in SLOTS
        if n <= s.node[a].committed and n <= s.node[b].committed
    )


@invariant
def linearizable(s: System) -> bool:
    """Once all is done, clients have seen what a single copy of the value would show them."""
    return not all_done(s) or is_linearizable(s.observed)


@reachable
def all_stop(s: System) -> bool:
    """Every client can get its answer."""
    return len(s.stopped) == replicas


multipaxos = Spec(
    state=System,
    init=started,
    actions=[step_up, follow, lead, take_command, accept, commit, hear_of_commit, stop],
    invariants=[agreement, linearizable],
    reachable=[all_stop],
    lanes=Lanes(
        actor=Replica,
        epoch="node.newest",
        leader="node.leader",
        facts={
            "leads in": "node.prepared",
            "committed": "node.committed",
            "value": "node.value",
            "log": "node.log",
        },
        status=("observed",),
    ),
)

multipaxos_own_log = multipaxos.replacing("multipaxos-own-log", lead=lead_by_own_log)

multipaxos_untold_ballot = multipaxos.replacing("multipaxos-untold-ballot", commit=commit_untold)
