"""Graphs of states and traces: their sources, and the formats in which they are written."""
