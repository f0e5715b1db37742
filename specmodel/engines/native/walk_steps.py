"""Many random walks side by side, in machine Python: a lane for each walk that is under way.

In each round every lane makes one step; a lane whose walk has ended takes the next walk, or else
the place of the last lane. What a walk does depends on nothing but its number, so neither lanes nor
workers matter.
"""

from __future__ import annotations

from specmodel.engines.native import walk_choices as choices
from specmodel.engines.native.loop.probing import slot_of
from specmodel.engines.native.walk_choices import choose, draw, mix
from specmodel.machine.language import (
    address,
    call,
    cttz,
    i64,
    lshr,
    machine,
    mulhi,
    ptr,
    ult,
)
from specmodel.walks import tally
from specmodel.walks.chance import CHANGE_POINTS, GAMMA, STATE_SEED

W = 1
"""Words a state, of its mask of moves, and of its findings; given when this is translated."""
G = 1
F = 1

FAILED_STEP_BIT = 1
OUTSIDE_BIT = 4
DEADLOCK_BIT = 8

GOES_ON = 0

LANES = 8

ROWS = 1 << 15
ROW = 4


# The sample of states


@machine
def fingerprint(state: ptr, stride: i64) -> i64:
    """A hash of a state, never 0."""
    h = STATE_SEED
    for w in range(W):
        h = mix(h ^ state[w * stride])
    return 1 if h == 0 else h


@machine
def thin_sample(c: ptr) -> None:
    """Halves the slice of states that is sampled, until the sample has room."""
    while c[choices.SAMPLED] > tally.MOST_SAMPLED:
        old = ptr(c[choices.SAMPLE])
        new = ptr(c[choices.SPARE])
        # The slice is the states whose highest bits are 0: one bit more.
        c[choices.SLICE] = lshr(c[choices.SLICE], 1) | (1 << 63)
        kept = 0
        for i in range(ROWS * ROW):
            new[i] = 0
        for i in range(ROWS):
            row = old + i * ROW
            if row[0] != 0 and row[0] & c[choices.SLICE] == 0:
                to = slot_of(new, ROWS, ROW, row[0])
                for k in range(ROW):
                    to[k] = row[k]
                kept += 1
        c[choices.SAMPLE] = address(new)
        c[choices.SPARE] = address(old)
        c[choices.SAMPLED] = kept


@machine
def sample(c: ptr, mark: i64, walk: i64) -> None:
    """Notes that a walk has come to a state of the slice: of each, the three least walks."""
    if mark & c[choices.SLICE] != 0:
        return
    row = slot_of(ptr(c[choices.SAMPLE]), ROWS, ROW, mark)
    if row[0] == 0:
        row[0] = mark
        c[choices.SAMPLED] += 1
    noted = walk + 1
    for k in range(1, ROW):
        known = row[k]
        if known == noted:
            break
        if known == 0:
            row[k] = noted
            break
        if noted < known:
            row[k] = noted
            noted = known
    if c[choices.SAMPLED] > tally.MOST_SAMPLED:
        thin_sample(c)


# Walking


@machine
def record(c: ptr, found: ptr, stride: i64, walk: i64, step: i64) -> i64:
    """Notes findings for the least walk that makes each; gives how the walk ends with them."""
    wanted = ptr(c[choices.WANTED])
    ends = ptr(c[choices.ENDS])
    records = ptr(c[choices.RECORDS])
    outside = found[0] & ends[0] & OUTSIDE_BIT
    violating = 0
    for f in range(F):
        bits = found[f * stride]
        ending = bits & ends[f]
        if f == 0:
            ending ^= outside
        violating |= ending
        bits &= wanted[f]
        while bits != 0:
            noted = records + 2 * (64 * f + cttz(bits))
            if ult(walk, noted[0]):
                noted[0] = walk
                noted[1] = step
            bits &= bits - 1
    # What is found in a step out of the constraints counts for more than that it led there.
    if violating != 0:
        return tally.VIOLATING
    return tally.OUT_OF_CONSTRAINTS if outside != 0 else GOES_ON


