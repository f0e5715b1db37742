"""Engines by name, imported when first asked for: most cost more than a start-up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from specmodel.design import Design
from specmodel.errors import UsageError, suggestion
from specmodel.options import ENGINES, refuse_lacking
from specmodel.results import Options, Result

if TYPE_CHECKING:
    from specmodel.lang.spec import Rule
    from specmodel.walks.plan import Plan
    from specmodel.walks.tally import Walker

DEFAULT = ENGINES[0]

_UNCOUNTING = ("smt",)

_WALKING = ("native", "interpret", "spark")


class Engine(Protocol):
    """Explores a design within the options. Raises SpecFailure where the spec fails."""

    def __call__(self, design: Design, options: Options) -> Result: ...


def engine(name: str) -> Engine:
    """The engine of a name, which refuses options that it lacks.

    Raises UsageError with suggestions for an unknown one.
    """
    if name not in ENGINES:
        raise UsageError(f'no engine is called "{name}"{suggestion(name, ENGINES)}')

    def check(design: Design, options: Options) -> Result:
        refuse_lacking(name, options)
        return import_module(f"specmodel.engines.{name}").check(design, options)

    return check


def refuse_uncounting(name: str) -> None:
    """Raises UsageError for an engine that counts no states, and as `engine` does."""
    engine(name)
    if name in _UNCOUNTING:
        raise UsageError(f"the {name} engine counts no states, which this needs: use native")


def walker(name: str) -> Callable[[Design, Sequence[Rule], Plan, frozenset[int]], Walker]:
    """What makes random walks with the engine of a name. Raises UsageError as `engine` does.

    It is given the properties to look at, the plan, and the findings that end a walk.
    """
    engine(name)
    if name not in _WALKING:
        raise UsageError(f"the {name} engine makes no random walks: use {' or '.join(_WALKING)}")
    return import_module(f"specmodel.engines.{name}.walking").walker
