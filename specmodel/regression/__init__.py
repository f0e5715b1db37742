"""Regression: designs held to what their YAML files expect, recorded traces to their designs."""
