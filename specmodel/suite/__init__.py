"""Designs as files: what a YAML file says of a design, and how designs are found by name."""
