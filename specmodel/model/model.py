"""The model of a spec: everything that is known of a spec outside its front end.

A front end makes a model of a text: `lang` makes it of Python. Engines, views and questions know
only the model: the domain of its states, its rules, their typed form, and how to run a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, Self, runtime_checkable

from specmodel.domains import Domain, StructDomain
from specmodel.errors import Span, SpecError
from specmodel.ir.expression import StateExpression
from specmodel.ir.nodes import Lowered
from specmodel.model.lanes import Lanes

MOST_WRITTEN = 1 << 16
"""The bindings of a rule that are dealt with one by one; of an action, a search has loops."""

LIVENESS = ("eventually", "always_eventually", "eventually_always", "leads_to", "refinement")
"""The roles of temporal properties: they say what has to happen.

A refinement of this role says that the fairness and the temporal properties of the abstract design
hold of the abstract states. That each step is an abstract step is a property of the role
"transition".
"""


class Rule(Protocol):
    """An action, a property or a constraint: its name, role, and parameters after the state.

    The role is "init", "action", "invariant", "transition", "reachable", "constraint", or one of
    LIVENESS. `states` is the number of states that it takes before its parameters.
    """

    @property
    def name(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def states(self) -> int: ...
    @property
    def parameters(self) -> Mapping[str, Domain]: ...
    @property
    def summary(self) -> str:
        """Its author's description, on one line."""
        ...

    @property
    def span(self) -> Span | None:
        """The place of its definition."""
        ...

    @property
    def antecedent(self) -> Rule | None:
        """The antecedent of a `leads_to` property; it has the same parameters."""
        ...

    @property
    def refined(self) -> Model | None:
        """The abstract design of a refinement; None of other properties.

        The rule gives the abstract state of a state. One of the role "transition", which says that
        every step is a step of the abstract design, takes two states all the same.
        """
        ...

    def bindings(self) -> Iterator[tuple[Any, ...]]:
        """Every combination of parameter values, the last parameter varying fastest."""
        ...

    def label(self, arguments: Sequence[Any]) -> str:
        """The rule with a binding, as in reports: `fetch(follower=r2, leader=r1)`."""
        ...

    def shown(self, state: Any, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments of a binding; for places (`Position`), with their values in a state."""
        ...

    def run(self, *arguments: Any) -> Any:
        """Runs the rule with states and arguments: the reference for all engines.

        An action changes the given state; other rules return a value. Raises Disabled where a guard
        is false, and any other error where the spec fails.
        """
        ...


class Fair(Protocol):
    """A fairness constraint: "weak" or "strong" fairness of actions, which count as one.

    `per` are parameters: the constraint holds for each of their values separately.
    """

    @property
    def strength(self) -> str: ...
    @property
    def names(self) -> tuple[str, ...]:
        """The names of the actions."""
        ...

    @property
    def per(self) -> tuple[str, ...]: ...


class Expressions(Protocol):
    """Parses expressions over the state of a model, in the language of its author."""

    def read(self, text: str, what: str = "expression") -> StateExpression:
        """The expression of a text; `what` names its origin in messages.

        Raises ExpressionError, with the place in the text.
        """
        ...

    def condition(self, text: str, what: str = "expression") -> StateExpression:
        """As `read`, for an expression that is true or false."""
        ...


class Model(Protocol):
    """The state of a spec, its initial states, its steps and its properties.

    `rules` are the actions and `bounds` the state constraints. `code` is the typed form of all of
    them; SpecError is raised where a front end cannot give it.
    """

    @property
    def name(self) -> str: ...
    @property
    def parent(self) -> Model | None:
        """The model that this one was derived from."""
        ...

    @property
    def domain(self) -> StructDomain: ...
    @property
    def start(self) -> Rule: ...
    @property
    def begins(self) -> bool:
        """Whether the initial states are the model's own. One that `starting_in` gives has others,
        of which a refinement asks nothing.
        """
        ...

    @property
    def rules(self) -> tuple[Rule, ...]: ...
    @property
    def properties(self) -> tuple[Rule, ...]: ...
    @property
    def bounds(self) -> tuple[Rule, ...]: ...
    @property
    def fairness(self) -> Sequence[Fair]: ...
    @property
    def deadlock(self) -> bool:
        """Whether a state without a successor is wrong."""
        ...

    @property
    def lanes(self) -> Lanes | None:
        """How a state is drawn."""
        ...

    @property
    def code(self) -> Lowered: ...
    @property
    def binding_counts(self) -> Mapping[str, int]:
        """The number of bindings of each action."""
        ...

    def kind_of(self, rule: Rule) -> str:
        """The kind of a rule: equal for versions of the same rule in different designs."""
        ...

    def type_of(self, place: Callable[..., Any], what: str) -> Domain | None:
        """The result type of a function by which `lanes` name a place; None without an annotation.

        `what` names it in messages. Raises SpecError.
        """
        ...

    def expressions(self) -> Expressions:
        """The parser of expressions over the state."""
        ...

    def asking(self, role: str, name: str, text: str, what: str, holds: bool = True) -> Self:
        """The same model with one more property, true where an expression is `holds`.

        `what` names its origin in messages. Raises ExpressionError.
        """
        ...

    def starting_in(self, state: Any) -> Self:
        """The same model with one initial state."""
        ...

    def without(self, *names: str) -> Self:
        """The same model without the actions or properties of these names."""
        ...


@runtime_checkable
class Interpreted(Protocol):
    """A model whose bindings depend on the state, with an interpreter and a search of its own."""

    def interpreter(self) -> Any:
        """Its steps and properties: a `specmodel.behaviour.steps.Interpreter`."""
        ...

    def search(self, design: Any, options: Any) -> Any:
        """The `Result` of a check of its design within `Options`.

        Raises UsageError for an option that is not followed, and SpecFailure.
        """
        ...

    def compiled(self, design: Any, limits: Any, run: Any, walks: bool = False) -> Any:
        """The result of a function of its design with a model that engines compile.

        The function also gets the seconds that are left of the `timeout` of `limits`, which are
        `Options`, and a function that gives a trace of the compiled model as one of this model.
        `walks` says that it makes random walks, which tell no states apart.
        Raises SpecError for a model that cannot be compiled, with the reason, TooSlow, and the
        errors of the function.
        """
        ...

    def told(self, design: Any, result: Any) -> tuple[Any, Any]:
        """A design and a `Result` or `Simulation` as reports show them."""
        ...

    def told_failure(self, failure: Any) -> Any:
        """A `SpecFailure` as reports show it."""
        ...


def refuse_unrolled(rule: Rule, count: int) -> None:
    """Raises SpecError if an action has too many bindings to be dealt with one by one."""
    if count > MOST_WRITTEN:
        what = f"{rule.name} has {count:,} bindings: more than {MOST_WRITTEN:,} need a loop"
        hint = "take smaller ranges, or the engine native or spark without --partial-order"
        raise SpecError(what, rule.span, hint)


def abstract_name(model: Model) -> str:
    """The name of an abstract design: its own, or the name of the model it was derived from."""
    if model.name or model.parent is None:
        return model.name or "the abstract design"
    return abstract_name(model.parent)
