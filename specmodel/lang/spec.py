"""Specs: a design as lists of functions, and new designs from old ones."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import wraps
from itertools import product
from math import prod
from typing import Any, Self, TypeVar, get_type_hints

from specmodel.domains import Domain, Position, SlottedDomain, StructDomain
from specmodel.errors import Span, SpecError, suggestion
from specmodel.ir.nodes import Lowered
from specmodel.lang.annotations import domain_of, enumerated, slotted_name
from specmodel.lang.fairness import Fairness
from specmodel.lang.picking import picks, run_picking, taken
from specmodel.lang.refinement import refuse_unfit_refinement
from specmodel.lang.rules import KIND, REFINES, ROLE, WHEN, F, init, invariant, mark, reachable
from specmodel.lang.struct import Struct
from specmodel.model.lanes import Lanes
from specmodel.model.model import LIVENESS, MOST_WRITTEN, Expressions, Rule

MOST_BINDINGS = 1 << 20
"""The bindings of an action: a state may have as many successors, which are in memory at once."""

Function = Callable[..., Any]

T = TypeVar("T")
S = TypeVar("S")

LISTS = ("actions", "invariants", "transitions", "reachable", "liveness", "constraints")
"""The lists of functions of a spec, by their field."""


def _once(method: Callable[[S], T]) -> Callable[[S], T]:
    """The method, called once for each object; its result is kept.

    For use with `property`: a type checker does not accept a `cached_property` for a model.
    """
    name = f"_{method.__name__}"

    @wraps(method)
    def remembered(self: S) -> T:
        held = vars(self)
        if name not in held:
            held[name] = method(self)
        return held[name]

    return remembered


@dataclass(frozen=True)
class PythonRule:
    """A function of a spec with its name and the domains of its parameters after the state."""

    function: Function = field(repr=False)
    role: str

    @property
    def name(self) -> str:
        own = self.function.__name__
        return f"{own}_liveness" if self.role == "refinement" else own

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def span(self) -> Span:
        """The first line of the function."""
        code = self.function.__code__
        return Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0)

    @property
    def antecedent(self) -> PythonRule | None:
        """The antecedent of a `leads_to` property, with the same parameters; else None."""
        when = getattr(self.function, WHEN, None)
        return None if when is None else PythonRule(when, "antecedent")

    @property
    def refined(self) -> Spec | None:
        """The abstract design of a refinement; None for other functions."""
        said = self.role in ("transition", "refinement")
        return getattr(self.function, REFINES, None) if said else None

    @property
    @_once
    def states(self) -> int:
        """The number of leading parameters that are states."""
        return {"init": 0, "transition": 2}.get(self.role, 1)

    @property
    @_once
    def picked(self) -> dict[str, Domain]:
        """The names of an action's picks, with the domains of their choices (values or indexes)."""
        if self.role != "action" or not picks(self.function):
            return {}
        from specmodel.lang.lowering.model import picks_of  # only picks need the lowering

        return picks_of(self)

    @property
    @_once
    def parameters(self) -> dict[str, Domain]:
        """The parameters after the state and then the picks, with their domains."""
        found = self.declared | self.picked
        most = MOST_BINDINGS if self.role == "action" else MOST_WRITTEN
        if prod(d.size for d in found.values()) > most:
            sizes = " x ".join(f"{d.size:,} of {name}" for name, d in found.items())
            raise SpecError(
                f"{self.name} has more than {most:,} bindings: {sizes}",
                self.span,
                "take smaller ranges, or take a value that the state has: x = pick(s.messages)",
            )
        return found

    @property
    @_once
    def declared(self) -> dict[str, Domain]:
        """The parameters that the function declares after the state, with their domains."""
        names = list(inspect.signature(self.function).parameters)
        try:
            hints = get_type_hints(self.function, include_extras=True)
        except NameError as wrong:
            raise SpecError(f"{self.name}: {wrong.name} is not defined", self.span) from None
        found: dict[str, Domain] = {}
        for name in names[1 if self.refined else self.states :]:
            if name not in hints:
                raise SpecError(f"{self.name}: parameter {name} has no annotation", self.span)
            try:
                found[name] = _enumerable(hints[name], f"{self.name}: parameter {name}")
            except SpecError as wrong:
                raise SpecError(wrong.message, wrong.span or self.span, wrong.hint) from None
        return found

    def bindings(self) -> Iterator[tuple[Any, ...]]:
        """All combinations of parameter values; the last parameter varies fastest."""
        return product(*(tuple(d.values()) for d in self.parameters.values()))

    def run(self, *arguments: Any) -> Any:
        """Calls the function under CPython with the arguments of a binding; returns its result."""
        if not self.picked:
            return self.function(*arguments)
        return run_picking(self.function, *self._split(arguments))

    def shown(self, state: Any, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments of a binding; a `Position` also has its element in a state."""
        if not any(isinstance(held, Position) for held in arguments):
            return tuple(arguments)
        values = taken(self.function, *self._split((copy(state), *arguments)))
        found = list(arguments)
        for place, value in enumerate(values, len(self.declared)):
            if isinstance(found[place], Position):
                found[place] = found[place].holding(value)
        return tuple(found)

    def _split(self, arguments: Sequence[Any]) -> tuple[Sequence[Any], list[tuple[Domain, Any]]]:
        """The arguments of the function's call, and the choices of its picks with their domains."""
        own = self.states + len(self.declared)
        return arguments[:own], list(zip(self.picked.values(), arguments[own:], strict=True))

    def label(self, arguments: Sequence[Any]) -> str:
        """The text of the rule with a binding: `fetch(follower=r2, leader=r1)`."""
        pairs = zip(self.parameters, arguments, strict=True)
        return f"{self.name}({', '.join(f'{name}={value!r}' for name, value in pairs)})"


@dataclass(frozen=True, kw_only=True)
class Spec:
    """A design: a state, its initial states, actions and properties.

    Functions are listed, not inherited: two designs differ by the functions they list. `liveness`
    are the temporal properties, checked under `fairness`; a refinement there is about the fairness
    and the temporal properties of its abstract design. `kinds` has the kinds of functions that
    replaced others; `replacing` sets it. `begins` is false for a spec made by `starting_in`. Raises
    SpecError for a function listed twice, or under a role it is not marked for, for fairness of an
    action that is not listed, and for a refinement that does not fit the two states.

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

    def held_by(self, variable: str) -> None:
        """Sets the name to the name of the variable that holds the spec, unless it has a name."""
        if not self.name:
            object.__setattr__(self, "name", variable)

    @property
    def domain(self) -> StructDomain:
        """The domain of the state."""
        return self.state.__domain__

    @property
    @_once
    def start(self) -> PythonRule:
        """The rule of the initial states."""
        return PythonRule(self.init, "init")

    @property
    @_once
    def rules(self) -> tuple[PythonRule, ...]:
        """The actions, in order."""
        return tuple(PythonRule(f, "action") for f in self.actions)

    @property
    @_once
    def binding_counts(self) -> dict[str, int]:
        """The number of bindings of each action."""
        return {r.name: prod(d.size for d in r.parameters.values()) for r in self.rules}

    @property
    @_once
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
    @_once
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
    @_once
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


def _enumerable(annotation: Any, where: str) -> Domain:
    """The domain of a parameter. Raises SpecError for a domain that cannot be enumerated."""
    domain = domain_of(annotation, where)
    if inner := next((d for d in domain.nested() if isinstance(d, SlottedDomain)), None):
        kind = slotted_name(inner).split()[0]
        what = f"{where}: there are too many {kind}s to make a step of each"
        part = "key" if kind == "map" else "member"
        raise SpecError(what, hint=f"pick a {part} in the action: x = pick(s.{kind})")
    return enumerated(domain, where)


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
