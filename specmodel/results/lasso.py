"""The facts about a lasso: the fairness that it satisfies, and the actions that it never takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from specmodel.dataclass import dataclass

How = Literal["taken", "not enabled", "never enabled", "neglected"]


@dataclass(frozen=True)
class Fulfilled:
    """How a cycle satisfies a fairness constraint, of an action for values of some parameters.

    taken: by the step from state `state` (an index of the trace) to the next of the cycle; not
    enabled: in that state; never enabled: in no state of the cycle (`state` is None). neglected:
    the cycle does not satisfy the constraint, so the behaviour is not fair (`state` is one that has
    it enabled).
    """

    strength: str
    action: str
    arguments: Mapping[str, Any]
    how: How
    state: int | None


@dataclass(frozen=True)
class Neglected:
    """A binding that could change something in states of a cycle, and that the cycle never takes.

    `states` are indices of the trace; `remedy` is the weakest fairness of this binding that would
    rule the cycle out: weak if the binding is enabled all the time.
    """

    action: str
    arguments: Mapping[str, Any]
    states: tuple[int, ...]
    remedy: Literal["weak", "strong"]


@dataclass(frozen=True)
class Lasso:
    """The facts about a lasso. `fulfilled` has every constraint of its design's fairness.

    `neglected` are the bindings that could happen and never do. A temporal property fails for
    `arguments`, in all states from `since` on (an index of the trace; `eventually_always`: in that
    state of the cycle, again and again). `smallest` says whether a smaller cycle is ruled out.
    Of a refinement, `claim` is what fails of the abstract states: the name of a temporal property
    of the abstract design, or `weak fairness of` an action.
    Of a temporal formula of any form (`formula`), `truths` has the states in which each of its
    predicates is true; a predicate of a step belongs to the state before it. `role` is that of what
    fails, if it is a part of the property.
    """

    fulfilled: tuple[Fulfilled, ...]
    neglected: tuple[Neglected, ...]
    arguments: Mapping[str, Any]
    since: int
    smallest: bool = True
    claim: str = ""
    truths: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    role: str = ""

    @property
    def fair(self) -> bool:
        """Whether the behaviour satisfies all fairness constraints."""
        return all(met.how != "neglected" for met in self.fulfilled)
