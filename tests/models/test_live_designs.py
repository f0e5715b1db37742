"""What has to happen in the Kafka designs and in two-phase commit, and when it does not."""

from __future__ import annotations

from dataclasses import replace

from specmodel import check, load
from specmodel.suite.targets import spec_of
from tests.models.expectations import check_everything


def test_a_topic_created_anew_is_never_believed() -> None:
    """KIP-232 by leader epoch alone: the topic was deleted, the client stays with the old one."""
    lasso = check_everything("metadata-leader-epoch-live")["knows_the_leader"]
    assert lasso.trace is not None
    end = lasso.trace.states[-1]
    assert lasso.trace.loop == lasso.trace.length - 1
    assert end.client.stuck
    assert end.changes[-1].generation == 2
    assert end.client.seen_epoch > end.changes[-1].epoch


def test_a_follower_without_a_smaller_epoch_truncates_nothing() -> None:
    """KIP-595 in words: the logs are apart, and neither fetch nor truncation changes anything."""
    lasso = check_everything("kip595-live")["isr_whole"]
    assert lasso.trace is not None
    end = lasso.trace.states[-1]
    leader = end.quorum.leader
    (follower,) = {r for r in end.log if r != leader}
    assert end.replica[follower].epoch == end.replica[leader].epoch
    assert end.log[follower][0].epoch > end.log[leader][0].epoch
    assert len(end.log[follower]) == len(end.log[leader]) == 1


def test_a_follower_that_cannot_come_along_holds_up_the_high_watermark() -> None:
    """Kip101.tla as written; where the answer is clamped to the log's end it comes along."""
    assert check_everything("kip101-live")["all_exposed"].verdict == "violated"
    clamped = check_everything("kip101-live", (("clamp_lookup", True),))
    assert clamped.verdict == "holds"


def test_fairness_is_what_makes_the_properties_hold() -> None:
    """Without any, every behaviour may stop: none of the properties that hold would."""
    fair = load("kip320-live")
    result = check(replace(fair, spec=spec_of(fair.spec).under("bare")), keep_going=True)
    temporal = {p.verdict for p in result.properties if p.kind == "eventually_always"}
    assert temporal == {"violated"}
