"""A second search for the leader-epoch caches of KAFKA-7415: dictionaries and a queue, no more.

Written from the description of the protocol, without the spec language, its specs or its engines,
so that a mistake in those cannot hide here as well. A state is a flat dictionary; brokers are 0, 1,
2; sets are frozensets; a cache is a tuple of (epoch, start). Slow, and meant to be obvious.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

State = dict[Any, Any]
Cache = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Setting:
    """What is searched: the bounds, and which version of the broker."""

    replicas: int
    max_leader_epoch: int
    restarts: int
    log_size: int = 2
    max_records: int = 2
    assigns_at_election: bool = False
    answers: str = "kip279"  # or "log end", or "start"
    fenced: bool = True

    @property
    def brokers(self) -> range:
        return range(self.replicas)


@dataclass
class Found:
    """How many states and steps there are, and the length of the shortest way to each violation."""

    distinct: int = 0
    generated: int = 0
    depth: int = 0
    violated: dict[str, int] = field(default_factory=dict[str, int])


def start(c: Setting) -> State:
    """No leader yet, nothing written."""
    s: State = {"epoch": -1, "leader": None, "isr": frozenset(c.brokers), "written": 0}
    s["restarts"], s["exposed"], s["replaced"] = c.restarts, (None,) * c.log_size, False
    for epoch in range(c.max_leader_epoch + 1):
        s["request", epoch] = None
    for r in c.brokers:
        s["log", r] = s["cache", r] = ()
        s["hw", r], s["epoch", r] = 0, -1
        s["leader", r], s["isr", r] = None, frozenset()
        s["truncating", r] = None
    return s


# The cache


def assign(cache: Cache, epoch: int, offset: int) -> Cache:
    if cache and cache[-1][0] == epoch and offset >= cache[-1][1]:
        return cache
    while cache and (cache[-1][0] >= epoch or cache[-1][1] >= offset):
        cache = cache[:-1]
    return (*cache, (epoch, offset))


def lookup(cache: Cache, log_end: int, epoch: int, answers: str) -> tuple[int, int]:
    """The epoch that is meant and its end; (-1, -1) is "undefined"."""
    below = [entry for entry in cache if entry[0] <= epoch]
    above = [entry for entry in cache if entry[0] > epoch]
    if cache and cache[-1][0] == epoch:
        return epoch, log_end
    if not above:
        return (cache[-1][0], log_end) if cache and answers == "log end" else (-1, -1)
    if not below:
        return (epoch, above[0][1]) if answers == "start" else (-1, -1)
    return below[-1][0], above[0][1]


def cut(t: State, r: int, offset: int) -> None:
    """Truncate log and cache."""
    t["log", r] = t["log", r][:offset]
    t["cache", r] = tuple(entry for entry in t["cache", r] if entry[1] < offset)
    t["hw", r] = min(t["hw", r], offset)


def expose(t: State, r: int) -> None:
    """Consumers of this leader can read what is below its high watermark."""
    exposed = list(t["exposed"])
    for offset in range(t["hw", r]):
        record = t["log", r][offset][0]
        if exposed[offset] is None:
            exposed[offset] = record
        elif exposed[offset] != record:
            t["replaced"] = True
    t["exposed"] = tuple(exposed)


# The steps


def moves(s: State, c: Setting) -> Iterator[State]:
    """Every state that one step leads to, once for each way to take it."""
    yield from controller_moves(s, c)
    for r in c.brokers:
        yield from request_moves(s, c, r)
        yield from truncation_moves(s, c, r)
        yield from leader_moves(s, c, r)
        yield from fetch_moves(s, r)
        if s["restarts"]:
            for checkpoint in range(s["hw", r] + 1):
                t = dict(s)
                t["restarts"] -= 1
                t["hw", r] = checkpoint
                t["leader", r], t["isr", r], t["truncating", r] = None, frozenset(), None
                t["epoch", r] = s["epoch"] if s["leader"] == r else max(s["epoch"] - 1, -1)
                yield t


def controller_moves(s: State, c: Setting) -> Iterator[State]:
    if s["epoch"] == c.max_leader_epoch:
        return
    decisions: list[tuple[int, frozenset[int]]] = []
    for r in s["isr"]:
        if r == s["leader"]:
            continue
        decisions.append((r, s["isr"]))
        if s["leader"] is not None:
            decisions.append((r, s["isr"] - {s["leader"]}))
            decisions.append((s["leader"], s["isr"] - {r}))
    for leader, isr in decisions:
        t = dict(s)
        t["epoch"] += 1
        t["leader"], t["isr"] = leader, isr
        t["request", t["epoch"]] = leader, isr
        yield t


def request_moves(s: State, c: Setting, r: int) -> Iterator[State]:
    for epoch in range(s["epoch", r] + 1, c.max_leader_epoch + 1):
        if s["request", epoch] is None:
            continue
        leader, isr = s["request", epoch]
        t = dict(s)
        t["epoch", r], t["leader", r], t["isr", r] = epoch, leader, isr
        t["truncating", r] = None if leader == r else ("to ask",)
        if leader == r:
            expose(t, r)
            if c.assigns_at_election:
                t["cache", r] = assign(t["cache", r], epoch, len(t["log", r]))
        yield t


def truncation_moves(s: State, c: Setting, r: int) -> Iterator[State]:
    at = s["truncating", r]
    if at is None:
        return
    t = dict(s)
    if at == ("to ask",):
        if s["cache", r]:
            t["truncating", r] = ("asked", s["cache", r][-1][0])
        else:
            cut(t, r, s["hw", r])
            t["truncating", r] = None
        yield t
    elif at[0] == "asked":
        leader = s["leader", r]
        leads = s["leader", leader] == leader
        if leads and (s["epoch", leader] == s["epoch", r] or not c.fenced):
            end = len(s["log", leader])
            answer = lookup(s["cache", leader], end, at[1], c.answers)
            t["truncating", r] = ("answered", *answer)
            yield t
    else:
        _, epoch, offset = at
        log_end = len(s["log", r])
        t["truncating", r] = None
        if offset == -1:
            cut(t, r, s["hw", r])
        else:
            # The repaired lookup answers "log end" of the leader only, for a larger epoch; a
            # follower looks up an epoch that is at most its own latest.
            own_epoch, own_end = lookup(s["cache", r], log_end, epoch, c.answers)
            if own_end == -1:
                cut(t, r, min(offset, log_end))
            elif own_epoch == epoch:
                cut(t, r, min(offset, own_end, log_end))
            else:
                cut(t, r, min(own_end, log_end))
                t["truncating", r] = ("to ask",)
        yield t


def in_step(s: State, leader: int, r: int) -> bool:
    """The broker follows this leader in the leader's own epoch, and has truncated."""
    same = s["leader", leader] == leader == s["leader", r] and s["epoch", leader] == s["epoch", r]
    return same and s["truncating", r] is None


