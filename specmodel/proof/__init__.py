"""Proofs by induction: that a property holds however long a design runs."""

from specmodel.proof.prover import Limits, prove
from specmodel.proof.result import Obligation, Outcome, Proof, Window

__all__ = ["Limits", "Obligation", "Outcome", "Proof", "Window", "prove"]
