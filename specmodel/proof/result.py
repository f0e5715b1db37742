"""The result of an attempt at a proof: the obligations and their outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.results import Trace

Kind = Literal["initiation", "consecution", "implication", "no failure"]
Status = Literal["proved", "failed", "unknown", "open"]


@dataclass(frozen=True)
class Obligation:
    """An obligation of a proof.

    initiation: the first states of behaviours meet the claim; consecution: after a step of the
    action from states that meet all claims, the claim is met; implication: a state that meets the
    lemmas meets the claim; no failure: no step from states that meet all claims makes the spec
    fail.
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
    """The outcome of an obligation; open: it was not asked.

    `trace` are the states and steps that show that it does not hold: of an initiation a behaviour
    of the design; of others a path that begins in any state. `uses` are the claims that a proof
    uses, `why` says why the outcome is unknown, or what fails.
    """

    obligation: Obligation
    status: Status
    seconds: float = 0.0
    trace: Trace | None = None
    uses: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class Window:
    """A constant for all of whose values, from `least` on, a proof holds.

    A proof at `least` holds for larger values, because no step and no claim distinguishes states
    with the same order of their few values (`proof/cutoff.py`).
    """

    constant: str
    least: int


@dataclass(frozen=True)
class Proof:
    """An attempt at a proof that goals hold in all reachable states.

    `lemmas` are claims made besides the goals, `assumed` properties that were assumed, `dropped`
    lemmas given up because a step can break them, `found` lemmas that were found, as expressions by
    name. `path` is the number of successive states that were assumed to meet the claims (1: plain
    induction). `cores`: the outcomes say which claims they use.
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
        needed, pending = set[str](), ["", *self.goals]  # "": the claim that no step fails
        while pending:
            claim = pending.pop()
            if claim not in needed:
                needed.add(claim)
                pending += uses.get(claim, ())
        return tuple(name for name in self.lemmas if name not in needed)
