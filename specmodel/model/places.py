"""The places that lanes name: their values, whether they exist, and likely ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from specmodel.domains import (
    Domain,
    IntDomain,
    Map,
    MapDomain,
    OptionDomain,
    ScalarDomain,
    SeqDomain,
    SetDomain,
    StructDomain,
)
from specmodel.errors import SpecError, suggestion
from specmodel.model.lanes import Lanes, Place, titled
from specmodel.model.messages import Messages, holds_messages


def value_at(state: Any, place: Place, actor: Any | None = None) -> Any:
    """The value at a place of a state, for an actor or for the whole state.

    None if no place is given, if the path leads through an absent value, or where the function
    fails.
    """
    if not place:
        return None
    if not isinstance(place, str):
        try:
            return place(state) if actor is None else place(state, actor)
        except Exception:  # a value that cannot be computed is not drawn; the rest still is
            return None
    value = state
    for part in place.split("."):
        value = getattr(value, part)
        if actor is not None and isinstance(value, Map) and actor in value:
            value = value[actor]
        if value is None:
            return None
    return value


def domain_at(domain: StructDomain, path: str, actor: Domain | None) -> Domain:
    """What is at a path, by the types alone. Raises SpecError if it does not lead anywhere."""
    found: Domain = domain
    entered = actor is None
    for part in path.split("."):
        found = found.inner if isinstance(found, OptionDomain) else found
        fields: Mapping[str, Domain] = found.fields if isinstance(found, StructDomain) else {}
        if part not in fields:
            near = suggestion(part, fields)
            raise SpecError(f'lanes: "{path}" does not lead anywhere: no field {part}{near}')
        found = fields[part]
        if isinstance(found, MapDomain) and found.key == actor:
            found, entered = found.value, True
    if not entered:
        raise SpecError(f'lanes: "{path}" is not indexed by {actor}')
    return found


def refuse_unfit_lanes(domain: StructDomain, lanes: Lanes) -> None:
    """Raises SpecError if a path or a format of the lanes does not fit the state."""
    actor = lanes.actors
    logs = (lanes.high_watermark, lanes.epoch, lanes.leader, lanes.isr, lanes.role)
    for place in (*logs, *titled(lanes.facts).values()):
        if place and isinstance(place, str):
            domain_at(domain, place, actor)
    wanted: tuple[tuple[Place, type[Domain], str, Domain | None], ...] = (
        (lanes.log, SeqDomain, f"sequence per {actor}", actor),
        (lanes.requests, MapDomain, "map from epochs", None),
        *((p, SetDomain, "set", None) for p in titled(lanes.members).values()),
        *((p, IntDomain, "int", None) for p in titled(lanes.cursors).values()),
    )
    for place, kind, named, by in wanted:
        if place and isinstance(place, str):
            found = domain_at(domain, place, by)
            found = found.inner if isinstance(found, OptionDomain) else found
            if not isinstance(found, kind):
                raise SpecError(f'lanes: "{place}" is no {named}, but {found}')
    for place in titled(lanes.status).values():
        if isinstance(place, str):
            domain_at(domain, place, None)
    Messages.of(domain, lanes)
    _refuse_unfit_formats(domain, lanes)


def _refuse_unfit_formats(domain: StructDomain, lanes: Lanes) -> None:
    for struct, text in lanes.formats.items():
        refuse_unfit_format(struct.__domain__, text)
    log = (
        domain_at(domain, lanes.log, lanes.actors)
        if isinstance(lanes.log, str) and lanes.log
        else None
    )
    record = log.element if isinstance(log, SeqDomain) else None
    if isinstance(record, StructDomain):
        refuse_unfit_format(record, lanes.cell)
        if lanes.shade and lanes.shade not in record.fields:
            near = suggestion(lanes.shade, record.fields)
            raise SpecError(f'lanes: shade "{lanes.shade}" is no field of {record.name}{near}')


def refuse_unfit_format(struct: StructDomain, text: str) -> None:
    """Raises SpecError if a format names what is no field of a struct."""
    try:
        text.format(**dict.fromkeys(struct.fields, 0))
    except (KeyError, IndexError, ValueError) as wrong:
        fields = ", ".join(struct.fields)
        raise SpecError(
            f'lanes: the cell "{text}" does not fit a {struct.name}: {wrong}',
            hint=f"its fields are {fields}",
        ) from None


def inferred_lanes(domain: StructDomain, actor: ScalarDomain | None = None) -> Lanes | None:
    """The lanes that the type of a state suggests; None if no fields belong to actors.

    The actors, unless given, are those by which most fields are indexed. The first list that each
    of them has, of anything but messages, is drawn as its log, their other fields are facts, sets
    of them members; the rest is status.
    """
    actor = actor or _most_indexed(domain)
    if actor is None:
        return None
    own = [name for name, kind in domain.fields.items() if _by(kind, actor)]
    paths = [path for name in own for path in _columns(domain.fields[name], name)]
    lists = [(path, kind) for path, kind in paths if isinstance(kind, SeqDomain)]
    logs = [path for path, kind in lists if not holds_messages(kind, actor)]
    sets = [n for n, k in domain.fields.items() if isinstance(k, SetDomain) and k.element == actor]
    return Lanes(
        actor=actor.cls,
        log=logs[0] if logs else "",
        facts=[path for path, _ in paths if path not in logs[:1]],
        members=sets,
        status=[name for name in domain.fields if name not in own and name not in sets],
    )


def _most_indexed(domain: StructDomain) -> ScalarDomain | None:
    """The scalar set by which most fields are indexed, if there is one."""
    counts: dict[ScalarDomain, int] = {}
    for kind in domain.fields.values():
        if isinstance(kind, MapDomain) and isinstance(kind.key, ScalarDomain):
            counts[kind.key] = counts.get(kind.key, 0) + 1
    return max(counts, key=lambda known: counts[known], default=None)


def _by(domain: Domain, actor: ScalarDomain) -> bool:
    return isinstance(domain, MapDomain) and domain.key == actor


def _columns(domain: Domain, path: str) -> Iterator[tuple[str, Domain]]:
    """The paths of each actor's values in a field; those of a struct one by one."""
    held = domain.value if isinstance(domain, MapDomain) else domain
    if isinstance(held, StructDomain):
        for name, kind in held.fields.items():
            yield f"{path}.{name}", kind
    else:
        yield path, held
