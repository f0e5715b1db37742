"""Runs IR functions on symbolic states: each leaf of the next state as a graph over those of this one."""
