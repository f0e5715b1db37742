"""Lowers the Python functions of a spec to the IR."""

from specmodel.ir.lowering.model import lower

__all__ = ["lower"]
