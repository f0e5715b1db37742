"""What a worker does of a level, in machine Python, and how workers go from level to level.

Each of these can be stopped, when something is for Python to do, and goes on when called again.
"""

from __future__ import annotations

from specmodel.engines.native.fields import (
    CHECKED,
    CHUNK,
    CONTEXT,
    DONE,
    ENDED,
    FRESH_COUNT,
    IN,
    IN_AT,
    IN_END,
    INBOXES,
    INPUT,
    INPUT_CHUNK,
    LEVEL,
    LEVEL_AT,
    LOOKS,
    OWN,
    PHASE,
    POOL,
    RECEIVED,
    RECORDS,
    RECORDS_END,
    SHARDS,
    SHARE,
    SURVEY,
    TAG,
    TAG_STEP,
    TURN,
    WAITING,
)
from specmodel.engines.native.frontier import LEAST, frontier_of, share_done, take_level, take_share
from specmodel.engines.native.machine.language import (
    acquire,
    call,
    fetch_add,
    i64,
    machine,
    pause,
    ptr,
    release,
)
from specmodel.engines.native.sending import check_fresh, flush, send_above
from specmodel.engines.native.shared import (
    DECIDED,
    ENOUGH,
    EXPANDED,
    FAILED,
    HALTED,
    LEFT,
    LEVELS,
    MOST_LEVELS,
    MOST_STATES,
    NOTED,
    SETTLED,
    SIZES,
    STOP,
    TOTAL,
)
from specmodel.engines.native.stacks import HELD, NEXT, TOP, pop, push
from specmodel.engines.native.steps import expand_chunk, insert_chunk
from specmodel.kernel.context import FOUND, WORDS
from specmodel.kernel.counter import (
    COUNTS,
    EXPANDED_STATES,
    OF_STATES,
    OF_STEPS,
    SCRATCH,
    SEEN_STATES,
)

W = 1
"""Words a state; the value used is given when this is translated."""

BATCH = 1 << 11
"""Fresh states that are checked together, before they have left the cache."""

# Where a worker is in a level.
EXPANDING = 0
RECEIVING = 1
SETTLING = 2
MEETING = 3


@machine
def go_on(c: ptr) -> i64:
    """Does what is left of the input. Ends as `expand_chunk` or `insert_chunk` do."""
    if c[INPUT] == SHARE:
        status = expand_chunk(c)
        if status != DONE:
            return status
        share_done(c)
    if c[INPUT] == RECEIVED:
        status = insert_chunk(c)
        if status != DONE:
            return status
        push(ptr(c[POOL]), ptr(c[INPUT_CHUNK]))
    c[INPUT] = 0
    return DONE


@machine
def drain(c: ptr) -> i64:
    """Takes in all that has come so far. Ends as `expand_chunk` does."""
    inbox = ptr(ptr(c[INBOXES])[c[OWN]])
    while True:
        status = go_on(c)
        if status != DONE:
            return status
        came = pop(inbox)
        if came == 0:
            return DONE
        chunk = ptr(came)
        c[INPUT] = RECEIVED
        c[INPUT_CHUNK] = came
        c[IN] = came
        c[IN_AT] = 0
        c[IN_END] = chunk[HELD]


@machine
def survey_steps(c: ptr) -> None:
    """Counts the code of steps in the states of the input, if told to."""
    if c[SURVEY] != 0:
        survey = ptr(c[SURVEY])
        if survey[OF_STEPS] != 0:
            survey[EXPANDED_STATES] += c[IN_END]
            count = survey[OF_STEPS]
            call(count, ptr(c[IN]), c[CHUNK], c[IN_END], survey[COUNTS], survey[SCRATCH])


@machine
def expand_level(c: ptr) -> i64:
    """Expands shares of the level until there are no more, or something says stop; sends all off.

    Ends as `expand_chunk` does.
    """
    level = ptr(c[LEVEL])
    while True:
        status = drain(c)
        if status != DONE:
            return status
        if acquire(level + STOP) != 0:
            return flush(c)
        if c[FRESH_COUNT] - c[CHECKED] >= BATCH:
            check_fresh(c)
        if take_share(c) == 0:
            return flush(c)
        survey_steps(c)
        if c[IN_END] <= LEAST:  # the end is near: others have time now for what they get
            status = send_above(c, LEAST)
            if status != DONE:
                return status


