"""Some fields of a state: `log`, `replica.hw` of everyone, `replica[r1]` of one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.domains import Domain, MapDomain, OptionDomain, SeqDomain, StructDomain
from specmodel.domains.shapes import written
from specmodel.domains.unions import alternatives_of
from specmodel.errors import UsageError, suggestion
from specmodel.ir.expression import StateExpression
from specmodel.ir.origins import within

_STEP = re.compile(r"\.?([^.\[\]]+)|\[([^\[\]]*)\]")


@dataclass(frozen=True)
class Selection:
    """Places whose paths start with one of some paths, which may leave out indices."""

    paths: tuple[str, ...]

    def has(self, place: str) -> bool:
        """Whether a place is in the selection, contains it, or is a part of it."""
        return not self.paths or any(
            within(place, path) or within(path, place) or self._loosely(place, path)
            for path in self.paths
        )

    def _loosely(self, place: str, path: str) -> bool:
        if "[" in path:
            # `log[*]` stands for every index.
            return place.endswith("[*]") and within(path, place.removesuffix("[*]"))
        plain = re.sub(r"\[[^\]]*\]", "", place)
        return within(plain, path) or within(path, plain)


ALL = Selection(())


def selected(domain: StructDomain, fields: Sequence[str]) -> Selection:
    """The selection of fields that a user names. Raises UsageError for one that is not there."""
    for path in fields:
        _refuse_unknown(domain, path)
    return Selection(tuple(fields)) if fields else ALL


def _refuse_unknown(domain: StructDomain, path: str) -> None:
    found: Domain = domain
    at = 0
    for match in _STEP.finditer(path):
        if match.start() != at:
            break
        at = match.end()
        name, key = match.groups()
        found = found.inner if isinstance(found, OptionDomain) else found
        if name is not None:
            found = _entered(found)
            fields = fields_of(found)
            if name not in fields:
                known = suggestion(name, fields) if fields else f": {found} has no fields"
                raise UsageError(f'"{path}": no field {name}{known}')
            found = fields[name]
        else:
            found = _indexed(found, key, path)
    if not path or at != len(path):
        raise UsageError(f'"{path}" is no field: write log, replica.hw or replica[r1].hw')


def fields_of(domain: Domain) -> Mapping[str, Domain]:
    """The fields of a struct, or those of all structs of a union."""
    structs = [part for part in alternatives_of(domain) if isinstance(part, StructDomain)]
    return {name: kind for part in structs for name, kind in part.fields.items()}


def _entered(domain: Domain) -> Domain:
    """The value domain of a map, for a path that leaves out the map's index."""
    while isinstance(domain, MapDomain | OptionDomain | SeqDomain):
        domain = domain.parts[-1]
    return domain


def _indexed(domain: Domain, key: str, path: str) -> Domain:
    if isinstance(domain, MapDomain):
        keys: list[Any] = [written(known) for known in domain.keys]
        if key not in keys:
            raise UsageError(f'"{path}": no key {key}{suggestion(key, keys)}')
        return domain.value
    if isinstance(domain, SeqDomain) and key.isdigit():
        return domain.element
    raise UsageError(f'"{path}": {domain} has no [{key}]')


@dataclass(frozen=True)
class TraceView:
    """The shown part of a trace.

    `full`: every variable of every state, and every state drawn; otherwise unchanged variables are
    left out. `only` selects fields. `watches` are evaluated in every state. `start` is the name of
    the first state.
    """

    full: bool = False
    only: Selection = ALL
    watches: tuple[StateExpression, ...] = ()
    start: str = "initial state"
