"""Results on their way from the machine that made them: without anything of that machine's own.

The classes of a design's states are made anew wherever it is loaded. So states go as packed words,
steps as numbers of bindings, places in sources by the names that these have in a parcel; and who
receives them makes the result of his own design.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from specmodel.design import Design
from specmodel.engines.interpret.steps import Interpreter
from specmodel.engines.spark.parcel import files_of
from specmodel.errors import Span, SpecError
from specmodel.ir.layout import Layout
from specmodel.lang.spec import Rule
from specmodel.liveness.formulas import formulas
from specmodel.liveness.lasso import described
from specmodel.results import PointCount, PropertyResult, Result, SpecFailure, Trace
from specmodel.results.lasso import Lasso


@dataclass(frozen=True)
class SentTrace:
    """A trace: its states packed, the bindings between them, and how it goes round."""

    states: tuple[tuple[int, ...], ...]
    bindings: tuple[int, ...]
    loop: int | None
    back: int | None


@dataclass(frozen=True)
class SentLasso:
    """Which formula of its property a trace with a loop fails, from which state on."""

    formula: int
    since: int
    smallest: bool


@dataclass(frozen=True)
class SentResult:
    """A result without traces and lassos, which are beside it by property."""

    result: Result
    traces: Mapping[str, SentTrace]
    lassos: Mapping[str, SentLasso]


@dataclass(frozen=True)
class SentError:
    """A mistake in a spec. One that a search has met has `where`, and maybe a trace."""

    message: str
    span: Span | None
    hint: str
    where: str | None
    trace: SentTrace | None


class Post:
    """Packs what one copy of a design has found, and unpacks what another has sent."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.interpreter = Interpreter(design.spec)
        self.layout = Layout(design.spec.domain)
        self.files = files_of(design)
        steps = range(len(self.interpreter.bindings))
        self.numbers = {str(self.interpreter.step(number)): number for number in steps}

    # Packing

    def packed(self, result: Result) -> SentResult:
        """A result, ready to be sent."""
        known = result.properties
        return SentResult(
            replace(
                result,
                properties=tuple(replace(found, trace=None, lasso=None) for found in known),
                unmet=self._placed(result.unmet, {v: k for k, v in self.files.items()}),
                points=self._placed(result.points, {v: k for k, v in self.files.items()}),
            ),
            {found.name: self._packed(found.trace) for found in known if found.trace},
            {found.name: self._lasso(found.name, found.lasso) for found in known if found.lasso},
        )

    def packed_error(self, wrong: SpecError) -> SentError:
        """What is wrong with a spec, ready to be sent."""
        span = _moved(wrong.span, {v: k for k, v in self.files.items()})
        if not isinstance(wrong, SpecFailure):
            return SentError(wrong.message, span, wrong.hint, None, None)
        trace = None if wrong.trace is None else self._packed(wrong.trace)
        return SentError(wrong.message, span, wrong.hint, wrong.where, trace)

    def _packed(self, trace: Trace) -> SentTrace:
        return SentTrace(
            tuple(tuple(self.layout.pack(state)) for state in trace.states),
            tuple(self.numbers[str(step)] for step in trace.steps),
            trace.loop,
            None if trace.back is None else self.numbers[str(trace.back)],
        )

    def _lasso(self, name: str, lasso: Lasso) -> SentLasso:
        rule = self._rule(name)
        held = [dict(zip(rule.parameters, f.arguments, strict=True)) for f in formulas(rule)]
        return SentLasso(held.index(dict(lasso.arguments)), lasso.since, lasso.smallest)

    # Unpacking

    def result(self, sent: SentResult) -> Result:
        """The result, of this copy of the design."""
        properties = tuple(self._property(found, sent) for found in sent.result.properties)
        return replace(
            sent.result,
            properties=properties,
            unmet=self._placed(sent.result.unmet, self.files),
            points=self._placed(sent.result.points, self.files),
        )

    def error(self, sent: SentError) -> SpecError:
        """The error, with places in the sources that are here."""
        span = _moved(sent.span, self.files)
        if sent.where is None:
            return SpecError(sent.message, span, sent.hint)
        trace = None if sent.trace is None else self._trace(sent.trace)
        return SpecFailure(sent.message, span, sent.hint, trace=trace, where=sent.where)

    def _property(self, found: PropertyResult, sent: SentResult) -> PropertyResult:
        packed, told = sent.traces.get(found.name), sent.lassos.get(found.name)
        if packed is None:
            return found
        trace = self._trace(packed)
        if told is None:
            return replace(found, trace=trace)
        formula = formulas(self._rule(found.name))[told.formula]
        lasso = described(self.interpreter, trace, formula, told.since, told.smallest)
        return replace(found, trace=trace, lasso=lasso)

    def _trace(self, sent: SentTrace) -> Trace:
        step = self.interpreter.step
        return Trace(
            tuple(self.layout.unpack(words) for words in sent.states),
            tuple(map(step, sent.bindings)),
            sent.loop,
            None if sent.back is None else step(sent.back),
        )

    def _rule(self, name: str) -> Rule:
        (rule,) = self.design.chosen([name])
        return rule

    def _placed(
        self, points: tuple[PointCount, ...], files: Mapping[str, str]
    ) -> tuple[PointCount, ...]:
        """Points with their places by other names of the files."""
        moved: list[PointCount] = []
        for count in points:
            span = _moved(count.point.span, files)
            assert span is not None
            moved.append(replace(count, point=replace(count.point, span=span)))
        return tuple(moved)


def _moved(span: Span | None, files: Mapping[str, str]) -> Span | None:
    """A place in a file that has another name."""
    return None if span is None else span._replace(file=files.get(span.file, span.file))
