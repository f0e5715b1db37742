"""How an attempt at a proof ended: what had to be shown, and what came of each part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from specmodel.constants import Value
from specmodel.results import Trace

Kind = Literal["initiation", "consecution", "implication", "no failure"]
Status = Literal["proved", "failed", "unknown", "open"]


@dataclass(frozen=True)
class Obligation:
    """Something to be shown.

    initiation: the first states of behaviours meet the claim; consecution: after a step of the
    action from states that meet all claims the claim is met; implication: a state that meets the
    lemmas meets the claim; no failure: from states that meet all claims the spec fails over no
    step.
    """

    kind: Kind
    claim: str = ""
    action: str = ""

    def __str__(self) -> str:
        if self.kind == "consecution":
            return f"{self.action} keeps {self.claim}"
        if self.kind == "implication":
            return f"the lemmas imply {self.claim}"
        if self.kind == "initiation":
            return f"{self.claim} at the start"
        return "no step fails"


@dataclass(frozen=True)
class ObligationOutcome:
    """What came of an obligation: open means that it was not come to.

    `trace` are the states and steps that show that it does not hold: of an initiation a behaviour
    of the design; of others a path that begins in any state. `uses` are the claims that a proof
    rests on, `why` says why nothing is known, or what fails.
    """

    obligation: Obligation
    status: Status
    seconds: float = 0.0
    trace: Trace | None = None
    uses: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class Window:
    """A constant that a proof holds for all values of, from `least` on.

    What is shown at `least` holds for more, since no step and no claim can tell apart states with
    the same order of at most so many values (`proof/cutoff.py`).
    """

    constant: str
    least: int


@dataclass(frozen=True)
class Proof:
    """An attempt at a proof that goals hold in all reachable states.

    `lemmas` are claims made beside the goals, `assumed` properties that were taken for granted,
    `dropped` lemmas given up because a step can break them, `found` lemmas that were not given but
    found, as expressions by name. `path` is how many states in a row were assumed to meet the
    claims (1: plain induction). `cores`: the outcomes say what they rest on.
    """

    design: str
    constants: Mapping[str, Value]
    goals: tuple[str, ...]
    lemmas: tuple[str, ...]
    assumed: tuple[str, ...]
    outcomes: tuple[ObligationOutcome, ...]
    path: int = 1
    cores: bool = False
    windows: tuple[Window, ...] = ()
    constraints: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    found: tuple[tuple[str, str], ...] = ()
    stopped: str = ""
    seconds: float = 0.0

    @property
    def verdict(self) -> Literal["proved", "failed", "unknown"]:
        """proved if all obligations are, failed if one is known not to hold."""
        statuses = {outcome.status for outcome in self.outcomes}
        if "failed" in statuses:
            return "failed"
        return "proved" if statuses <= {"proved"} and not self.stopped else "unknown"

    @property
    def failed(self) -> tuple[ObligationOutcome, ...]:
        """The obligations that do not hold."""
        return tuple(outcome for outcome in self.outcomes if outcome.status == "failed")

    @property
    def needless(self) -> tuple[str, ...]:
        """Lemmas that the goals can be proved without; none if that is not known."""
        if self.verdict != "proved" or not self.cores:
            return ()
        uses: dict[str, set[str]] = {}
        for outcome in self.outcomes:
            uses.setdefault(outcome.obligation.claim, set()).update(outcome.uses)
        needed, pending = set[str](), ["", *self.goals]  # "": that no step fails
        while pending:
            claim = pending.pop()
            if claim not in needed:
                needed.add(claim)
                pending += uses.get(claim, ())
        return tuple(name for name in self.lemmas if name not in needed)