@machine
def survey_level(c: ptr) -> i64:
    """Counts the code of properties in the states of the frontier, if told to.

    Leaves word if anything was noted in them, or in steps to them. Ends with DONE.
    """
    at = frontier_of(c, c[OWN])[TOP]
    while at != 0 and c[SURVEY] != 0:
        chunk = ptr(at)
        at = chunk[NEXT]
        survey = ptr(c[SURVEY])
        survey[SEEN_STATES] += chunk[HELD]
        count = survey[OF_STATES]
        call(count, chunk, c[CHUNK], chunk[HELD], survey[COUNTS], survey[SCRATCH])
    context = ptr(c[CONTEXT])
    noted = 0
    record = c[RECORDS]
    while record < c[RECORDS_END]:
        noted |= context[record + FOUND]
        record += WORDS + W
    if noted != 0:
        release(ptr(c[LEVEL]) + NOTED, 1)
    return DONE


@machine
def decide(level: ptr, turn: i64) -> None:
    """Says how large the level is that all have settled, and whether to go on with it."""
    count = level[LEFT]
    levels = level[LEVELS]
    level[SIZES + levels] = count
    level[LEVELS] = levels + 1
    halted = count == 0 or count >= level[ENOUGH]
    halted = halted or acquire(level + STOP) != 0 or level[NOTED] != 0
    halted = halted or levels + 1 >= level[MOST_LEVELS] or level[TOTAL] >= level[MOST_STATES]
    level[HALTED] = halted
    release(level + DECIDED, turn)


@machine
def wait(c: ptr, word: i64, value: i64) -> i64:
    """Looks for a while whether a shared word is at least a value.

    Ends with DONE, WAITING if it is not, or ENDED if another has failed: then it may never be.
    """
    level = ptr(c[LEVEL])
    for _ in range(c[LOOKS]):
        if acquire(level + word) >= value:
            return DONE
        if acquire(level + FAILED) != 0:
            return ENDED
        pause()
    return DONE if acquire(level + word) >= value else WAITING


@machine
def receive_level(c: ptr, ended: i64) -> i64:
    """Takes in what comes until all workers have expanded theirs, and the last of it.

    Ends as `expand_chunk` does, with WAITING, or with ENDED if another has failed.
    """
    level = ptr(c[LEVEL])
    looks = c[LOOKS]
    while True:
        last = acquire(level + EXPANDED) >= ended
        status = drain(c)
        if status != DONE:
            return status
        if last:
            return DONE
        if acquire(level + FAILED) != 0:
            return ENDED
        if looks == 0:
            return WAITING
        looks += -1
        pause()


@machine
def search(c: ptr) -> i64:
    """Searches level after level, side by side with all other workers, which call this as well.

    What is sent is taken in while waiting. The last to settle its states decides whether all go on.
    Ends with DONE, at the end of a level; as `expand_chunk` does; with WAITING; or with ENDED if
    another has failed.
    """
    level = ptr(c[LEVEL])
    workers = c[SHARDS]
    while True:
        if c[PHASE] == EXPANDING:
            status = expand_level(c)
            if status != DONE:
                return status
            c[PHASE] = RECEIVING
            c[TURN] += 1
            fetch_add(level + EXPANDED, 1)
        turn = c[TURN]
        if c[PHASE] == RECEIVING:
            status = receive_level(c, workers * turn)
            if status != DONE:
                return status
            c[PHASE] = SETTLING
        if c[PHASE] == SETTLING:
            status = take_level(c)
            if status != DONE:
                return status
            survey_level(c)
            c[PHASE] = MEETING
            if fetch_add(level + SETTLED, 1) + 1 == workers * turn:
                decide(level, turn)
        status = wait(c, DECIDED, turn)
        if status != DONE:
            return status
        c[PHASE] = EXPANDING
        if level[HALTED] != 0:
            return DONE
        c[TAG] += c[TAG_STEP]
        if c[LEVEL_AT] != 0:
            ptr(c[LEVEL_AT])[0] += 1
