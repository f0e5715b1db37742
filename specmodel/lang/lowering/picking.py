"""Lowering of `x = pick(values)`: x becomes a parameter of the action, the choice of a value.

A pick in a helper is a parameter of the helper, and of each action that calls the helper.

A pick that some paths do not reach, in a branch or below a return, has one more choice: None. A
path that reaches it needs a value, and a path that does not reach it needs None, so it is one step.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from specmodel.domains import (
    BagDomain,
    Domain,
    IntDomain,
    MapDomain,
    OptionDomain,
    PositionDomain,
    SeqDomain,
    SetDomain,
    SlotSetDomain,
    SparseMapDomain,
    StructDomain,
    UnionDomain,
)
from specmodel.domains.unions import alternatives_of
from specmodel.errors import Span
from specmodel.ir.nodes import (
    BOOL,
    INT,
    OPEN,
    TAKEN,
    Apply,
    At,
    Bind,
    Constant,
    For,
    Get,
    If,
    Name,
    Require,
    Return,
    Statement,
    Term,
)
from specmodel.lang.lowering import narrowing
from specmodel.lang.lowering.expressions import declared, named, of_field
from specmodel.lang.lowering.iterated import domain_of_class, members
from specmodel.lang.lowering.types import coerced, inner_of, optional, widened
from specmodel.lang.picking import Line, Pick

if TYPE_CHECKING:
    from specmodel.lang.lowering.functions import FunctionLowering

_WITH_VALUE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return)
"""The statements whose whole value may be a call that picks."""

ROUNDS = "write a pick for each round, or an action with a parameter for what the loop goes through"
"""The hint for a pick inside a loop."""


_MAYBE = (
    "a pick of a value that may be None stands outside of conditions",
    "write x = pick(...) before the condition",
)
"""The message for a pick whose values have None among them, in a branch, and a hint."""


class Picks:
    """The choices of a function's picks, by the names of their parameters.

    `open` are those that some paths do not take, with the place of the pick. `spare` are those of
    other branches, which no path here takes: a pick of the same domain can be the same parameter,
    so that branches add few bindings. `used` are the open ones in the order of the code.
    """

    def __init__(self) -> None:
        self.made: dict[str, Pick] = {}
        self.open: dict[str, Span] = {}
        self.spare: list[str] = []
        self.used: list[str] = []

    @property
    def names(self) -> set[str]:
        """The names of the parameters as a trace shows them."""
        return {name.removesuffix(OPEN) for name in self.made}

    @contextmanager
    def branches(self) -> Generator[Callable[[], None]]:
        """Two branches: the function that this gives is called between them."""
        before, begun = [*self.spare], len(self.used)

        def otherwise() -> None:
            self.spare = [*dict.fromkeys([*before, *self.used[begun:]])]

        yield otherwise
        self.spare = [name for name in before if name not in self.used[begun:]]

    def add(self, name: str, choice: Pick, span: Span) -> str:
        """Adds a choice that some paths do not take; the name of its parameter."""
        shared = ((n, _shared(self.made[n].domain, choice.domain)) for n in self.spare)
        known, domain = next(((n, d) for n, d in shared if d is not None), (None, None))
        if known is not None and domain is not None:
            self.spare.remove(known)
            sites = (*self.made[known].sites, *choice.sites)
            choice = replace(choice, domain=domain, sites=sites)
        made = known or f"{name}{OPEN}"
        self.made[made] = choice
        self.open.setdefault(made, span)
        self.used.append(made)
        return made

    def parameters(self, called: bool) -> dict[str, Domain]:
        """The domains of the parameters, of a helper if the function is `called`.

        A caller has no value for a pick in a branch that it does not take.
        """
        domains = {name: choice.domain for name, choice in self.made.items()}
        if not called:
            return domains
        return {n: optional(d) if n.endswith(OPEN) else d for n, d in domains.items()}

    def taken(self, name: str, span: Span) -> Statement:
        """Notes that a path takes a choice."""
        return Bind(span, _taken(name), Constant(BOOL, span, True))

    def body(self, body: tuple[Statement, ...], returns: bool) -> tuple[Statement, ...]:
        """The body of the function: a path that takes no choice ends only with None for it.

        `returns`: every path ends with a return.
        """
        if not self.open:
            return body
        begun = [Bind(s, _taken(n), Constant(BOOL, s, False)) for n, s in self.open.items()]
        return (*begun, *self._ended(body), *(() if returns else self._ends()))

    def _ends(self) -> Iterator[Statement]:
        for name, span in self.open.items():
            choice = Name(widened(self.made[name].domain), span, name)
            absent = Apply(BOOL, span, "is_none", (choice,))
            yield Require(span, Apply(BOOL, span, "or", (Name(BOOL, span, _taken(name)), absent)))

    def _ended(self, body: tuple[Statement, ...]) -> Iterator[Statement]:
        """A block, with what is required of choices before each return."""
        for one in body:
            if isinstance(one, Return):
                yield from self._ends()
            if isinstance(one, If):
                yield replace(one, then=(*self._ended(one.then),), other=(*self._ended(one.other),))
            elif isinstance(one, For):
                yield replace(one, body=(*self._ended(one.body),))
            else:
                yield one


def _shared(one: Domain, other: Domain) -> Domain | None:
    """The domain of a parameter for two choices; None if they have none in common.

    Places in collections share one whatever the capacities are, which may still be found.
    """
    places = inner_of(one), inner_of(other)
    if all(isinstance(place, PositionDomain) for place in places):
        return max(one, other, key=lambda domain: domain.size)
    return one if one == other else None


def _taken(name: str) -> str:
    return f"{name}{TAKEN}"


def picked(
    lowering: FunctionLowering, node: ast.Assign, target: ast.expr, call: ast.Call
) -> list[Statement]:
    """The statements of `x = pick(values)`, and x as a parameter; a guard requires its value."""
    span, choices = lowering.source.span(node), lowering.picks
    opened = _some_paths_only(lowering, node, node, "pick")
    known = lowering.parameters if opened else {*lowering.types, *choices.names}
    if not isinstance(target, ast.Name) or target.id in known:
        what = "pick gives a name its first value"
        raise lowering.source.unsupported(node, what, "write x = pick(...), with a new name for x")
    if call.keywords or not call.args:
        hint = "write x = pick(s.messages), or x = pick(s.messages, VoteRequest)"
        raise lowering.source.wrong(call, "pick takes values, and maybe classes", hint)
    chosen, held, whole = _choices_of(lowering, call.args[0])
    values = held.type.parts[-1] if held is not None else chosen
    of = tuple(cls for part in call.args[1:] for cls in _classes(lowering, part, values))
    chosen = _of_classes(chosen, of)
    sites = ((_line(span),),)
    found: list[Statement] = []
    value: Term
    if isinstance(chosen, OptionDomain) and opened:
        raise lowering.source.unsupported(call, *_MAYBE)
    wider = (opened or lowering.called) and not isinstance(chosen, OptionDomain)
    if whole is not None and (wider or held is None) and not _is_field(whole):
        # As in Python, the collection is evaluated first, whatever the choice is.
        length = Apply(INT, span, "len", (whole,))
        found.append(Bind(span, f"length for {target.id}", length))
    if wider:
        kept = widened(OptionDomain(chosen))
        if opened:
            numbered = (f"{target.id}_{n}" for n in count(2))
            taken = {*lowering.parameters, *choices.names}
            name = next(n for n in chain([target.id], numbered) if n not in taken)
            name = choices.add(name, Pick(OptionDomain(chosen), sites, open=True), span)
            found.append(choices.taken(name, span))
        else:
            name = f"{target.id}{OPEN}"
            choices.made[name] = Pick(chosen, sites)
        choice = Name(kept, span, name)
        absent = Apply(BOOL, span, "is_none", (choice,))
        found.append(Require(span, Apply(BOOL, span, "not", (absent,))))
        value = Apply(inner_of(kept), span, "the", (choice,))
    else:
        choices.made[target.id] = Pick(chosen, sites)
        value = Name(widened(chosen), span, target.id)
    narrowing.forget(lowering, [target.id])
    among: list[Statement] = []
    if isinstance(chosen, PositionDomain):
        assert held is not None
        length = Apply(INT, span, "len", (held,))
        found.append(Require(span, Apply(BOOL, span, "<", (value, length))))
        value = At(widened(held.type.parts[-1]), span, held, value)
    elif held is not None:
        assert isinstance(held.type, SetDomain)
        within = Apply(BOOL, span, "in", (coerced(value, held.type.element), held))
        among.append(Require(span, within))
    if wider or isinstance(chosen, PositionDomain):
        element = Apply(widened(value.type), span, "picked", (value,))
        if opened and target.id in lowering.types:
            found.append(lowering.bind(node, target, element, call))
        else:
            lowering.types[target.id] = element.type
            found.append(Bind(span, target.id, element))
    else:
        lowering.types[target.id] = value.type
    if isinstance(chosen, PositionDomain):
        lowering.stored |= lowering.once & {target.id}
    return [*found, *_required(lowering, target, of, call), *among]


def _line(span: Span) -> Line:
    return span.file, span.line, span.end_line


def passed(
    lowering: FunctionLowering, call: ast.Call, helper: str, picks: Mapping[str, Pick]
) -> tuple[Term, ...]:
    """The choices for the picks of a function that is called: parameters of the caller."""
    span, choices = lowering.source.span(call), lowering.picks
    lines = (n for n in ast.walk(lowering.definition.node) if isinstance(n, _WITH_VALUE))
    line = next((n for n in lines if n.value is call), None)
    opened = _some_paths_only(lowering, call, line, f"{helper} picks: its call", helper)
    target = line.targets[0] if isinstance(line, ast.Assign) else getattr(line, "target", None)
    wanted = target.id if isinstance(target, ast.Name) and len(picks) == 1 else ""
    taken = {*lowering.types, *choices.names, *lowering.parameters}
    if wanted in ({*lowering.parameters, *choices.names} if opened else taken):
        wanted = ""
    found: list[Term] = []
    for name, choice in picks.items():
        own = wanted or _free(name.removesuffix(OPEN), helper, taken | lowering.assigned)
        taken.add(own)
        here = _line(lowering.source.span(line or call))
        sites = tuple((here, *site) for site in choice.sites)
        if opened and not name.endswith(OPEN):
            raise lowering.source.unsupported(call, *_MAYBE)
        wider = optional(choice.domain)
        if opened:
            own = choices.add(own, Pick(wider, sites, open=True), span)
            lowering.before.append(choices.taken(own, span))
            found.append(Name(widened(wider), span, own))
            continue
        known = choice.domain
        if lowering.called and name.endswith(OPEN):
            own, known = own + OPEN, wider
        choices.made[own] = replace(choice, sites=sites)
        found.append(coerced(Name(widened(known), span, own), widened(wider)))
    return tuple(found)


def _free(name: str, helper: str, taken: Collection[str]) -> str:
    """A name for a pick that is not taken; `helper` is the function whose pick it is."""
    names = chain([name, f"{helper}_{name}"], (f"{helper}_{name}_{n}" for n in count(2)))
    return next(free for free in names if free not in taken)


def _some_paths_only(
    lowering: FunctionLowering, node: ast.AST, line: ast.stmt | None, which: str, helper: str = ""
) -> bool:
    """Whether some paths do not reach a pick, or a call that picks, which stands in a line.

    Raises Unsupported where it cannot stand.
    """
    body = lowering.definition.node.body
    if not lowering.picking:
        what = "only actions pick, and the functions that they call"
        raise lowering.source.unsupported(node, what, "quantify: any(... for m in s.messages)")
    if line is None:
        what = f"{which} stands on a line of its own"
        raise lowering.source.unsupported(node, what, f"write x = {helper}(...) on a line before")
    loops = (n for part in body for n in ast.walk(part) if isinstance(n, ast.For | ast.While))
    if any(part is line for loop in loops for part in ast.walk(loop)):
        what = f"{which} stands outside of loops: a step has a fixed number of choices"
        raise lowering.source.unsupported(node, what, ROUNDS)
    if line not in body:
        return True
    before = body[: body.index(line)]
    return any(isinstance(n, ast.Return) for part in before for n in ast.walk(part))


def _classes(lowering: FunctionLowering, node: ast.expr, values: Domain) -> Iterator[type[Any]]:
    """The classes that an argument names. Raises SpecError for one that no value has."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        hint = f"write the class itself: pick(s.messages, {node.value})"
        raise lowering.source.wrong(node, "pick takes classes, not their names", hint)
    known = tuple(part.cls for part in alternatives_of(inner_of(values)))
    for cls in narrowing.classes_of(lowering, node):
        if not issubclass(cls, known):
            what = f"no value here is of {cls.__name__}: these are of {values}"
            raise lowering.source.wrong(node, what)
        yield cls


