"""A proof from its plan to its result: lemmas, implications, induction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from specmodel.behaviour.refinement import misbegun
from specmodel.behaviour.steps import Interpreter
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.domains.found import found_places
from specmodel.errors import UsageError
from specmodel.proof.claims import Claim, ProofPlan, claim_of
from specmodel.proof.induction import Induction
from specmodel.proof.questions import Questions
from specmodel.proof.result import Obligation, ObligationOutcome, Proof, Window
from specmodel.smt.encoding import Encoding
from specmodel.smt.logic import Logic
from specmodel.smt.relation import Relation


@dataclass(frozen=True)
class ProofLimits:
    """Seconds for each question (None: no limit), and for the whole."""

    each: float | None = 60.0
    all: float | None = None


def prove(
    design: Design,
    plan: ProofPlan,
    limits: ProofLimits = ProofLimits(),
    path: int = 1,
    drop: bool = False,
    cores: bool = False,
    candidates: Sequence[tuple[str, str]] = (),
    windows: tuple[Window, ...] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Proof:
    """Tries to prove that the goals of a plan hold in all states that the design can reach.

    `path` is the number of successive states that are assumed to meet the claims. With `drop`,
    lemmas that a step can break are given up. With `cores`, the result says which claims each part
    uses, which takes longer. `candidates`, names with expressions, are lemmas that are always given
    up if a step can break them. `progress` gets the number of questions asked, and of all.

    Raises UsageError if z3 is not installed, and for places without declared bounds, and SpecError
    for a spec that has no formulas.
    """
    if found := ", ".join(place.name for place, _ in found_places(design.spec.domain)):
        raise UsageError(
            "a proof is about all values of a state's types, and not all bounds are declared: "
            f"give {found} a Range or a Capacity"
        )
    attempt = _ProofAttempt(design, plan, limits, path, cores)

    def report() -> None:
        if progress is not None:
            progress(attempt.asked, attempt.planned)

    questions = attempt.questions
    questions.run(partial(attempt.work, drop, candidates), report)
    return Proof(
        design=design.name,
        constants=design.values,
        goals=tuple(rule.name for rule in plan.goals),
        lemmas=tuple(claim.name for claim in attempt.lemmas),
        assumed=tuple(rule.name for rule in plan.assumed),
        outcomes=tuple(attempt.outcomes),
        path=path,
        cores=cores,
        windows=windows,
        constraints=tuple(rule.name for rule in design.spec.bounds),
        dropped=tuple(attempt.dropped),
        found=tuple(c for c in candidates if c[0] in {claim.name for claim in attempt.lemmas}),
        stopped=questions.stopped,
        seconds=questions.seconds,
    )


class _ProofAttempt:
    """The work of one proof. Its results so far can be read at any time."""

    def __init__(
        self, design: Design, plan: ProofPlan, limits: ProofLimits, path: int, cores: bool
    ) -> None:
        logic = Logic()
        self.encoding = encoding = Encoding(Relation(design.spec), logic)
        self.questions = Questions(logic, limits.each, limits.all)
        self.path = path
        self.cores = cores
        self.goals = [claim_of(encoding, rule) for rule in plan.goals]
        self.assumed = [claim_of(encoding, rule) for rule in plan.assumed]
        self.lemmas = [claim_of(encoding, rule) for rule in plan.lemmas]
        self.refinements = [rule for rule in plan.goals if rule.refined is not None]
        self.outcomes: list[ObligationOutcome] = []
        self.dropped: list[str] = []
        self.asked = self.planned = 0
        self.open: list[Obligation] = []

    def work(self, drop: bool, candidates: Sequence[tuple[str, str]]) -> None:
        """Asks all questions. Raises StoppedError if it is to end early."""
        try:
            self.outcomes += self._starts()
            if drop or candidates:
                self._give_up(drop, candidates)
            implied = self._implications()
            proper = [goal for goal in self.goals if goal.name not in implied]
            induction = self._induction([*self.lemmas, *proper])
            self.open = induction.obligations()
            self.planned = self.asked + len(self.open)
            for outcome in induction.outcomes():
                self.outcomes.append(outcome)
                self.asked += 1
        finally:
            done = {outcome.obligation for outcome in self.outcomes}
            self.outcomes += [ObligationOutcome(o, "open") for o in self.open if o not in done]

    def _starts(self) -> Iterator[ObligationOutcome]:
        """Whether each initial state stands for one of the abstract design's: CPython knows."""
        found = misbegun(Interpreter(self.encoding.relation.spec), self.refinements)
        for rule in self.refinements:
            trace = found.get(rule.name)
            status = "proved" if trace is None else "failed"
            yield ObligationOutcome(Obligation("initiation", rule.name), status, trace=trace)

    def _induction(self, claims: Sequence[Claim]) -> Induction:
        return Induction(self.encoding, self.questions, claims, self.assumed, self.path, self.cores)

    def _implications(self) -> set[str]:
        """The goals that the lemmas imply; keeps the outcomes."""
        found = set[str]()
        for goal in self.goals if self.lemmas else ():
            if goal.states == 1:
                outcome = self._induction(self.lemmas).implied(goal)
                if outcome.status == "proved":
                    self.outcomes.append(outcome)
                    found.add(goal.name)
        return found

    def _give_up(self, drop: bool, candidates: Sequence[tuple[str, str]]) -> None:
        """Gives up candidates, and with `drop` lemmas, that a step can break."""
        reader = self.encoding.relation.spec.expressions()
        tried = [
            claim_of(self.encoding, (name, reader.condition(text))) for name, text in candidates
        ]
        state_goals = [goal for goal in self.goals if goal.states == 1]
        claims = [*self.lemmas, *state_goals, *tried]
        induction = Induction(self.encoding, self.questions, claims, self.assumed)
        left = {claim.name for claim in induction.strongest(self._left)}
        if drop:
            self.dropped = [c.name for c in self.lemmas if c.name not in left]
            self.lemmas = [c for c in self.lemmas if c.name in left]
        self.lemmas += [c for c in tried if c.name in left]

    def _left(self, number: int) -> None:
        self.planned = number
