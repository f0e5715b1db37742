"""Measures specmodel and other model checkers on the same protocol, in one interleaved run."""
