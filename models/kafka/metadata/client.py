"""Which metadata a client believes: the rules that were weighed.

A rule compares a response with the epochs that the client remembers. A consumer that starts from
a kept position remembers the epochs that were kept with it, so that it waits for metadata which is
no older (KIP-232, KIP-320).
"""

from specmodel.lang import action, require, require_some

from .changes import Broker, Position, System, Version, exists, up_to_date


def lower_epoch(s: System, version: Version) -> bool:
    """Outdated by leader epoch alone. A response without the topic has none, and is believed."""
    new = s.changes[version]
    return exists(new) and new.epoch < s.client.seen_epoch


def lower_epochs(s: System, version: Version) -> bool:
    """Outdated by partition epoch, or by leader epoch within one. An absent topic has neither."""
    new, seen = s.changes[version], s.client.seen_generation
    return (
        exists(new)
        and seen is not None
        and (new.generation < seen or (new.generation == seen and new.epoch < s.client.seen_epoch))
    )


def lower_epochs_or_counter(s: System, version: Version) -> bool:
    """As `lower_epochs`; each response has the global counter, which dates an absence as well."""
    seen = s.client.seen_generation
    return lower_epochs(s, version) or (seen is not None and s.changes[version].generation < seen)


def lower_epoch_of_same_id(s: System, version: Version) -> bool:
    """Outdated by leader epoch, unless the topic's id differs from the one remembered."""
    new, seen = s.changes[version], s.client.seen_generation
    return (
        exists(new) and (seen is None or seen == new.generation) and new.epoch < s.client.seen_epoch
    )


def adopt(s: System, version: Version) -> None:
    """The client goes by this metadata; it has yet to check its position with the new leader."""
    if s.client.cached != version:
        s.client.validated = False
    s.client.cached = version


def ignore(s: System) -> None:
    """The client stays with what it has. If all brokers say the same, it is stuck: noted."""
    require(all(up_to_date(s, broker) for broker in Broker))
    s.client.stuck = True


def remember(s: System, version: Version) -> None:
    """Keep both epochs of a response."""
    s.client.seen_generation = s.changes[version].generation
    s.client.seen_epoch = s.changes[version].epoch


@action
def refresh(s: System, broker: Broker) -> None:
    """Before KIP-232: the latest response is the truth."""
    adopt(s, s.view[broker])


@action
def refresh_by_epoch(s: System, broker: Broker) -> None:
    """A response with a lower leader epoch is ignored. The topic's absence changes nothing."""
    version = s.view[broker]
    if lower_epoch(s, version):
        ignore(s)
    else:
        adopt(s, version)
        if exists(s.changes[version]):
            s.client.seen_epoch = s.changes[version].epoch


@action
def refresh_by_both_epochs(s: System, broker: Broker) -> None:
    """A response with a lower partition epoch, or with a lower leader epoch in it, is ignored."""
    version = s.view[broker]
    if lower_epochs(s, version):
        ignore(s)
    else:
        adopt(s, version)
        if exists(s.changes[version]):
            remember(s, version)


@action
def refresh_by_counter(s: System, broker: Broker) -> None:
    """As by both epochs, with the global counter in every response."""
    version = s.view[broker]
    if lower_epochs_or_counter(s, version):
        ignore(s)
    else:
        adopt(s, version)
        remember(s, version)


@action
def refresh_by_id(s: System, broker: Broker) -> None:
    """With topic ids (KIP-516): another id than the known one is taken, whatever its epoch.

    When the topic is absent its id is forgotten, and the leader epoch with it.
    """
    version = s.view[broker]
    if lower_epoch_of_same_id(s, version):
        ignore(s)
    else:
        adopt(s, version)
        if exists(s.changes[version]):
            remember(s, version)
        else:
            s.client.seen_generation = None
            s.client.seen_epoch = -1


@action
def commit(s: System) -> None:
    """The position is committed to the group coordinator, which refuses it if there is no topic."""
    require(exists(s.changes[-1]) and s.client.position.offset > 0)
    s.client.committed = s.client.position


@action
def store(s: System) -> None:
    """The application keeps the position in a store of its own: it outlives the topic."""
    require(s.client.position.offset > 0)
    s.client.external = s.client.position


def begin_at(s: System, position: Position) -> None:
    """A consumer starts: it remembers nothing but a position, and the epochs that go with it."""
    s.client.cached = None
    s.client.validated = False
    s.client.seen_generation = position.partition_epoch
    s.client.seen_epoch = position.epoch
    s.client.position = position


@action
def restart(s: System) -> None:
    """The consumer restarts from the committed offset."""
    begin_at(s, require_some(s.client.committed))


@action
def restart_at_stored(s: System) -> None:
    """The consumer restarts, and the application seeks to the position that it kept."""
    begin_at(s, require_some(s.client.external))
