"""Symbolic execution of IR: the leaves of the next state, as graphs over the leaves of a state."""
