"""The self-check of a search on Spark: tasks draw a sample, the driver compares it with CPython."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from specmodel.design import Design
from specmodel.engines.native.compiled_search import CompiledSearch
from specmodel.engines.native.findings import Findings
from specmodel.engines.native.sampling import Rows, in_turn, merge
from specmodel.engines.spark.bench import Bench, Words
from specmodel.engines.spark.log import StateLog
from specmodel.lang.spec import Rule
from specmodel.results import SelfCheck, SelfChecked
from specmodel.selfcheck.reference import Reference
from specmodel.selfcheck.run import LEAST, compare, wanted_states


class SparkChecker:
    """What tasks have drawn so far. `sample` is for how many states they draw; 0: for none."""

    def __init__(
        self, design: Design, asked: SelfChecked, rules: Sequence[Rule], bench: Bench
    ) -> None:
        self.design = design
        self.asked: SelfChecked = asked
        self.sample = asked if isinstance(asked, int) else LEAST
        self.rules = tuple(rules)
        self.bench = bench
        self.drawn: Rows = {}

    def take(self, drawn: Iterable[Rows]) -> None:
        """Takes in what the tasks of a level have drawn."""
        for rows in drawn:
            merge(self.drawn, rows)

    def compare(
        self,
        log: StateLog,
        depth: int,
        distinct: int,
        findings: Findings,
        seconds: float,
        stopped: Callable[[], object],
    ) -> SelfCheck | None:
        """Compares the sample of a search of so many levels, states and seconds.

        None if that is not wanted. Raises Disagreement.
        """
        if self.asked == 0:
            return None
        reference = Reference(self.design.spec, self.rules)
        compiled = CompiledSearch(self.bench.kernel, reference, "spark")
        wanted = wanted_states(self.asked, distinct)
        found = [*findings.way, *(hit.finding.words for hit in findings.hits.values())]
        others = self._all(log, depth) if wanted >= distinct else in_turn(self.drawn)
        budget = seconds if self.asked is None else math.inf
        states = (words for some in (found, others) for words in some)
        return compare(self.design, reference, [compiled], states, wanted, budget, stopped)

    def _all(self, log: StateLog, depth: int) -> Iterator[Words]:
        """All states, out of the log."""
        for level in range(depth):
            for shard in range(self.bench.shards):
                for chunk in log.read(level, shard, self.bench.pool):
                    yield from chunk.states()
                    self.bench.pool.give(chunk)
