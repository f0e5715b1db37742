"""What a consumer asks of the leader that it found in its metadata, and what the broker compares.

A broker that does not take itself for the leader says so, and the client refreshes: here, such a
fetch just does not happen. When its offset is out of range the consumer resets to the beginning
(auto.offset.reset=earliest).
"""

from specmodel.lang import action, require, require_some

from .changes import Broker, Change, Generation, KnownEpoch, Offset, Position, System, exists


def found_leader(s: System) -> Change:
    """The cached metadata, if the leader it names takes itself for one of some such topic."""
    known = s.changes[require_some(s.client.cached)]
    own = s.changes[s.view[known.leader]]
    require(exists(known) and exists(own) and own.leader == known.leader)
    return known


def reset(s: System, leader: Broker) -> None:
    """Back to the beginning. If the topic is still the same one, this is for no good reason."""
    if s.client.position.generation == s.changes[-1].generation:
        s.client.rewound = True
    s.client.position = Position(0, -1, None, s.changes[s.view[leader]].generation)


def answer(
    s: System, leader: Broker, epoch: KnownEpoch, partition_epoch: Generation | None
) -> None:
    """The response to a fetch: the next record, with epochs to keep, or OFFSET_OUT_OF_RANGE."""
    position = s.client.position
    generation = s.changes[s.view[leader]].generation
    require(position.offset != s.copied[leader])
    if position.offset > s.copied[leader]:
        reset(s, leader)
    else:
        if position.offset > 0 and position.generation != generation:
            s.client.crossed = True
        s.client.position = Position(position.offset + 1, epoch, partition_epoch, generation)


@action
def fetch(s: System) -> None:
    """Before KIP-232: whoever believes it leads answers. Positions are offsets, nothing else."""
    answer(s, found_leader(s).leader, -1, None)


@action
def fetch_keeping_epoch(s: System) -> None:
    """The broker compares nothing; with the position goes the leader epoch of the metadata."""
    known = found_leader(s)
    answer(s, known.leader, known.epoch, None)


def answer_if_valid(s: System, known: Change) -> None:
    """As `answer`, unless the client sees that its position is in an earlier incarnation.

    Then the application is told (InvalidPartitionEpochException), and starts from the beginning.
    """
    epoch = s.client.position.partition_epoch
    if epoch is not None and epoch < known.generation:
        reset(s, known.leader)
    else:
        answer(s, known.leader, known.epoch, known.generation)


@action
def fetch_keeping_both_epochs(s: System) -> None:
    """The client compares the partition epochs of position and metadata; the broker nothing."""
    answer_if_valid(s, found_leader(s))


def require_same_incarnation(s: System, known: Change) -> None:
    """The broker answers only for the incarnation that the client's metadata is about."""
    require(s.changes[s.view[known.leader]].generation == known.generation)


@action
def fetch_with_partition_epoch(s: System) -> None:
    """As `fetch_keeping_both_epochs`, and the broker compares the metadata's partition epoch."""
    known = found_leader(s)
    require_same_incarnation(s, known)
    answer_if_valid(s, known)


def fenced_leader(s: System) -> Change:
    """The leader answers only under the leader epoch of the client's metadata (KIP-320)."""
    known = found_leader(s)
    require(s.changes[s.view[known.leader]].epoch == known.epoch)
    return known


@action
def fetch_with_both_epochs(s: System) -> None:
    """As `fetch_with_partition_epoch`, and the broker compares the metadata's leader epoch too."""
    known = fenced_leader(s)
    require_same_incarnation(s, known)
    answer_if_valid(s, known)


def next_epoch(s: System, leader: Broker) -> KnownEpoch:
    """The leader epoch of the record that the leader has at the position."""
    offset, log = s.client.position.offset, s.records[s.changes[s.view[leader]].generation]
    return log[offset] if offset < len(log) else -1


@action
def fetch_fenced(s: System) -> None:
    """KIP-320: the broker compares the metadata's leader epoch. A record's own epoch is kept."""
    known = fenced_leader(s)
    require(s.client.validated)
    answer(s, known.leader, next_epoch(s, known.leader), None)


@action
def fetch_by_id(s: System) -> None:
    """As `fetch_fenced`, and the broker compares the metadata's topic id (Fetch version 13)."""
    known = fenced_leader(s)
    require_same_incarnation(s, known)
    require(s.client.validated)
    answer(s, known.leader, next_epoch(s, known.leader), None)


@action
def fetch_by_id_of_position(s: System) -> None:
    """As `fetch_by_id`, with ids in positions too: one in a topic of another id is given up.

    Ids have no order: nothing says whether it is the metadata or the position that is out of date.
    """
    known = fenced_leader(s)
    require_same_incarnation(s, known)
    position = s.client.position
    if position.partition_epoch is not None and position.generation != known.generation:
        reset(s, known.leader)
    else:
        require(s.client.validated)
        answer(s, known.leader, next_epoch(s, known.leader), known.generation)


@action
def validate(s: System) -> None:
    """KIP-320: ask the leader where the epoch of the last record read ends in its log.

    An end below the position means that the log was truncated, and so does an epoch that is later
    than the leader's own, of which it knows no end: then back to the beginning.
    """
    leader, position = fenced_leader(s).leader, s.client.position
    require(not s.client.validated)
    log = s.records[s.changes[s.view[leader]].generation]
    end: Offset = 0
    for offset in range(len(log)):
        if offset < s.copied[leader] and log[offset] <= position.epoch:
            end = offset + 1
    if end < position.offset or position.epoch > s.changes[s.view[leader]].epoch:
        reset(s, leader)
    s.client.validated = True
