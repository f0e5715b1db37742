"""The plan of random walks: strategy, seed, depth, number, time, workers."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path

from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.errors import UsageError, suggestion
from specmodel.results import SelfChecked, WalkProgress

DEFAULT_WALKS = 100_000
MOST_DEPTH = 100_000
"""The greatest number of states of a walk: its trace is kept whole, and read from a file again."""

DEFAULT_DEPTH = 100
DEFAULT_ORDER = 3

MOST_ORDER = 16
MOST_WEIGHT = 1 << 20

FIRST_ROUND = 64
MOST_ROUND = 1 << 16
STEPS_A_ROUND = 1 << 22


class Strategy(enum.StrEnum):
    """The strategy by which a walk chooses among the enabled bindings."""

    uniform = "uniform"
    weighted = "weighted"
    coverage = "coverage"
    pct = "pct"


@dataclass(frozen=True)
class WalkPlan:
    """What to simulate and when to stop. None means the design's own choice, or no limit.

    `walks` are numbered from 0; `depth` is the greatest number of states of a walk, the initial one
    included; `weights` are of actions, and override those of the design; `order` is PCT's parameter
    d; `timeout` is in seconds. `master` is the cluster's, on Spark. `save_walks` is the folder for
    tables of the walks; `remark` is told if they cannot be saved. `self_check` is the number of
    states compared with CPython, as in `Options`.
    """

    walks: int | None = None
    depth: int = DEFAULT_DEPTH
    seed: int = 0
    strategy: Strategy = Strategy.uniform
    weights: Mapping[str, int] = field(default_factory=dict[str, int])
    order: int = DEFAULT_ORDER
    timeout: float | None = None
    properties: tuple[str, ...] | None = None
    deadlock: bool | None = None
    workers: int = 1
    master: str | None = None
    save_walks: Path | None = None
    self_check: SelfChecked = None
    remark: Callable[[str], None] | None = field(default=None, compare=False)
    progress: Callable[[WalkProgress], None] | None = field(default=None, compare=False)

    @property
    def most_walks(self) -> int | None:
        """The number of walks: by default a fixed number, if there is no time limit."""
        if self.walks is None and self.timeout is None:
            return DEFAULT_WALKS
        return self.walks

    @property
    def lists_walks(self) -> bool:
        """Whether each walk is listed by itself, not only in the sums over all."""
        return self.save_walks is not None

    @property
    def changes(self) -> int:
        """The number of PCT's priority change points; 0 for other strategies."""
        return self.order - 1 if self.strategy is Strategy.pct else 0

    def weights_of(self, design: Design) -> list[int]:
        """The weight of each action, in the order of the spec."""
        weights = {**design.weights, **self.weights}
        return [weights.get(rule.name, 1) for rule in design.spec.rules]

    def rounds(self, scale: int = 1) -> Iterator[tuple[int, int]]:
        """The walks as ranges of numbers. A round uses what earlier rounds have learnt.

        The sizes double, up to a bound on the steps of one round: so a coverage-guided walk learns
        early, and a violation is reported soon. They depend only on the plan and the engine, for
        which they may be larger by a factor `scale`, except if walks learn from each other.
        """
        scale = 1 if self.strategy is Strategy.coverage else scale
        first, size = 0, FIRST_ROUND * scale
        most = max(FIRST_ROUND, min(MOST_ROUND, STEPS_A_ROUND // self.depth)) * scale
        while self.most_walks is None or first < self.most_walks:
            end = first + size
            if self.most_walks is not None:
                end = min(end, self.most_walks)
            yield first, end
            first, size = end, min(2 * size, most)


def refuse_wrong(plan: WalkPlan, design: Design) -> None:
    """Raises UsageError for a plan that is impossible for a design."""
    for name in ("walks", "depth", "timeout", "workers"):
        value = getattr(plan, name)
        if value is not None and value <= 0:
            raise UsageError(f"{name} is above 0, not {value}")
    if plan.depth > MOST_DEPTH:
        raise UsageError(f"the depth of a walk is at most {MOST_DEPTH:,}, not {plan.depth}")
    if not 0 <= plan.seed < 1 << 64:
        raise UsageError(f"the seed is a number from 0 to 2^64 - 1, not {plan.seed}")
    if not 1 <= plan.order <= MOST_ORDER:
        raise UsageError(f"the order of PCT is 1 to {MOST_ORDER}, not {plan.order}")
    design.stated(plan.properties)
    names = [rule.name for rule in design.spec.rules]
    for name in plan.weights:
        if name not in names:
            raise UsageError(f'{design.name} has no action "{name}"{suggestion(name, names)}')
    for name, weight in {**design.weights, **plan.weights}.items():
        if not 0 <= weight <= MOST_WEIGHT:
            raise UsageError(f"the weight of {name} is 0 to {MOST_WEIGHT}, not {weight}")
    if plan.strategy is Strategy.weighted and not any(plan.weights_of(design)):
        raise UsageError("every action has weight 0: no walk could make a step")
    if plan.weights and plan.strategy is not Strategy.weighted:
        raise UsageError(f"weights are for the strategy weighted, not {plan.strategy}")
    if plan.order != DEFAULT_ORDER and plan.strategy is not Strategy.pct:
        raise UsageError(f"an order is for the strategy pct, not {plan.strategy}")