@machine
def mark(c: ptr, lane: i64, number: i64) -> None:
    """Notes that a lane's walk has taken a binding, or an action."""
    marks = ptr(c[choices.MARKS]) + (lshr(number, 6) * c[choices.STRIDE] + lane)
    marks[0] |= 1 << (number & 63)


@machine
def finish(c: ptr, lane: i64, walk: i64, step: i64, how: i64) -> None:
    """Counts a lane's walk, which has ended after so many steps."""
    c[choices.ENDED] += 1
    c[choices.LONGEST] = max(c[choices.LONGEST], step)
    if how == tally.CUT_OFF:
        c[choices.CUT] += 1
    if c[choices.ENDINGS] != 0:
        endings = ptr(c[choices.ENDINGS])
        endings[walk - c[choices.LISTED_FROM]] = ((step + 1) << tally.ENDING_BITS) | how
    spread = ptr(c[choices.SPREAD])
    for w in range(c[choices.MARK_WORDS]):
        marks = ptr(c[choices.MARKS]) + (w * c[choices.STRIDE] + lane)
        bits = marks[0]
        marks[0] = 0
        while bits != 0:
            spread[64 * w + cttz(bits)] += 1
            bits &= bits - 1


@machine
def start(c: ptr, lane: i64) -> bool:
    """Begins the next walk that goes further than its initial state; False: there is none."""
    stride = c[choices.STRIDE]
    states = ptr(c[choices.STATES])
    while c[choices.NEXT] < c[choices.END]:
        walk = c[choices.NEXT]
        c[choices.NEXT] = walk + 1
        key = mix(c[choices.KEY] + walk * GAMMA)
        first = ptr(c[choices.INITIAL]) + mulhi(draw(key, 0), c[choices.INITIALS]) * (W + F)
        how = record(c, first + W, 1, walk, 0)
        if first[W] & OUTSIDE_BIT == 0:
            sample(c, fingerprint(first, 1), walk)
        if how == GOES_ON and c[choices.LIMIT] == 0:
            how = tally.CUT_OFF
        if how != GOES_ON:
            finish(c, lane, walk, 0, how)
            continue
        for w in range(W):
            states[w * stride + lane] = first[w]
        ptr(c[choices.WALKS])[lane] = walk
        ptr(c[choices.STEPS])[lane] = 0
        ptr(c[choices.KEYS])[lane] = key
        for k in range(c[choices.CHANGES]):
            point = 1 + mulhi(draw(key ^ CHANGE_POINTS, k), c[choices.LIMIT])
            ptr(c[choices.POINTS])[k * stride + lane] = point
            ptr(c[choices.LOWERED])[k * stride + lane] = choices.NO_MOVE
        return True
    return False


@machine
def move_lane(c: ptr, source: i64, to: i64) -> None:
    """Puts a lane in the place of another."""
    stride = c[choices.STRIDE]
    for w in range(W):
        ptr(c[choices.STATES])[w * stride + to] = ptr(c[choices.STATES])[w * stride + source]
    for f in range(F):
        ptr(c[choices.FOUND])[f * stride + to] = ptr(c[choices.FOUND])[f * stride + source]
    ptr(c[choices.MOVES])[to] = ptr(c[choices.MOVES])[source]
    ptr(c[choices.WALKS])[to] = ptr(c[choices.WALKS])[source]
    ptr(c[choices.STEPS])[to] = ptr(c[choices.STEPS])[source]
    ptr(c[choices.KEYS])[to] = ptr(c[choices.KEYS])[source]
    for k in range(c[choices.CHANGES]):
        ptr(c[choices.POINTS])[k * stride + to] = ptr(c[choices.POINTS])[k * stride + source]
        ptr(c[choices.LOWERED])[k * stride + to] = ptr(c[choices.LOWERED])[k * stride + source]
    for w in range(c[choices.MARK_WORDS]):
        marks = ptr(c[choices.MARKS]) + w * stride
        marks[to] = marks[source]
        marks[source] = 0


