"""Fairness: which actions a behaviour may not neglect for ever.

Safety asks what can go wrong, and needs none. For something to happen, something has to move, and
fairness says what does: without it every behaviour may stop at any state. As in TLA+, an action is
taken by any step that it allows and that changes the state, and it is enabled where there is such a
step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from specmodel.errors import SpecError

Function = Callable[..., Any]


@dataclass(frozen=True)
class Fairness:
    """A constraint on behaviours, made by `weak` and `strong`.

    `actions` and those of `kinds` (or of these names; a spec looks them up) count as one: a step
    by any of them is enough. `per` are parameters of theirs for each value of which the
    constraint holds on its own; without any, all bindings count as one too.
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
        """Those of the actions."""
        return tuple(function.__name__ for function in self.actions)

    def __str__(self) -> str:
        inner = ", ".join([*self.names, *self.kinds])
        per = ", ".join(self.per)
        return f"{self.strength}({inner}{f', per {per}' if per else ''})"


def weak(*actions: Function | str, per: str | Sequence[str] = ()) -> Fairness:
    """An action that stays enabled is taken: it cannot be enabled for ever and never happen.

    Enough for what nobody else can disable, such as a broker that handles a request it has. Of
    several actions, one of them is taken; `weak(a), weak(b)` asks for each. `per="follower"` asks
    for each value of that parameter, `per=("follower", "leader")` for each pair of values.

    An action may be given by its name or kind too: a spec that has this fairness looks it up.
    """
    return _fairness("weak", actions, per)


def strong(*actions: Function | str, per: str | Sequence[str] = ()) -> Fairness:
    """An action that is enabled again and again is taken, even if it is disabled in between.

    For what others can disable for a while, such as a message that gets through at last although
    each may be lost. Parameters as for `weak`. Whoever is strongly fair is weakly fair too.
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
