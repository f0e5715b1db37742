"""A proof as one JSON object (docs/reference/json-proof.md)."""

from __future__ import annotations

import json
from typing import Any

from specmodel.design import Design
from specmodel.proof.reach import Reach
from specmodel.proof.result import Outcome, Proof
from specmodel.views.itf.write import itf_object

VERSION = 1
"""Raised when a key changes its meaning or goes; new keys may come without."""


def proof_json(design: Design, proof: Proof, reach: Reach | None) -> str:
    """A proof as text."""
    return json.dumps(
        {
            "version": VERSION,
            "design": proof.design,
            "constants": dict(proof.constants),
            "every": {window.constant: window.least for window in proof.windows},
            "verdict": proof.verdict,
            "goals": list(proof.goals),
            "lemmas": list(proof.lemmas),
            "assumed": list(proof.assumed),
            "constraints": list(proof.constraints),
            "path": proof.path,
            "obligations": [_outcome(design, outcome) for outcome in proof.outcomes],
            "needless": list(proof.needless),
            "dropped": list(proof.dropped),
            "found": dict(proof.found),
            "reach": None if reach is None else _reach(reach),
            "stopped": proof.stopped or None,
            "seconds": round(proof.seconds, 6),
        },
        indent=2,
        ensure_ascii=False,
    )


def _outcome(design: Design, outcome: Outcome) -> dict[str, Any]:
    obligation = outcome.obligation
    trace = None if outcome.trace is None else itf_object(design, outcome.trace)
    return {
        "kind": obligation.kind,
        "claim": obligation.claim or None,
        "action": obligation.action or None,
        "status": outcome.status,
        "seconds": round(outcome.seconds, 6),
        "uses": list(outcome.uses),
        "why": outcome.why or None,
        "trace": trace,
    }


def _reach(reach: Reach) -> dict[str, Any]:
    return {
        "answer": reach.answer,
        "states": reach.states,
        "violated": {found.name: found.trace_length for found in reach.violated},
    }