@machine
def allows_nothing(c: ptr, lane: i64) -> bool:
    """Whether no move can be made in a lane's state."""
    allowed = 0
    for g in range(G):
        allowed |= ptr(c[choices.MASKS])[g * c[choices.STRIDE] + lane]
    return allowed == 0


@machine
def choose_all(c: ptr) -> None:
    """Chooses the moves of all lanes, and makes them."""
    stride = c[choices.STRIDE]
    live = c[choices.LIVE]
    moves = ptr(c[choices.MOVES])
    found = ptr(c[choices.FOUND])
    states = ptr(c[choices.STATES])
    scratch = ptr(c[choices.SCRATCH])
    call(c[choices.ENABLED], states, stride, 0, live, ptr(c[choices.MASKS]), found, scratch)
    for lane in range(live):
        move = choices.NO_MOVE
        if found[lane] & FAILED_STEP_BIT == 0:
            move = choose(c, lane)
            if move == choices.NO_MOVE and allows_nothing(c, lane):
                found[lane] |= DEADLOCK_BIT
        moves[lane] = move
    for block in range(0, live, LANES):
        width = min(live - block, LANES)
        todo = (1 << width) - 1
        while todo != 0:
            move = moves[block + cttz(todo)]
            same = 0
            for i in range(width):
                same |= (moves[block + i] == move) << i
            todo &= ~same
            if move != choices.NO_MOVE:
                call(c[choices.APPLY], move, states, stride, block, same, found)
    call(c[choices.JUDGE], states, stride, 0, live, found, scratch)


@machine
def end_step(c: ptr, lane: i64) -> bool:
    """Takes note of what a lane's step has led to; gives whether its walk goes on."""
    stride = c[choices.STRIDE]
    walk = ptr(c[choices.WALKS])[lane]
    step = ptr(c[choices.STEPS])[lane]
    move = ptr(c[choices.MOVES])[lane]
    found = ptr(c[choices.FOUND]) + lane
    if move == choices.NO_MOVE:
        # What the state itself shows was noted when the walk came to it.
        for f in range(1, F):
            found[f * stride] = 0
        found[0] &= FAILED_STEP_BIT | DEADLOCK_BIT
        how = record(c, found, stride, walk, step)
        if how == GOES_ON:
            how = tally.NO_WEIGHT if found[0] & DEADLOCK_BIT == 0 else tally.NO_SUCCESSOR
        finish(c, lane, walk, step, how)
        return False
    step += 1
    ptr(c[choices.STEPS])[lane] = step
    c[choices.MADE] += 1
    ptr(c[choices.TAKEN])[move] += 1
    if c[choices.TRAIL] != 0:
        ptr(c[choices.TRAIL])[step - 1] = move
    if c[choices.MARK_WORDS] != 0:
        mark(c, lane, move)
        mark(c, lane, c[choices.FIRST_ACTION] + ptr(c[choices.ACTIONS])[move])
    how = record(c, found, stride, walk, step)
    if found[0] & OUTSIDE_BIT == 0:
        sample(c, fingerprint(ptr(c[choices.STATES]) + lane, stride), walk)
    if how == GOES_ON and step == c[choices.LIMIT]:
        how = tally.CUT_OFF
    if how != GOES_ON:
        finish(c, lane, walk, step, how)
        return False
    return True


@machine
def walk_all(c: ptr) -> i64:
    """Walks from NEXT to END, until all have ended or the word at STOP is not 0. Gives LIVE."""
    live = 0
    while live < c[choices.STRIDE] and start(c, live):
        live += 1
    c[choices.LIVE] = live
    while live > 0 and ptr(c[choices.STOP])[0] == 0:
        choose_all(c)
        lane = 0
        while lane < live:
            if end_step(c, lane) or start(c, lane):
                lane += 1
            else:
                live -= 1
                if lane < live:
                    move_lane(c, live, lane)
        c[choices.LIVE] = live
    return live
