"""A proof as one JSON object (docs/reference/json-proof.md)."""

from __future__ import annotations

from typing import Any

from specmodel.design import Design
from specmodel.proof.reach import Reach
from specmodel.proof.result import ObligationOutcome, Proof
from specmodel.results.plain import Keys, json_text, members
from specmodel.traces.itf_write import itf_object


def proof_json(design: Design, proof: Proof, reach: Reach | None) -> str:
    """A proof as text."""
    keys: Keys = {ObligationOutcome: lambda outcome: _outcome(design, outcome)}
    claims = "verdict goals lemmas assumed constraints path obligations=outcomes needless dropped"
    return json_text(
        {
            **members(proof, "design constants"),
            "every": {window.constant: window.least for window in proof.windows},
            **members(proof, claims, keys),
            "found": dict(proof.found),
            "reach": None if reach is None else _reach(reach),
            **members(proof, "stopped? seconds"),
        },
        ascii_only=False,
    )


def _outcome(design: Design, outcome: ObligationOutcome) -> dict[str, Any]:
    trace = None if outcome.trace is None else itf_object(design, outcome.trace)
    return {
        **members(outcome.obligation, "kind claim? action?"),
        **members(outcome, "status seconds uses why?"),
        "trace": trace,
    }


def _reach(reach: Reach) -> dict[str, Any]:
    violated = {found.name: found.trace_length for found in reach.violated}
    return {**members(reach, "answer states"), "violated": violated}
