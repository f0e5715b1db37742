"""Lowering of statements and functions."""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping
from typing import Any

from specmodel.domains import (
    BagDomain,
    Domain,
    OptionDomain,
    SeqDomain,
    SparseMapDomain,
    TupleDomain,
)
from specmodel.errors import Defect, SpecError, SpecmodelError
from specmodel.ir.nodes import (
    BOOL,
    INT,
    NONE,
    Apply,
    At,
    Bind,
    For,
    Function,
    Generator,
    If,
    Leave,
    Make,
    Perform,
    Require,
    Return,
    Slice,
    Source,
    Statement,
    Store,
    Term,
)
from specmodel.lang.annotations import domain_of
from specmodel.lang.lowering import narrowing, patterns, picking
from specmodel.lang.lowering.calls import Calls, Helpers
from specmodel.lang.lowering.expressions import named, of_field
from specmodel.lang.lowering.methods import refusal
from specmodel.lang.lowering.picking import Picks
from specmodel.lang.lowering.places import in_union, is_new, is_path, unwrap
from specmodel.lang.lowering.source import NOT_STATIC, FunctionSource, assigned_names
from specmodel.lang.lowering.types import alike, coerced, inner_of, join, resized, widened
from specmodel.lang.picking import Pick, pick
from specmodel.lang.rules import require, require_some
from specmodel.lang.struct import Struct

_FOREIGN = {
    "Assert": ("assert", "use require(...) for a guard, or state it as an invariant"),
    "Try": ("try", "a failing step is a mistake in the spec; guard it with require(...)"),
    "Raise": ("raise", "use require(False) to say that the step cannot happen"),
    "With": ("with", "specs have no resources"),
    "FunctionDef": ("a nested function", "define helper functions at the top level of the module"),
    "AsyncFunctionDef": ("async", "actions are atomic: nothing waits"),
    "ClassDef": ("a nested class", "define structs at the top level of the module"),
    "Global": ("global", "keep everything that changes in the state"),
    "Import": ("a nested import", "import at the top of the module"),
    "ImportFrom": ("a nested import", "import at the top of the module"),
}
"""The names, in messages, of statements that the language lacks, with hints, by syntax node."""


EFFECTS = "a line stores, requires or calls: s.n = 1, require(s.on), fetch(s, r)"
"""The hint for a statement that is an expression without effect."""


