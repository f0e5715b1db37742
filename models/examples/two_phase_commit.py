"""Two-phase commit: participants of a transaction commit all together, or not at all.

A coordinator asks every participant to prepare. It decides to commit once all have promised to, and
may decide to abort at any time before. Messages are never lost for good, but may be as late as they
like.

Source: Jim Gray, Notes on Data Base Operating Systems, 1978; Leslie Lamport's TLA+ module TwoPhase.
"""

from enum import Enum, auto

from specmodel.lang import (
    Lanes,
    ScalarSet,
    Set,
    Spec,
    Struct,
    action,
    constant,
    eventually,
    init,
    invariant,
    reachable,
    require,
    transition,
    weak,
)

participants = constant("participants", 3, low=1, high=8, doc="databases that take part")


class Participant(ScalarSet, size=participants, symmetric=True):
    """A database that holds a part of the transaction."""


class Phase(Enum):
    """How far a participant is. Working, it may still abort of its own accord."""

    working = auto()
    prepared = auto()
    committed = auto()
    aborted = auto()


class Decision(Enum):
    """What the coordinator has decided, and has told everyone."""

    undecided = auto()
    commit = auto()
    abort = auto()


class Transaction(Struct):
    """The transaction as it stands: participants, promises on their way, the coordinator."""

    phase: dict[Participant, Phase]
    promised: Set[Participant]
    heard: Set[Participant]
    decision: Decision


@init
def begun() -> Transaction:
    """Everyone is at work and nothing is promised."""
    return Transaction(
        phase={p: Phase.working for p in Participant},
        promised=set(),
        heard=set(),
        decision=Decision.undecided,
    )


@action
def prepare(s: Transaction, p: Participant) -> None:
    """A participant promises that it will commit if asked to: it may no longer abort alone."""
    require(s.phase[p] == Phase.working)
    s.phase[p] = Phase.prepared
    s.promised |= {p}


@action
def give_up(s: Transaction, p: Participant) -> None:
    """A participant that has promised nothing aborts."""
    require(s.phase[p] == Phase.working)
    s.phase[p] = Phase.aborted


@action
def hear(s: Transaction, p: Participant) -> None:
    """A promise arrives at the coordinator."""
    require(s.decision == Decision.undecided and p in s.promised and p not in s.heard)
    s.heard |= {p}


@action
def decide_commit(s: Transaction) -> None:
    """The coordinator has heard from everyone."""
    require(s.decision == Decision.undecided and len(s.heard) == len(Participant))
    s.decision = Decision.commit


@action
def decide_abort(s: Transaction) -> None:
    """The coordinator has lost its patience."""
    require(s.decision == Decision.undecided)
    s.decision = Decision.abort


@action
def obey(s: Transaction, p: Participant) -> None:
    """The decision arrives at a participant, which does as it is told."""
    if s.decision == Decision.commit:
        require(s.phase[p] == Phase.prepared)
        s.phase[p] = Phase.committed
    else:
        require(s.decision == Decision.abort)
        require(s.phase[p] == Phase.working or s.phase[p] == Phase.prepared)
        s.phase[p] = Phase.aborted


@action
def time_out(s: Transaction, p: Participant) -> None:
    """An easy mistake: a participant tired of waiting breaks its promise and aborts."""
    require(s.phase[p] == Phase.prepared)
    s.phase[p] = Phase.aborted


@invariant
def agreement(s: Transaction) -> bool:
    """No participant has committed while another has aborted."""
    return not any(
        s.phase[p] == Phase.committed and s.phase[q] == Phase.aborted
        for p in Participant
        for q in Participant
    )


@invariant
def unanimity(s: Transaction) -> bool:
    """Nobody has committed before everybody has promised to."""
    return all(
        len(s.promised) == len(Participant) for p in Participant if s.phase[p] == Phase.committed
    )


@transition
def final(before: Transaction, after: Transaction) -> bool:
    """What is committed stays committed, what is aborted stays aborted."""
    return all(
        before.phase[p] == after.phase[p]
        for p in Participant
        if before.phase[p] == Phase.committed or before.phase[p] == Phase.aborted
    )


@reachable
def all_committed(s: Transaction) -> bool:
    """The transaction can succeed."""
    return all(s.phase[p] == Phase.committed for p in Participant)


@reachable
def all_aborted(s: Transaction) -> bool:
    """The transaction can fail everywhere."""
    return all(s.phase[p] == Phase.aborted for p in Participant)


@eventually
def all_finished(s: Transaction) -> bool:
    """Everybody has committed or aborted in the end."""
    return all(s.phase[p] == Phase.committed or s.phase[p] == Phase.aborted for p in Participant)


two_phase_commit = Spec(
    state=Transaction,
    init=begun,
    actions=[prepare, give_up, hear, decide_commit, decide_abort, obey],
    invariants=[agreement, unanimity],
    transitions=[final],
    reachable=[all_committed, all_aborted],
    lanes=Lanes(
        actor=Participant,
        role="phase",
        members=("promised", "heard"),
        status=("decision",),
    ),
)

two_phase_commit_impatient = two_phase_commit.adding(actions=[time_out])

two_phase_commit_prompt = two_phase_commit.adding(
    liveness=[all_finished],
    fairness=[weak(decide_commit, decide_abort), weak(obey, per="p")],
)

two_phase_commit_blocked = two_phase_commit_prompt.under(
    weak(prepare, give_up, per="p"), weak(obey, per="p")
)
