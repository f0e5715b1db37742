"""Transaction commit as such, without messages: Lamport's module TCommit.

Managers decide as if each could see all others. It says what a protocol for commit has to do, and
not how: a design of such a protocol refines it.

Source: Jim Gray and Leslie Lamport, Consensus on Transaction Commit, 2006; the module TCommit of
tlaplus/Examples.
"""

from __future__ import annotations

from enum import Enum, auto

from specmodel.lang import (
    Lanes,
    ScalarSet,
    Spec,
    Struct,
    action,
    constant,
    init,
    invariant,
    reachable,
    require,
)

managers = constant("managers", 3, low=1, high=8, doc="resource managers")


class Manager(ScalarSet, size=managers, prefix="rm", symmetric=True):
    """A resource manager: a database that holds a part of the transaction."""


class Phase(Enum):
    """How far a manager is. Working, it may still abort of its own accord."""

    working = auto()
    prepared = auto()
    committed = auto()
    aborted = auto()


class Commitment(Struct):
    """What the managers have decided."""

    phase: dict[Manager, Phase]


@init
def undecided() -> Commitment:
    """Everyone works on the transaction."""
    return Commitment(phase={r: Phase.working for r in Manager})


@action
def prepare(s: Commitment, r: Manager) -> None:
    """A manager is ready to commit."""
    require(s.phase[r] == Phase.working)
    s.phase[r] = Phase.prepared


@action
def commit(s: Commitment, r: Manager) -> None:
    """A manager commits: everyone is ready to, or has done it."""
    require(s.phase[r] == Phase.prepared)
    require(all(s.phase[a] in (Phase.prepared, Phase.committed) for a in Manager))
    s.phase[r] = Phase.committed


@action
def abort(s: Commitment, r: Manager) -> None:
    """A manager aborts: nobody has committed."""
    require(s.phase[r] in (Phase.working, Phase.prepared))
    require(all(s.phase[a] != Phase.committed for a in Manager))
    s.phase[r] = Phase.aborted


@invariant
def consistent(s: Commitment) -> bool:
    """No manager commits while another aborts."""
    return not any(
        s.phase[a] == Phase.committed and s.phase[b] == Phase.aborted
        for a in Manager
        for b in Manager
    )


@reachable
def all_commit(s: Commitment) -> bool:
    """Everyone can commit."""
    return all(s.phase[r] == Phase.committed for r in Manager)


tcommit = Spec(
    state=Commitment,
    init=undecided,
    actions=[prepare, commit, abort],
    invariants=[consistent],
    reachable=[all_commit],
    lanes=Lanes(actor=Manager, facts=("phase",)),
)
