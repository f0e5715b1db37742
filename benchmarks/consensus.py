"""Consensus protocols that specmodel and TLC search with the same bounds: Paxos, Raft, TwoPhase.

The TLA+ modules are public and supplied by the user. What stands here is what TLC needs beside
them: bounds, and the invariants that the specmodel design has.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.configuration import StateSpace
from benchmarks.peers.tlc import Model, names


@dataclass(frozen=True)
class ConsensusCase:
    """A design of `models/consensus` with its bounds, its state space, and TLC's model of it."""

    design: str
    invariants: tuple[str, ...]
    bounds: tuple[tuple[str, int], ...]
    known: StateSpace
    translate: Callable[[dict[str, int]], Model] = field(compare=False)
    symmetric: bool = False

    def __str__(self) -> str:
        bounds = ", ".join(f"{name}={value}" for name, value in self.bounds)
        return f"{self.design} ({bounds})"

    @property
    def constants(self) -> dict[str, int]:
        """The constants by the names that the specmodel design gives them."""
        return dict(self.bounds)

    def model(self) -> Model:
        """What TLC searches."""
        return self.translate(self.constants)


EXAMPLES = "clone tlaplus/Examples"

TWO_PHASE_DEFINITIONS = """\
EXTENDS TwoPhase
Agreement == TC!TCConsistent
"""


def two_phase(bounds: dict[str, int]) -> Model:
    """The module TwoPhase, with the consistency of TCommit as its invariant."""
    return Model(
        module="TwoPhase",
        source=f"{EXAMPLES} (specifications/transaction_commit)",
        definitions=TWO_PHASE_DEFINITIONS,
        settings=(
            f"CONSTANT RM = {names('rm', bounds['managers'])}\n"
            "INIT TPInit\nNEXT TPNext\nINVARIANT Agreement\n"
        ),
    )


PAXOS_DEFINITIONS = """\
EXTENDS Paxos, FiniteSets
CONSTANT MaxBallot
Ballots == 0..MaxBallot
Majorities == {q \\in SUBSET Acceptor : Cardinality(q) = Cardinality(Acceptor) \\div 2 + 1}
Chosen(v) == \\E b \\in Ballot : \\E q \\in Quorum : \\A a \\in q :
                [type |-> "2b", acc |-> a, bal |-> b, val |-> v] \\in msgs
Agreement == \\A v, w \\in Value : Chosen(v) /\\ Chosen(w) => v = w
VotesAreSafe == \\A m, n \\in msgs :
                   (m.type = "2a" /\\ n.type = "2b") => (m.bal = n.bal => m.val = n.val)
"""


def paxos(bounds: dict[str, int]) -> Model:
    """The module Paxos with majorities, without the check that it refines Voting."""
    return Model(
        module="Paxos",
        source=f"{EXAMPLES} (specifications/Paxos)",
        definitions=PAXOS_DEFINITIONS,
        settings=(
            "CONSTANTS\n"
            f"    Acceptor = {names('a', bounds['acceptors'])}\n"
            f"    Value = {names('v', bounds['values'])}\n"
            f"    MaxBallot = {bounds['ballots'] - 1}\n"
            "    Quorum <- Majorities\n"
            "    Ballot <- Ballots\n"
            "    None = None\n"
            "INIT Init\nNEXT Next\nINVARIANTS Agreement VotesAreSafe\n"
        ),
        stubs={
            "TLAPS": "PTL == TRUE\nExpandENABLED == TRUE\n",
            "FiniteSetTheorems": "FS_EmptySet == TRUE\nFS_Singleton == TRUE\n",
        },
    )


RAFT_DEFINITIONS = """\
EXTENDS raft
CONSTANTS MaxTerm, MaxLog, MaxFlying
RECURSIVE Copies(_)
Copies(ms) == IF ms = {} THEN 0
              ELSE LET m == CHOOSE m \\in ms : TRUE IN messages[m] + Copies(ms \\ {m})
Bounded == /\\ \\A i \\in Server : currentTerm[i] <= MaxTerm /\\ Len(log[i]) <= MaxLog
           /\\ Copies(DOMAIN messages) <= MaxFlying
OneLeader == \\A i, j \\in Server :
                (i /= j /\\ state[i] = Leader /\\ state[j] = Leader)
                   => currentTerm[i] /= currentTerm[j]
LogsMatch == \\A i, j \\in Server : \\A n \\in 1..Min({Len(log[i]), Len(log[j])}) :
                log[i][n].term = log[j][n].term => SubSeq(log[i], 1, n) = SubSeq(log[j], 1, n)
"""


def raft(bounds: dict[str, int]) -> Model:
    """The module raft without its history variables, under the bounds of the specmodel design."""
    own_names = (
        *("Follower", "Candidate", "Leader", "Nil", "RequestVoteRequest", "RequestVoteResponse"),
        *("AppendEntriesRequest", "AppendEntriesResponse"),
    )
    return Model(
        module="raft",
        source="clone ongardie/raft.tla",
        definitions=RAFT_DEFINITIONS,
        settings=(
            "CONSTANTS\n"
            f"    Server = {names('s', bounds['servers'])}\n"
            f"    Value = {names('v', bounds['values'])}\n"
            f"    MaxTerm = {bounds['terms']}\n"
            f"    MaxLog = {bounds['entries']}\n"
            f"    MaxFlying = {bounds['flying']}\n"
            + "".join(f"    {name} = {name}\n" for name in own_names)
            + "INIT Init\nNEXT Next\nCONSTRAINT Bounded\nINVARIANTS OneLeader LogsMatch\n"
        ),
        edit=without_history,
    )


HISTORY = r"elections|allLogs|voterLog"
"""The variables of raft that exist for its proof; `mlog` is such a field of two messages."""


def without_history(text: str) -> str:
    """The module raft without its history variables, which multiply states and change no step.

    A line that declares, sets or initialises one of them goes, with the lines that are indented
    more below it, and each mention of one in a tuple.
    """
    starts = re.compile(rf"VARIABLE ({HISTORY})$|/\\ ({HISTORY})' *=|(/\\ )?InitHistoryVars|mlog ")
    kept: list[str] = []
    dropped: int | None = None
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if dropped is not None and line.strip() and indent > dropped:
            continue
        dropped = indent if starts.match(line.strip()) else None
        if dropped is None:
            kept.append(line)
    return re.sub(rf", *({HISTORY})\b|\b({HISTORY}), *", "", "\n".join(kept) + "\n")


CASES = (
    ConsensusCase(
        design="two-phase-messages",
        invariants=("agreement",),
        bounds=(("managers", 8),),
        known=StateSpace(1_745_408, 26),
        translate=two_phase,
    ),
    ConsensusCase(
        design="paxos",
        invariants=("agreement", "votes_are_safe"),
        bounds=(("acceptors", 4), ("values", 2), ("ballots", 3)),
        known=StateSpace(2_135_473, 31),
        translate=paxos,
    ),
    ConsensusCase(
        design="raft",
        invariants=("one_leader", "logs_match"),
        bounds=(("servers", 3), ("values", 1), ("terms", 2), ("entries", 1), ("flying", 1)),
        known=StateSpace(1_931_973, 53),
        translate=raft,
    ),
)
