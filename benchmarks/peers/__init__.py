"""Other model checkers, each with its own text of the kip320 design."""
