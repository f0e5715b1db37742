"""Bounds that no annotation gives: of an int without a Range, of a collection without a Capacity.

They are found. A spec is loaded with the bounds known so far; if a value leaves them, `widen` notes
what it needs, and the spec is loaded again. What was found is kept in a file of the cache, where
the next run begins.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.domains import MOST_PLACES
from specmodel.domains.found import Bound
from specmodel.errors import BoundExceeded, FoundPlace, SpecError
from specmodel.files import cache_folder, real, replacing

FIRST: dict[bool, Bound] = {False: (0, 3), True: (0, 2)}
"""The first bounds of ints and of collections: small ones, because states then take few bits."""

MOST_INT = 1 << 40
"""The greatest size of an int whose bounds are found."""

UNLOADED = {False: (-MOST_INT, MOST_INT), True: (0, MOST_PLACES)}
"""The bounds of ints and of collections in a module that is imported as any other."""

FOLDER = "bounds"
"""The folder of the cache with the bounds that were found."""


@dataclass(frozen=True)
class Load:
    """The spec that is loaded, with its file and constants; None while a file is read first."""

    file: Path
    constants: tuple[tuple[str, Value], ...]
    spec: str = ""

    @classmethod
    def of(cls, file: Path, constants: Mapping[str, Value], spec: str) -> Load:
        """The origin of a load of a file."""
        return cls(real(file), tuple(sorted(constants.items())), spec)

    @property
    def kept(self) -> Path:
        """The file that the bounds are kept in."""
        text = json.dumps([str(self.file), self.constants, self.spec])
        return cache_folder() / FOLDER / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.json"


settled: set[Load] = set()
"""The loads whose bounds were kept, or have been found near enough to begin with."""

_known: dict[Load, dict[str, Bound]] = {}

_active: list[Load] = []


def known(origin: Load) -> Mapping[str, Bound]:
    """The bounds known of a load's places, by their names; first those that were kept."""
    if origin not in _known:
        _known[origin] = dict(_read(origin.kept)) if origin.spec else {}
        if _known[origin]:
            settled.add(origin)
    return _known[origin]


def given(origin: Load, bounds: Mapping[str, Bound]) -> None:
    """Begins a load with given bounds, in place of the kept ones."""
    _known[origin] = dict(bounds)
    settled.add(origin)


def settle(origin: Load) -> None:
    """Keeps the bounds known of a load from now on."""
    settled.add(origin)
    note(origin, known(origin))


def note(origin: Load, bounds: Mapping[str, Bound]) -> None:
    """Makes bounds the known ones of a load, and keeps them for later runs once it is settled."""
    _known[origin] = dict(bounds)
    if origin not in settled:
        return
    with suppress(OSError):  # they are found again
        origin.kept.parent.mkdir(parents=True, exist_ok=True)
        with replacing(origin.kept) as part:
            part.write_text(json.dumps(bounds, indent=1, sort_keys=True), encoding="utf-8")


def _read(file: Path) -> Iterator[tuple[str, Bound]]:
    """The bounds in a file; none for a file that is missing or damaged."""
    with suppress(OSError, ValueError, TypeError, AttributeError):
        for name, (low, high) in json.loads(file.read_text(encoding="utf-8")).items():
            if type(low) is int and type(high) is int and -MOST_INT <= low <= high <= MOST_INT:
                yield name, (low, high)


@contextmanager
def bounding(origin: Load) -> Generator[None]:
    """While open, places without declared bounds have those known of a load."""
    _active.append(origin)
    try:
        yield
    finally:
        _active.pop()


def found_bound(name: str, counted: bool) -> tuple[Bound, FoundPlace]:
    """The bounds known of a place so far, and the place."""
    if not _active:
        return UNLOADED[counted], FoundPlace(name, counted, None)
    low, high = known(_active[-1]).get(name, FIRST[counted])
    bound = (0, min(high, MOST_PLACES)) if counted else (low, high)
    return bound, FoundPlace(name, counted, _active[-1])


def narrow(origin: Load, held: Mapping[str, int]) -> bool:
    """Whether collections need less room than is known, by the most parts that they have had.

    Notes the room that they need.
    """
    before = known(origin)
    counts = {name: (0, max(held[name], FIRST[True][1])) for name in held if name in before}
    if all(before[name] == bound for name, bound in counts.items()):
        return False
    note(origin, {**before, **counts})
    return True


def widen(wrong: BoundExceeded, walking: bool = False) -> None:
    """Notes bounds that are wide enough for a value, with room for more.

    `walking`: a first walk needs them. It gets half as much more room, so that it begins again
    seldom; `narrow` takes back what it did not need.

    Raises SpecError for a place that has grown beyond what a state can hold.
    """
    place, origin = wrong.place, wrong.place.origin
    if not isinstance(origin, Load):
        raise wrong
    before, most = known(origin), MOST_PLACES if place.counted else MOST_INT
    if max(wrong.high, -wrong.low) > most:
        what = f"{place.name} grows beyond {most:,}{' elements' if place.counted else ''}"
        hint = "give it a Range or a Capacity, or list a @constraint that ends its growth"
        raise SpecError(what, hint=hint)
    low, high = before.get(place.name, FIRST[place.counted])
    if place.counted:
        room = wrong.high // 2 if walking else wrong.high // 3 if origin in settled else 0
        high = max(high, min(wrong.high + room, most))
    else:  # all values of as many bits: they cost no more
        high = max(high, (1 << wrong.high.bit_length()) - 1) if wrong.high > high else high
        low = -(1 << (-wrong.low - 1).bit_length()) if wrong.low < low else low
    note(origin, {**before, place.name: (low, high)})