def _of_classes(chosen: Domain, of: tuple[type[Any], ...]) -> Domain:
    """A union without the alternatives of other classes; any other domain unchanged."""
    if not isinstance(chosen, UnionDomain):
        return chosen
    left = [part for part in chosen.alternatives if not of or issubclass(part.cls, of)]
    return left[0] if len(left) == 1 else UnionDomain.of(left)


def _required(
    lowering: FunctionLowering, target: ast.Name, of: tuple[type[Any], ...], call: ast.Call
) -> list[Statement]:
    """The guard that the picked value has one of the given classes, if there are any."""
    if not of:
        return []
    subject = ast.copy_location(ast.Name(target.id, ast.Load()), call)
    test = ast.copy_location(narrowing.IsInstance(subject, of), call)
    condition = lowering.term(test)
    narrowing.learn(lowering, test, True, condition)
    return [Require(lowering.source.span(call), condition)]


def _choices_of(
    lowering: FunctionLowering, node: ast.expr
) -> tuple[Domain, Term | None, Term | None]:
    """The domain of a pick's choice, the collection of values, and the term that gives it.

    The collection is None if it has all values of the domain.
    """
    if (every := domain_of_class(lowering.static(node))) is not None:
        return every, None, None
    held = lowering.collection(node)
    domain, among = _choices_among(lowering, held, node)
    return domain, among, held


