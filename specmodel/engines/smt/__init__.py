"""Bounded model checking: whether Z3 finds a behaviour of some length that breaks a property."""

from specmodel.engines.smt.search import check

__all__ = ["check"]
