"""The native engine: packed states, a compiled kernel, and threads that each own a shard of the states."""

from specmodel.engines.native.search import check

__all__ = ["check"]
