"""Fairness: the actions that a behaviour has to take in the end.

Temporal properties need fairness: without it, every behaviour may stop in any state. Other
properties need none. As in TLA+, a step takes an action if the action allows the step and the step
changes the state. An action is enabled where there is such a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, Literal

from specmodel.dataclass import dataclass
from specmodel.errors import SpecError

Function = Callable[..., Any]


@dataclass(frozen=True)
class Fairness:
    """A constraint on behaviours, made by `weak` and `strong`.

    `actions`, and the actions with the names or kinds `kinds`, which a spec looks up, count as one
    action: a step by any of them is enough. `per` are parameters; the constraint is for each
    combination of their values. Without `per`, all bindings count as one action too.
    """

    strength: Literal["weak", "strong"]
    actions: tuple[Function, ...] = field(repr=False)
    per: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.actions and not self.kinds:
            raise SpecError(f"{self.strength}() takes the action that is to be fair")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of `actions`."""
        return tuple(function.__name__ for function in self.actions)

    def __str__(self) -> str:
        inner = ", ".join([*self.names, *self.kinds])
        per = ", ".join(self.per)
        return f"{self.strength}({inner}{f', per {per}' if per else ''})"


def weak(*actions: Function | str, per: str | Sequence[str] = ()) -> Fairness:
    """Weak fairness: an action that stays enabled for ever is taken in the end.

    It suits an action that no other action can disable, such as a broker handling a request that it
    has. Of several actions, one is taken in the end; `weak(a), weak(b)` is for each of them.
    `per="follower"` is for each value of the parameter, `per=("follower", "leader")` for each pair
    of values. An action may also be given by its name or kind: the spec looks it up.
    """
    return _fairness("weak", actions, per)


def strong(*actions: Function | str, per: str | Sequence[str] = ()) -> Fairness:
    """Strong fairness: an action that is enabled again and again is taken in the end.

    It suits an action that other actions can disable for a while, such as the delivery of a message
    that may be lost each time. The parameters are the ones of `weak`. Strong fairness implies weak
    fairness.
    """
    return _fairness("strong", actions, per)


def _fairness(
    strength: Literal["weak", "strong"],
    actions: Sequence[Function | str],
    per: str | Sequence[str],
) -> Fairness:
    functions = tuple(action for action in actions if not isinstance(action, str))
    names = tuple(action for action in actions if isinstance(action, str))
    return Fairness(strength, functions, (per,) if isinstance(per, str) else tuple(per), names)