def _choices_among(
    lowering: FunctionLowering, held: Term, node: ast.expr
) -> tuple[Domain, Term | None]:
    """The domain of a pick's choice, and the collection of values, if it has not all of them."""
    if isinstance(held.type, SeqDomain) and (of_field(held) or isinstance(held, Constant)):
        return PositionDomain(0, max(held.type.capacity, 1) - 1), held
    if isinstance(kind := declared(held), SlotSetDomain):
        return PositionDomain(0, max(kind.capacity, 1) - 1), held
    if isinstance(kind, BagDomain | SparseMapDomain) and of_field(held):
        return PositionDomain(0, max(kind.capacity, 1) - 1), members(held)
    if isinstance(held.type, SetDomain) and (_of_state(held) or not _has_ints(held.type.element)):
        return held.type.element, held
    if isinstance(held.type, MapDomain):
        return held.type.key, None
    made = f"{named(held.type)} made here"
    what = f"pick takes a value of a list, set or bag of the state, not of {made}"
    raise lowering.source.unsupported(
        node, what, "pick from the whole of it, then require(...) what has to be true"
    )


def _is_field(term: Term) -> bool:
    """Whether a term is a name, or a field of one, which always has a value."""
    return isinstance(term, Name | Constant) or (isinstance(term, Get) and _is_field(term.base))


def _of_state(term: Term) -> bool:
    """Whether the members of a set are of its type's domain: it is made of sets in fields.

    An annotation of a name or a function promises nothing about the bounds of ints.
    """
    if isinstance(term, Apply) and term.op in ("|", "&", "^", "without"):
        return INT not in term.type.nested() and all(map(_of_state, term.args))
    return INT not in term.type.nested() and (of_field(term) or isinstance(term, Constant))


def _has_ints(domain: Domain) -> bool:
    """Whether a value has ints in it that are in no struct, whose fields would bound them."""
    if isinstance(domain, StructDomain):
        return False
    return isinstance(domain, IntDomain) or any(map(_has_ints, domain.parts))
