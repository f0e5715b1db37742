"""Designs as files: the YAML file of a design, and the search for designs by name."""
