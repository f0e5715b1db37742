"""Why a property or guard is false: its truth as a tree, down to comparisons with their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from specmodel.domains import BoolDomain
from specmodel.ir import nodes as ir
from specmodel.ir.evaluate import Evaluator, Names, Returned
from specmodel.ir.lowering import lower
from specmodel.ir.printer import term as printed
from specmodel.lang.spec import Rule, Spec
from specmodel.results.explanation import Explanation


def explain(rule: Rule, spec: Spec, *states: Any) -> Explanation:
    """The truth of a property in a state (or, for a transition property, of a step between two)."""
    model = lower(spec)
    return _Explainer(model).function(model.properties[rule.name][1], states)


class _Explainer:
    """Builds trees. A part that does not bear on the outcome is left out."""

    def __init__(self, model: ir.Model) -> None:
        self.model = model
        self.evaluator = Evaluator(model)

    def function(self, function: ir.Function, args: Sequence[Any]) -> Explanation:
        """The truth of a function's result: of the term it returns, when it gets there."""
        names: Names = dict(zip(function.parameters, args, strict=True))
        try:
            self.evaluator.block(function.body, names)
        except Returned as end:
            if end.statement.value is not None:
                return self.term(end.statement.value, end.names)
        return Explanation(function.name, None, function.span, {}, ())

    def term(self, term: ir.Term, names: Names) -> Explanation:
        """The value of a term, with the parts that make a truth what it is."""
        value = self.evaluator.value(term, names)
        parts: tuple[Explanation, ...] = ()
        witness: Mapping[str, Any] = {}
        if isinstance(term.type, BoolDomain):
            if isinstance(term, ir.Each):
                witness, parts = self._each(term, value, names)
            elif isinstance(term, ir.Apply):
                parts = self._apply(term, value, names)
            elif isinstance(term, ir.Call):
                args = [self.evaluator.value(a, names) for a in term.args]
                parts = (self.function(self.model.helpers[term.function], args),)
            elif isinstance(term, ir.Choose):
                holds = self.evaluator.value(term.condition, names)
                chosen = self.term(term.then if holds else term.other, names)
                parts = (self.term(term.condition, names), chosen)
        return Explanation(_text(term), value, term.span, witness, parts)

    def _apply(self, term: ir.Apply, value: bool, names: Names) -> tuple[Explanation, ...]:
        if term.op in ("and", "or"):
            decisive = term.op == "or"
            for arg in term.args:
                if self.evaluator.value(arg, names) == decisive == value:
                    return (self.term(arg, names),)
            return tuple(self.term(arg, names) for arg in term.args)
        if term.op == "not":
            return (self.term(term.args[0], names),)
        return tuple(self._operand(arg, names) for arg in term.args if not _plain(arg))

    def _operand(self, term: ir.Term, names: Names) -> Explanation:
        """One side of a comparison: its value, and the values of what it is computed from."""
        value = self.evaluator.value(term, names)
        return Explanation(_text(term), value, term.span, {}, ())

    def _each(
        self, term: ir.Each, value: bool, names: Names
    ) -> tuple[Mapping[str, Any], tuple[Explanation, ...]]:
        """The first binding that decides a quantifier; none if an `all` holds or an `any` fails."""
        inner = dict(names)
        bound = [n for g in term.generators for n in g.names]
        for _ in self.evaluator.each(term.generators, inner):
            holds = bool(self.evaluator.value(term.body, inner))
            if holds == (term.kind == "any") == value:
                witness = {name: inner[name] for name in bound}
                return witness, (self.term(term.body, inner),)
        return {}, ()


def _plain(term: ir.Term) -> bool:
    return isinstance(term, ir.Constant) or (
        isinstance(term, ir.Apply) and term.op == "some" and _plain(term.args[0])
    )


def _text(term: ir.Term) -> str:
    """The source of a term on one line, or the IR's own form of it."""
    quoted = term.span.text() if term.span else ""
    return " ".join(quoted.split()) or printed(term)
