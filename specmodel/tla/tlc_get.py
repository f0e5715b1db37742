"""TLCGet, which tells what is known of the search: the level of a state, and figures at the end."""

from __future__ import annotations

from typing import Any

from specmodel.tla.building import Builder
from specmodel.tla.calling import OUTSIDE, NotFollowed, refuse_arguments
from specmodel.tla.making import Maker
from specmodel.tla.modules import Resolver
from specmodel.tla.nodes import Applied, StringLiteral
from specmodel.tla.scopes import Meaning, NativeSymbol, TlaScope, TlaSymbol, VariableSymbol
from specmodel.tla.standard import standard_module
from specmodel.tla.values import Deferred, EvaluationError, Value, text_of

LEVEL = 'TLCGet("level")'
"""The name of the variable that has the level of a state: 1 for the initial ones."""


class LevelNeededError(Exception):
    """The level of a state is read: states need a variable for it."""


class NoLevel(Deferred):
    """The level where Init reads it."""

    def value(self) -> Value:
        raise EvaluationError(f"{LEVEL} is not supported in Init", None, "TLC has 0 there")


def level_after(resolver: Resolver) -> VariableSymbol:
    """A variable for the level, which comes after the others."""
    variables = resolver.variables
    return VariableSymbol(LEVEL, variables[0].span if variables else None, len(variables))


def follow_level(builder: Builder, level: VariableSymbol | None) -> None:
    """Gives TLCGet("level") the value of a variable; without one, it raises LevelNeededError."""

    def build(maker: Maker, term: Applied, scope: TlaScope, depth: int, primed: bool) -> Meaning:
        refuse_arguments(term, 1)
        (name,), span = term.arguments, term.span
        if not isinstance(name, StringLiteral) or name.value != "level":
            raise NotFollowed('TLCGet: all but "level" is not supported here', span)
        if not builder.resolver.variables:
            raise NotFollowed(f"{LEVEL} of a module without variables is not supported", span)
        if level is None:
            raise LevelNeededError
        place = level.index

        def run(c: Any, s: Any, n: Any) -> Value:
            state = n if primed else s
            if place >= len(state) or state[place] is None:
                raise EvaluationError(f"{LEVEL} has no value here", span)
            return state[place]

        return Meaning(run, 1, True)

    builder.overrides[tlc_get()] = NativeSymbol("TLCGet", None, (0,), None, build, level)


def figures_of_search(figures: dict[Value, Value]) -> NativeSymbol:
    """TLCGet with figures, which each search has anew."""

    def build(maker: Maker, term: Applied, scope: TlaScope, depth: int, primed: bool) -> Meaning:
        refuse_arguments(term, 1)
        name = maker.meaning(term.arguments[0], scope, depth, primed)

        def run(c: Any, s: Any, n: Any) -> Value:
            OUTSIDE[0] += 1  # the next search has other figures
            wanted = name.run(c, s, n)
            if wanted not in figures:
                known = ", ".join(map(text_of, figures))
                raise EvaluationError(
                    f"TLCGet has no {text_of(wanted)} here, but {known}", term.span
                )
            return figures[wanted]

        return Meaning(run, name.level, name.closed)

    return NativeSymbol("TLCGet", None, (0,), None, build)


def tlc_get() -> TlaSymbol:
    """TLCGet as the module TLC has it, which others replace."""
    tlc = standard_module("TLC")
    assert tlc is not None
    return tlc.names["TLCGet"]
