"""The next step of a random walk, in machine Python: strategies choose moves, lane by lane.

Python owns the structure of a walker. Its lanes are columns: lane i of column w is at w * stride +
i. `specmodel.walks.random_choices` is the same in plain Python.
"""

from __future__ import annotations

from specmodel.machine.language import (
    Structure,
    ctpop,
    cttz,
    i64,
    lshr,
    machine,
    mulhi,
    ptr,
)
from specmodel.walks.random_choices import (
    GAMMA,
    LEAST_COUNTED,
    PRIORITIES,
    TABLE_BITS,
)

G = 1
"""Words of a state's mask of moves; the translation replaces this value."""


class WalkerWords(Structure):
    """A walker."""

    stride: i64
    live: i64
    next: i64
    end: i64
    limit: i64
    key: i64
    states: i64
    masks: i64
    found: i64
    moves: i64
    walks: i64
    steps: i64
    keys: i64
    points: i64
    lowered: i64
    changes: i64
    initial: i64
    initials: i64
    enabled: i64
    apply: i64
    judge: i64
    strategy: i64
    listed: i64
    scratch: i64
    first_action: i64
    actions: i64
    weights: i64
    counts: i64
    taken: i64
    ends: i64
    wanted: i64
    records: i64
    trail: i64
    stop: i64
    sample: i64
    spare: i64
    sampled: i64
    slice: i64
    ended: i64
    made: i64
    cut: i64
    longest: i64
    endings: i64
    listed_from: i64
    spread: i64
    marks: i64
    mark_words: i64


UNIFORM = 0
WEIGHTED = 1
GUIDED = 2
PRIORITY = 3

NO_MOVE = -1

FIRST_FACTOR = 0xBF58476D1CE4E5B9
SECOND_FACTOR = 0x94D049BB133111EB


@machine
def mix(x: i64) -> i64:
    """A bijection in which each bit depends on all: the finaliser of SplitMix64."""
    x = (x ^ lshr(x, 30)) * FIRST_FACTOR
    x = (x ^ lshr(x, 27)) * SECOND_FACTOR
    return x ^ lshr(x, 31)


@machine
def draw(key: i64, number: i64) -> i64:
    """The random number with a given number, for a key."""
    return mix(key + number * GAMMA)


# Choosing


@machine
def list_moves(c: WalkerWords, lane: i64) -> i64:
    """Lists the moves that are enabled in a lane's state; returns their number."""
    masks = ptr(c.masks)
    stride = c.stride
    listed = ptr(c.listed)
    count = 0
    for g in range(G):
        mask = masks[g * stride + lane]
        while mask != 0:
            listed[count] = 64 * g + cttz(mask)
            mask &= mask - 1
            count += 1
    return count


@machine
def choose_uniform(c: WalkerWords, lane: i64, chance: i64) -> i64:
    """A uniform choice among the moves."""
    masks = ptr(c.masks)
    stride = c.stride
    count = 0
    for g in range(G):
        count += ctpop(masks[g * stride + lane])
    if count == 0:
        return NO_MOVE
    rest = mulhi(chance, count)
    for g in range(G):
        mask = masks[g * stride + lane]
        here = ctpop(mask)
        if rest < here:
            for _ in range(rest):
                mask &= mask - 1
            return 64 * g + cttz(mask)
        rest -= here
    return NO_MOVE


@machine
def choose_weighted(c: WalkerWords, lane: i64, chance: i64, second: i64) -> i64:
    """An action by its weight, then a uniform choice among its moves. None if all have weight 0."""
    listed = ptr(c.listed)
    actions = ptr(c.actions)
    weights = ptr(c.weights)
    count = list_moves(c, lane)
    total = 0
    before = -1
    for i in range(count):
        action = actions[listed[i]]
        if action != before:
            total += weights[action]
        before = action
    if total == 0:
        return NO_MOVE
    rest = mulhi(chance, total)
    start = 0
    while True:
        action = actions[listed[start]]
        stop = start + 1
        while stop < count and actions[listed[stop]] == action:
            stop += 1
        if rest < weights[action]:
            return listed[start + mulhi(second, stop - start)]
        rest -= weights[action]
        start = stop


@machine
def place_of(situation: i64, number: i64) -> i64:
    """The place of a choice's count in a situation; situation 0 stands for all together."""
    return lshr(draw(situation, number), 64 - TABLE_BITS)


@machine
def guided_weight(c: WalkerWords, situation: i64, number: i64) -> i64:
    """The weight of a choice: higher if it was made less often, in all and in its situation."""
    weights = ptr(c.weights)
    return weights[place_of(situation, number)] * weights[place_of(0, number)]


@machine
def choose_guided(c: WalkerWords, lane: i64, chance: i64) -> i64:
    """A move by how often it was made, in all and where the same moves were enabled."""
    listed = ptr(c.listed)
    counts = ptr(c.counts)
    count = list_moves(c, lane)
    if count == 0:
        return NO_MOVE
    situation = 0
    for i in range(count):
        situation += mix(listed[i] + 1)
    total = 0
    for i in range(count):
        total += guided_weight(c, situation, listed[i])
    rest = mulhi(chance, total)
    i = 0
    while True:
        number = listed[i]
        weight = guided_weight(c, situation, number)
        if rest < weight:
            counts[place_of(situation, number)] += 1
            counts[place_of(0, number)] += 1
            return number
        rest -= weight
        i += 1


@machine
def choose_first(c: WalkerWords, lane: i64, key: i64, step: i64) -> i64:
    """The move of the highest priority; at a change point, this priority falls below all others."""
    listed = ptr(c.listed)
    stride = c.stride
    changes = c.changes
    points = ptr(c.points) + lane
    lowered = ptr(c.lowered) + lane
    count = list_moves(c, lane)
    best = NO_MOVE
    highest = 0
    for i in range(count):
        number = listed[i]
        priority = lshr(draw(key ^ PRIORITIES, number), 1)
        for k in range(changes):
            if lowered[k * stride] == number:
                priority = k - changes
        if best == NO_MOVE or priority > highest:
            best = number
            highest = priority
    if best != NO_MOVE:
        for k in range(changes):
            if points[k * stride] == step:
                for other in range(changes):
                    if lowered[other * stride] == best:
                        lowered[other * stride] = NO_MOVE
                lowered[k * stride] = best
    return best


@machine
def choose(c: WalkerWords, lane: i64) -> i64:
    """The move of a lane, or NO_MOVE if no move is enabled."""
    key = ptr(c.keys)[lane]
    step = ptr(c.steps)[lane] + 1
    chance = draw(key, 2 * step)
    strategy = c.strategy
    if strategy == UNIFORM:
        return choose_uniform(c, lane, chance)
    if strategy == WEIGHTED:
        return choose_weighted(c, lane, chance, draw(key, 2 * step + 1))
    if strategy == GUIDED:
        return choose_guided(c, lane, chance)
    return choose_first(c, lane, key, step)


@machine
def learn(total: ptr, counts: ptr, weights: ptr, by_count: ptr) -> None:
    """Adds counts of choices to those of earlier rounds, and computes the weights of choices."""
    for i in range(1 << TABLE_BITS):
        total[i] += counts[i]
        counts[i] = 0
        weights[i] = by_count[min(total[i], LEAST_COUNTED - 1)]
