"""The engines by name."""

from __future__ import annotations

from specmodel.engines.base.engine import Engine
from specmodel.engines.interpret import INTERPRET
from specmodel.engines.native import NATIVE
from specmodel.engines.smt import SMT
from specmodel.engines.spark import SPARK
from specmodel.errors import UsageError, suggestion
from specmodel.options import DEFAULT_ENGINE

DEFAULT = DEFAULT_ENGINE

ENGINES = {engine.name: engine for engine in (NATIVE, INTERPRET, SPARK, SMT)}


def engine(name: str) -> Engine:
    """The engine of a name. Raises UsageError with suggestions for an unknown one."""
    if name not in ENGINES:
        raise UsageError(f'no engine is called "{name}"{suggestion(name, list(ENGINES))}')
    return ENGINES[name]


def counting(name: str) -> Engine:
    """The engine of a name, if it counts states. Raises UsageError for another one."""
    found = engine(name)
    if not found.counts:
        raise UsageError(f"the {name} engine counts no states, which this needs: use {DEFAULT}")
    return found
