"""The statements within statements, and the terms within statements and terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from specmodel.ir import nodes as ir


def statements(body: Iterable[ir.Statement]) -> Iterator[ir.Statement]:
    """Statements, each followed by the statements within it."""
    for statement in body:
        yield statement
        if isinstance(statement, ir.If):
            yield from statements((*statement.then, *statement.other))
        elif isinstance(statement, ir.For):
            yield from statements(statement.body)


def terms(statement: ir.Statement) -> Iterator[ir.Term]:
    """The terms of a statement, without the terms of the statements within it."""
    if isinstance(statement, ir.Require | ir.If):
        yield statement.condition
    elif isinstance(statement, ir.Bind):
        yield statement.value
    elif isinstance(statement, ir.Store):
        yield from (statement.value, statement.target)
    elif isinstance(statement, ir.For):
        yield from statement.generator.source.terms
        if statement.generator.condition is not None:
            yield statement.generator.condition
    elif isinstance(statement, ir.Perform):
        yield statement.call
    elif isinstance(statement, ir.Return) and statement.value:
        yield statement.value
    elif isinstance(statement, ir.Refine):
        yield from (statement.before, statement.after)


def parts(term: ir.Term) -> Iterator[ir.Term]:
    """The immediate subterms of a term."""
    if isinstance(term, ir.Get):
        yield term.base
    elif isinstance(term, ir.At):
        yield from (term.base, term.key)
    elif isinstance(term, ir.Slice):
        yield from (t for t in (term.base, term.low, term.high) if t is not None)
    elif isinstance(term, ir.Apply | ir.Call):
        yield from term.args
    elif isinstance(term, ir.Choose):
        yield from (term.condition, term.then, term.other)
    elif isinstance(term, ir.Make):
        yield from term.items
    elif isinstance(term, ir.Each):
        for generator in term.generators:
            yield from generator.source.terms
            if generator.condition is not None:
                yield generator.condition
        keys = term.key.terms if term.key is not None else ()
        yield from (t for t in (term.body, *keys, term.default) if t is not None)


def within(term: ir.Term) -> Iterator[ir.Term]:
    """A term and all its subterms."""
    yield term
    for part in parts(term):
        yield from within(part)
