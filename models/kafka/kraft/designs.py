"""KRaft with messages on their way, the same without, and with weaker checks of responses.

`kraft` has all messages. In `kraft_fetches` votes and announcements are steps of their own, and
fetches alone are on their way; in `kraft_at_once` nothing is. A patient follower waits for its
response as long as it takes, or until its epoch ends.
"""

from specmodel.lang import Lanes, Spec

from .electing import (
    announce,
    announce_at_once,
    answer_candidate,
    ask_for_vote,
    count_any_vote,
    count_vote,
    hear_of_leader,
    stand,
    vote_at_once,
    write,
)
from .fetching import (
    fetch,
    fetch_at_once,
    give_up,
    lose,
    serve,
    take_any_response,
    take_response,
    take_response_by_epoch,
    take_response_by_id,
)
from .properties import all_committed, committed_on_majority, leader_has_committed, one_leader
from .quorum import Quorum, Voter, booted

kraft = Spec(
    state=Quorum,
    init=booted,
    actions=[
        stand,
        ask_for_vote,
        answer_candidate,
        count_vote,
        announce,
        hear_of_leader,
        write,
        fetch,
        give_up,
        serve,
        take_response,
        lose,
    ],
    invariants=[one_leader, committed_on_majority, leader_has_committed],
    reachable=[all_committed],
    lanes=Lanes(
        actor=Voter,
        log="voter.log",
        cell="e{}",
        high_watermark="voter.hw",
        epoch="voter.epoch",
        leader="voter.leader",
        facts={
            "is": "voter.role",
            "voted for": "voter.voted_for",
            "waits for": "voter.awaits",
        },
    ),
)

kraft_any_vote = kraft.replacing("kraft-any-vote", count_vote=count_any_vote)

kraft_by_epoch = kraft.replacing("kraft-by-epoch", take_response=take_response_by_epoch)

kraft_fetches = kraft.replacing(
    "kraft-fetches", ask_for_vote=vote_at_once, announce=announce_at_once
).without("answer_candidate", "count_vote", "hear_of_leader")

kraft_fetches_by_id = kraft_fetches.replacing(
    "kraft-fetches-by-id", take_response=take_response_by_id
)

kraft_fetches_by_epoch = kraft_fetches.replacing(
    "kraft-fetches-by-epoch", take_response=take_response_by_epoch
)

kraft_fetches_by_epoch_patient = kraft_fetches_by_epoch.without("give_up")

kraft_fetches_unchecked_patient = kraft_fetches_by_epoch_patient.replacing(
    "kraft-fetches-unchecked-patient", take_response=take_any_response
)

kraft_at_once = kraft_fetches.replacing("kraft-at-once", fetch=fetch_at_once).without(
    "give_up", "serve", "take_response", "lose"
)
