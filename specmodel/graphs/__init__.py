"""Graphs of states and traces, what they are made from, and the formats they are written in."""
