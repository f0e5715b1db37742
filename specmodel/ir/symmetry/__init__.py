"""Whether a spec treats the members of a set alike, and what exchanging them does to a state."""
