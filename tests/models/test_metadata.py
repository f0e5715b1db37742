"""Stale metadata (KIP-232): verdicts of every rule, and single steps of a client under CPython."""

import pytest

from models.kafka.metadata.changes import (
    Broker,
    System,
    create_topic,
    created,
    delete_topic,
    deliver,
    move_leader,
    write,
)
from models.kafka.metadata.client import (
    commit,
    refresh,
    refresh_by_both_epochs,
    refresh_by_counter,
    refresh_by_epoch,
    refresh_by_id,
    restart,
)
from models.kafka.metadata.fetching import (
    fetch,
    fetch_by_id,
    fetch_by_id_of_position,
    fetch_fenced,
    fetch_keeping_epoch,
    fetch_with_partition_epoch,
    validate,
)
from specmodel.errors import Disabled
from tests.models.expectations import check_everything, silent, unbroken

DESIGNS = [
    "metadata-unchecked",
    "metadata-leader-epoch",
    "metadata-bare-offsets",
    "metadata-partition-epoch-unfetched",
    "metadata-partition-epoch",
    "metadata-max-partition-epoch",
    "metadata-both-epochs-fenced",
    "metadata-kip320",
    "metadata-topic-id",
    "metadata-topic-id-in-offsets",
]

B1, B2 = Broker


@pytest.mark.parametrize("name", DESIGNS)
def test_every_action_fires(name: str) -> None:
    """No action is dead weight, not even with one move of the leader: so at the defaults either."""
    assert silent(check_everything(name, (("max_leader_epoch", 1),))) == []


def test_every_property_can_fail() -> None:
    """Each property is violated by some design: none of them is true of anything whatever."""
    assert unbroken(DESIGNS) == set()


@pytest.mark.parametrize("name", DESIGNS)
def test_engines_agree(name: str) -> None:
    """The compiled search counts and finds what the interpreter does."""
    small = (("log_size", 1), ("max_leader_epoch", 1), ("incarnations", 1))
    native = check_everything(name, small)
    interpreted = check_everything(name, small, "interpret")
    assert (native.distinct, native.generated) == (interpreted.distinct, interpreted.generated)
    assert (native.depth, native.coverage) == (interpreted.depth, interpreted.coverage)
    assert native.properties == interpreted.properties


def test_engines_agree_on_a_topic_created_again() -> None:
    """As above, with two incarnations of the topic."""
    small = (("log_size", 1), ("max_leader_epoch", 0))
    native = check_everything("metadata-topic-id", small)
    interpreted = check_everything("metadata-topic-id", small, "interpret")
    assert native.coverage == interpreted.coverage
    assert native.properties == interpreted.properties


# Single steps


def moved() -> System:
    """b2 leads under epoch 1 and has taken a record; b1 has not heard of it."""
    s = created()
    move_leader(s, B2)
    deliver(s, B2)
    write(s)
    return s


def test_before_kip232_a_stale_broker_takes_the_client_back() -> None:
    """The old leader's log is shorter: the offset is out of range, and the client starts anew."""
    s = moved()
    refresh(s, B2)
    fetch(s)
    refresh(s, B1)
    fetch(s)
    assert (s.client.position.offset, s.client.rewound) == (0, True)


def test_a_lower_leader_epoch_is_ignored() -> None:
    """The client stays with what it knows; as b2 knows better, it is not stuck."""
    s = moved()
    refresh_by_epoch(s, B2)
    with pytest.raises(Disabled):
        refresh_by_epoch(s, B1)
    assert s.client.cached == 1


def test_a_topic_created_again_has_a_lower_leader_epoch() -> None:
    """With leader epochs alone the client is deaf to it, even if every broker says so."""
    s = moved()
    refresh_by_epoch(s, B2)
    delete_topic(s)
    create_topic(s, B2)
    for broker in Broker:
        while s.view[broker] < len(s.changes) - 1:
            deliver(s, broker)
    refresh_by_epoch(s, B1)
    assert (s.client.cached, s.client.stuck) == (1, True)


def test_the_partition_epoch_tells_that_the_topic_is_new() -> None:
    """Both epochs order what either alone cannot."""
    s = moved()
    refresh_by_both_epochs(s, B2)
    delete_topic(s)
    create_topic(s, B2)
    deliver(s, B2)
    deliver(s, B2)
    refresh_by_both_epochs(s, B2)
    assert s.client.cached == 3
    with pytest.raises(Disabled):
        refresh_by_both_epochs(s, B1)


def test_only_the_counter_dates_an_absence() -> None:
    """A broker that has heard of the deletion only says that there is no such topic."""
    s = created()
    delete_topic(s)
    deliver(s, B1)
    create_topic(s, B2)
    deliver(s, B2)
    deliver(s, B2)
    refresh_by_counter(s, B2)
    with pytest.raises(Disabled):
        refresh_by_counter(s, B1)
    refresh_by_both_epochs(s, B1)
    assert s.client.cached == 1


def test_the_fence_keeps_a_client_from_a_leader_of_two_epochs_ago() -> None:
    """b1 leads epochs 0 and 2. The client knows epoch 2, b1 only epoch 0: UNKNOWN_LEADER_EPOCH."""
    s = created()
    move_leader(s, B2)
    deliver(s, B2)
    move_leader(s, B1)
    deliver(s, B2)
    refresh_by_epoch(s, B2)
    s.client.position.offset = 1
    with pytest.raises(Disabled):
        fetch_fenced(s)
    fetch_keeping_epoch(s)
    assert s.client.rewound


def test_a_kept_epoch_makes_a_consumer_wait() -> None:
    """After a restart, metadata from before the committed offset is ignored."""
    s = moved()
    refresh_by_epoch(s, B2)
    fetch_keeping_epoch(s)
    commit(s)
    restart(s)
    with pytest.raises(Disabled):
        refresh_by_epoch(s, B1)
    refresh_by_epoch(s, B2)
    assert s.client.cached == 1


def test_another_topic_id_is_believed_even_if_it_is_the_old_one() -> None:
    """Ids tell topics apart; they do not tell which is newer."""
    s = created()
    delete_topic(s)
    create_topic(s, B2)
    deliver(s, B2)
    deliver(s, B2)
    refresh_by_id(s, B2)
    refresh_by_id(s, B1)
    assert s.client.cached == 0


def at_one_in_the_old_topic() -> System:
    """A client of the first incarnation meets the second, which has a record already."""
    s = created()
    write(s)
    refresh_by_id(s, B1)
    validate(s)
    fetch_by_id(s)
    delete_topic(s)
    create_topic(s, B1)
    deliver(s, B1)
    deliver(s, B1)
    refresh_by_id(s, B1)
    write(s)
    return s


def test_leader_epochs_do_not_tell_one_topic_from_another() -> None:
    """Validation finds nothing amiss, as both logs have one record of epoch 0: the read goes on."""
    s = at_one_in_the_old_topic()
    validate(s)
    write(s)
    fetch_by_id(s)
    assert s.client.crossed


def test_an_id_in_the_position_does() -> None:
    """A position in another topic is given up, and not used."""
    s = at_one_in_the_old_topic()
    s.client.position.partition_epoch = 0
    fetch_by_id_of_position(s)
    assert (s.client.position.offset, s.client.crossed) == (0, False)


def test_a_partition_epoch_in_the_position_does() -> None:
    """As with ids; here the client also knows which of the two is newer."""
    s = at_one_in_the_old_topic()
    s.client.position.partition_epoch = 0
    fetch_with_partition_epoch(s)
    assert (s.client.position.offset, s.client.crossed, s.client.rewound) == (0, False, False)
