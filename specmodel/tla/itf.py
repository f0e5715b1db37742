"""Traces of TLA+ modules as ITF: the notation of values of TLA+ in JSON (Apalache's ADR-015)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from specmodel.design import Design
from specmodel.results import Trace
from specmodel.tla.model import TlaState
from specmodel.tla.values import TRUE, Boolean, FunctionValue, ModelValue, Value, order_key, ordered
from specmodel.traces.itf_write import itf_document


def itf_value(value: Value) -> Any:
    """A value as an ITF expression: a function of strings is a record, another one a map.

    Model values are strings, as their names are.
    """
    if isinstance(value, Boolean):
        return value is TRUE
    if isinstance(value, int):
        return {"#bigint": str(value)}
    if isinstance(value, ModelValue):
        return value.name
    if isinstance(value, tuple):
        return {"#tup": [itf_value(item) for item in cast(tuple[Value, ...], value)]}
    if isinstance(value, frozenset):
        members = ordered(cast(frozenset[Value], value))
        return {"#set": [itf_value(member) for member in members]}
    if isinstance(value, FunctionValue):
        keys = sorted(value.pairs, key=order_key)
        if keys and all(isinstance(key, str) and not key.startswith("#") for key in keys):
            return {key: itf_value(value.pairs[key]) for key in keys}
        return {"#map": [[itf_value(key), itf_value(value.pairs[key])] for key in keys]}
    return value if isinstance(value, str) else str(value)


def itf_text_of(
    design: Design, trace: Trace, property_name: str, engine: str, description: str
) -> str:
    """A trace of a module as the text of an ITF file."""
    states = [state.variables for state in trace.states if isinstance(state, TlaState)]
    return itf_document(
        replace(design, constants={}),  # they are in the configuration, and no numbers
        trace,
        {name: "" for name in states[0]},
        [{name: itf_value(value) for name, value in held.items()} for held in states],
        property_name=property_name,
        engine=engine,
        description=description,
    )
