"""A state space as data: what a run leaves in a folder, and reading it with or without Spark."""
