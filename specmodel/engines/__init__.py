"""Engines: ways to explore a design, behind one small interface."""
