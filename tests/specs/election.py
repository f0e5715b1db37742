"""Leader election of one term or more: messages of three kinds in one list."""

import enum
from typing import Annotated

from specmodel.lang import (
    Capacity,
    Range,
    ScalarSet,
    Set,
    Spec,
    Struct,
    action,
    constant,
    init,
    invariant,
    require,
)

nodes = constant("nodes", 2, low=2, high=4, doc="how many servers")
terms = constant("terms", 2, low=1, high=4, doc="the last term")
room = constant("room", 2, low=1, high=4, doc="messages under way at a time")
careful = constant("careful", True, doc="whether a server votes once in a term")

Term = Annotated[int, Range(0, terms)]


class Server(ScalarSet, size=nodes, prefix="s", symmetric=True):
    """Those that elect one of them."""


class Role(enum.Enum):
    follower = 1
    candidate = 2


class VoteRequest(Struct):
    term: Term
    candidate: Server
    to: Server


class VoteResponse(Struct):
    term: Term
    voter: Server
    to: Server


class Heartbeat(Struct):
    leader: Server
    term: Term


Message = VoteRequest | VoteResponse | Heartbeat


class Leading(Struct):
    heartbeats: bool


class Cluster(Struct):
    term: dict[Server, Term]
    voted: dict[Server, Server | None]
    votes: dict[Server, Set[Server]]
    role: dict[Server, Role | Leading]
    network: Annotated[list[Message], Capacity(room)]
    last: Message | None


@init
def quiet() -> Cluster:
    return Cluster(
        term={s: 0 for s in Server},
        voted={s: None for s in Server},
        votes={s: set() for s in Server},
        role={s: Role.follower for s in Server},
        network=[],
        last=None,
    )


def send(c: Cluster, m: Message) -> None:
    require(len(c.network) < room)
    c.network.append(m)


def catch_up(c: Cluster, s: Server, term: Term) -> None:
    if term > c.term[s]:
        c.term[s] = term
        c.voted[s] = None
        c.votes[s] = set()
        c.role[s] = Role.follower


@action
def stand(c: Cluster, s: Server, to: Server) -> None:
    """A server asks another for its vote, in the next term or still in its own."""
    require(s != to)
    if c.role[s] == Role.follower:
        require(c.term[s] < terms)
        c.term[s] += 1
        c.voted[s] = s
        c.votes[s] = {s}
        c.role[s] = Role.candidate
    require(c.role[s] == Role.candidate)
    send(c, VoteRequest(term=c.term[s], candidate=s, to=to))


@action
def deliver(c: Cluster) -> None:
    require(len(c.network) > 0)
    m = c.network[0]
    del c.network[:1]
    match m:
        case VoteRequest(term, candidate, to):
            catch_up(c, to, term)
            free = c.voted[to] is None or c.voted[to] == candidate or not careful
            if term == c.term[to] and free:
                c.voted[to] = candidate
                send(c, VoteResponse(term, to, candidate))
        case VoteResponse(voter=voter) if m.term == c.term[m.to]:
            c.votes[m.to] |= {voter}
        case VoteResponse():
            pass
        case Heartbeat():
            for s in Server:
                catch_up(c, s, m.term)


@action
def lead(c: Cluster, s: Server) -> None:
    require(c.role[s] == Role.candidate)
    require(2 * len(c.votes[s]) > len(Server))
    c.role[s] = Leading(heartbeats=False)


@action
def beat(c: Cluster, s: Server) -> None:
    role = c.role[s]
    require(isinstance(role, Leading) and not role.heartbeats)
    c.role[s] = Leading(heartbeats=True)
    send(c, Heartbeat(s, c.term[s]))


@action
def note(c: Cluster, m: Heartbeat | VoteResponse) -> None:
    """Somebody writes down a message under way."""
    require(m in c.network)
    c.last = m


def term_of(m: Message) -> int:
    return m.term


@invariant
def one_leader(c: Cluster) -> bool:
    return all(
        not (isinstance(c.role[a], Leading) and isinstance(c.role[b], Leading))
        or a == b
        or c.term[a] != c.term[b]
        for a in Server
        for b in Server
    )


@invariant
def terms_are_known(c: Cluster) -> bool:
    return all(term_of(m) <= max(c.term[s] for s in Server) for m in c.network)


@invariant
def answers_are_wanted(c: Cluster) -> bool:
    match c.last:
        case VoteResponse(voter=v, to=t):
            return v != t
        case Heartbeat() | None:
            return True
        case VoteRequest():
            return False


@invariant
def no_heartbeat(c: Cluster) -> bool:
    """False in the end."""
    return not isinstance(c.last, Heartbeat) or c.voted[c.last.leader] is None


spec = Spec(
    name="election",
    state=Cluster,
    init=quiet,
    actions=[stand, deliver, lead, beat, note],
    invariants=[one_leader, terms_are_known, answers_are_wanted, no_heartbeat],
)
