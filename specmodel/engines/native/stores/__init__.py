"""Visited states outside the tables of the shards: packed to the bit, in files and in memory."""
