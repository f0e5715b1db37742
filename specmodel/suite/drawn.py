"""The lanes of a design's YAML file: how its states are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, cast

from specmodel.domains import Domain, IntDomain, MapDomain, ScalarDomain, StructDomain
from specmodel.errors import SpecError, suggestion
from specmodel.lang.loading import changed
from specmodel.lang.spec import Spec
from specmodel.model.lanes import Lanes
from specmodel.model.places import inferred_lanes
from specmodel.suite.documents import Document


def with_lanes(document: Document, spec: Spec) -> Spec:
    """The spec with the lanes of the file, each in place of that of the spec's own lanes.

    A spec without lanes has those that its types suggest. Raises SpecError at the place of a
    mistake in the file.
    """
    return changed(spec, partial(_drawn, document)) if document.lanes else spec


def _drawn(document: Document, spec: Spec) -> Spec:
    given = {**document.lanes}
    actor = _named(document, "actor", _actors(spec.domain)) if "actor" in given else None
    if actor is not None:
        is_range = isinstance(actor, IntDomain)
        given["actor"] = range(actor.low, actor.high + 1) if is_range else actor.cls
    structs = {part.name: part for part in spec.domain.nested() if isinstance(part, StructDomain)}
    formats = given.get("formats", {})
    if formats:
        given["formats"] = {
            _named(document, "formats", structs, name).cls: text for name, text in formats.items()
        }
    base = spec.lanes or _base(document, spec, actor)
    try:
        return replace(spec, lanes=replace(base, **given))
    except SpecError as wrong:
        raise SpecError(
            wrong.message, document.places[_blamed(spec, base, given, wrong)], wrong.hint
        ) from None


def _base(document: Document, spec: Spec, actor: ScalarDomain | IntDomain | None) -> Lanes:
    """The default lanes, for a spec without its own."""
    if isinstance(actor, IntDomain):
        return Lanes(actor=range(actor.low, actor.high + 1))
    found = inferred_lanes(spec.domain, actor)
    if found is None:
        what = "no field of the state is indexed by a scalar set: name the actors"
        raise SpecError(what, document.places["lanes",], 'as in "actor: Node"')
    return found


def _actors(domain: Domain) -> dict[str, ScalarDomain | IntDomain]:
    """The domains of possible actors: scalar sets, and the ranges that index maps."""
    parts = list(domain.nested())
    parts += [part.key for part in parts if isinstance(part, MapDomain)]
    return {str(part): part for part in parts if isinstance(part, ScalarDomain | IntDomain)}


def _named(document: Document, key: str, known: Mapping[str, Any], item: str = "") -> Any:
    """The type of the state that the file names. Raises SpecError if there is none."""
    name = item or document.lanes[key]
    if name in known:
        return known[name]
    where = document.places["lanes", key, item] if item else document.places["lanes", key]
    raise SpecError(f'lanes: the state has no "{name}"{suggestion(name, known)}', where)


def _blamed(spec: Spec, base: Lanes, given: Mapping[str, Any], wrong: SpecError) -> tuple[str, ...]:
    """The keys of the part of the file without which the mistake is not there."""
    for where, rest in _without_each(given):
        try:
            replace(spec, lanes=replace(base, **rest))
        except SpecError as other:
            if other.message == wrong.message:
                continue
        return ("lanes", *where)
    return ("lanes",)


def _without_each(given: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """The lanes without each of their parts in turn, with the keys of that part."""
    for key, value in given.items():
        if isinstance(value, tuple):
            held = cast(tuple[str, ...], value)
            for number in range(len(held)):
                yield (key, str(number)), {**given, key: (*held[:number], *held[number + 1 :])}
        elif isinstance(value, dict):
            titles = cast(dict[Any, str], value)
            for title in titles:
                name = title if isinstance(title, str) else title.__name__
                yield (key, name), {**given, key: {t: titles[t] for t in titles if t != title}}
        else:
            yield (key,), {name: other for name, other in given.items() if name != key}
