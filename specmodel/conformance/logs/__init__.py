"""Logs of real software: whether the events of a log are a behaviour of a design."""
