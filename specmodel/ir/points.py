"""The coverage points of a spec's code: places that an execution may reach or not reach.

Coverage counts for each point the cases that reach it. A case of an action is a state with a
binding, a case of a property is a state, a case of a transition property is a step. A point counts
once in a case, even in a loop.

A point stands for the statements that run whenever its first statement runs. So a function has a
point at its start, one for each branch, and one after each guard or possible end. Expressions have
points too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from specmodel.domains import MapDomain
from specmodel.errors import Span
from specmodel.ir import nodes as ir
from specmodel.ir.children import parts, terms
from specmodel.ir.guards import conjuncts
from specmodel.ir.printer import source_text
from specmodel.results.coverage import Counts, Kind, Point

Key = tuple[int, str]
"""The id of a part of a model, and an event: "" the part is reached, "need", "else"."""

NOWHERE = Span("", 0, 0, 0, 0)


class Points:
    """The points of rules of a model, in the order in which their code runs.

    `keys` maps, for each rule, parts of the model to the numbers of their points. With `graphed`,
    the rules that a front end executes have points too: `firsts` has the number of the first, and
    `case_counts` the number of cases in a state.
    """

    def __init__(
        self,
        model: ir.Lowered,
        actions: Iterable[str],
        properties: Iterable[str],
        graphed: bool = False,
    ) -> None:
        self.model = model
        self.graphed = graphed
        self.found: list[Point] = []
        self.keys: dict[str, dict[Key, int]] = {}
        self.firsts: dict[str, int] = {}
        self.case_counts: dict[str, int] = {}
        for name in actions:
            self._rule(name, "action", model.actions[name])
        for name in properties:
            self._rule(name, *model.properties[name])

    @property
    def shape(self) -> str:
        """The rules and their points as text: with a digest of the model, it identifies counts."""
        return " ".join([*self.keys, *self.firsts, *(f"{p.kind}{p.parent}" for p in self.found)])

    def counts(self) -> Counts:
        """Counts of 0 for all points."""
        guards = [point for point in self.found if point.kind == "guard"]
        return Counts(
            [0] * len(self.found),
            {point.number: 0 for point in guards},
            {point.number: 0 for point in guards if not point.final},
        )

    def _rule(self, name: str, role: str, function: ir.Function) -> None:
        if function.graphed is not None:
            if self.graphed:
                self.firsts[name] = len(self.found)
                self.found += function.graphed.points(len(self.found))
                self.case_counts[name] = function.graphed.case_count
            return
        walk = _PointFinder(self.model, self.found, name, role)
        walk.function(function, -1)
        self.keys[name] = walk.keys


class _PointFinder:
    """Finds the points in the code of a rule."""

    def __init__(self, model: ir.Lowered, found: list[Point], rule: str, role: str) -> None:
        self.model = model
        self.found = found
        self.rule = rule
        self.role = role
        self.keys: dict[Key, int] = {}
        self.entered: set[str] = set()
        self.within: ir.Function | None = None
        self.ends = _Ends(model)

    def function(self, function: ir.Function, parent: int) -> None:
        """The points of a function that is called, found at its first call only."""
        if function.name in self.entered:
            return
        self.entered.add(function.name)
        before, self.within = self.within, function
        self.block(function.body, "start", parent, function.name)
        self.within = before

    def block(
        self,
        body: Sequence[ir.Statement],
        kind: Kind,
        parent: int,
        text: str,
        fixed: bool = False,
    ) -> None:
        """The points of a block: one at its first statement, and one after each statement that may
        be the last to run."""
        trivial, operator = len(body) == 1 and _says_nothing(body[0]), ""
        for group in self.ends.groups(body):
            lines = [line for statement in group for line in _lines(statement)]
            key, span = (id(group[0]), ""), group[0].span
            at = self.add(key, kind, span, text, parent, operator, lines, fixed, trivial)
            for statement in group:
                self.statement(statement, at)
            kind, parent, text, fixed = "after", at, _test(group[-1]), False
            last = group[-1]
            operator = "if" if isinstance(last, ir.If) else "for" * isinstance(last, ir.For)

    def statement(self, statement: ir.Statement, at: int) -> None:
        """The points within a statement, which belongs to the point `at`."""
        if isinstance(statement, ir.Require):
            for condition in conjuncts(statement.condition):
                text, fixed = source_text(condition), _static(condition)
                at = self.add((id(condition), ""), "guard", condition.span, text, at, fixed=fixed)
                self.term(condition, at)
            return
        for term in terms(statement):
            self.term(term, at)
        if isinstance(statement, ir.If):
            text, fixed = source_text(statement.condition), _static(statement.condition)
            self.block(statement.then, "then", at, text, fixed)
            if statement.other:
                self.block(statement.other, "else", at, text, fixed)
            else:
                key = (id(statement), "else")
                self.add(key, "else", statement.span, text, at, fixed=fixed, trivial=True)
        elif isinstance(statement, ir.For):
            self.block(statement.body, "body", at, _run_over(statement.generator))

    def term(self, term: ir.Term, at: int) -> None:
        """The points within a term, in the order of evaluation."""
        if isinstance(term, ir.Choose):
            self.term(term.condition, at)
            text, fixed = source_text(term.condition), _static(term.condition)
            arms: tuple[tuple[Kind, ir.Term], ...] = (("then", term.then), ("else", term.other))
            for kind, arm in arms:
                self.term(arm, self.add((id(arm), ""), kind, arm.span, text, at, fixed=fixed))
        elif isinstance(term, ir.Each):
            self.each(term, at)
        elif isinstance(term, ir.Apply) and term.op in ("and", "or"):
            self.junction(term, at)
        else:
            for part in parts(term):
                self.term(part, at)
            if isinstance(term, ir.Apply) and term.op == "need":
                text = f"{source_text(term.args[0])} is not None"
                self.add((id(term), "need"), "guard", term.span, text, at, final=True)
            elif isinstance(term, ir.Call):
                self.function(self.model.helpers[term.function], at)

    def junction(self, term: ir.Apply, at: int) -> None:
        """The points of `and` and `or`: each operand depends on the operands before it."""
        for place, arg in enumerate(term.args):
            if place and self.role != "action":
                before = term.args[:place]
                text, operator, fixed = _joined(before), term.op, all(map(_static, before))
                if operator == "or" and len(before) == 1 and (denied := _denied(before[0])):
                    text, operator = source_text(denied), "implies"
                at = self.add((id(arg), ""), "operand", arg.span, text, at, operator, fixed=fixed)
            self.term(arg, at)

    def each(self, term: ir.Each, at: int) -> None:
        """The points of a fold: its body depends on its generators, each on the one before it."""
        follows: list[ir.Generator | ir.Term] = [*term.generators[1:], term.body]
        for generator, following in zip(term.generators, follows, strict=True):
            for source in generator.source.terms:
                self.term(source, at)
            if generator.condition is not None:
                self.term(generator.condition, at)
            if self.role != "action" and _may_be_none(generator):
                fixed = generator.condition is not None and _static(generator.condition)
                text, operator = _run_over(generator), "if" if generator.condition else "in"
                key, span = (id(following), ""), term.body.span
                at = self.add(key, "each", span, text, at, operator, fixed=fixed)
        self.term(term.body, at)
        keys = term.key.terms if term.key is not None else ()
        for part in (*keys, *([term.default] if term.default is not None else [])):
            self.term(part, at)

    def add(
        self,
        key: Key,
        kind: Kind,
        span: Span | None,
        text: str,
        parent: int,
        operator: str = "",
        lines: Iterable[int] = (),
        fixed: bool = False,
        trivial: bool = False,
        final: bool = False,
    ) -> int:
        """Adds a point; its number."""
        number, within = len(self.found), self.within
        assert within is not None
        self.keys[key] = number
        self.found.append(
            Point(
                number,
                self.rule,
                self.role,
                kind,
                span or NOWHERE,
                tuple(dict.fromkeys(lines)),
                text,
                within.name,
                parent,
                operator,
                fixed,
                trivial,
                final,
                within.span,
            )
        )
        return number


class _Ends:
    """Finds the statements that may be the last of their block to run."""

    def __init__(self, model: ir.Lowered) -> None:
        self.model = model
        self.guarded: dict[str, bool] = {}

    def groups(self, body: Sequence[ir.Statement]) -> Iterator[list[ir.Statement]]:
        """The parts of a block: only the last statement of a part may end the block."""
        group: list[ir.Statement] = []
        for statement in body:
            group.append(statement)
            if self._ways(statement):
                yield group
                group = []
        if group:
            yield group

    def _ways(self, statement: ir.Statement) -> set[str]:
        """How a statement may prevent the next statement from running: guard, return, leave."""
        found = {"guard" for term in terms(statement) if self._guards(term)}
        if isinstance(statement, ir.Require):
            found.add("guard")
        elif isinstance(statement, ir.Return | ir.Refine):
            found.add("return")
        elif isinstance(statement, ir.Leave):
            found.add("leave")
        elif isinstance(statement, ir.If):
            for inner in (*statement.then, *statement.other):
                found |= self._ways(inner)
        elif isinstance(statement, ir.For):
            for inner in statement.body:
                found |= self._ways(inner) - {"leave"}
        return found

    def _guards(self, term: ir.Term) -> bool:
        """Whether the evaluation of a term may reach a guard."""
        if isinstance(term, ir.Apply) and term.op == "need":
            return True
        if isinstance(term, ir.Call):
            name = term.function
            if name not in self.guarded:
                body = self.model.helpers[name].body
                self.guarded[name] = any("guard" in self._ways(s) for s in body)
            if self.guarded[name]:
                return True
        return any(map(self._guards, parts(term)))


def _lines(statement: ir.Statement) -> Iterable[int]:
    """The lines of a statement, without the lines of the statements within it."""
    span = statement.span
    if span is None:
        return ()
    last = span.end_line
    if isinstance(statement, ir.For):
        ends = [t.span.end_line for t in statement.generator.source.terms if t.span]
        last = max([span.line, *ends])
    return range(span.line, last + 1)


def _test(statement: ir.Statement) -> str:
    """The source of a statement's condition, or of the statement if it has none."""
    if isinstance(statement, ir.If | ir.Require):
        return source_text(statement.condition)
    if isinstance(statement, ir.For):
        return _run_over(statement.generator)
    return statement.span.text() if statement.span else ""


