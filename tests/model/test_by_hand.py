"""What takes a model needs no Python spec: engines and the explorer work on one made of nodes."""

from __future__ import annotations

import pytest

from specmodel.analysis.checking import check, simulate
from specmodel.design import Design
from specmodel.explorer.reading import DesignReading
from specmodel.results import Result
from tests.model.by_hand import Counters

DESIGN = Design("counters", Counters(), {})


def checked(engine: str, **options: object) -> Result:
    """The result of an engine."""
    return check(DESIGN, engine=engine, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["native", "interpret", "smt"])
def test_engines_take_it(engine: str) -> None:
    """Each finds the violation at the same depth, with steps that the rules allow."""
    found = checked(engine)["behind"]
    assert found.verdict == "violated"
    assert found.trace_length == 6
    assert found.trace is not None
    assert str(found.trace.states[-1]) == "Counters(one=3, two=3)"


def test_engines_count_the_same() -> None:
    """States and steps of the whole space, and the trace, whichever engine."""
    native, interpreted = (checked(e, keep_going=True) for e in ("native", "interpret"))
    assert native.distinct == interpreted.distinct == 10
    assert native.generated == interpreted.generated
    assert native["behind"].trace == interpreted["behind"].trace


def test_walks() -> None:
    """Random walks find it, and shrink what they find."""
    found = simulate(DESIGN, walks=200, depth=20)["behind"]
    assert found.verdict == "violated"
    assert found.trace_length == 6


def test_explorer_shows_it() -> None:
    """The explorer opens it, with the frames of its initial state."""
    reading = DesignReading(DESIGN)
    assert reading.about()["design"] == "counters"
