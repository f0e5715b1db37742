"""A few different behaviours of a design, to show what it does when no property is violated."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from specmodel.errors import UsageError
from specmodel.explorer.branch import Branch
from specmodel.explorer.reading import DesignReading
from specmodel.results import SpecFailure

MOST_SAMPLES = 20
MOST_STEPS = 200


def samples(
    reading: DesignReading, branch: Branch, count: int, length: int, seed: int
) -> list[dict[str, Any]]:
    """Behaviours that continue from the end of a branch by at most `length` steps each.

    At each step, the actions taken least so far, in all of them, are the likeliest, so that the
    behaviours differ. The same seed gives the same behaviours. Raises UsageError for counts outside
    the limits.
    """
    if not (1 <= count <= MOST_SAMPLES and 1 <= length <= MOST_STEPS):
        raise UsageError(f"at most {MOST_SAMPLES} behaviours of at most {MOST_STEPS} steps")
    chance = Random(seed)
    taken = Counter[str]()
    return [_sample(reading, branch, length, chance, taken) for _ in range(count)]


def _sample(
    reading: DesignReading, branch: Branch, length: int, chance: Random, taken: Counter[str]
) -> dict[str, Any]:
    rival = reading.rival
    state = reading.tree.nodes(branch)[-1].state
    own = Counter[str]()
    choices: list[int] = []
    ended = f"cut at {length} steps"
    for _ in range(length):
        try:
            enabled = list(rival.successors(state))
        except SpecFailure as wrong:
            ended = f"the spec fails: {wrong.where}"
            break
        if not enabled:
            ended = "nothing can happen any more"
            break
        names = [rival.interpreter.rule_of(number, state).name for number, _ in enabled]
        weights = [1 / (1 + taken[name]) ** 2 / names.count(name) for name in names]
        name, (number, state) = chance.choices(list(zip(names, enabled, strict=True)), weights)[0]
        taken[name] += 1
        own[name] += 1
        choices.append(number)
    return {"branch": str(branch.then(*choices)), "ended": ended, "actions": dict(own)}
