"""Lowering of `match` to conditional statements.

A pattern becomes tests and captures in Python's syntax, which are then lowered: `case A(x=0, y=v)`
becomes `isinstance(m, A) and m.x == 0`, then `v = m.y`. As in Python, names are captured before a
guard is evaluated, and keep their values if the guard is false.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from specmodel.dataclass import dataclass
from specmodel.ir.nodes import BOOL, NONE, Bind, Constant, If, Name, Statement, Term
from specmodel.lang.lowering import narrowing
from specmodel.lang.lowering.narrowing import IsInstance
from specmodel.lang.struct import Struct

if TYPE_CHECKING:
    from specmodel.lang.lowering.functions import FunctionLowering

PATTERNS = "a pattern is A(), A(x=v), Enum.member, an int, None, True, False, a | b, v or _"


@dataclass
class _Read:
    """The tests of a pattern, in order, and its captures."""

    tests: list[ast.expr] = field(default_factory=list[ast.expr])
    captures: list[_Capture] = field(default_factory=list["_Capture"])


_Capture = tuple[str, ast.expr, ast.AST]
"""A name, its value, and the pattern that captures it."""


def matched(lowering: FunctionLowering, node: ast.Match) -> list[Statement]:
    """The statements of a `match`."""
    subject, before = node.subject, list[Statement]()
    term = lowering.term(subject)
    if term.type is NONE:
        raise lowering.source.wrong(subject, "this is None, whatever the state")
    path = narrowing.path_of(lowering, subject)
    if not path or not lowering.certain(term):  # it is evaluated, and may fail, before any case
        name = _new_name(lowering, "subject")
        lowering.types[name] = term.type
        before = [Bind(lowering.source.span(subject), name, term)]
        if not path:
            subject = ast.copy_location(ast.Name(name, ast.Load()), subject)
    return [*before, *_chain(lowering, subject, node.cases)]


def _new_name(lowering: FunctionLowering, what: str) -> str:
    lowering.together += 1
    return f"{what} of match {lowering.together}"


def _chain(
    lowering: FunctionLowering, subject: ast.expr, cases: Sequence[ast.match_case]
) -> list[Statement]:
    """The statements of the remaining cases: of the first that fits."""
    if not cases:
        return []
    case, rest, known = cases[0], cases[1:], lowering.facts
    read = _Read()
    _read(lowering, case.pattern, subject, read)
    _refuse_lost(lowering, case.pattern, subject, read)
    span, guard = lowering.source.span(case.pattern), case.guard
    if read.tests and narrowing.certain(lowering, read.tests[0]):
        del read.tests[0]  # only this class is left
    tests = read.tests if guard is None or read.captures else [*read.tests, guard]
    if guard is None or not read.captures:
        if not tests:
            return [*_captured(lowering, read), *lowering.block(case.body)]
        test = _all_of(tests, case.pattern)
        condition = _once(lowering, subject, lowering.condition(test), guard)
        narrowing.learn(lowering, test, True, condition)
        with lowering.picks.branches() as otherwise:
            then = (*_captured(lowering, read), *lowering.block(case.body))
            after, lowering.facts = lowering.facts, known
            narrowing.learn(lowering, test, False, condition)
            otherwise()
            other = tuple(_chain(lowering, subject, rest))
        lowering.merge(then, after, other)
        return [If(span, condition, then, other)]
    flag = _new_name(lowering, "case")
    lowering.types[flag] = BOOL
    made: list[Statement] = [Bind(span, flag, Constant(BOOL, span, False))]
    test = _all_of(tests, case.pattern) if tests else None
    condition = lowering.condition(test) if test else Constant(BOOL, span, True)
    if test:
        narrowing.learn(lowering, test, True, condition)
    taken = [*_captured(lowering, read)]
    guarded = _once(lowering, subject, lowering.condition(guard), guard)
    taken.append(Bind(lowering.source.span(guard), flag, guarded))
    made.append(If(span, condition, tuple(taken), ()))
    narrowing.learn(lowering, guard, True, guarded)
    with lowering.picks.branches() as otherwise:
        then = lowering.block(case.body)
        after, lowering.facts = lowering.facts, known
        narrowing.forget(lowering, [name for name, *_ in read.captures])
        if lowering.acts(guarded):
            narrowing.forget_fields(lowering)
        otherwise()
        other = tuple(_chain(lowering, subject, rest))
    lowering.merge(then, after, other)
    return [*made, If(span, Name(BOOL, span, flag), then, other)]


def _once(
    lowering: FunctionLowering, subject: ast.expr, term: Term, guard: ast.expr | None
) -> Term:
    """A condition with a guard, which may not change fields that later cases read."""
    if guard is None or isinstance(subject, ast.Name):
        return term
    return lowering.pure(term, guard)


def _captured(lowering: FunctionLowering, read: _Read) -> Iterator[Statement]:
    """The statements that bind the captured names of a pattern."""
    for name, value, place in read.captures:
        target = ast.copy_location(ast.Name(name, ast.Store()), place)
        left = lowering.facts.get(narrowing.path_of(lowering, value))
        yield lowering.bind(place, target, lowering.term(value), value)
        narrowing.forget(lowering, [name])
        if left is not None:
            lowering.facts = {**lowering.facts, name: left}


def _all_of(tests: list[ast.expr], place: ast.AST) -> ast.expr:
    if len(tests) == 1:
        return tests[0]
    return ast.copy_location(ast.BoolOp(ast.And(), tests), place)


def _refuse_lost(
    lowering: FunctionLowering, node: ast.pattern, subject: ast.expr, read: _Read
) -> None:
    """Raises Unsupported if a capture binds the name that the subject begins with."""
    root = narrowing.path_of(lowering, subject).split(".")[0]
    for name, value, _ in read.captures:
        if name == root and not (value is subject and isinstance(subject, ast.Name)):
            what = f"{name} is captured here and is what the pattern looks into"
            raise lowering.source.unsupported(node, what, "give the capture another name")


def _read(lowering: FunctionLowering, node: ast.pattern, subject: ast.expr, read: _Read) -> None:
    """Adds the tests and captures of a pattern for a subject."""
    here = ast.copy_location
    if isinstance(node, ast.MatchAs):
        if node.pattern is not None:
            _read(lowering, node.pattern, subject, read)
        if node.name is not None:
            read.captures.append((node.name, subject, node))
    elif isinstance(node, ast.MatchValue):
        test = ast.Compare(subject, [ast.Eq()], [node.value])
        read.tests.append(here(test, node))
    elif isinstance(node, ast.MatchSingleton):
        same = ast.Is() if node.value is None else ast.Eq()
        value = here(ast.Constant(node.value), node)
        read.tests.append(here(ast.Compare(subject, [same], [value]), node))
    elif isinstance(node, ast.MatchOr):
        choices: list[ast.expr] = []
        for part in node.patterns:
            inner = _Read()
            _read(lowering, part, subject, inner)
            if inner.captures:
                what = "a pattern within | captures no names here"
                raise lowering.source.unsupported(part, what, "write a case for each")
            if not inner.tests:  # `_`, which always fits
                return
            choices.append(_all_of(inner.tests, part))
        read.tests.append(here(ast.BoolOp(ast.Or(), choices), node))
    elif isinstance(node, ast.MatchClass):
        _read_class(lowering, node, subject, read)
    else:
        what = "this pattern is not part of the spec language"
        raise lowering.source.unsupported(node, what, PATTERNS)


def _read_class(
    lowering: FunctionLowering, node: ast.MatchClass, subject: ast.expr, read: _Read
) -> None:
    """Adds the test of a class, and the tests and captures of its fields."""
    classes = tuple(narrowing.classes_of(lowering, node.cls))
    read.tests.append(ast.copy_location(IsInstance(subject, classes), node))
    (cls,) = classes if len(classes) == 1 else (None,)
    if cls is None:
        raise lowering.source.wrong(node.cls, "a pattern names one class", "write A() | B()")
    fields = list(cls.__domain__.fields) if issubclass(cls, Struct) else []
    if len(node.patterns) > len(fields):
        what = f"{cls.__name__} has {len(fields)} fields, and here are {len(node.patterns)}"
        raise lowering.source.wrong(node, what, "" if fields else f"write {cls.__name__}()")
    given = [*zip(fields, node.patterns, strict=False)]
    given += zip(node.kwd_attrs, node.kwd_patterns, strict=True)
    for number, (name, pattern) in enumerate(given):
        if name not in fields:
            raise lowering.source.wrong(pattern, f"{cls.__name__} has no field {name}")
        if name in [known for known, _ in given[:number]]:
            raise lowering.source.wrong(pattern, f"{name} is given twice")
        part = ast.copy_location(ast.Attribute(subject, name, ast.Load()), pattern)
        _read(lowering, pattern, part, read)