def _run_over(generator: ir.Generator) -> str:
    """The source of a generator's condition, or of its names and values if it has none."""
    if generator.condition is not None:
        return source_text(generator.condition)
    names, source = ", ".join(generator.names), generator.source
    if source.kind == "range":
        low, high = source.terms
        start = "" if isinstance(low, ir.Constant) and low.value == 0 else f"{source_text(low)}, "
        return f"{names} in range({start}{source_text(high)})"
    return f"{names} in {source_text(source.terms[0]) if source.terms else source.domain}"


def _may_be_none(generator: ir.Generator) -> bool:
    """Whether a generator may yield nothing in some states."""
    source = generator.source
    if generator.condition is not None or source.kind in ("range", "enumerate"):
        return True
    return source.kind == "elements" and not isinstance(source.terms[0].type, MapDomain)


def _says_nothing(statement: ir.Statement) -> bool:
    return isinstance(statement, ir.Return | ir.Leave | ir.Refine) and (
        isinstance(statement, ir.Leave | ir.Refine)
        or statement.value is None
        or isinstance(statement.value, ir.Constant)
    )


def _denied(term: ir.Term) -> ir.Term | None:
    """The operand of a term that the source writes as a negation, else None."""
    if isinstance(term, ir.Apply) and term.op == "not" and term.span:
        return term.args[0] if term.span.text().startswith("not ") else None
    return None


def _static(term: ir.Term) -> bool:
    """Whether a term has the same value in every state and for every binding."""
    return not isinstance(term, ir.Name | ir.Call) and all(map(_static, parts(term)))


def _joined(operands: Sequence[ir.Term]) -> str:
    """The source of neighbouring operands, on one line."""
    first, last = operands[0].span, operands[-1].span
    if first is None or last is None or len(operands) == 1:
        return source_text(operands[0])
    whole = Span(first.file, first.line, first.column, last.end_line, last.end_column)
    return " ".join(whole.text().split())
