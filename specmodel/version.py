"""The version of specmodel."""

__version__ = "0.1.0"
