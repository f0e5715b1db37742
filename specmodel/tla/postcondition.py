"""The POSTCONDITION of a configuration: about a whole search, whose figures TLCGet has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from specmodel.dataclass import dataclass
from specmodel.errors import SpecError
from specmodel.results import PropertyResult, Result, Verdict
from specmodel.tla.building import Builder
from specmodel.tla.calling import NotFollowed
from specmodel.tla.claims import NOT_FOLLOWED
from specmodel.tla.configuration import Named
from specmodel.tla.natives import holds
from specmodel.tla.scopes import Run
from specmodel.tla.tlc_get import figures_of_search, tlc_get
from specmodel.tla.values import EvaluationError, Value, function_of


@dataclass(frozen=True)
class Postcondition:
    """A constant predicate that may use TLCGet. `figures` are those of the last search.

    `refused`: why it is not followed.
    """

    name: Named
    run: Run | None
    figures: dict[Value, Value]
    refused: SpecError | None = None

    @classmethod
    def of(cls, name: Named, builder: Builder, run: Callable[[Named, int], Run]) -> Postcondition:
        """That of a name. `run` makes functions of names by the builder.

        Raises SpecError for what TLC refuses too.
        """
        figures: dict[Value, Value] = {}
        elsewhere = builder.overrides
        builder.overrides = {**elsewhere, tlc_get(): figures_of_search(figures)}
        try:
            return cls(name, run(name, 0), figures)
        except NotFollowed as wrong:
            return cls(name, None, figures, wrong)
        finally:
            builder.overrides = elsewhere

    def judged(self, result: Result) -> Result:
        """A result with its verdict: not decided unless the search was whole, without violation.

        Raises SpecError if it has no value.
        """
        assert result.distinct is not None and result.generated is not None
        stats: dict[Value, Value] = {
            "distinct": result.distinct,
            "generated": result.generated,
            "diameter": result.depth,
            "queue": 0,
            "duration": int(result.seconds),
        }
        self.figures.update({**stats, "level": 0, "stats": function_of(stats)})
        verdict: Verdict = "incomplete"
        if result.verdict == "holds" and self.run is not None:
            verdict = "holds" if self._is_true(self.run) else "violated"
        found = PropertyResult(self.name.name, "postcondition", verdict)
        stopped = result.stopped or (NOT_FOLLOWED if self.refused is not None else "")
        return replace(result, properties=(*result.properties, found), stopped=stopped)

    def _is_true(self, run: Run) -> bool:
        try:
            return holds(run((), None, None), "POSTCONDITION")
        except EvaluationError as wrong:
            place = wrong.span or self.name.span
            raise SpecError(f"{self.name.name}: {wrong.message}", place, wrong.hint) from None
