"""What a spec is to everything but its front end.

A front end makes a model of a text: `lang` makes it of Python. Engines, views and questions know
the model alone: the domain of its states, its rules, their typed form, and how one runs a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, Self

from specmodel.domains import Domain, StructDomain
from specmodel.errors import Span
from specmodel.ir.expression import Expression
from specmodel.ir.nodes import Lowered
from specmodel.model.lanes import Lanes

LIVENESS = ("eventually", "always_eventually", "eventually_always", "leads_to")
"""The roles of temporal properties: what has to happen, not only what must not."""


class Rule(Protocol):
    """An action, a property or a constraint: its name, role, and parameters after the state.

    The role is "init", "action", "invariant", "transition", "reachable", "constraint", or one of
    LIVENESS. `states` is how many states it takes before its parameters.
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
        """What its author says of it, on one line."""
        ...

    @property
    def span(self) -> Span | None:
        """Where it is defined."""
        ...

    @property
    def antecedent(self) -> Rule | None:
        """Of a `leads_to` property, what has to be true first; it has the same parameters."""
        ...

    def bindings(self) -> Iterator[tuple[Any, ...]]:
        """Every combination of parameter values, the last parameter varying fastest."""
        ...

    def label(self, arguments: Sequence[Any]) -> str:
        """The rule with a binding, as a person reads it: `fetch(follower=r2, leader=r1)`."""
        ...

    def shown(self, state: Any, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments of a binding; of places (`Position`), with what each holds in a state."""
        ...

    def run(self, *arguments: Any) -> Any:
        """What the rule does with states and arguments: the reference, which engines have to equal.

        An action changes the state that it is given; others give a value. Raises Disabled where a
        guard is false, and anything else where the spec fails.
        """
        ...


class Fair(Protocol):
    """A constraint on behaviours: "weak" or "strong" fairness of actions, which count as one.

    `per` are parameters for each value of which it holds on its own.
    """

    @property
    def strength(self) -> str: ...
    @property
    def names(self) -> tuple[str, ...]:
        """Those of the actions."""
        ...

    @property
    def per(self) -> tuple[str, ...]: ...


class Expressions(Protocol):
    """Reads expressions over the state of a model, as its author would write them."""

    @property
    def code(self) -> Lowered:
        """The model's typed form, with what the expressions read so far call."""
        ...

    def read(self, text: str, what: str = "expression") -> Expression:
        """The expression that a text is; `what` names its origin in messages.

        Raises ExpressionError, with the place in the text.
        """
        ...

    def condition(self, text: str, what: str = "expression") -> Expression:
        """As `read`, of something that is true or false."""
        ...


class Model(Protocol):
    """A state, how it starts, what can happen, and what must hold.

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
        """How many bindings each action has."""
        ...

    def kind_of(self, rule: Rule) -> str:
        """What a rule is a version of, the same word in every design that has one."""
        ...

    def type_of(self, place: Callable[..., Any], what: str) -> Domain | None:
        """The type of what a function gives by which `lanes` name a place; None if it says none.

        `what` names it in messages. Raises SpecError.
        """
        ...

    def expressions(self) -> Expressions:
        """What reads expressions over the state."""
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
