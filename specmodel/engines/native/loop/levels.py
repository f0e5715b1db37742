"""The work of a worker on a level, in machine Python, and the way from level to level.

Each function can be stopped when Python has to do something, and continues when it is called again.
"""

from __future__ import annotations

from specmodel.engines.native.loop import fields
from specmodel.engines.native.loop.fields import ShardWords
from specmodel.engines.native.loop.frontier import (
    LEAST,
    frontier_of,
    share_done,
    take_level,
    take_share,
)
from specmodel.engines.native.loop.profile_steps import CensusWords, count_profile
from specmodel.engines.native.loop.sending import check_fresh, check_states, flush, send_above
from specmodel.engines.native.loop.shared import SharedWords
from specmodel.engines.native.loop.stacks import StackWords, header_of, pop, push
from specmodel.engines.native.loop.steps import expand_chunk, insert_chunk
from specmodel.engines.native.loop.waiting import wait_for
from specmodel.kernel.context import NoteWords
from specmodel.kernel.counter import TotalsWords
from specmodel.machine.language import (
    acquire,
    call,
    fetch_add,
    i64,
    machine,
    pause,
    pointer,
    ptr,
    release,
)

W = 1
"""Words of a state; the translation replaces this value."""

CHECKED_TOGETHER = 1 << 11
"""Fresh states that are checked together, while they are still in the cache."""

# The phases of a worker in a level.
EXPANDING = 0
RECEIVING = 1
SETTLING = 2
LOOKING = 3
MEETING = 4


@machine
def go_on(c: ShardWords) -> i64:
    """Expands or inserts the rest of the input. Returns as `expand_chunk` or `insert_chunk` do."""
    if c.input == fields.SHARE:
        status = expand_chunk(c)
        if status != fields.DONE:
            return status
        share_done(c)
    if c.input == fields.RECEIVED:
        status = insert_chunk(c)
        if status != fields.DONE:
            return status
        push(StackWords(c.pool), ptr(c.input_chunk))
    c.input = 0
    return fields.DONE


@machine
def drain(c: ShardWords) -> i64:
    """Inserts all states received so far. Returns as `expand_chunk` does."""
    inbox = StackWords(ptr(c.inboxes)[c.own])
    while True:
        status = go_on(c)
        if status != fields.DONE:
            return status
        came = pop(inbox)
        if came == 0:
            return fields.DONE
        c.input = fields.RECEIVED
        c.input_chunk = came
        c.in_columns = came
        c.in_at = 0
        c.in_end = header_of(ptr(came)).held


@machine
def count_points(c: ShardWords, totals: TotalsWords, count: i64, states: ptr, n: i64) -> None:
    """Calls a function that counts the coverage points that n states reach."""
    stride = c.chunk
    call(count, states, stride, n, totals.counts, totals.scratch)


@machine
def count_steps(c: ShardWords) -> None:
    """Counts the coverage points of steps in the states of the input, if asked to."""
    if c.totals != 0:
        totals = TotalsWords(c.totals)
        if totals.of_steps != 0:
            totals.expanded_states += c.in_end
            count_points(c, totals, totals.of_steps, ptr(c.in_columns), c.in_end)


@machine
def crowded(c: ShardWords) -> bool:
    """Whether a shard has much to insert, so that others should send it no more for now."""
    for other in range(c.shards):
        inbox = StackWords(ptr(c.inboxes)[other])
        if inbox.size > c.crowd:
            return True
    return False


@machine
def expand_level(c: ShardWords) -> i64:
    """Expands shares of the level until there are no more, or until it is stopped; sends all
    outboxes.

    Returns as `expand_chunk` does; WAITING while others are crowded; or MORE_IN_RUNS.
    """
    level = SharedWords(c.level)
    while True:
        status = drain(c)
        if status != fields.DONE:
            return status
        if acquire(pointer(level.stop)) != 0:
            return flush(c)
        if c.crowd != 0 and crowded(c):
            return fields.WAITING
        if c.fresh_count - c.checked >= CHECKED_TOGETHER:
            check_fresh(c)
        if take_share(c) == 0:
            return flush(c) if c.unread == 0 else fields.MORE_IN_RUNS
        count_steps(c)
        if c.in_end <= LEAST:  # near the end, other workers have time to insert what they receive
            status = send_above(c, LEAST)
            if status != fields.DONE:
                return status


