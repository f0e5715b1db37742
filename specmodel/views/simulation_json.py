"""A simulation as one JSON object, the same for every engine (docs/reference/json-simulate.md)."""

from __future__ import annotations

import json
from dataclasses import asdict

from specmodel.results import Simulation

VERSION = 1
"""Raised when a key changes its meaning or goes; new keys may come without."""


def simulation_json(found: Simulation) -> str:
    """The object as text, without a final line end."""
    made = {
        "version": VERSION,
        "design": found.design,
        "constants": dict(found.constants),
        "engine": found.engine,
        "workers": found.workers,
        "strategy": found.strategy,
        "seed": found.seed,
        "depth": found.depth,
        "verdict": found.verdict,
        "stopped": found.stopped or None,
        "walks": found.walks,
        "steps": found.steps,
        "cut": found.cut,
        "longest": found.longest,
        "seconds": round(found.seconds, 6),
        "compile_seconds": round(found.compile_seconds, 6),
        "walk": found.walk,
        "walk_length": found.walk_length,
        "properties": [
            {
                "name": judged.name,
                "kind": judged.kind,
                "verdict": judged.verdict,
                "trace_length": judged.trace_length,
                "shortest": judged.name in found.shortest if judged.trace else None,
            }
            for judged in found.properties
        ],
        "coverage": dict(found.coverage),
        "bindings": dict(found.bindings),
        "touched": asdict(found.touched),
        "saved": None if found.saved is None else str(found.saved),
        "self_check": None if found.self_check is None else asdict(found.self_check),
        "guarantee": None if found.guarantee is None else asdict(found.guarantee),
    }
    return json.dumps(made, indent=2)
