"""Visited states outside the tables of the shards: in sorted runs and in checkpoints."""
