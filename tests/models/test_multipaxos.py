"""MultiPaxos: verdicts, single steps, and what clients may see."""

import pytest

from models.consensus.key_value import Answered, Asked, History, Read, Write, is_linearizable
from models.consensus.multipaxos import (
    Accept,
    AcceptReply,
    CommitNotice,
    Instance,
    PrepareReply,
    Replica,
    Status,
    System,
    Vote,
    commit,
    hear_of_commit,
    lead,
    lead_by_own_log,
    started,
)
from specmodel.errors import Disabled
from specmodel.lang import picking
from tests.models.expectations import check_everything, unbroken

DESIGNS = ["multipaxos", "multipaxos-own-log", "multipaxos-untold-ballot"]

S1, S2, _ = Replica
(W1,) = Write
(R1,) = Read


def test_every_property_can_fail() -> None:
    """Each property is violated by some design: none of them is true of anything whatever."""
    assert unbroken(DESIGNS) == set()


@pytest.mark.parametrize("name", DESIGNS)
def test_engines_agree(name: str) -> None:
    """The compiled search counts and finds what the interpreter does."""
    native = check_everything(name, (("replicas", 2),))
    interpreted = check_everything(name, (("replicas", 2),), "interpret")
    assert (native.distinct, native.generated) == (interpreted.distinct, interpreted.generated)
    assert (native.depth, native.coverage) == (interpreted.depth, interpreted.coverage)
    assert native.properties == interpreted.properties


@pytest.mark.parametrize(
    ("history", "linearizable"),
    [
        ([Asked(W1), Asked(R1), Answered(R1, None), Answered(W1, None)], True),
        ([Asked(W1), Asked(R1), Answered(R1, W1), Answered(W1, None)], True),
        ([Asked(W1), Answered(W1, None), Asked(R1), Answered(R1, W1)], True),
        ([Asked(W1), Answered(W1, None), Asked(R1), Answered(R1, None)], False),
        ([Asked(R1), Answered(R1, W1), Asked(W1), Answered(W1, None)], False),
    ],
)
def test_linearizable(history: History, linearizable: bool) -> None:
    """A read sees a write that was answered before, and none that was asked for later."""
    assert is_linearizable(history) == linearizable


def elected() -> System:
    """S1 prepares ballot 2; S2 has voted for the write in ballot 1."""
    s = started()
    s.node[S1].leader, s.node[S1].newest = S1, 2
    none = {1: Vote(0, None), 2: Vote(0, None)}
    s.messages = {PrepareReply(S1, 2, none), PrepareReply(S2, 2, {**none, 1: Vote(1, W1)})}
    return s


def test_a_leader_takes_over_the_newest_votes() -> None:
    """It may have been committed: the leader asks for votes for it, in its own ballot."""
    s = elected()
    lead(s, S1)
    assert Accept(S1, 2, 1, W1) in s.messages
    assert s.node[S1].log[1].status == Status.accepting
    assert s.node[S1].log[2].status == Status.empty
    s = elected()
    lead_by_own_log(s, S1)
    assert not any(isinstance(m, Accept) for m in s.messages)


def test_a_leader_waits_for_a_majority() -> None:
    """One vote is not enough to commit."""
    s = elected()
    lead(s, S1)
    s.messages |= {AcceptReply(S1, 2, 1)}
    with pytest.raises(Disabled):
        commit(s, S1)
    s.messages |= {AcceptReply(S2, 2, 1)}
    commit(s, S1)
    assert (s.node[S1].committed, s.node[S1].value, s.pending) == (1, W1, [R1])
    assert s.observed == [Answered(W1, None)]
    assert CommitNotice(2, 1) in s.messages


def test_a_follower_commits_what_was_committed() -> None:
    """Its vote of an older ballot may be for another command."""
    s = started()
    node = s.node[S2]
    node.log[1] = Instance(Status.accepting, R1, Vote(1, R1))
    for ballot in (2, 1):
        notice = CommitNotice(ballot, 1)
        s.messages = {notice}
        if ballot == 2:
            with pytest.raises(Disabled), picking(notice):
                hear_of_commit(s, S2)
        else:
            with picking(notice):
                hear_of_commit(s, S2)
    assert (node.committed, node.value) == (1, None)
