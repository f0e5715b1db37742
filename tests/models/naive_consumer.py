"""A second search for consumers under unclean election: dictionaries and a queue, no more.

Written from the description of the protocol, without the spec language, its specs or its engines,
so that a mistake in those cannot hide here as well. Two brokers, 0 and 1; all brokers hear of an
election at once; the reset policy is earliest; no retention, no restarts. A record is the pair
(id, leader epoch). Slow, and meant to be obvious.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

State = dict[str, Any]
Log = list[tuple[int, int]]


@dataclass(frozen=True)
class Setting:
    """What is searched: the client's check, and the bounds."""

    check: str  # "none", "end", "epoch", "once" or "history"
    log_size: int = 2
    max_records: int = 3
    max_epoch: int = 2
    unclean: bool = True


@dataclass
class Found:
    """What there is: states, shortest ways to each violation, and how far resets missed.

    `resets` counts steps in which truncation is signalled, by the distance between the offset that
    the client goes back to and the first record that was lost; "false" if none was.
    """

    distinct: int = 0
    depth: int = 0
    violated: dict[str, int] = field(default_factory=dict[str, int])
    resets: Counter[int | str] = field(default_factory=Counter[int | str])


def start(leader: int) -> State:
    """Nothing is written; the consumer knows the leader."""
    return {
        "logs": [[], []],
        "leaders": [leader],
        "isr": [0, 1],
        "written": 0,
        "known": 0,
        "offset": 0,
        "epoch": None,
        "phase": "fetching",
        "held": {},
        "excused": [],
    }


def frozen(s: State) -> Any:
    """The state as a key."""
    return repr([sorted(v.items()) if isinstance(v, dict) else v for v in s.values()])


def shared(a: Log, b: Log) -> int:
    """How many records two logs have in common, from the start."""
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return n


def exposed(s: State) -> int:
    """The high watermark of the leader."""
    mine = s["logs"][s["leaders"][-1]]
    return min(shared(mine, s["logs"][r]) for r in s["isr"])


def lookup(log: Log, current: int, epoch: int) -> tuple[int, int]:
    """The leader's epoch cache: the largest epoch not above the one asked for, and its end.

    The cache of (epoch, start) is made from the log, with an entry for the leader's own epoch.
    """
    cache: dict[int, int] = {}
    for offset, (_, e) in enumerate(log):
        cache.setdefault(e, offset)
    cache.setdefault(current, len(log))
    if epoch == max(cache):
        return epoch, len(log)
    end = cache[min(e for e in cache if e > epoch)]
    return max((e for e in cache if e <= epoch), default=epoch), end


def first_lost(s: State, log: Log) -> int | None:
    """The first offset whose record, as the application was given it, is not in the log."""
    lost = [o for o, record in s["held"].items() if o >= len(log) or log[o] != record]
    return min((o for o in lost if o < s["offset"]), default=None)


def brokers_move(s: State, c: Setting) -> Iterator[State]:
    """Elections, writes, replication, and changes of the ISR."""
    leader, other = s["leaders"][-1], 1 - s["leaders"][-1]
    mine, theirs = s["logs"][leader], s["logs"][other]
    if len(s["leaders"]) <= c.max_epoch:
        if other in s["isr"]:
            yield s | {"leaders": [*s["leaders"], other]}
            yield s | {"leaders": [*s["leaders"], other], "isr": [other]}
        elif c.unclean:
            yield s | {"leaders": [*s["leaders"], other], "isr": [other]}
    logs = [list(s["logs"][0]), list(s["logs"][1])]
    if s["written"] < c.max_records and len(mine) < c.log_size:
        record = (s["written"], len(s["leaders"]) - 1)
        yield s | {"logs": with_log(logs, leader, [*mine, record]), "written": s["written"] + 1}
    n = shared(mine, theirs)
    if n < len(theirs):
        yield s | {"logs": with_log(logs, other, theirs[:n])}
    elif n < len(mine):
        yield s | {"logs": with_log(logs, other, mine[: n + 1])}
    if other in s["isr"] and n < len(mine):
        yield s | {"isr": [leader]}
    if other not in s["isr"] and mine == theirs:
        yield s | {"isr": [0, 1]}


def with_log(logs: list[Log], broker: int, log: Log) -> list[Log]:
    """The logs, one of them changed."""
    return [log if r == broker else logs[r] for r in (0, 1)]


def back_to(s: State, offset: int, epoch: int | None) -> State:
    """Fetch from an offset on; what was given from there on will be given anew."""
    held = {o: record for o, record in s["held"].items() if o < offset}
    excused = [o for o in s["excused"] if o < offset]
    s = s | {"offset": offset, "epoch": epoch, "phase": "fetching"}
    return s | {"held": held, "excused": excused}


