"""Many random walks side by side, in machine Python: a lane for each unfinished walk.

In each round every lane makes one step. A lane whose walk has ended takes the next walk, or else
the last lane moves to its place. A walk depends only on its number, so lanes and workers do not
affect it.
"""

from __future__ import annotations

from specmodel.engines.native import walk_choices as choices
from specmodel.engines.native.loop.probing import slot_of
from specmodel.engines.native.walk_choices import WalkerWords, choose, draw, mix
from specmodel.machine.language import (
    Structure,
    Words,
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
from specmodel.machine.words import LANES
from specmodel.walks import totals
from specmodel.walks.random_choices import CHANGE_POINTS, GAMMA, STATE_SEED

W = 1
"""Words of a state, of its mask of moves, and of its findings; the translation replaces them."""
G = 1
F = 1

FAILED_STEP_BIT = 1
OUTSIDE_BIT = 4
DEADLOCK_BIT = 8

GOES_ON = 0

ROWS = 1 << 15


class SampledState(Structure):
    """A row of the sample of states."""

    mark: i64
    """The state's hash; 0 if the row is empty."""
    walks: Words = Words(3)
    """The numbers, plus 1, of the least walks that visited the state; 0 for none."""


class NotedWalk(Structure):
    """The record of a finding: the least walk that made it, and the step."""

    walk: i64
    step: i64


# The sample of states


@machine
def fingerprint(state: ptr, stride: i64) -> i64:
    """A hash of a state, never 0."""
    h = STATE_SEED
    for w in range(W):
        h = mix(h ^ state[w * stride])
    return 1 if h == 0 else h


@machine
def thin_sample(c: WalkerWords) -> None:
    """Halves the slice of states that is sampled, until the sample has room."""
    while c.sampled > totals.MOST_SAMPLED:
        old = ptr(c.sample)
        new = ptr(c.spare)
        # The slice is the states whose highest bits are 0: halving adds one bit.
        c.slice = lshr(c.slice, 1) | (1 << 63)
        kept = 0
        for i in range(ROWS * SampledState.words):
            new[i] = 0
        for i in range(ROWS):
            row = old + i * SampledState.words
            mark = SampledState(row).mark
            if mark != 0 and mark & c.slice == 0:
                to = slot_of(new, ROWS, SampledState.words, mark)
                for k in range(SampledState.words):
                    to[k] = row[k]
                kept += 1
        c.sample = address(new)
        c.spare = address(old)
        c.sampled = kept


@machine
def sample(c: WalkerWords, mark: i64, walk: i64) -> None:
    """Notes that a walk has visited a state of the slice.

    Each state keeps its three least walks.
    """
    if mark & c.slice != 0:
        return
    row = SampledState(slot_of(ptr(c.sample), ROWS, SampledState.words, mark))
    if row.mark == 0:
        row.mark = mark
        c.sampled += 1
    noted = walk + 1
    for k in range(SampledState.words - 1):
        known = row.walks[k]
        if known == noted:
            break
        if known == 0:
            row.walks[k] = noted
            break
        if noted < known:
            row.walks[k] = noted
            noted = known
    if c.sampled > totals.MOST_SAMPLED:
        thin_sample(c)


# Walking


@machine
def record(c: WalkerWords, found: ptr, stride: i64, walk: i64, step: i64) -> i64:
    """Notes findings for the least walk that makes each; returns how the walk ends with them."""
    wanted = ptr(c.wanted)
    ends = ptr(c.ends)
    records = ptr(c.records)
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
            noted = NotedWalk(records + NotedWalk.words * (64 * f + cttz(bits)))
            if ult(walk, noted.walk):
                noted.walk = walk
                noted.step = step
            bits &= bits - 1
    # Findings in a step that leaves the constraints have precedence over leaving them.
    if violating != 0:
        return totals.VIOLATING
    return totals.OUT_OF_CONSTRAINTS if outside != 0 else GOES_ON


@machine
def mark(c: WalkerWords, lane: i64, number: i64) -> None:
    """Notes that a lane's walk has taken a binding, or an action."""
    marks = ptr(c.marks) + (lshr(number, 6) * c.stride + lane)
    marks[0] |= 1 << (number & 63)


@machine
def finish(c: WalkerWords, lane: i64, walk: i64, step: i64, how: i64) -> None:
    """Counts a lane's walk, which ended at this step."""
    c.ended += 1
    c.longest = max(c.longest, step)
    if how == totals.CUT_OFF:
        c.cut += 1
    if c.endings != 0:
        endings = ptr(c.endings)
        endings[walk - c.listed_from] = ((step + 1) << totals.ENDING_BITS) | how
    spread = ptr(c.spread)
    for w in range(c.mark_words):
        marks = ptr(c.marks) + (w * c.stride + lane)
        bits = marks[0]
        marks[0] = 0
        while bits != 0:
            spread[64 * w + cttz(bits)] += 1
            bits &= bits - 1


@machine
def start(c: WalkerWords, lane: i64) -> bool:
    """Begins the next walk that goes further than its initial state; False if there is none."""
    stride = c.stride
    states = ptr(c.states)
    while c.next < c.end:
        walk = c.next
        c.next = walk + 1
        key = mix(c.key + walk * GAMMA)
        first = ptr(c.initial) + mulhi(draw(key, 0), c.initials) * (W + F)
        how = record(c, first + W, 1, walk, 0)
        if first[W] & OUTSIDE_BIT == 0:
            sample(c, fingerprint(first, 1), walk)
        if how == GOES_ON and c.limit == 0:
            how = totals.CUT_OFF
        if how != GOES_ON:
            finish(c, lane, walk, 0, how)
            continue
        for w in range(W):
            states[w * stride + lane] = first[w]
        ptr(c.walks)[lane] = walk
        ptr(c.steps)[lane] = 0
        ptr(c.keys)[lane] = key
        for k in range(c.changes):
            point = 1 + mulhi(draw(key ^ CHANGE_POINTS, k), c.limit)
            ptr(c.points)[k * stride + lane] = point
            ptr(c.lowered)[k * stride + lane] = choices.NO_MOVE
        return True
    return False


@machine
def move_lane(c: WalkerWords, source: i64, to: i64) -> None:
    """Moves a lane to the place of another."""
    stride = c.stride
    for w in range(W):
        ptr(c.states)[w * stride + to] = ptr(c.states)[w * stride + source]
    for f in range(F):
        ptr(c.found)[f * stride + to] = ptr(c.found)[f * stride + source]
    ptr(c.moves)[to] = ptr(c.moves)[source]
    ptr(c.walks)[to] = ptr(c.walks)[source]
    ptr(c.steps)[to] = ptr(c.steps)[source]
    ptr(c.keys)[to] = ptr(c.keys)[source]
    for k in range(c.changes):
        ptr(c.points)[k * stride + to] = ptr(c.points)[k * stride + source]
        ptr(c.lowered)[k * stride + to] = ptr(c.lowered)[k * stride + source]
    for w in range(c.mark_words):
        marks = ptr(c.marks) + w * stride
        marks[to] = marks[source]
        marks[source] = 0


@machine
def allows_nothing(c: WalkerWords, lane: i64) -> bool:
    """Whether no move is enabled in a lane's state."""
    allowed = 0
    for g in range(G):
        allowed |= ptr(c.masks)[g * c.stride + lane]
    return allowed == 0


@machine
def choose_all(c: WalkerWords) -> None:
    """Chooses and makes the moves of all lanes."""
    stride = c.stride
    live = c.live
    moves = ptr(c.moves)
    found = ptr(c.found)
    states = ptr(c.states)
    scratch = ptr(c.scratch)
    call(c.enabled, states, stride, 0, live, ptr(c.masks), found, scratch)
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
                call(c.apply, move, states, stride, block, same, found)
    call(c.judge, states, stride, 0, live, found, scratch)


@machine
def end_step(c: WalkerWords, lane: i64) -> bool:
    """Notes the result of a lane's step; returns whether its walk continues."""
    stride = c.stride
    walk = ptr(c.walks)[lane]
    step = ptr(c.steps)[lane]
    move = ptr(c.moves)[lane]
    found = ptr(c.found) + lane
    if move == choices.NO_MOVE:
        # The findings in the state itself were noted when the walk reached it.
        for f in range(1, F):
            found[f * stride] = 0
        found[0] &= FAILED_STEP_BIT | DEADLOCK_BIT
        how = record(c, found, stride, walk, step)
        if how == GOES_ON:
            how = totals.NO_WEIGHT if found[0] & DEADLOCK_BIT == 0 else totals.NO_SUCCESSOR
        finish(c, lane, walk, step, how)
        return False
    step += 1
    ptr(c.steps)[lane] = step
    c.made += 1
    ptr(c.taken)[move] += 1
    if c.trail != 0:
        ptr(c.trail)[step - 1] = move
    if c.mark_words != 0:
        mark(c, lane, move)
        mark(c, lane, c.first_action + ptr(c.actions)[move])
    how = record(c, found, stride, walk, step)
    if found[0] & OUTSIDE_BIT == 0:
        sample(c, fingerprint(ptr(c.states) + lane, stride), walk)
    if how == GOES_ON and step == c.limit:
        how = totals.CUT_OFF
    if how != GOES_ON:
        finish(c, lane, walk, step, how)
        return False
    return True


@machine
def walk_all(c: WalkerWords) -> i64:
    """Makes the walks from `next` to `end`, until all have ended or the word at `stop` is not 0.

    Returns `live`.
    """
    live = 0
    while live < c.stride and start(c, live):
        live += 1
    c.live = live
    while live > 0 and ptr(c.stop)[0] == 0:
        choose_all(c)
        lane = 0
        while lane < live:
            if end_step(c, lane) or start(c, lane):
                lane += 1
            else:
                live -= 1
                if lane < live:
                    move_lane(c, live, lane)
        c.live = live
    return live
