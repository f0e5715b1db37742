"""Behaviours of a spec under CPython: steps, failures, orbits, formulas, lassos."""
