"""Runs IR functions on symbolic states: a graph for each leaf of the next state over this one's."""
