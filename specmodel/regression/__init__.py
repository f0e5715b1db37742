"""Regression tests: designs against the expectations of their YAML files, and recorded traces."""
