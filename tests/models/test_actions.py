"""Single rules of the Kafka designs under plain Python, as the author of a spec would test them."""

from collections.abc import Callable

import pytest

from models.kafka.replication.controller import controller_shrink, write
from models.kafka.replication.core import Cluster, Record, Replica, Request, booted
from models.kafka.replication.fetching import fetch, fetch_fenced
from models.kafka.replication.high_watermark import advance_hw_fenced
from models.kafka.replication.isr import (
    expand_isr_fenced,
    expand_isr_fenced_early,
    shrink_isr_fenced,
)
from models.kafka.replication.truncation import (
    become_follower_fenced,
    become_follower_kip101,
    become_follower_kip101_log_end,
    become_follower_kip279,
)
from models.kafka.replication.truncation_on_fetch import truncate_on_fetch_kip595
from specmodel.errors import Disabled

R1, R2, R3 = Replica


def led_by(leader: Replica, epoch: int) -> Cluster:
    """Everyone, the controller included, agrees on a leader under an epoch; all logs are empty."""
    s = booted()
    everyone = set(Replica)
    s.quorum.epoch, s.quorum.leader = epoch, leader
    s.requests[epoch] = Request(leader, everyone)
    for r in Replica:
        state = s.replica[r]
        state.epoch, state.leader, state.isr = epoch, leader, everyone
    return s


def elected(s: Cluster, leader: Replica, epoch: int) -> None:
    """The controller issues a request for a leader; only that leader has accepted it."""
    s.quorum.epoch, s.quorum.leader = epoch, leader
    s.requests[epoch] = Request(leader, s.quorum.isr)
    s.replica[leader].epoch, s.replica[leader].leader = epoch, leader


def test_write_appends_under_the_leaders_own_epoch() -> None:
    """A record carries the epoch its leader believes in, and the next id."""
    s = led_by(R1, 1)
    write(s, R1)
    assert s.log[R1] == [Record(0, 1)]
    assert s.next_id == 1


def test_write_is_refused_by_a_follower() -> None:
    """Only a broker that believes it leads takes a write."""
    with pytest.raises(Disabled):
        write(led_by(R1, 0), R2)


def test_fetch_takes_one_record_and_what_is_exposed_of_it() -> None:
    """The follower's high watermark is the leader's, but never beyond its own log."""
    s = led_by(R1, 0)
    write(s, R1)
    write(s, R1)
    s.replica[R1].hw = 2
    fetch_fenced(s, R2, R1)
    assert (len(s.log[R2]), s.replica[R2].hw) == (1, 1)


def test_only_the_fenced_fetch_minds_the_epoch() -> None:
    """A leader serves a follower of an earlier epoch unless fetches are fenced (KIP-320)."""
    s = led_by(R1, 0)
    write(s, R1)
    elected(s, R1, 1)
    with pytest.raises(Disabled):
        fetch_fenced(s, R2, R1)
    fetch(s, R2, R1)
    assert len(s.log[R2]) == 1


def test_high_watermark_waits_for_the_whole_isr() -> None:
    """A record is exposed once every member of the leader's ISR has it."""
    s = led_by(R1, 0)
    write(s, R1)
    fetch_fenced(s, R2, R1)
    with pytest.raises(Disabled):
        advance_hw_fenced(s, R1)
    shrink_isr_fenced(s, R1, R3)
    advance_hw_fenced(s, R1)
    assert s.replica[R1].hw == 1


def test_a_deposed_leader_cannot_shrink_the_isr() -> None:
    """The write to the controller's record is fenced by the leader epoch."""
    s = led_by(R1, 0)
    write(s, R1)
    elected(s, R2, 1)
    with pytest.raises(Disabled):
        shrink_isr_fenced(s, R1, R3)


def test_a_new_leader_expands_the_isr_only_when_its_high_watermark_is_its_own() -> None:
    """KAFKA-7128: until then it may lack knowledge of records that were exposed before it."""
    s = led_by(R1, 1)
    s.log[R1] = [Record(0, 0)]
    s.quorum.isr = s.replica[R1].isr = {R1}
    with pytest.raises(Disabled):
        expand_isr_fenced(s, R1, R2)
    expand_isr_fenced_early(s, R1, R2)
    assert s.quorum.isr == {R1, R2}


def test_the_last_member_stays_in_the_isr_when_it_fails() -> None:
    """Otherwise no clean election could ever bring the partition back."""
    s = led_by(R1, 0)
    s.quorum.isr = {R1}
    controller_shrink(s, R1)
    assert (s.quorum.leader, s.quorum.isr, s.quorum.epoch) == (None, {R1}, 1)


def one_record_apart() -> Cluster:
    """r2, once leader under epoch 1, has a record of its own behind one that it shares with r1."""
    s = led_by(R1, 0)
    shared = Record(0, 0)
    s.log[R1] = [shared]
    s.log[R2] = [shared, Record(1, 1)]
    elected(s, R2, 1)
    elected(s, R1, 2)
    return s


def test_kip101_loses_a_shared_record_when_the_leader_has_no_answer() -> None:
    """KAFKA-7415: an epoch unknown to the leader sends the follower back to its high watermark."""
    s = one_record_apart()
    become_follower_kip101(s, R2, 2)
    assert s.log[R2] == []


@pytest.mark.parametrize(
    "rule", [become_follower_kip101_log_end, become_follower_kip279, become_follower_fenced]
)
def test_later_truncation_keeps_what_both_logs_share(
    rule: Callable[[Cluster, Replica, int], None],
) -> None:
    """Every repair of KIP-101 removes the unshared record and nothing else."""
    s = one_record_apart()
    rule(s, R2, 2)
    assert s.log[R2] == [Record(0, 0)]
    assert s.replica[R2].epoch == 2


def test_the_fence_makes_a_follower_wait_for_its_leader() -> None:
    """KIP-320: a leader that has not reached the request's epoch may still truncate its log."""
    s = led_by(R1, 0)
    s.quorum.epoch = 1
    s.requests[1] = Request(R1, s.quorum.isr)
    with pytest.raises(Disabled):
        become_follower_fenced(s, R2, 1)
    become_follower_kip279(s, R2, 1)
    assert s.replica[R2].epoch == 1


def test_kip101_lookup_beyond_the_log_disables_the_follower() -> None:
    """The quirk of Kip101.tla that `clamp_lookup` removes: a lagging follower cannot follow."""
    s = led_by(R1, 0)
    s.log[R1] = [Record(0, 0), Record(1, 0)]
    s.log[R2] = [Record(0, 0)]
    elected(s, R1, 1)
    with pytest.raises(Disabled):
        become_follower_kip101(s, R2, 1)


def test_kip595_truncates_to_the_leaders_end_of_the_diverging_epoch() -> None:
    """The response names epoch 0 ending at 1: the record of epoch 1 goes, the shared one stays."""
    s = one_record_apart()
    s.replica[R2].epoch, s.replica[R2].leader = 2, R1
    truncate_on_fetch_kip595(s, R2, R1)
    assert s.log[R2] == [Record(0, 0)]
    with pytest.raises(Disabled):
        truncate_on_fetch_kip595(s, R2, R1)