@machine
def count_chunk(c: ShardWords, chunk: ptr) -> None:
    """Counts coverage points and values in states of the level, if asked to."""
    n = header_of(chunk).held
    if c.totals != 0:
        totals = TotalsWords(c.totals)
        totals.seen_states += n
        count_points(c, totals, totals.of_states, chunk, n)
    if c.profile != 0:
        count_profile(CensusWords(c.profile), chunk, c.chunk, n)


@machine
def look_at(c: ShardWords, chunk: ptr) -> None:
    """Checks and counts new states that were in sorted runs."""
    check_states(c, chunk, 0, header_of(chunk).held)
    count_chunk(c, chunk)


@machine
def count_level(c: ShardWords) -> i64:
    """Counts the coverage points of properties in the states of the frontier.

    Sets a flag if there is a finding in them, or in steps to them. Returns DONE.
    """
    at = frontier_of(c, c.own).top
    while at != 0 and c.totals | c.profile != 0:
        chunk = ptr(at)
        at = header_of(chunk).next
        count_chunk(c, chunk)
    context = ptr(c.context)
    noted = 0
    record = c.records
    while record < c.records_end:
        noted |= NoteWords(context + record).found
        record += NoteWords.words + W
    if noted != 0:
        release(pointer(SharedWords(c.level).noted), 1)
    return fields.DONE


@machine
def decide(level: SharedWords, turn: i64) -> None:
    """Publishes the size of the level that all have settled, and whether to continue with it."""
    count = level.left
    levels = level.levels
    level.sizes[levels] = count
    level.levels = levels + 1
    halted = count == 0 or count >= level.enough
    halted = halted or acquire(pointer(level.stop)) != 0 or level.noted != 0
    halted = halted or levels + 1 >= level.most_levels
    halted = halted or level.total >= level.most_states
    level.halted = halted
    release(pointer(level.decided), turn)


@machine
def wait(c: ShardWords, word: ptr, value: i64) -> i64:
    """Waits for a while until a shared word is at least a value.

    Returns DONE; WAITING if the word is still lower; or ENDED if another worker has failed.
    """
    level = SharedWords(c.level)
    if wait_for(word, value, max(1, c.looks)) != 0:
        return fields.DONE
    return fields.ENDED if acquire(pointer(level.failed)) != 0 else fields.WAITING


@machine
def receive_level(c: ShardWords, ended: i64) -> i64:
    """Inserts received states until all workers have expanded their shares, and then the rest.

    Returns as `expand_chunk` does, WAITING, or ENDED if another worker has failed.
    """
    level = SharedWords(c.level)
    looks = c.looks
    while True:
        last = acquire(pointer(level.expanded)) >= ended
        status = drain(c)
        if status != fields.DONE:
            return status
        if last:
            return fields.DONE
        if acquire(pointer(level.failed)) != 0:
            return fields.ENDED
        if looks == 0:
            return fields.WAITING
        looks += -1
        pause()


@machine
def settle(c: ShardWords) -> i64:
    """Makes the fresh states the level that is expanded next, in phase SETTLING, and counts them.

    Returns DONE or NO_CHUNK; or UNSETTLED if there may be further states in sorted runs, which
    Python must read first.
    """
    if c.phase == SETTLING:
        if take_level(c) != fields.DONE:
            return fields.NO_CHUNK
        c.phase = LOOKING
        if c.in_runs != 0:
            return fields.UNSETTLED
    return count_level(c)


@machine
def search(c: ShardWords) -> i64:
    """Searches level after level, together with all other workers, which call this as well.

    A worker inserts received states while it waits. The last worker that settles its states decides
    whether all continue. Returns DONE at the end of a level; as `expand_level` or `settle` do;
    WAITING; or ENDED if another worker has failed.
    """
    level = SharedWords(c.level)
    workers = c.shards
    while True:
        if c.phase == EXPANDING:
            status = expand_level(c)
            if status != fields.DONE:
                return status
            c.phase = RECEIVING
            c.turn += 1
            fetch_add(pointer(level.expanded), 1)
        turn = c.turn
        if c.phase == RECEIVING:
            status = receive_level(c, workers * turn)
            if status != fields.DONE:
                return status
            c.phase = SETTLING
        if c.phase == SETTLING or c.phase == LOOKING:
            status = settle(c)
            if status != fields.DONE:
                return status
            c.phase = MEETING
            if fetch_add(pointer(level.settled), 1) + 1 == workers * turn:
                decide(level, turn)
        status = wait(c, pointer(level.decided), turn)
        if status != fields.DONE:
            return status
        c.phase = EXPANDING
        if level.halted != 0:
            return fields.DONE
        c.tag += c.tag_step
        if c.level_at != 0:
            ptr(c.level_at)[0] += 1
