"""Two-phase commit by messages, as Lamport's module TwoPhase has it.

Messages are never lost: the set of all messages ever sent stands for the network. One that nobody
takes is one that was lost, as nothing here has to happen.

Source: Jim Gray and Leslie Lamport, Consensus on Transaction Commit, 2006; the module TwoPhase of
tlaplus/Examples.
"""

from __future__ import annotations

from specmodel.lang import (
    Lanes,
    Set,
    Spec,
    Struct,
    action,
    init,
    invariant,
    pick,
    reachable,
    refines,
    require,
)

from .commit import Commitment, Manager, Phase, managers, tcommit


class Prepared(Struct):
    """A manager promises to commit if it is told to."""

    manager: Manager


class Commit(Struct):
    """The transaction manager has decided to commit."""


class Abort(Struct):
    """The transaction manager has decided to abort."""


Message = Prepared | Commit | Abort


class Transaction(Struct):
    """What managers know, and every message that was sent."""

    phase: dict[Manager, Phase]
    decided: bool
    promised: Set[Manager]
    messages: Set[Message]


@init
def begun() -> Transaction:
    """Everyone works on the transaction."""
    return Transaction(
        phase={r: Phase.working for r in Manager},
        decided=False,
        promised=set(),
        messages=set(),
    )


@action
def hear_promise(s: Transaction) -> None:
    """The transaction manager learns that a manager is prepared."""
    require(not s.decided)
    m = pick(s.messages, Prepared)
    s.promised |= {m.manager}


@action
def decide_commit(s: Transaction) -> None:
    """The transaction manager commits once everyone has promised to."""
    require(not s.decided and len(s.promised) == managers)
    s.decided = True
    s.messages |= {Commit()}


@action
def decide_commit_early(s: Transaction) -> None:
    """The mistake: the promises of a majority are taken for those of all."""
    require(not s.decided and len(s.promised) > managers // 2)
    s.decided = True
    s.messages |= {Commit()}


@action
def decide_abort(s: Transaction) -> None:
    """The transaction manager may abort at any time before."""
    require(not s.decided)
    s.decided = True
    s.messages |= {Abort()}


@action
def prepare(s: Transaction, r: Manager) -> None:
    """A manager promises to commit."""
    require(s.phase[r] == Phase.working)
    s.phase[r] = Phase.prepared
    s.messages |= {Prepared(r)}


@action
def abort_alone(s: Transaction, r: Manager) -> None:
    """A manager that has promised nothing aborts."""
    require(s.phase[r] == Phase.working)
    s.phase[r] = Phase.aborted


@action
def hear_decision(s: Transaction, r: Manager) -> None:
    """A manager does what was decided."""
    m = pick(s.messages, Commit, Abort)
    s.phase[r] = Phase.committed if isinstance(m, Commit) else Phase.aborted


@invariant
def agreement(s: Transaction) -> bool:
    """No manager commits while another aborts."""
    return not any(
        s.phase[a] == Phase.committed and s.phase[b] == Phase.aborted
        for a in Manager
        for b in Manager
    )


@refines(tcommit)
def commitment(s: Transaction) -> Commitment:
    """What managers have decided, without the messages by which they do."""
    return Commitment(phase=s.phase)


@reachable
def all_committed(s: Transaction) -> bool:
    """Everyone can commit."""
    return all(s.phase[r] == Phase.committed for r in Manager)


two_phase_messages = Spec(
    name="two-phase-messages",
    state=Transaction,
    init=begun,
    actions=[
        hear_promise,
        decide_commit,
        decide_abort,
        prepare,
        abort_alone,
        hear_decision,
    ],
    invariants=[agreement],
    transitions=[commitment],
    reachable=[all_committed],
    lanes=Lanes(actor=Manager, facts=("phase",), status=("decided",), sender=("manager",)),
)

two_phase_messages_majority = two_phase_messages.replacing(
    "two-phase-messages-majority", decide_commit=decide_commit_early
)