def leader_moves(s: State, c: Setting, r: int) -> Iterator[State]:
    if s["leader", r] != r:
        return
    log, hw, isr = s["log", r], s["hw", r], s["isr", r]
    if len(log) < c.log_size and s["written"] < c.max_records:
        t = dict(s)
        t["log", r] = (*log, (s["written"], s["epoch", r]))
        t["cache", r] = assign(s["cache", r], s["epoch", r], len(log))
        t["written"] += 1
        yield t
    if hw < len(log) and all(in_step(s, r, m) and len(s["log", m]) > hw for m in isr):
        t = dict(s)
        t["hw", r] = hw + 1
        expose(t, r)
        yield t
    if (s["leader"], s["epoch"]) != (r, s["epoch", r]):
        return
    own = hw == len(log) or log[hw][1] == s["epoch", r]
    for m in set(c.brokers) - {r}:
        t = dict(s)
        if m in isr and not (in_step(s, r, m) and len(s["log", m]) >= len(log)):
            t["isr"] = t["isr", r] = isr - {m}
            yield t
        if m not in isr and in_step(s, r, m) and len(s["log", m]) >= hw and own:
            t["isr"] = t["isr", r] = isr | {m}
            yield t


def fetch_moves(s: State, r: int) -> Iterator[State]:
    leader = s["leader", r]
    if leader is None or leader == r or not in_step(s, leader, r):
        return
    end = len(s["log", r])
    if end < len(s["log", leader]):
        record = s["log", leader][end]
        t = dict(s)
        t["log", r] = (*s["log", r], record)
        t["cache", r] = assign(s["cache", r], record[1], end)
        t["hw", r] = min(s["hw", leader], end + 1)
        yield t


# What must hold


def broken(s: State, c: Setting) -> Iterator[str]:
    """The names of the invariants that a state violates."""

    def complete(r: int) -> bool:
        ids = [record[0] for record in s["log", r]] + [None] * c.log_size
        return all(e is None or e == ids[offset] for offset, e in enumerate(s["exposed"]))

    if not all(complete(r) for r in s["isr"]):
        yield "committed_in_isr"
    leader = s["leader"]
    if leader is not None and (s["leader", leader], s["epoch", leader]) != (leader, s["epoch"]):
        leader = None
    if s["replaced"] or (leader is not None and not complete(leader)):
        yield "committed_in_leader"
    if any(s["truncating", r] == ("answered", -1, -1) for r in c.brokers):
        yield "never_undefined"


def search(c: Setting) -> Found:
    """Breadth first, until nothing new turns up."""
    first = start(c)
    found, level = Found(generated=1), [first]
    seen = {tuple(first.values())}
    while level:
        found.depth += 1
        later: list[State] = []
        for s in level:
            for name in broken(s, c):
                found.violated.setdefault(name, found.depth)
            for t in moves(s, c):
                found.generated += 1
                key = tuple(t.values())
                if key not in seen:
                    seen.add(key)
                    later.append(t)
        level = later
    found.distinct = len(seen)
    return found
