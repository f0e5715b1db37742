"""KRaft with messages on their way: verdicts and single steps."""

import pytest

from models.kafka.kraft.electing import answer_candidate, count_any_vote, count_vote, hear_of_leader
from models.kafka.kraft.fetching import (
    end_of_epoch,
    fetch,
    give_up,
    serve,
    take_any_response,
    take_response,
    take_response_by_epoch,
    unused_correlation,
)
from models.kafka.kraft.quorum import (
    BeginQuorumEpoch,
    EpochEnd,
    FetchRequest,
    FetchResponse,
    Quorum,
    Role,
    VoteGranted,
    Voter,
    VoteRequest,
    booted,
)
from specmodel.errors import Disabled
from specmodel.lang import picking
from tests.models.expectations import check_everything, unbroken

DESIGNS = [
    "kraft",
    "kraft-any-vote",
    "kraft-by-epoch",
    "kraft-fetches",
    "kraft-fetches-by-id",
    "kraft-fetches-by-epoch",
    "kraft-fetches-by-epoch-patient",
    "kraft-fetches-unchecked-patient",
    "kraft-at-once",
]

V1, V2, V3 = Voter


def test_every_property_can_fail() -> None:
    """Each property is violated by some design: none of them is true of anything whatever."""
    assert unbroken(DESIGNS) == set()


SMALL = (("voters", 2), ("max_epoch", 1))


@pytest.mark.parametrize("name", DESIGNS)
def test_engines_agree(name: str) -> None:
    """The compiled search counts and finds what the interpreter does."""
    native = check_everything(name, SMALL)
    interpreted = check_everything(name, SMALL, "interpret")
    assert (native.distinct, native.generated) == (interpreted.distinct, interpreted.generated)
    assert (native.depth, native.coverage) == (interpreted.depth, interpreted.coverage)
    assert native.properties == interpreted.properties


# Single steps, with records of epochs 1 and 2; a log has one record at the defaults


def led_by(leader: Voter, epoch: int, *followers: Voter) -> Quorum:
    """A leader of an epoch, and voters that follow it."""
    s = booted()
    for v in (leader, *followers):
        s.voter[v].epoch, s.voter[v].leader = epoch, leader
        s.voter[v].role = Role.leader if v == leader else Role.follower
    return s


def diverging(correlation: int) -> FetchResponse:
    """V1 tells V2 that their logs have nothing in common, in epoch 2."""
    return FetchResponse(
        epoch=2,
        offset=1,
        record=None,
        diverging=EpochEnd(0, 0),
        hw=0,
        correlation=correlation,
        source=V1,
        to=V2,
    )


def test_a_follower_truncates_where_the_logs_diverge() -> None:
    """The leader of epoch 2 has nothing of epoch 1, and says so."""
    s = led_by(V1, 2, V2)
    s.voter[V2].log = [1]
    fetch(s, V2)
    request = FetchRequest(2, 1, 1, 0, V2, V1)
    assert (s.messages, s.voter[V2].awaits) == ({request}, 0)
    with picking(request):
        serve(s)
    assert s.messages == {diverging(0)}
    with picking(diverging(0)):
        take_response(s)
    assert (s.voter[V2].log, s.voter[V2].awaits, s.messages) == ([], None, set())


def test_a_request_that_was_given_up_has_an_id_of_its_own() -> None:
    """Its response is not taken for that of the next request, unless nobody looks at the id."""
    s = led_by(V1, 2, V2)
    s.voter[V2].log = [2]
    s.messages = {diverging(0)}
    assert unused_correlation(s, V2) == 1
    fetch(s, V2)
    with pytest.raises(Disabled), picking(diverging(0)):
        take_response(s)
    with picking(diverging(0)):
        take_response_by_epoch(s)
    assert (s.voter[V2].log, s.voter[V2].awaits) == ([], 1)
    give_up(s, V2)
    assert s.voter[V2].awaits is None


def test_a_response_of_an_older_epoch_is_not_used() -> None:
    """Without the check, it truncates the log of a leader's successor."""
    s = led_by(V3, 2, V2)
    s.voter[V2].log, s.voter[V2].awaits = [2], 0
    late = FetchResponse(1, 1, None, EpochEnd(0, 0), 0, 0, V1, V2)
    s.messages = {late}
    for step in (take_response, take_response_by_epoch):
        with pytest.raises(Disabled), picking(late):
            step(s)
    with picking(late):
        take_any_response(s)
    assert s.voter[V2].log == []


def test_a_leader_commits_what_a_majority_has_fetched_up_to() -> None:
    """A request says what its follower has; the record in the response is not counted yet."""
    s = led_by(V1, 2, V2)
    s.voter[V1].log = [2]
    fetch(s, V2)
    with picking(FetchRequest(2, 0, 0, 0, V2, V1)):
        serve(s)
    assert s.voter[V1].hw == 0
    response = FetchResponse(2, 0, 2, None, 0, 0, V1, V2)
    with picking(response):
        take_response(s)
    fetch(s, V2)
    with picking(FetchRequest(2, 1, 2, 0, V2, V1)):
        serve(s)
    assert (s.voter[V2].log, s.voter[V1].hw) == ([2], 1)


def test_a_record_of_an_older_epoch_is_not_committed_alone() -> None:
    """Raft's rule: the last record that a majority has must be of the leader's own epoch."""
    s = led_by(V1, 2, V2)
    s.voter[V1].log = s.voter[V2].log = [1]
    fetch(s, V2)
    with picking(FetchRequest(2, 1, 1, 0, V2, V1)):
        serve(s)
    assert (s.voter[V1].ends[V2], s.voter[V1].hw) == (1, 0)


@pytest.mark.parametrize(
    ("epoch", "end"), [(0, EpochEnd(0, 0)), (1, EpochEnd(1, 1)), (2, EpochEnd(1, 1))]
)
def test_the_end_of_an_epoch(epoch: int, end: EpochEnd) -> None:
    """An epoch without records is answered with the one before it."""
    assert end_of_epoch([1], epoch) == end


def test_votes() -> None:
    """A voter votes once in an epoch, for a log that goes as far as its own."""
    s = booted()
    s.voter[V2].log = [1]
    short = VoteRequest(2, 0, 0, V1, V2)
    s.messages = {short}
    with picking(short):
        answer_candidate(s)
    assert (s.voter[V2].epoch, s.voter[V2].voted_for, s.messages) == (2, None, set())
    for candidate, votes in ((V3, {VoteGranted(2, V2, V3)}), (V1, set[VoteGranted]())):
        request = VoteRequest(2, 1, 1, candidate, V2)
        s.messages = {request}
        with picking(request):
            answer_candidate(s)
        assert (s.voter[V2].voted_for, s.messages) == (V3, votes)


def test_a_late_vote() -> None:
    """A candidate that has gone on to the next epoch does not count it."""
    s = booted()
    state = s.voter[V1]
    state.epoch, state.role, state.votes = 2, Role.candidate, {V1}
    late = VoteGranted(1, V2, V1)
    s.messages = {late}
    with pytest.raises(Disabled), picking(late):
        count_vote(s)
    with picking(late):
        count_any_vote(s)
    assert state.role == Role.leader


def test_news_of_an_old_leader() -> None:
    """A voter does not go back to an older epoch."""
    s = led_by(V1, 2, V2)
    old = BeginQuorumEpoch(1, V3, V2)
    s.messages = {old}
    with pytest.raises(Disabled), picking(old):
        hear_of_leader(s)
