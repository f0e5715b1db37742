"""The interpreter: runs the spec's own functions under CPython. Slow, obvious: the oracle."""

from specmodel.engines.interpret.search import check

__all__ = ["check"]
