"""Proofs by induction that a property holds in all reachable states."""

from specmodel.proof.prover import ProofLimits, prove
from specmodel.proof.result import Obligation, ObligationOutcome, Proof, Window

__all__ = ["Obligation", "ObligationOutcome", "Proof", "ProofLimits", "Window", "prove"]
