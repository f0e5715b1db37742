"""Why a property or guard is false: a tree of its terms, down to comparisons with their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from specmodel.domains import BoolDomain
from specmodel.ir import nodes as ir
from specmodel.ir.evaluate import Names, Returned
from specmodel.ir.origins import Origin, Origins, Scope
from specmodel.ir.printer import source_text
from specmodel.results.explanation import Explanation


def explain(name: str, model: ir.Lowered, *states: Any) -> Explanation:
    """The explanation of a property's value in one state, or of a transition property's in two."""
    function = model.properties[name][1]
    origins = Origins(model, dict(zip(function.parameters, states, strict=True)))
    return Explainer(origins).function(function, states, ())


class Explainer:
    """Makes explanations. They leave out each part that does not affect the outcome."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins

    def function(
        self, function: ir.Function, args: Sequence[Any], origins: Sequence[Origin]
    ) -> Explanation:
        """The explanation of a function's result: of the term that it returns."""
        scope = self.origins.enter(function, args, origins)
        try:
            self.origins.block(function.body, scope)
        except Returned as end:
            if end.statement.value is not None and _plain(end.statement.value):
                return self._reached(function, end)
            if end.statement.value is not None:
                return self.term(end.statement.value, end.names)
        return Explanation(function.name, None, function.span)

    def _reached(self, function: ir.Function, end: Returned) -> Explanation:
        """Why a function returned a constant: the conditions before it, and the loops' names."""
        loops, conditions = _way_to(end.statement, function.body) or ((), ())
        bound = [name for loop in loops for name in loop.generator.names]
        return Explanation(
            "return " + source_text(end.statement.value) if end.statement.value else "return",
            end.value,
            end.statement.span,
            {name: end.names[name] for name in bound},
            tuple(
                self.term(condition, end.names)
                for condition, taken in conditions
                if self.origins.value(condition, end.names) == taken
            ),
            operator="return",
        )

    def term(self, term: ir.Term, names: Names) -> Explanation:
        """The explanation of a term; if it is a bool, with the parts that decide its value."""
        value = self.origins.value(term, names)
        parts: tuple[Explanation, ...] = ()
        witness: Mapping[str, Any] = {}
        if isinstance(term.type, BoolDomain):
            if isinstance(term, ir.Each):
                witness, parts = self._each(term, value, names)
            elif isinstance(term, ir.Apply):
                parts = self._apply(term, value, names)
            elif isinstance(term, ir.Call):
                args = [self.origins.value(a, names) for a in term.args]
                origins = [self.origins.origin(a, names) for a in term.args]
                helper = self.origins.model.helpers[term.function]
                parts = (self.function(helper, args, origins),)
            elif isinstance(term, ir.Choose):
                holds = self.origins.value(term.condition, names)
                chosen = self.term(term.then if holds else term.other, names)
                parts = (self.term(term.condition, names), chosen)
        return self._said(term, value, names, witness, parts)

    def _said(
        self,
        term: ir.Term,
        value: Any,
        names: Names,
        witness: Mapping[str, Any] | None = None,
        parts: tuple[Explanation, ...] = (),
    ) -> Explanation:
        return Explanation(
            source_text(term),
            value,
            term.span,
            witness or {},
            parts,
            operator=_operator(term),
            ground=self.origins.ground(term, names),
            reads=self.origins.reads(term, names),
        )

    def _apply(self, term: ir.Apply, value: bool, names: Names) -> tuple[Explanation, ...]:
        if term.op in ("and", "or"):
            decisive = term.op == "or"
            for arg in term.args:
                if self.origins.value(arg, names) == decisive == value:
                    return (self.term(arg, names),)
            return tuple(self.term(arg, names) for arg in term.args)
        if term.op == "not":
            return (self.term(term.args[0], names),)
        return tuple(self._operand(arg, names) for arg in term.args)

    def _operand(self, term: ir.Term, names: Names) -> Explanation:
        """The explanation of an operand: its value, and the places that it reads."""
        return self._said(term, self.origins.value(term, names), names)

    def _each(
        self, term: ir.Each, value: bool, names: Names
    ) -> tuple[Mapping[str, Any], tuple[Explanation, ...]]:
        """The first choice of its names that decides a quantifier, and the explanation of its body.

        Both are empty if no single choice decides it: an `all` is true or an `any` is false.
        """
        inner = names.inner() if isinstance(names, Scope) else dict(names)
        bound = [n for g in term.generators for n in g.names]
        for _ in self.origins.each(term.generators, inner):
            holds = bool(self.origins.value(term.body, inner))
            if holds == (term.kind == "any") == value:
                witness = {name: inner[name] for name in bound}
                return witness, (self.term(term.body, inner),)
        return {}, ()


_Way = tuple[tuple[ir.For, ...], tuple[tuple[ir.Term, bool], ...]]
"""The loops around a statement, and the conditions before it with the outcomes that lead to it."""


def _way_to(goal: ir.Statement, body: Sequence[ir.Statement]) -> _Way | None:
    """The way to a statement; None if it is not in this body, at any depth."""
    passed: list[tuple[ir.Term, bool]] = []
    for statement in body:
        if statement is goal:
            return (), tuple(passed)
        if isinstance(statement, ir.If):
            for taken, branch in ((True, statement.then), (False, statement.other)):
                if (inner := _way_to(goal, branch)) is not None:
                    return inner[0], (*passed, (statement.condition, taken), *inner[1])
                if branch and isinstance(branch[-1], ir.Return):
                    passed.append((statement.condition, not taken))
        elif isinstance(statement, ir.For) and (inner := _way_to(goal, statement.body)) is not None:
            return (statement, *inner[0]), (*passed, *inner[1])
    return None


def _operator(term: ir.Term) -> str:
    """The kind of a term, by which a view chooses the words of its explanation."""
    if isinstance(term, ir.Apply):
        return "constant" if _plain(term) else term.op
    if isinstance(term, ir.Each):
        return term.kind
    names: dict[type[ir.Term], str] = {
        ir.Constant: "constant",
        ir.Call: "call",
        ir.Choose: "choose",
    }
    return names.get(type(term), "")


def _plain(term: ir.Term) -> bool:
    return isinstance(term, ir.Constant) or (
        isinstance(term, ir.Apply) and term.op in ("some", "as", "as_sure") and _plain(term.args[0])
    )