class FunctionLowering(Calls):
    """Lowers one function of a spec.

    `picking`: it is an action or a helper, which may pick. `called`: it is a helper. `before` are
    statements that come before the one that is lowered.
    """

    def __init__(
        self, source: FunctionSource, helpers: Helpers, picking: bool, called: bool = False
    ) -> None:
        super().__init__(source, {}, helpers)
        self.definition = source
        self.picking = picking
        self.called = called
        self.picks = Picks()
        self.before: list[Statement] = []
        self.together = 0
        self.parameters = self._parameters()
        bound = assigned_names(source.node)
        self.assigned = set(bound)
        self.once = {n for n, places in bound.items() if places == 1} - self.parameters.keys()
        self.types.update({n: widened(d) for n, d in self.parameters.items()})
        returned = source.hints.get("return", type(None))
        self.result = (
            None
            if returned is type(None)
            else _annotated(returned, f"{source.node.name}: result", self, source.node.returns)
        )

    def _parameters(self) -> dict[str, Domain]:
        arguments = self.definition.node.args
        if arguments.vararg or arguments.kwarg or arguments.defaults or arguments.kwonlyargs:
            what = "parameters are positional, without defaults"
            raise self.source.unsupported(self.definition.node, what)
        found: dict[str, Domain] = {}
        for argument in [*arguments.posonlyargs, *arguments.args]:
            if argument.arg not in self.definition.hints:
                raise self.source.wrong(argument, f"parameter {argument.arg} has no annotation")
            hint = self.definition.hints[argument.arg]
            what = f"parameter {argument.arg}"
            found[argument.arg] = _annotated(hint, what, self, argument.annotation)
        return found

    def local(self, name: str) -> bool:
        return name in self.types or name in self.assigned

    def function(self) -> Function:
        """The lowered function."""
        node = self.definition.node
        body = self.block(node.body)
        body = self.picks.body(body, _leaves(body))
        parameters = {**self.parameters, **self.picks.parameters(self.called)}
        return Function(node.name, parameters, self.result, body, self.source.span(node))

    def choices(self, node: ast.Call, helper: str, picks: Mapping[str, Pick]) -> tuple[Term, ...]:
        return picking.passed(self, node, helper, picks)

    def block(self, nodes: list[ast.stmt]) -> tuple[Statement, ...]:
        """The statements of a block."""
        return tuple(s for node in nodes for s in self.statement(node))

    def statement(self, node: ast.stmt) -> list[Statement]:
        """The IR statements of a Python statement: one, several, or none (`pass`, docstrings)."""
        name = type(node).__name__
        method = getattr(self, f"_on_{name.lower()}", None)
        if method is None:
            what, hint = _FOREIGN.get(name, (name, ""))
            raise self.source.unsupported(node, f"{what} is not part of the spec language", hint)
        try:
            made = method(node)
            made, self.before = [*self.before, *made], []
            for one in made:
                self._forget_changed(one)
            return made
        except SpecmodelError:
            raise
        except Exception as wrong:
            raise Defect.of(wrong, self.source.span(node)) from wrong

    def _forget_changed(self, statement: Statement) -> None:
        """Removes the facts about values that a statement may change."""
        if isinstance(statement, Bind):
            value = statement.value
            if not (isinstance(value, Apply) and value.op == "picked"):  # else the name is new
                narrowing.forget(self, [statement.name])
        if isinstance(statement, Store) or (
            isinstance(statement, Bind | Perform)
            and self.acts(statement.value if isinstance(statement, Bind) else statement.call)
        ):
            narrowing.forget_fields(self)

    def merge(
        self, then: tuple[Statement, ...], after: narrowing.Facts, other: tuple[Statement, ...]
    ) -> None:
        """Sets the facts after two branches; `after` are the facts after the first branch."""
        if _leaves(other):
            self.facts = after
        elif not _leaves(then):
            self.facts = narrowing.common(after, self.facts)

    def _on_match(self, node: ast.Match) -> list[Statement]:
        return patterns.matched(self, node)

    def _on_pass(self, node: ast.Pass) -> list[Statement]:
        return []

    def _on_expr(self, node: ast.Expr) -> list[Statement]:
        value, span = node.value, self.source.span(node)
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return []
        if not isinstance(value, ast.Call):
            raise self.source.wrong(node, "this has no effect", EFFECTS)
        callee = self.static(value.func)
        if callee is require:
            test = self.one(value)
            condition = self.condition(test)
            narrowing.learn(self, test, True, condition)
            return [Require(span, condition)]
        if callee is NOT_STATIC and isinstance(value.func, ast.Attribute):
            return [self._mutation(value, value.func)]
        if callee is require_some:
            term = self.term(self.one(value))
            kind = INT if term.type is NONE else inner_of(term.type)
            absent = Apply(BOOL, span, "is_none", (coerced(term, OptionDomain(kind)),))
            return [Require(span, Apply(BOOL, span, "not", (absent,)))]
        if isinstance(callee, types.FunctionType):
            return [Perform(span, self.call(value, callee))]
        if callee is NOT_STATIC:
            self.term(value)  # raises an error that names the callee
        raise self.source.wrong(node, "this has no effect", EFFECTS)

    def _mutation(self, node: ast.Call, method: ast.Attribute) -> Statement:
        span, base = self.source.span(node), self.plain(method.value)
        if isinstance(base.type, SeqDomain):
            self._refuse_in_union(base, method.value)
            if method.attr == "append":
                item = self.given(self.one(node), widened(base.type.element), unwrap(base))
                return Store(span, base, Apply(base.type, span, "append", (base, item)), "grow")
            if method.attr == "extend":
                more = self.given(self.one(node), base.type, unwrap(base))
                return Store(span, base, Apply(base.type, span, "concat", (base, more)), "grow")
            if method.attr == "clear":
                empty = Slice(base.type, span, base, None, self._zero(node))
                return Store(span, base, empty, "shift")
        if isinstance(base.type, SparseMapDomain) and method.attr == "clear" and not node.args:
            self._refuse_in_union(base, method.value)
            return Store(span, base, Make(base.type, span, ()), "shift")
        raise self.source.unsupported(node, *refusal(node, base.type))

    def _zero(self, node: ast.AST) -> Term:
        return self.term(ast.copy_location(ast.Constant(0), node))

    def _on_assign(self, node: ast.Assign) -> list[Statement]:
        if len(node.targets) != 1:
            raise self.source.unsupported(node, "assign to one target at a time")
        target, value = node.targets[0], node.value
        if isinstance(value, ast.Call) and self.static(value.func) is pick:
            return picking.picked(self, node, target, value)
        if (
            isinstance(target, ast.Tuple)
            and isinstance(value, ast.Tuple)
            and len(target.elts) == len(value.elts)
        ):
            return self._assign_together(node, target.elts, value.elts)
        if isinstance(target, ast.Tuple):
            return self._assign_parts(node, target, value)
        return [self._assign(node, target, value)]

    def _assign_parts(
        self, node: ast.Assign, target: ast.Tuple, value: ast.expr
    ) -> list[Statement]:
        """The statements of `a, b = value`, for a tuple."""
        whole = self.term(value)
        kind = whole.type
        if not isinstance(kind, TupleDomain) or len(kind.kinds) != len(target.elts):
            what = f"this is {named(whole.type)}, not a tuple of {len(target.elts)}"
            raise self.source.wrong(value, what)
        self.together += 1
        name = f"assignment {self.together}"
        self.types[name] = kind
        made: list[Statement] = [Bind(self.source.span(value), name, whole)]
        for place, part in enumerate(target.elts):
            held = ast.Subscript(ast.Name(name, ast.Load()), ast.Constant(place), ast.Load())
            for new in ast.walk(held):
                ast.copy_location(new, value)
            if isinstance(part, ast.Tuple):
                made += self._assign_parts(node, part, held)
            else:
                made.append(self._assign(node, part, held))
            self._forget_changed(made[-1])
        return made

    def _assign_together(
        self, node: ast.Assign, targets: list[ast.expr], values: list[ast.expr]
    ) -> list[Statement]:
        """The statements of `a, b = x, y`: all values are evaluated before the first store.

        Raises SpecError if a name is there twice: CPython before 3.11.4 may give it either value
        (gh-104615).
        """
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise self.source.wrong(node, f"{twice} gets two values at once", "leave one out")
        used = {n.id for v in values for n in ast.walk(v) if isinstance(n, ast.Name)}
        if all(isinstance(t, ast.Name) and t.id not in {*self.types, *used} for t in targets):
            pairs = zip(targets, values, strict=True)
            return [self._assign(node, target, value) for target, value in pairs]
        self.together += 1
        taken = [f"{i} of assignment {self.together}" for i in range(len(values))]
        made: list[Statement] = []
        for target, name, value in zip(targets, taken, values, strict=True):
            stored = isinstance(value, ast.Dict | ast.DictComp) and not isinstance(target, ast.Name)
            term = self.term(value, self._place(target).type if stored else None)
            if stored and not is_new(term):
                what = "the values of this map can change before it is stored"
                raise self.source.wrong(value, what, "store it on a line of its own")
            self.types[name] = term.type
            made.append(Bind(self.source.span(value), name, term))
        for target, value, name in zip(targets, values, taken, strict=True):
            known = ast.copy_location(ast.Name(name, ast.Load()), value)
            made.append(self._assign(node, target, known))
            self._forget_changed(made[-1])
        return made

    def _assign(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> Statement:
        span = self.source.span(node)
        if isinstance(target, ast.Name):
            return self.bind(node, target, self.kept(self.term(value), value), value)
        place, changes = self._place(target), self.changes
        made = self.given(value, place.type, unwrap(place))
        if self.changes != changes:  # Python evaluates the value before the place
            place = self._place(target)
        return Store(span, place, made)

    def bind(self, node: ast.AST, target: ast.Name, term: Term, value: ast.expr) -> Statement:
        """Binds a local name to a term. Raises SpecError if its type changes."""
        known = self.types.get(target.id)
        if target.id in self.once and of_field(term, self.stored):
            self.stored.add(target.id)
        if known is not None:
            joined = join(known, term.type)
            unwrap = ""
            if isinstance(joined, OptionDomain) and not isinstance(known, OptionDomain):
                joined, unwrap = join(known, joined.inner), "sure"  # no test of it gave it a type
            if joined is None or (joined != known and not resized(joined, known)):
                hint = f"annotate it where it is first assigned: {target.id}: Type = ..."
                what = f"{target.id} changes its type here"
                raise self.source.wrong(node, what, hint)
            term = self.fitted(term, known, value, unwrap)
            self.types[target.id] = joined
        elif term.type is NONE:
            hint = f"annotate it: {target.id}: Replica | None = None"
            raise self.source.wrong(node, f"the type of {target.id} is unknown", hint)
        else:
            self.types[target.id] = term.type
        return Bind(self.source.span(node), target.id, term)

    def _place(self, target: ast.expr) -> Term:
        """The part of a state or of a local value that an assignment stores in."""
        if not isinstance(target, ast.Attribute | ast.Subscript):
            raise self.source.unsupported(target, "this cannot be assigned to")
        place = narrowing.whole(self.term(target))
        self._refuse_in_union(place, target)
        if isinstance(place, At) and isinstance(place.base.type, BagDomain):
            what = "a bag is a value: the count of a member cannot be assigned"
            raise self.source.wrong(target, what, "write bag += {x}, or bag -= {x}")
        if not is_path(place):
            raise self.source.wrong(target, "only parts of the state or of a local can be assigned")
        return place

    def _refuse_in_union(self, place: Term, node: ast.AST) -> None:
        if in_union(place):
            what = "a part of a union's value cannot change in place"
            raise self.source.wrong(node, what, "make a new value, and store it whole")

    def _on_annassign(self, node: ast.AnnAssign) -> list[Statement]:
        if not isinstance(node.target, ast.Name) or node.value is None:
            raise self.source.unsupported(node, "annotate a local name with a value")
        annotation = self.definition.annotation(node.annotation)
        name = node.target.id
        kind = widened(_annotated(annotation, name, self, node.annotation))
        if not alike(self.types.get(name, kind), kind):
            hint = "give the new value a name of its own"
            raise self.source.wrong(node, f"{name} changes its type here", hint)
        term = self.kept(self.given(node.value, kind), node.value)
        self.types[name] = kind
        return [Bind(self.source.span(node), name, term)]

    def _on_augassign(self, node: ast.AugAssign) -> list[Statement]:
        span, target = self.source.span(node), node.target
        there = self.term(target) if isinstance(target, ast.Name) else self._place(target)
        term = self.binary(node, coerced(there, widened(inner_of(there.type))), node.op, node.value)
        in_place = isinstance(term.type, SeqDomain)  # as for Python's lists
        if isinstance(target, ast.Name) and not in_place:
            return [self.bind(node, target, term, node.value)]
        made = self.fitted(term, there.type, node, unwrap(there))
        return [Store(span, there, made, "join" if in_place else "update")]

    def _on_delete(self, node: ast.Delete) -> list[Statement]:
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Subscript):
            base = self.plain(target.value)
            part = target.slice
            if isinstance(base.type, BagDomain):
                what = "a bag is a value: no member of it can be deleted"
                raise self.source.wrong(node, what, "write bag -= {x}, which removes one copy")
            if isinstance(base.type, SparseMapDomain):
                self._refuse_in_union(base, target.value)
                key = self.hashed(self.term(part, widened(base.type.key)), part)
                span = self.source.span(node)
                return [Store(span, base, Apply(base.type, span, "drop", (base, key)), "shift")]
            if isinstance(base.type, SeqDomain) and isinstance(part, ast.Slice) and not part.step:
                self._refuse_in_union(base, target.value)
                span = self.source.span(node)
                low, high = self.bound(part.lower), self.bound(part.upper)
                if high is None and low is not None:
                    return [Store(span, base, Slice(base.type, span, base, None, low), "shift")]
                if low is None and high is not None:
                    return [Store(span, base, Slice(base.type, span, base, high, None), "shift")]
        hint = "del x[n:] truncates a list, del x[:n] drops its head"
        raise self.source.unsupported(node, "this cannot be deleted", hint)

    def _on_if(self, node: ast.If) -> list[Statement]:
        condition, known = self.condition(node.test), self.facts
        narrowing.learn(self, node.test, True, condition)
        with self.picks.branches() as otherwise:
            then = self.block(node.body)
            after, self.facts = self.facts, known
            narrowing.learn(self, node.test, False, condition)
            otherwise()
            other = self.block(node.orelse)
        self.merge(then, after, other)
        return [If(self.source.span(node.test), condition, then, other)]

    def _on_for(self, node: ast.For) -> list[Statement]:
        if node.orelse:
            raise self.source.unsupported(node.orelse[0], "a loop has no else here")
        before = dict(self.types)
        unpacked = self.unpacked
        generator = self.generator(node)
        parts = {n: term for n, term in self.unpacked.items() if term is not unpacked.get(n)}
        self.unpacked = {n: term for n, term in unpacked.items() if n in self.unpacked}
        bound = dict(zip(generator.names, generator.types, strict=True))
        for name, kind in {**bound, **{n: term.type for n, term in parts.items()}}.items():
            if name in before and not alike(before[name], kind):
                what = f"{name} changes its type here"
                raise self.source.wrong(node.target, what, "give what the loop binds another name")
        self._forget_in_loop(node)
        known = self.facts
        body, self.facts = self.block(node.body), known
        binds = tuple(Bind(self.source.span(node.target), n, term) for n, term in parts.items())
        return [For(self.source.span(node), generator, (*binds, *body))]

    def _on_while(self, node: ast.While) -> list[Statement]:
        if node.orelse:
            raise self.source.unsupported(node.orelse[0], "a loop has no else here")
        self._forget_in_loop(node)
        condition, known = self.condition(node.test), self.facts
        narrowing.learn(self, node.test, True, condition)
        body, self.facts = self.block(node.body), known
        generator = Generator((), (), Source("while"), condition)
        return [For(self.source.span(node), generator, body)]

    def _forget_in_loop(self, loop: ast.For | ast.While) -> None:
        """Removes the facts about values that an earlier round of a loop may change."""
        narrowing.forget(self, assigned_names(loop))
        again = [*loop.body, *([loop.test] if isinstance(loop, ast.While) else [])]
        for part in (part for node in again for part in ast.walk(node)):
            stores = isinstance(part, ast.Attribute | ast.Subscript) and not isinstance(
                part.ctx, ast.Load
            )
            known = (require, require_some, isinstance)
            calls = isinstance(part, ast.Call) and self.static(part.func) not in known
            if stores or calls:
                narrowing.forget_fields(self)

    def _on_return(self, node: ast.Return) -> list[Statement]:
        span = self.source.span(node)
        if node.value is None or self.result is None:
            if node.value is not None and not _is_none(node.value):
                what = f"{self.definition.node.name} is declared to return nothing"
                raise self.source.wrong(node, what)
            return [Return(span, None)]
        given = self.given(node.value, widened(self.result))
        return [Return(span, self.kept(given, node.value))]

    def _on_break(self, node: ast.Break) -> list[Statement]:
        return [Leave(self.source.span(node), again=False)]

    def _on_continue(self, node: ast.Continue) -> list[Statement]:
        return [Leave(self.source.span(node), again=True)]


def _leaves(body: tuple[Statement, ...]) -> bool:
    """Whether the end of a block is never reached."""
    last = body[-1] if body else None
    if isinstance(last, If):
        return _leaves(last.then) and _leaves(last.other)
    return isinstance(last, Return | Leave)


def _annotated(
    annotation: Any, where: str, lowering: FunctionLowering, node: ast.expr | None
) -> Domain:
    """The domain of a parameter, result or local; a bare int is unbounded here."""
    if annotation is int:
        return INT
    if isinstance(annotation, type) and issubclass(annotation, Struct):
        return annotation.__domain__
    try:
        return domain_of(annotation, where, where)  # what Python gives it has any size
    except SpecError as wrong:
        place = lowering.source.span(node or lowering.definition.node)
        raise SpecError(wrong.message, place, wrong.hint) from None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
