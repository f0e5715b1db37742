"""Specs: a design as lists of functions, and new designs from old ones."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from math import prod
from typing import Any, Self, get_type_hints

from specmodel.dataclass import dataclass
from specmodel.domains import Domain, StructDomain
from specmodel.errors import SpecError, suggestion
from specmodel.ir.nodes import Lowered
from specmodel.lang.annotations import domain_of
from specmodel.lang.fairness import Fairness
from specmodel.lang.python_rule import Function, PythonRule, once
from specmodel.lang.refinement import refuse_unfit_refinement
from specmodel.lang.rules import KIND, REFINES, ROLE, F, init, invariant, mark, reachable
from specmodel.lang.struct import Struct
from specmodel.model.lanes import Lanes
from specmodel.model.model import LIVENESS, Expressions, Rule
from specmodel.model.places import refuse_unfit_lanes

LISTS = ("actions", "invariants", "transitions", "reachable", "liveness", "constraints")
"""The lists of functions of a spec, by their field."""


@dataclass(frozen=True, kw_only=True)
class Spec:
    """A design: a state, its initial states, actions and properties.

    Functions are listed, not inherited: two designs differ by the functions they list. `liveness`
    are the temporal properties, checked under `fairness`; a refinement there is about the fairness
    and the temporal properties of its abstract design. `kinds` has the kinds of functions that
    replaced others; `replacing` sets it. `begins` is false for a spec made by `starting_in`. Raises
    SpecError for a function listed twice, or under a role it is not marked for, for fairness of an
    action that is not listed, for a refinement that does not fit the two states, and for lanes that
    do not fit the state.

    A spec without a `name` gets the name of its module's variable when the module is loaded.
    """

    state: type[Struct]
    init: Function
    actions: Sequence[Function]
    invariants: Sequence[Function] = ()
    reachable: Sequence[Function] = ()
    transitions: Sequence[Function] = ()
    constraints: Sequence[Function] = ()
    liveness: Sequence[Function] = ()
    fairness: Sequence[Fairness] = ()
    deadlock: bool = False
    lanes: Lanes | None = None
    name: str = ""
    parent: Spec | None = field(default=None, repr=False)
    kinds: Mapping[str, str] = field(default_factory=dict[str, str], repr=False, compare=False)
    begins: bool = field(default=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("init", *LISTS):
            held = getattr(self, name)
            for function in (held,) if name == "init" else held:
                if not isinstance(function, types.FunctionType):
                    raise SpecError(f"{name} lists {function!r}, which is no function")
        seen: set[str] = set()
        for rule in self._listed:
            marked = getattr(rule.function, ROLE, None)
            if marked != rule.role and rule.role != "refinement":
                mark = "refines" if hasattr(rule.function, REFINES) else marked
                what = f"marked @{mark}" if marked else "not marked"
                raise SpecError(f"{rule.name} is listed as {rule.role} but {what}", rule.span)
            if rule.name in seen:
                raise SpecError(f"{rule.name} is listed twice", rule.span)
            seen.add(rule.name)
        for rule in self.properties:
            refuse_unfit_refinement(self, rule)
            self._refuse_other_parameters(rule)
        fairness = tuple(self._resolved(wanted) for wanted in self.fairness)
        object.__setattr__(self, "fairness", fairness)
        for wanted in fairness:
            self._refuse_unfit(wanted)
        if self.lanes is not None:
            refuse_unfit_lanes(self.domain, self.lanes)

    def held_by(self, variable: str) -> None:
        """Sets the name to the name of the variable that holds the spec, unless it has a name."""
        if not self.name:
            object.__setattr__(self, "name", variable)

    @property
    def domain(self) -> StructDomain:
        """The domain of the state."""
        return self.state.__domain__

    @property
    @once
    def start(self) -> PythonRule:
        """The rule of the initial states."""
        return PythonRule(self.init, "init")

    @property
    @once
    def rules(self) -> tuple[PythonRule, ...]:
        """The actions, in order."""
        return tuple(PythonRule(f, "action") for f in self.actions)

    @property
    @once
    def binding_counts(self) -> dict[str, int]:
        """The number of bindings of each action."""
        return {r.name: prod(d.size for d in r.parameters.values()) for r in self.rules}

    @property
    @once
    def properties(self) -> tuple[PythonRule, ...]:
        """All properties: invariants, transition, reachable and temporal properties."""
        groups = (
            ("invariant", self.invariants),
            ("transition", self.transitions),
            ("reachable", self.reachable),
        )
        temporal = [PythonRule(f, _temporal(f)) for f in self.liveness]
        return (*(PythonRule(f, role) for role, functions in groups for f in functions), *temporal)

    @property
    @once
    def bounds(self) -> tuple[PythonRule, ...]:
        """The state constraints."""
        return tuple(PythonRule(f, "constraint") for f in self.constraints)

    def kind_of(self, rule: Rule) -> str:
        """The kind of a rule, by which rules of different designs are compared.

        The kind of its mark, or else the kind of the function that it replaced, or else its name.
        """
        marked = getattr(getattr(rule, "function", None), KIND, "")
        return marked or self.kinds.get(rule.name, rule.name)

    @property
    @once
    def code(self) -> Lowered:
        """The IR of the functions. Raises SpecError, with the place, for a construct without IR."""
        from specmodel.lang.lowering import lower  # CPython runs a spec without IR

        return lower(self)

    def type_of(self, place: Function, what: str) -> Domain | None:
        """The domain of a function's return annotation, None without one. Raises SpecError."""
        hint = get_type_hints(place, include_extras=True).get("return")
        return None if hint is None else domain_of(hint, f"{what} {place.__name__}")

    def expressions(self) -> Expressions:
        """The reader of expressions over the state. Raises SpecError as `code` does."""
        # Most runs read no expressions.
        from specmodel.lang.lowering.user_expression import ExpressionReader

        return ExpressionReader(self)

    def asking(self, role: str, name: str, text: str, what: str, holds: bool = True) -> Self:
        """The same design with one more property, true where an expression has the value `holds`.

        `role` is invariant or reachable; `what` is the expression's origin, for messages. Raises
        ExpressionError, with the place in the text.
        """
        from specmodel.lang.lowering.user_function import function_of  # as in `expressions`

        marks = {"invariants": invariant, "reachable": reachable}
        key = "invariants" if role == "invariant" else role
        return self.adding(**{key: [marks[key](function_of(self, text, name, what, holds))]})

    def starting_in(self, state: Any) -> Self:
        """The same design with one initial state."""

        @init
        def only() -> Any:
            return self.domain.copy(state)

        return replace(self, init=only, begins=False)

    def function(self, wanted: str) -> Function:
        """The function with a name or, if there is none, the only one with a kind.

        Raises SpecError if there is none, or if several have the kind.
        """
        return self._rule(wanted).function

    def _rule(self, wanted: str) -> PythonRule:
        found = self._named(wanted)
        if len(found) > 1:
            what = f'several functions are of the kind "{wanted}"'
            raise SpecError(f"{what}: {', '.join(rule.name for rule in found)}", hint="name one")
        if not found:
            known = [name for rule in self._listed for name in (rule.name, self.kind_of(rule))]
            raise SpecError(f'no function is called "{wanted}"{suggestion(wanted, set(known))}')
        return found[0]

    def _named(self, wanted: str) -> list[PythonRule]:
        """The rule with a name or, if there is none, the rules of a kind."""
        named = [rule for rule in self._listed if rule.name == wanted]
        return named or [rule for rule in self._listed if self.kind_of(rule) == wanted]

    @property
    def _listed(self) -> list[PythonRule]:
        return [self.start, *self.rules, *self.properties, *self.bounds]

    def _resolved(self, wanted: Fairness) -> Fairness:
        """A fairness with names and kinds replaced by functions."""
        found = tuple(self.function(name) for name in wanted.kinds)
        return replace(wanted, actions=(*wanted.actions, *found), kinds=())

    def replacing(self, name: str = "", /, **changes: Function) -> Self:
        """The same design with functions replaced: old name or kind = new function.

        A new function has the kind of the old one, unless its mark gives it another kind. Raises
        SpecError if `function` finds no old one, and for a function that is replaced twice.
        """
        old_rules = {wanted: self._rule(wanted) for wanted in changes}
        new = {rule.function: changes[wanted] for wanted, rule in old_rules.items()}
        if len(new) < len(changes):
            raise SpecError(f"a function is replaced twice: {', '.join(changes)} name it")
        kinds = {changes[wanted].__name__: self.kind_of(r) for wanted, r in old_rules.items()}

        def swapped(functions: Sequence[Function]) -> tuple[Function, ...]:
            return tuple(new.get(f, f) for f in functions)

        return replace(
            self,
            name=name,
            parent=self,
            kinds={**self.kinds, **kinds},
            init=new.get(self.init, self.init),
            fairness=tuple(replace(f, actions=swapped(f.actions)) for f in self.fairness),
            **{key: swapped(getattr(self, key)) for key in LISTS},
        )

    def adding(self, name: str = "", /, **more: Sequence[Any]) -> Self:
        """The same design with functions appended to its lists: `adding(actions=[crash])`.

        `fairness` takes the results of `weak` and `strong`. Raises SpecError for an unknown list.
        """
        lists = (*LISTS, "fairness")
        for key in more:
            if key not in lists:
                raise SpecError(f'a spec has no list "{key}"{suggestion(key, lists)}')
        appended: dict[str, Any] = {k: (*getattr(self, k), *v) for k, v in more.items()}
        return replace(self, name=name, parent=self, **appended)

    def without(self, *functions: str | Function) -> Self:
        """The same design without some functions, given by name or kind, or as functions.

        If the first of several arguments is a text that names no function, it is the design's name.
        The functions are removed from `fairness` too. Raises SpecError for one that is not listed.
        """
        name = ""
        if len(functions) > 1 and isinstance(functions[0], str) and not self._named(functions[0]):
            name, functions = functions[0], functions[1:]
        gone = {self.function(f) if isinstance(f, str) else f for f in functions}
        if self.init in gone:
            raise SpecError(f"{self.start.name} gives the initial states: replace it")
        for function in gone - {f for key in LISTS for f in getattr(self, key)}:
            raise SpecError(f"{function.__name__} is not listed, so it cannot be left out")

        def kept(functions: Sequence[Function]) -> tuple[Function, ...]:
            return tuple(f for f in functions if f not in gone)

        fair = [replace(f, actions=kept(f.actions)) for f in self.fairness if kept(f.actions)]
        return replace(
            self,
            name=name,
            parent=self,
            fairness=tuple(fair),
            **{key: kept(getattr(self, key)) for key in LISTS},
        )

    def under(self, name: str | Fairness = "", /, *fairness: Fairness) -> Self:
        """The same design with only this fairness: `under(weak(answer))`.

        A text as the first argument is the design's name.
        """
        name, fairness = (name, fairness) if isinstance(name, str) else ("", (name, *fairness))
        return replace(self, name=name, parent=self, fairness=fairness)

    def over(self, state: type[Struct], name: str = "", /, **changes: Function) -> Self:
        """The same design over an extended state, with some functions replaced.

        `init` need not be replaced: the additional fields then have their defaults.
        """
        return replace(self.replacing(name, **changes), state=state)

    def drawn(self, **lanes: Any) -> Self:
        """The same design with other lanes in drawings: `drawn(status=("quorum",))`."""
        return replace(self, lanes=replace(self.lanes, **lanes) if self.lanes else Lanes(**lanes))

    def _refuse_other_parameters(self, rule: PythonRule) -> None:
        """Raises SpecError unless a property and its antecedent have the same parameters."""
        before = rule.antecedent
        if before is not None and before.parameters != rule.parameters:
            theirs, mine = (", ".join(r.parameters) or "none" for r in (before, rule))
            raise SpecError(
                f"{rule.name} has the parameters {mine}, and {before.name}, which leads to it, "
                f"{theirs}; they have to be the same",
                rule.span,
            )

    def _refuse_unfit(self, wanted: Fairness) -> None:
        """Raises SpecError if fairness is for an unlisted action, or per an unknown parameter."""
        listed = {rule.function: rule for rule in self.rules}
        for function in wanted.actions:
            rule = listed.get(function)
            name = function.__name__
            if rule is None:
                raise SpecError(f"{wanted} is asked for, but {name} is not among the actions")
            for parameter in wanted.per:
                if parameter not in rule.declared:
                    hint = suggestion(parameter, rule.declared)
                    raise SpecError(
                        f'{wanted} is asked for, but {name} has no parameter "{parameter}"{hint}',
                        rule.span,
                    )


def _temporal(function: Function) -> str:
    """The role of a function listed as a temporal property."""
    if hasattr(function, REFINES):
        return "refinement"
    marked = getattr(function, ROLE, "")
    return marked if marked in LIVENESS else "a temporal property"


def refines(abstract: Any) -> Callable[[F], F]:
    """Every step is a step of an abstract design, or does not change the abstract state.

        @refines(tcommit)
        def outcome(s: Transaction) -> Commitment: ...

    The function returns the abstract state of a state. The abstract state of an initial state has
    to be an initial state of the abstract design. The function is listed among the transition
    properties. Listed among the temporal properties too, it says that the abstract states satisfy
    the fairness and the temporal properties of the abstract design. Raises SpecError unless
    `abstract` is a spec.
    """
    if not isinstance(abstract, Spec):
        named = getattr(abstract, "__name__", repr(abstract))
        hint = "name the abstract design: @refines(design)"
        raise SpecError(f"refines takes a spec, not {named}", hint=hint)

    def marked(function: F) -> F:
        setattr(function, REFINES, abstract)
        return mark(function, "transition")

    return marked
