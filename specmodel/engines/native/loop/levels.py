"""What a worker does of a level, in machine Python, and how workers go from level to level.

Each of these can be stopped, when something is for Python to do, and goes on when called again.
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
"""Words a state; the value used is given when this is translated."""

CHECKED_TOGETHER = 1 << 11
"""Fresh states that are checked together, before they have left the cache."""

# Where a worker is in a level.
EXPANDING = 0
RECEIVING = 1
SETTLING = 2
LOOKING = 3
MEETING = 4


@machine
def go_on(c: ShardWords) -> i64:
    """Does what is left of the input. Ends as `expand_chunk` or `insert_chunk` do."""
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
    """Takes in all that has come so far. Ends as `expand_chunk` does."""
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
    """Has a function count the points of code that n states reach."""
    stride = c.chunk
    call(count, states, stride, n, totals.counts, totals.scratch)


@machine
def count_steps(c: ShardWords) -> None:
    """Counts the code of steps in the states of the input, if told to."""
    if c.totals != 0:
        totals = TotalsWords(c.totals)
        if totals.of_steps != 0:
            totals.expanded_states += c.in_end
            count_points(c, totals, totals.of_steps, ptr(c.in_columns), c.in_end)


@machine
def crowded(c: ShardWords) -> bool:
    """Whether a shard had better not be sent more just now: it has much to take in."""
    for other in range(c.shards):
        inbox = StackWords(ptr(c.inboxes)[other])
        if inbox.size > c.crowd:
            return True
    return False


@machine
def expand_level(c: ShardWords) -> i64:
    """Expands shares of the level until there are no more, or something says stop; sends all off.

    Ends as `expand_chunk` does; with WAITING while others are crowded; or with MORE_IN_RUNS.
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
        if c.in_end <= LEAST:  # the end is near: others have time now for what they get
            status = send_above(c, LEAST)
            if status != fields.DONE:
                return status


@machine
def count_chunk(c: ShardWords, chunk: ptr) -> None:
    """Counts the code of properties in states of the level, and its values, if told to."""
    n = header_of(chunk).held
    if c.totals != 0:
        totals = TotalsWords(c.totals)
        totals.seen_states += n
        count_points(c, totals, totals.of_states, chunk, n)
    if c.profile != 0:
        count_profile(CensusWords(c.profile), chunk, c.chunk, n)


@machine
def look_at(c: ShardWords, chunk: ptr) -> None:
    """Checks and counts new states that were in runs."""
    check_states(c, chunk, 0, header_of(chunk).held)
    count_chunk(c, chunk)


@machine
def count_level(c: ShardWords) -> i64:
    """Counts the code of properties in the states of the frontier.

    Leaves word if anything was noted in them, or in steps to them. Ends with DONE.
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
    """Says how large the level is that all have settled, and whether to go on with it."""
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
    """Looks for a while whether a shared word is at least a value.

    Ends with DONE, WAITING if it is not, or ENDED if another has failed: then it may never be.
    """
    level = SharedWords(c.level)
    if wait_for(word, value, max(1, c.looks)) != 0:
        return fields.DONE
    return fields.ENDED if acquire(pointer(level.failed)) != 0 else fields.WAITING


@machine
def receive_level(c: ShardWords, ended: i64) -> i64:
    """Takes in what comes until all workers have expanded theirs, and the last of it.

    Ends as `expand_chunk` does, with WAITING, or with ENDED if another has failed.
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

    Ends with DONE or NO_CHUNK; or with UNSETTLED, if there may be others in runs, to which it is
    for Python to look before it goes on.
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
    """Searches level after level, side by side with all other workers, which call this as well.

    What is sent is taken in while waiting. The last to settle its states decides whether all go on.
    Ends with DONE, at the end of a level; as `expand_level` or `settle` do; with WAITING; or with
    ENDED if another has failed.
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