def told_truncated(s: State, offset: int, epoch: int | None, log: Log) -> State:
    """As `back_to`, after the application has been told: what is lost below is excused."""
    s = deepcopy(s)
    lost = first_lost(s, log)
    for o in range(offset if lost is None else lost, offset):
        s["held"].pop(o, None)
        s["excused"] = sorted({*s["excused"], o})
    return back_to(s, offset, epoch)


def verdict(s: State, check: str, log: Log, current: int) -> tuple[int, int | None] | None:
    """Where the client thinks that it has to go back to, with the epoch there; None: nowhere."""
    offset, asked = s["offset"], s["epoch"]
    epoch, end = lookup(log, current, asked)
    if check == "end":
        return (end, epoch) if end < offset else None
    if end >= offset and epoch == asked:
        return None
    if check == "epoch":
        return min(end, offset), epoch
    while True:
        newer = [o for o, (_, e) in s["held"].items() if e > epoch and o < offset]
        offset = min(newer, default=offset)
        own = s["held"][offset - 1][1] if offset - 1 in s["held"] else None
        if check == "once" or own is None or own == epoch:
            break
        epoch, end = lookup(log, current, own)
    offset = min(offset, end)
    own = s["held"][offset - 1][1] if offset - 1 in s["held"] else epoch
    return offset, own if offset > 0 else None


def client_moves(s: State, c: Setting, found: Found, steps: int) -> Iterator[State]:
    """Metadata, fetches, validation, and resets by ListOffsets."""
    for epoch in range(len(s["leaders"])):
        if epoch > s["known"] or (c.check == "none" and epoch != s["known"]):
            must_ask = s["phase"] == "fetching" and s["epoch"] is not None
            yield s | {"known": epoch, "phase": "validating" if must_ask else s["phase"]}
    current = len(s["leaders"]) - 1
    answered = s["known"] == current
    if c.check == "none":
        answered = s["leaders"][s["known"]] == s["leaders"][-1]
    if not answered:
        return
    log: Log = s["logs"][s["leaders"][-1]]
    if s["phase"] == "fetching" and s["offset"] < exposed(s):
        record = log[s["offset"]]
        epoch = None if c.check == "none" else record[1]
        held = {**s["held"], s["offset"]: record}
        excused = [o for o in s["excused"] if o != s["offset"]]
        yield s | {"offset": s["offset"] + 1, "epoch": epoch, "held": held, "excused": excused}
    if s["phase"] == "fetching" and s["offset"] > len(log):
        yield s | {"phase": "resetting"}
    if s["phase"] == "resetting":
        yield back_to(s, 0, None)
    if s["phase"] == "validating":
        to = verdict(s, c.check, log, current)
        if to is None:
            yield s | {"phase": "fetching"}
        else:
            judge_reset(s, to, log, found, steps)
            yield told_truncated(s, *to, log)


def judge_reset(s: State, to: tuple[int, int | None], log: Log, found: Found, steps: int) -> None:
    """Note how far a reset misses, and which properties it breaks."""
    if to == (s["offset"], s["epoch"]):
        return
    lost = first_lost(s, log)
    found.resets["false" if lost is None else to[0] - lost] += 1
    if lost is None:
        found.violated.setdefault("no_false_alarm", steps + 2)
    elif to[0] != lost:
        found.violated.setdefault("precise_reset", steps + 2)
        if to[0] > lost:
            found.violated.setdefault("safe_reset", steps + 2)


def silently_lost(s: State) -> bool:
    """The client fetches from the current leader, whose log lacks a record it was given."""
    log = s["logs"][s["leaders"][-1]]
    settled = s["phase"] == "fetching" and s["known"] == len(s["leaders"]) - 1
    return settled and s["offset"] <= len(log) and first_lost(s, log) is not None


def search(c: Setting) -> Found:
    """Every reachable state, breadth first."""
    found = Found()
    seen: set[Any] = set()
    queue: deque[tuple[State, int]] = deque((start(leader), 0) for leader in (0, 1))
    while queue:
        s, steps = queue.popleft()
        key = frozen(s)
        if key in seen:
            continue
        seen.add(key)
        found.distinct, found.depth = len(seen), steps + 1
        if silently_lost(s):
            found.violated.setdefault("no_silent_loss", steps + 1)
        for after in [*brokers_move(s, c), *client_moves(s, c, found, steps)]:
            queue.append((after, steps + 1))
    return found
