"""The changes of a step, leaf by leaf."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from specmodel.dataclass import dataclass
from specmodel.domains import Bag, FreeValue, Map, Seq, SparseMap, ValueSet
from specmodel.domains.bags import is_bag
from specmodel.domains.records import Record
from specmodel.domains.sets import rank
from specmodel.domains.shapes import written

Kind = Literal["stored", "members", "appended", "truncated"]


class _Absent:
    def __repr__(self) -> str:
        return "absent"


ABSENT = _Absent()
"""The value, in a change, of a key that a map does not have."""


@dataclass(frozen=True)
class Change:
    """A place of the state with its values before and after.

    `members` is a set or a bag that gained or lost some, `appended` a sequence that grew at its
    end, `truncated` one that was cut to a prefix of itself; anything else is `stored`.
    """

    path: str
    before: Any
    after: Any
    kind: Kind = "stored"

    @property
    def gained(self) -> list[Any]:
        """The members that a set or a bag gained, each copy of a bag's one by one."""
        return _copies(self.after - self.before)

    @property
    def lost(self) -> list[Any]:
        """The members that a set or a bag lost, each copy of a bag's one by one."""
        return _copies(self.before - self.after)


def changes(before: Any, after: Any, path: str = "") -> Iterator[Change]:
    """The changed leaves between two values of one domain, in the order of the state."""
    if before == after and type(before) is type(after):
        return
    if isinstance(before, Record) and type(before) is type(after):
        for name, held in vars(before).items():
            yield from changes(held, vars(after)[name], f"{path}.{name}" if path else name)
    elif isinstance(before, SparseMap) and isinstance(after, SparseMap):
        for key in sorted({**before, **after}, key=rank):
            old, new = (held.get(key, ABSENT) for held in (before, after))
            yield from changes(old, new, f"{path}[{written(key)}]")
    elif isinstance(before, Map) and isinstance(after, Map):
        for key, held in before.items():
            yield from changes(held, after[key], f"{path}[{written(key)}]")
    elif (isinstance(before, ValueSet) and isinstance(after, ValueSet)) or (
        is_bag(before) and is_bag(after)
    ):
        yield Change(path, before, after, "members")
    elif isinstance(before, Seq) and isinstance(after, Seq):
        yield from _of_sequence(before, after, path)
    elif isinstance(before, FreeValue) and isinstance(after, FreeValue):
        yield from _of_free(before, after, path)
    else:
        yield Change(path, before, after)


def _of_free(before: FreeValue, after: FreeValue, path: str) -> Iterator[Change]:
    old, new = before.parts(), after.parts()
    if not old or old.keys() != new.keys():
        yield Change(path, before, after)
        return
    for key, held in old.items():
        yield from changes(held, new[key], path + before.place(key))


def _copies(held: Any) -> list[Any]:
    counts = held if is_bag(held) else Bag[Any](held)
    return [member for member, count in counts.items() for _ in range(count)]


def _of_sequence(before: Seq, after: Seq, path: str) -> Iterator[Change]:
    if len(after) > len(before) and list(after[: len(before)]) == list(before):
        yield Change(path, before, after, "appended")
    elif len(after) < len(before) and list(before[: len(after)]) == list(after):
        yield Change(path, before, after, "truncated")
    elif len(after) == len(before):
        for position, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from changes(old, new, f"{path}[{position}]")
    else:
        yield Change(path, before, after)
