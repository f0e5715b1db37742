"""Symmetry: whether a spec treats the members of a set alike, and the effect of swapping them."""
