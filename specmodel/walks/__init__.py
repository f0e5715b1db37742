"""Random walks: their plan, their choices, and the estimates that they give."""
