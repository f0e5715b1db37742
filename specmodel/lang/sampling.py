"""A few walks through a spec under CPython, so that first bounds are near those it needs."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from specmodel.domains import (
    Domain,
    IntDomain,
    OptionDomain,
    SeqDomain,
    SetDomain,
    SlottedDomain,
    SparseMapDomain,
    UnionDomain,
)
from specmodel.domains.containers import observed
from specmodel.domains.domain import ProductDomain
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


def growing(spec: Spec) -> list[str]:
    """The places without declared bounds that are still growing where walks end: their values in
    the second half of the walks are greater than in the first."""
    halves = dict[str, int](), dict[str, int]()

    def look(step: int, state: Any) -> None:
        held = halves[step >= DEPTH // 2]
        for name, extent in _extents(spec.domain, state):
            held[name] = max(held.get(name, 0), extent)

    exceeded = set[str]()
    try:
        _walk(spec, look)
    except BoundExceeded as wrong:
        exceeded.add(wrong.place.name)
    first, second = halves
    return sorted(exceeded | {name for name in second if second[name] > first.get(name, 0)})


def _extents(domain: Domain, value: Any) -> Iterator[tuple[str, int]]:
    """The places in a value whose bounds are found: the sizes of ints, and numbers of elements."""
    if isinstance(domain, IntDomain):
        if domain.found is not None:
            yield domain.found.name, abs(value)
        return
    if value is None:
        return
    if isinstance(domain, SeqDomain | SlottedDomain) and domain.found is not None:
        yield domain.found.name, len(value)
    parts: Iterable[tuple[Domain, Any]] = ()
    if isinstance(domain, ProductDomain):
        parts = zip(domain.places, domain.split(value), strict=True)
    elif isinstance(domain, OptionDomain):
        parts = [(domain.inner, value)]
    elif isinstance(domain, UnionDomain):
        parts = [(domain.alternatives[domain.tag(value)], value)]
    elif isinstance(domain, SparseMapDomain):
        parts = chain(*(((domain.key, k), (domain.value, v)) for k, v in value.items()))
    elif isinstance(domain, SeqDomain | SetDomain | SlottedDomain):
        parts = ((domain.parts[0], held) for held in value)
    for part, held in parts:
        yield from _extents(part, held)


def _walk(spec: Spec, look: Callable[[int, Any], None] = lambda step, state: None) -> None:
    """Walks through a spec at random. Raises BoundExceeded where a value leaves its bounds.

    A walk ends where a function fails: the search will tell. `look` sees each state, with the
    number of steps before it.
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
        for step in range(DEPTH):
            look(step, state)
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
    """A function's result; _FAILED for a step that is not enabled, and for one that fails."""
    try:
        return rule.run(*arguments)
    except BoundExceeded:
        raise
    except Exception:
        return _FAILED
