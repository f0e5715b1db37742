"""Traces of TLA+ modules as ITF, with the names that an ALIAS shows."""

from __future__ import annotations

from dataclasses import replace

from specmodel.design import Design
from specmodel.results import Trace
from specmodel.tla.written import itf_state
from specmodel.traces.itf_write import itf_document


def itf_text_of(
    design: Design, trace: Trace, property_name: str, engine: str, description: str
) -> str:
    """A trace of a module as the text of an ITF file."""
    states = list(map(itf_state, trace.states))
    return itf_document(
        replace(design, constants={}),  # they are in the configuration, and no numbers
        trace,
        dict.fromkeys(states[0], ""),
        states,
        property_name=property_name,
        engine=engine,
        description=description,
    )
