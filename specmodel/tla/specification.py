"""A module with its configuration: the initial predicate, the actions and the properties.

A formula is taken apart at its conjuncts and definitions, as TLC does, into predicates of the
initial state, `[]P`, `[][A]_v`, and temporal formulas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import field
from pathlib import Path

from specmodel.dataclass import dataclass
from specmodel.errors import Span, SpecError, suggestion
from specmodel.liveness.linear_time import LinearFormula
from specmodel.tla import nodes as syntax
from specmodel.tla.building import Builder
from specmodel.tla.calling import ACTION, TemporalFormula, no_truth
from specmodel.tla.claims import TemporalClaim, TlaDemand
from specmodel.tla.configuration import Named, configuration_of
from specmodel.tla.constants import ConstantBinding
from specmodel.tla.definitions import check_definitions
from specmodel.tla.modules import Library, Resolver
from specmodel.tla.nodes import Applied, TlaTerm
from specmodel.tla.parsing import in_expression, parse_expression
from specmodel.tla.postcondition import Postcondition
from specmodel.tla.scopes import (
    ConstantSymbol,
    OperatorSymbol,
    Run,
    TermSymbol,
    TlaScope,
    TlaSymbol,
)
from specmodel.tla.splitting import Action, split
from specmodel.tla.symmetry import closed_permutations
from specmodel.tla.temporal import TemporalReader, Undecided
from specmodel.tla.tlc_get import LEVEL, follow_level, level_after, tlc_get
from specmodel.tla.values import FALSE, TRUE, EvaluationError, ModelValue, Value


@dataclass(frozen=True)
class FormulaPart:
    """A conjunct of a formula.

    `kind` is "state" (a predicate of the first state), "always" (`[]P`), "step" (`[][A]_v`) or
    "temporal".
    """

    kind: str
    term: TlaTerm
    scope: TlaScope


@dataclass
class TlaProperty:
    """A property or invariant: what it says of initial states, of all states, of steps, and of
    behaviours.

    `undecided` says which of its parts are not followed, and why.
    """

    name: str
    kind: str
    span: Span
    first: list[Run] = field(default_factory=list[Run])
    states: list[Run] = field(default_factory=list[Run])
    steps: list[Run] = field(default_factory=list[Run])
    temporal: list[TemporalClaim] = field(default_factory=list[TemporalClaim])
    undecided: list[SpecError] = field(default_factory=list[SpecError])
    formulas: list[FormulaPart] = field(default_factory=list[FormulaPart])
    """The terms that `states` and `steps` evaluate, in this order."""
    beginning: list[FormulaPart] = field(default_factory=list[FormulaPart])
    """The terms that `first` evaluates, but for those within temporal formulas."""


class Specification:
    """A module and its configuration as a search needs them.

    `constants` have values instead of those in the configuration, which is that of the file
    `given`, or `text`, which `given` names. The expressions at `dropped` places are read as TRUE.
    `leveled`: states have their level. Raises UsageError, SpecError, LevelNeededError.
    """

    def __init__(
        self,
        path: Path,
        given: Path | None = None,
        constants: Mapping[str, int] | None = None,
        text: str | None = None,
        dropped: Sequence[Span] = (),
        leveled: bool = False,
    ) -> None:
        library = Library(path, dropped)
        self.given = f"{sorted((constants or {}).items())} {text} {[*map(tuple, dropped)]}"
        """What the model depends on besides the files."""
        self.path = path
        self.name = path.stem
        self.configuration = configuration_of(path, given, text).giving(constants or {})
        self.resolver = Resolver(library)
        for span in library.dropped:  # a change without effect would look like a spare guard
            raise SpecError("this place is in no file of the module", span)
        check_definitions(self.resolver)
        self.builder = Builder(self.resolver)
        last = level_after(self.resolver)
        self.level = last if leveled else None
        """The variable that has the level of a state."""
        self.resolver.variables += [last] if leveled else []
        follow_level(self.builder, self.level)
        self.variables = [symbol.name for symbol in self.resolver.variables]
        binding = ConstantBinding(self.name, self.configuration, self.resolver, self.builder)
        binding.bind()
        self.passed_over = binding.passed_over
        self._check_assumptions()
        self.reader = TemporalReader(self.builder)
        self.fairness: list[TlaDemand] = []
        self.assumed: list[LinearFormula] = []
        """What else of the specification behaviours satisfy."""
        self.unfollowed: list[SpecError] = []
        """Why the fairness is not followed."""
        self.following: tuple[TlaTerm, TlaScope] | None = None
        """The next-state action."""
        self.initial, self.actions = self._behaviour()
        config = self.configuration
        self.claims = [
            *(self._invariant(name) for name in config.invariants),
            *(self._property(name) for name in config.properties),
        ]
        self.constraints = [self._condition(name) for name in config.constraints]
        self.step_constraints = [
            self._condition(name, ACTION) for name in config.action_constraints
        ]
        view = config.one("VIEW")
        self.view = self._without_level() if view is None else self.run(view, 1)
        self.symmetry = self._symmetry()
        self.alias: Run | None = None
        self.alias_refused: SpecError | None = None
        """Why the ALIAS cannot be followed."""
        if (alias := config.one("ALIAS")) is not None:
            follow_level(self.builder, last)  # traces have it
            try:
                self.alias = self.run(alias, ACTION)
            except SpecError as wrong:
                self.alias_refused = wrong
        if self.level is None:
            del self.builder.overrides[tlc_get()]  # what is asked for later has no level either
        # The last of all: TLCGet is refused in what else the configuration names.
        post = config.one("POSTCONDITION")
        self.postcondition = post and Postcondition.of(post, self.builder, self.run)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that were read so far. A module of an INSTANCE with parameters is read when it
        is first used.
        """
        return (*self.resolver.library.files, self.configuration.path)

    @property
    def root(self) -> TlaScope:
        """The names of the module."""
        return self.resolver.root

    def find(self, name: Named) -> TlaSymbol:
        """The meaning of a name in the configuration. Raises SpecError."""
        found = self.root.find(name.name)
        if found is None:
            known = suggestion(name.name, self.root.known())
            known = known if known.startswith("; did") else ""
            raise SpecError(f"{self.name} defines no {name.name}{known}", name.span)
        return self.builder.overrides.get(found, found)

    def term(self, name: Named) -> TlaTerm:
        """A name of the configuration as an expression. Raises SpecError."""
        symbol = self.find(name)
        if isinstance(symbol, OperatorSymbol) and symbol.parameters:
            raise SpecError(f"{name.name} has parameters", name.span, "", symbol.span)
        return Applied(name.span, name.name)

    def run(self, name: Named, most: int) -> Run:
        """The function of a definition that the configuration names, at most of a level."""
        made = self.builder.meaning(self.term(name), self.root, 0, False)
        if made.level > most:
            what = ("a constant", "an expression of one state", "an expression of two states")[most]
            raise SpecError(f"{name.name} is not {what}", name.span)
        return made.run

    def _condition(self, name: Named, most: int = 1) -> tuple[str, Run, Span]:
        return name.name, self.run(name, most), name.span

    def _check_assumptions(self) -> None:
        for unit, scope in self.resolver.assumptions:
            try:
                made = self.builder.meaning(unit.body, scope, 0, False)
                if made.level:
                    raise SpecError("this ASSUME depends on the state", unit.span)
                value = made.run((), None, None)
            except RecursionError:
                raise SpecError("this ASSUME is too deeply nested", unit.span) from None
            if value is FALSE:
                raise SpecError("this ASSUME is false", unit.span)
            if value is not TRUE:
                raise no_truth(value, unit.span)

    # The behaviour

    def _behaviour(self) -> tuple[list[tuple[TlaTerm, TlaScope]], list[Action]]:
        config = self.configuration
        spec, init, following = (config.one(word) for word in ("SPECIFICATION", "INIT", "NEXT"))
        if spec is None and init is None and following is None:
            if self.variables:
                raise SpecError(
                    "the configuration names no behaviour: it has neither SPECIFICATION nor INIT "
                    "and NEXT",
                    Span(str(config.path), 1, 0, 1, 1),
                )
            return [], []
        if spec is not None:
            if init is not None or following is not None:
                raise SpecError("there is SPECIFICATION beside INIT or NEXT", spec.span)
            return self._of_formula(spec)
        if init is None or following is None:
            lone = init or following
            assert lone is not None
            missing = "NEXT" if init else "INIT"
            raise SpecError(f"there is {'INIT' if init else 'NEXT'} without {missing}", lone.span)
        return [(self.term(init), self.root)], self._steps_of(self.term(following), self.root)

    def _of_formula(self, name: Named) -> tuple[list[tuple[TlaTerm, TlaScope]], list[Action]]:
        parts = list(self.parts(self.term(name), self.root))
        for part in parts:
            if part.kind == "always":
                raise SpecError(
                    "a SPECIFICATION with []P is not supported",
                    part.term.span,
                    "write P as an INVARIANT",
                )
            if part.kind == "temporal" and not self._is_fairness(part.term, part.scope):
                what = "this part of the SPECIFICATION is not supported"
                raise SpecError(what, part.term.span)
        initial = [(part.term, part.scope) for part in parts if part.kind == "state"]
        steps = [part for part in parts if part.kind == "step"]
        if len(steps) != 1 or not initial:
            raise SpecError(
                f"{name.name} has {len(initial) or 'no'} initial predicate and {len(steps) or 'no'}"
                " [][Next]_vars: it needs one of each",
                name.span,
            )
        box = steps[0].term
        assert isinstance(box, syntax.ActionBox)
        actions = self._steps_of(box.action, steps[0].scope)
        for part in parts:
            if part.kind == "temporal":
                self._follow(part)
        return initial, actions

    def _steps_of(self, term: TlaTerm, scope: TlaScope) -> list[Action]:
        """The actions of the next-state action, which this is."""
        self.following = self.reader.following = term, scope
        return split(self.builder, term, scope, self.level)

    def _follow(self, part: FormulaPart) -> None:
        """Takes in a part of the fairness."""
        try:
            try:
                self.fairness += self.reader.demands(part.term, part.scope)
            except Undecided:
                self.assumed.append(self.reader.formula(part.term, part.scope))
        except SpecError as wrong:
            self.unfollowed.append(wrong)

    def _is_fairness(self, term: TlaTerm, scope: TlaScope) -> bool:
        """Whether a formula is fairness, which does not change what is reachable."""
        if isinstance(term, syntax.FairnessTerm):
            return True
        if isinstance(term, syntax.Junction):
            return all(self._is_fairness(item, scope) for item in term.items)
        if isinstance(term, syntax.Quantification | syntax.LetTerm):
            return self._is_fairness(term.body, scope)
        if isinstance(term, Applied) and term.name in ("[]", "<>", "~>", "=>", "/\\", "\\/"):
            return term.name != "[]" or not isinstance(term.arguments[0], syntax.ActionBox)
        return isinstance(term, Applied)

    def parts(self, term: TlaTerm, scope: TlaScope) -> Iterator[FormulaPart]:
        """The conjuncts of a formula, with definitions put in their places.

        Raises SpecError for an action that is not within [][A]_v.
        """
        try:
            made = self.builder.meaning(term, scope, 0, False)
        except TemporalFormula:
            yield from self._temporal_parts(term, scope)
            return
        if made.level >= ACTION:
            raise _lone_action(term)
        yield FormulaPart("state", term, scope)

    def _temporal_parts(self, term: TlaTerm, scope: TlaScope) -> Iterator[FormulaPart]:
        if isinstance(term, syntax.Junction) and term.operator == "/\\":
            for item in term.items:
                yield from self.parts(item, scope)
            return
        if isinstance(term, syntax.LetTerm):
            inner, _ = self.builder.let_scope(term, scope, 0, False, -1)
            yield from self.parts(term.body, inner)
            return
        if not isinstance(term, Applied):
            yield FormulaPart("temporal", term, scope)
            return
        symbol = self.builder.resolved(term, scope, 0)
        if isinstance(symbol, OperatorSymbol) and not symbol.recursive and symbol.body is not None:
            inner = self.builder.placed(symbol, term, scope)
            with self.builder.expansion(symbol, term.span):
                yield from self.parts(symbol.body, inner)
        elif isinstance(symbol, TermSymbol) and not symbol.arity:
            yield from self.parts(symbol.term, symbol.scope)
        elif symbol is None and term.name == "/\\":
            for item in term.arguments:
                yield from self.parts(item, scope)
        elif symbol is None and term.name == "[]":
            yield from self._always(term.arguments[0], term, scope)
        else:
            yield FormulaPart("temporal", term, scope)

    def _always(self, inner: TlaTerm, term: TlaTerm, scope: TlaScope) -> Iterator[FormulaPart]:
        if isinstance(inner, syntax.ActionBox) and not inner.angle:
            yield FormulaPart("step", inner, scope)
            return
        try:
            made = self.builder.meaning(inner, scope, 0, False)
        except TemporalFormula:
            # [](P /\ Q) is []P /\ []Q, and [][]P is []P.
            held = list(self._temporal_parts(inner, scope))
            if all(part.kind in ("always", "step") for part in held):
                yield from held
            else:
                yield FormulaPart("temporal", term, scope)
            return
        if made.level >= ACTION:
            raise _lone_action(inner)
        yield FormulaPart("always", inner, scope)

    # Claims

    def _invariant(self, name: Named) -> TlaProperty:
        span = self.find(name).span or name.span
        part = FormulaPart("always", self.term(name), self.root)
        return TlaProperty(
            name.name, "invariant", span, states=[self.run(name, 1)], formulas=[part]
        )

    def asking(self, name: str, text: str, what: str, holds: bool) -> Specification:
        """The same with one more invariant, true where an expression is `holds`.

        `what` names the origin of the text. Raises ExpressionError, and SpecError if there is a
        VIEW.
        """
        if (view := self.configuration.one("VIEW")) is not None:
            hint = "leave VIEW out of the configuration"
            raise SpecError("this VIEW may hide the states that are sought", view.span, hint)
        term, scope, run = self.stated(text, what)
        if not holds:
            term = Applied(term.span, "~", (term,))
            run = self.builder.meaning(term, scope, 0, False).run
        part = FormulaPart("always", term, scope)
        claim = TlaProperty(name, "invariant", term.span, states=[run], formulas=[part])
        asked = copy(self)
        asked.given = f"{self.given} {name} {holds} {text}"
        asked.claims = [*self.claims, claim]
        asked.symmetry = []  # the expression may tell its members apart
        return asked

    def stated(self, text: str, what: str) -> tuple[TlaTerm, TlaScope, Run]:
        """An expression of one state that a user gave, as `what`. Raises ExpressionError."""
        term = parse_expression(text, what)
        values = self.configuration.values.items()
        named = [(name, value) for name, value in values if self.root.find(name) is None]
        scope = self.root.over(*(ConstantSymbol(name, None, 0, value) for name, value in named))
        with in_expression(text, what):
            made = self.builder.meaning(term, scope, 0, False)
            if made.level > 1:
                raise SpecError("this is not an expression of one state", term.span)
        return term, scope, made.run

    def _property(self, name: Named) -> TlaProperty:
        claim = TlaProperty(name.name, "temporal", self.find(name).span or name.span)
        for part in self.parts(self.term(name), self.root):
            if part.kind == "temporal":
                self._take(part, claim)
                continue
            made = self.builder.meaning(part.term, part.scope, 0, False)
            kinds = {"state": claim.first, "always": claim.states, "step": claim.steps}
            kinds[part.kind].append(made.run)
            (claim.beginning if part.kind == "state" else claim.formulas).append(part)
        if not claim.undecided and not claim.temporal:
            claim.kind = "transition" if claim.steps else "invariant"
        return claim

    def _take(self, part: FormulaPart, claim: TlaProperty) -> None:
        """Adds what a temporal formula says to a property."""
        try:
            found = self.reader.claims(part.term, part.scope)
        except SpecError as wrong:
            claim.undecided.append(wrong)
            return
        lists = {"state": claim.first, "always": claim.states, "step": claim.steps}
        for each in found:
            if each.role in lists:
                assert each.goal is not None
                lists[each.role].append(each.goal)
            else:
                claim.temporal.append(each)
        if claim.temporal and self.level is not None:
            what = f"temporal properties are not decided with {LEVEL}"
            claim.undecided.append(SpecError(what, claim.span))
        for word in ("VIEW", "SYMMETRY"):
            if claim.temporal and (named := self.configuration.one(word)) is not None:
                what = f"temporal properties are not decided with {word}"
                claim.undecided.append(SpecError(what, named.span))
        claim.undecided += self.unfollowed if claim.temporal else []

    # Symmetry

    def _without_level(self) -> Run | None:
        """The view without a VIEW: all but the level of a state."""
        return None if self.level is None else lambda c, s, n: s[:-1]

    def _symmetry(self) -> list[dict[ModelValue, Value]]:
        """The permutations that SYMMETRY allows, closed under composition; no identity."""
        name = self.configuration.one("SYMMETRY")
        if name is None:
            return []
        try:
            return closed_permutations(self.run(name, 0)((), None, None))
        except EvaluationError as wrong:
            raise SpecError(wrong.message, name.span) from None


def _lone_action(term: TlaTerm) -> SpecError:
    return SpecError(
        "an action stands where a formula about behaviours is needed", term.span, "write [][A]_v"
    )


def names_of_actions(actions: Sequence[Action]) -> list[str]:
    """The names of actions, each once, in order."""
    return list(dict.fromkeys(action.name for action in actions))
