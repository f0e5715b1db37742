"""Compiles a model into a kernel: native functions over batches of packed states.

A kernel has no search. It expands a batch (every successor of every state), checks properties, and
filters by constraints, eight states at a time; see `specmodel.kernel.module` for the interface of
the functions.
"""
