"""The messages of a state: which of its values are messages, from whom, and to whom."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.domains import (
    BagDomain,
    Domain,
    MapDomain,
    OptionDomain,
    ScalarDomain,
    SeqDomain,
    SetDomain,
    SparseMapDomain,
    StructDomain,
    UnionDomain,
)
from specmodel.domains.bags import is_bag
from specmodel.domains.records import Record
from specmodel.domains.sets import member
from specmodel.domains.shapes import is_mapping, is_set
from specmodel.errors import SpecError, suggestion
from specmodel.model.lanes import RECEIVER, SENDER, Lanes


@dataclass(frozen=True)
class Messages:
    """The messages of the states of a spec.

    `paths` are the collections that hold them, `kinds` their classes. `senders` and `receivers` are
    the fields that hold the ends of a message, by its class; a class without such a field is
    missing. `others` are the names of those, not actors of the lanes, that such a field may hold.
    """

    paths: tuple[str, ...]
    kinds: tuple[type[Any], ...]
    senders: Mapping[type[Any], str]
    receivers: Mapping[type[Any], str]
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, domain: StructDomain, lanes: Lanes) -> Messages | None:
        """The messages by the lanes of a spec; None if its states have no messages.

        Raises SpecError if the lanes name a collection or a field that is not there.
        """
        found = {
            path: _structs(kind)
            for path, kind in _collections(domain)
            if path in lanes.messages or (path != lanes.log and _have_ends(kind, lanes))
        }
        for path in lanes.messages:
            if path not in found:
                near = suggestion(path, dict(_collections(domain)))
                raise SpecError(f'lanes: "{path}" is no set, bag or list of structs{near}')
        paths = tuple(lanes.messages) or tuple(found)
        structs = [struct for path in paths for struct in found[path]]
        _refuse_missing(structs, lanes)
        if not paths:
            return None
        senders = {s.cls: name for s in structs if (name := _end(s, lanes.sender, lanes))}
        receivers = {s.cls: name for s in structs if (name := _end(s, lanes.receiver, lanes))}
        fields = {struct.cls: struct.fields for struct in structs}
        held = [_actor(fields[c][n]) for ends in (senders, receivers) for c, n in ends.items()]
        others = [k for k in dict.fromkeys(held) if isinstance(k, ScalarDomain)]
        names = (repr(m) for kind in others if kind != lanes.actors for m in kind.members)
        return cls(paths, tuple(fields), senders, receivers, tuple(names))

    def hold(self, path: str) -> bool:
        """Whether a changed place, such as `messages` or `line[c1][0].number`, is of a message."""
        plain = re.sub(r"\[[^\]]*\]", "", path)
        return any(plain == each or plain.startswith(f"{each}.") for each in self.paths)

    def counted(self, state: Record) -> dict[Record, int]:
        """The messages of a state with the number of copies of each, in the order of the state."""
        counts: dict[Record, int] = {}
        for path in self.paths:
            for collection in _reached(state, path.split(".")):
                for message, count in _copies(collection):
                    counts[message] = counts.get(message, 0) + count
        return counts

    def from_to(self, message: Record) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The senders and the receivers that a message names; none if it does not say."""
        fields = self.ends(message)
        held = [getattr(message, name) if name else None for name in fields]
        source, target = (
            () if each is None else tuple(each) if is_set(each) else (each,) for each in held
        )
        return source, target

    def ends(self, message: Record) -> tuple[str | None, str | None]:
        """The fields that hold the sender and the receiver of a message, if it has them."""
        kind = message.__domain__.cls
        return self.senders.get(kind), self.receivers.get(kind)


def holds_messages(domain: Domain, actor: ScalarDomain) -> bool:
    """Whether a value is a collection of messages between actors, by the usual names."""
    return _have_ends(domain, Lanes(actor=actor.cls))


def _collections(domain: Domain, path: str = "") -> Iterator[tuple[str, Domain]]:
    """The collections of structs in a state, by their paths; maps are passed through."""
    if isinstance(domain, OptionDomain):
        yield from _collections(domain.inner, path)
    elif isinstance(domain, MapDomain | SparseMapDomain):
        yield from _collections(domain.value, path)
    elif isinstance(domain, StructDomain):
        for name, kind in domain.fields.items():
            yield from _collections(kind, f"{path}.{name}" if path else name)
    elif _structs(domain):
        yield path, domain


def _structs(domain: Domain) -> tuple[StructDomain, ...]:
    """The structs in a set, bag or list; none if it holds anything else too."""
    if not isinstance(domain, SetDomain | BagDomain | SeqDomain):
        return ()
    kind = domain.element
    held = kind.alternatives if isinstance(kind, UnionDomain) else (kind,)
    structs = tuple(each for each in held if isinstance(each, StructDomain))
    return structs if len(structs) == len(held) else ()


def _have_ends(domain: Domain, lanes: Lanes) -> bool:
    """Whether one of the structs of a collection names an actor of the lanes as its end.

    A struct in a list has to name both ends: the entries of a log may tell who wrote them.
    """
    need = all if isinstance(domain, SeqDomain) else any
    return any(
        need(_end(struct, names, lanes) for names in (lanes.sender, lanes.receiver))
        and any(
            name in struct.fields and _actor(struct.fields[name]) == lanes.actors
            for name in (*lanes.sender, *lanes.receiver)
        )
        for struct in _structs(domain)
    )


def _end(struct: StructDomain, names: Sequence[str], lanes: Lanes) -> str:
    """The first of some fields of a struct that holds an actor; empty if there is none."""
    for name in names:
        kind = _actor(struct.fields[name]) if name in struct.fields else None
        if kind == lanes.actors or isinstance(kind, ScalarDomain):
            return name
    return ""


def _actor(domain: Domain) -> Domain:
    """The domain of an actor, of that of a field that may hold none, or a set of them."""
    if isinstance(domain, OptionDomain):
        return _actor(domain.inner)
    return domain.element if isinstance(domain, SetDomain) else domain


def _refuse_missing(structs: Sequence[StructDomain], lanes: Lanes) -> None:
    """Raise SpecError if a field that the lanes name themselves holds no actor of a message."""
    for names, usual in ((lanes.sender, SENDER), (lanes.receiver, RECEIVER)):
        for name in names if names is not usual else ():
            if not any(_end(struct, (name,), lanes) for struct in structs):
                raise SpecError(
                    f'lanes: no message has a field "{name}" of type {lanes.actors}',
                    hint="name the fields that hold the sender, and the receiver, of a message",
                )


def _reached(held: Any, path: Sequence[str]) -> Iterator[Any]:
    """The values at the end of a path, for all entries of the maps on the way."""
    if is_mapping(held):
        for each in held.values():
            yield from _reached(each, path)
    elif held is not None and path:
        yield from _reached(getattr(held, path[0]), path[1:])
    elif held is not None:
        yield held


def _copies(collection: Any) -> Iterator[tuple[Record, int]]:
    """The members of a set, bag or list as messages that can be counted."""
    if is_bag(collection):
        yield from collection.items()
    else:
        for each in collection:
            yield member(each), 1
