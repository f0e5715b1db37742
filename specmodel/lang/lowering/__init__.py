"""Lowering of the Python functions of a spec to the IR."""

from specmodel.lang.lowering.model import lower

__all__ = ["lower"]
