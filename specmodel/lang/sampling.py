"""A few walks through a spec under CPython, so that first bounds are near those it needs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from specmodel.domains.containers import observed
from specmodel.domains.found import found_places
from specmodel.errors import BoundExceeded
from specmodel.lang.bounds import Load, narrow, settle, settled, widen
from specmodel.lang.python_rule import PythonRule
from specmodel.lang.spec import Spec

CALLS = 20_000
"""How many functions the walks call at most: some tenths of a second, the same in each run."""

DEPTH = 60
"""The greatest number of steps of a walk."""

_FAILED = object()


def sampled(spec: Spec) -> bool:
    """Whether a spec has bounds to begin with: those that were kept, or that walks stay within.

    If not, wider ones have been noted.
    """
    origin = next(place.origin for place, _ in found_places(spec.domain))
    assert isinstance(origin, Load)
    if origin not in settled:
        try:
            with observed() as held:
                _walk(spec)
        except BoundExceeded as wrong:
            widen(wrong, walking=True)
            return False
        narrower = narrow(origin, held)
        settle(origin)
        return not narrower
    return True


def _walk(spec: Spec) -> None:
    """Walks through a spec at random. Raises BoundExceeded where a value leaves its bounds.

    A walk ends where a function fails: the search will tell.
    """
    draw, calls = random.Random(0), iter(range(CALLS))
    steps = [(rule, arguments) for rule in spec.rules for arguments in rule.bindings()]
    starts: list[Any] = []
    for arguments in spec.start.bindings():
        if (made := _run(spec.start, arguments)) is not _FAILED:
            starts.append(_stored(spec, made))
    starts = [state for state in starts if state is not _FAILED]
    while starts and next(calls, None) is not None:
        state: Any = draw.choice(starts)
        for _ in range(DEPTH):
            if not all(_run(bound, (state,)) is True for bound in spec.bounds):
                break
            state = _after(spec, state, draw.sample(steps, len(steps)), calls)
            if state is _FAILED:
                break


def _after(
    spec: Spec,
    state: Any,
    steps: Sequence[tuple[PythonRule, tuple[Any, ...]]],
    calls: Iterator[int],
) -> Any:
    """The state after the first of some steps that is enabled, while calls are left."""
    for (rule, arguments), _ in zip(steps, calls, strict=False):
        after = spec.domain.copy(state)
        if _run(rule, (after, *arguments)) is not _FAILED:
            return after
    return _FAILED


def _stored(spec: Spec, made: Any) -> Any:
    try:
        return spec.domain.store(made, "init")
    except BoundExceeded:
        raise
    except Exception:
        return _FAILED


def _run(rule: PythonRule, arguments: tuple[Any, ...]) -> Any:
    """What a function gives; _FAILED for a step that is not enabled, and where it fails."""
    try:
        return rule.run(*arguments)
    except BoundExceeded:
        raise
    except Exception:
        return _FAILED
