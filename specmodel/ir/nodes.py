"""The IR: typed terms and statements over finite domains.

A model is functions over a state; a function is a list of statements over terms. Every node is
immutable. It has a type, a `Domain`, and its place in the source, so that a view can quote it.
Integer terms have the type `INT`; a store checks their bounds. No node depends on Python's syntax:
`specmodel.lang.lowering` is one possible front end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, Literal, Protocol

from specmodel.dataclass import dataclass
from specmodel.domains import BoolDomain, Domain, IntDomain, StructDomain
from specmodel.errors import Span

INT = IntDomain(-(1 << 61), 1 << 61)
BOOL = BoolDomain()


class NothingDomain(Domain):
    """The element type of an empty set or list whose element type is not known from its place."""

    @cached_property
    def size(self) -> int:
        return 0

    def __str__(self) -> str:
        return "nothing"


NOTHING = NothingDomain()


@dataclass(frozen=True)
class NoneDomain(Domain):
    """The type of a None, until the place it is stored in gives it the type of an optional."""

    @cached_property
    def size(self) -> int:
        return 1

    def index(self, value: Any) -> int:
        return 0

    def at(self, index: int) -> None:
        return None

    def store(self, value: Any, where: str) -> None:
        return None

    def __str__(self) -> str:
        return "None"


NONE = NoneDomain()


@dataclass(frozen=True)
class Term:
    """An expression: its type and its place in the source."""

    type: Domain
    span: Span | None = field(compare=False, repr=False)


@dataclass(frozen=True)
class Constant(Term):
    """A value known before the search: an int, a name, None, or an immutable composite."""

    value: Any


@dataclass(frozen=True)
class Name(Term):
    """A parameter, a local variable, or a variable bound by an `Each`."""

    name: str


@dataclass(frozen=True)
class Get(Term):
    """A field of a struct."""

    base: Term
    name: str


@dataclass(frozen=True)
class At(Term):
    """A map's value at a key, a sequence's element at an index (negative: from the end), or the
    number of copies of a member in a bag."""

    base: Term
    key: Term


@dataclass(frozen=True)
class Slice(Term):
    """The elements of a sequence from index low (None: 0) to below high (None: the length)."""

    base: Term
    low: Term | None
    high: Term | None


@dataclass(frozen=True)
class Apply(Term):
    """An operator on terms. `and` and `or` go from left to right and stop early, as in Python.

    Operators: + - * // % neg abs min max (ints); == != < <= > >= (ints; on sets the subset order);
    and or not; in; range (only as the right side of `in`); is_none, some (a value as an optional),
    as (a composite converted to another type, part by part), the (an optional's value; an error on
    None), sure (the same; refused if it may be None); is (whether a union's value has one of the
    alternatives with these numbers; -1 is None, and another type is its own only alternative),
    narrow (a union's value as a value of one alternative; an error if it has another); len;
    | & ^ without (sets); plus minus (a bag, and a bag or a set), members (the set of a bag's
    members, or of a map's keys); drop (a map without a key), get (a map's value at a key, or a
    default), both of maps with a capacity; part (of a tuple, at a constant place); concat
    (sequences); picked (a value that the spec may
    not change).
    """

    op: str
    args: tuple[Term, ...]


@dataclass(frozen=True)
class Choose(Term):
    """`then` if the condition holds, else `other`."""

    condition: Term
    then: Term
    other: Term


@dataclass(frozen=True)
class Make(Term):
    """A struct from its fields in order, or a set, bag or sequence from its elements."""

    items: tuple[Term, ...]


@dataclass(frozen=True)
class Source:
    """The values that a generator runs over.

    domain: every value of `domain`; range: ints from terms[0] to below terms[1]; elements: of a set
    or sequence; keys, values, items: of a map; enumerate: index and element of a sequence; while:
    no values, but one round after another while the generator's condition holds, only in a `For`.
    """

    kind: Literal["domain", "range", "elements", "keys", "values", "items", "enumerate", "while"]
    terms: tuple[Term, ...] = ()
    domain: Domain | None = None


@dataclass(frozen=True)
class Generator:
    """Binds names to each value of a source for which the condition is true."""

    names: tuple[str, ...]
    types: tuple[Domain, ...]
    source: Source
    condition: Term | None = None


@dataclass(frozen=True)
class Key:
    """The key by which a fold compares elements: int or bool terms over `name`, the element.

    `element` is the body of the fold before its conversion to another type.
    """

    name: str
    element: Term
    terms: tuple[Term, ...]


@dataclass(frozen=True)
class Each(Term):
    """A fold over generators, nested left to right: all any sum count min max, or set bag list map,
    or entries (a map with a capacity, whose body is an entry).

    `first`, `least` and `greatest` give one element, the last two by their `key`: the first of
    equal ones. `sorted` and `descending` give a list of all elements in the order of their keys;
    equal ones keep their order. `default` is the result of min, max, first, least and greatest if
    there is no element; without a default that is an error. `count` counts true bodies. `eager`:
    all and any evaluate every body, as for a list that is made first.
    """

    kind: str
    generators: tuple[Generator, ...]
    body: Term
    default: Term | None = None
    eager: bool = False
    key: Key | None = None


@dataclass(frozen=True)
class Call(Term):
    """A call of a function of the model. Composite parts of a state are passed by reference."""

    function: str
    args: tuple[Term, ...]


OPEN = "?"
"""Ends the name of a parameter for a pick that some paths do not reach: it is None there. No name
of a spec has it."""

TAKEN = " taken"
"""Ends the name of the local that says whether a path has reached such a pick."""


@dataclass(frozen=True)
class Statement:
    """A statement and its place in the source."""

    span: Span | None = field(compare=False, repr=False)


@dataclass(frozen=True)
class Require(Statement):
    """A guard: the step happens only if the condition is true."""

    condition: Term


@dataclass(frozen=True)
class Bind(Statement):
    """Binds a local name to a value; a part of the state is bound by reference, as in Python."""

    name: str
    value: Term


@dataclass(frozen=True)
class Store(Statement):
    """Replaces a part of the state (or a local composite) by a value, checked against its domain.

    how: "assign" evaluates the value, then the target. All others evaluate the target first; the
    value contains the same term `target`, which stands for the old value. "update" (`+=`) replaces
    the old value; "grow" (append, extend) and "shift" (del, clear) change a list or map in place;
    "join" (`+=` on a list) changes it in place and then stores it, as a copy if a struct holds it.
    """

    target: Term
    value: Term
    how: Literal["assign", "update", "grow", "shift", "join"] = "assign"


@dataclass(frozen=True)
class If(Statement):
    """Conditional statements."""

    condition: Term
    then: tuple[Statement, ...]
    other: tuple[Statement, ...]


@dataclass(frozen=True)
class For(Statement):
    """Statements repeated for each value of a generator, in order."""

    generator: Generator
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Perform(Statement):
    """A call of a function for its effects and guards."""

    call: Call


@dataclass(frozen=True)
class Return(Statement):
    """Ends the function, with its result."""

    value: Term | None


@dataclass(frozen=True)
class Leave(Statement):
    """`break` (again=False) or `continue` (again=True) of the innermost loop."""

    again: bool


@dataclass(frozen=True)
class Refine(Statement):
    """Ends a refinement: returns whether the abstract design has a step between two of its states.

    `before` and `after` compute the abstract states of two states. The result is true if they are
    equal, or if one of `actions`, functions of the model, leads with some arguments from the first
    to the second. The actions are tried in order, up to the first that does.
    """

    before: Call
    after: Call
    actions: tuple[str, ...]


class GraphBody(Protocol):
    """A body that a front end executes itself, on the leaves of states as nodes of a graph.

    `effect` is that of an action with its arguments, `judgement` that of a property of one state or
    of two: see `specmodel.ir.symbolic.effects`. `points` are its coverage points, with numbers from
    `first` on, and `cases` the `PointConditions` of each of its cases. An action has `case_count`
    of them in a state. `loops` gives all arguments of an action, and for each the sizes of the
    parameters of its effect: a loop over these.
    """

    @property
    def case_count(self) -> int: ...

    def effect(self, graph: Any, leaves: Sequence[Any], args: Sequence[Any]) -> Any: ...
    def loops(self) -> Iterator[tuple[tuple[int, ...], tuple[Any, ...]]]: ...
    def judgement(self, graph: Any, states: Sequence[Sequence[Any]]) -> Any: ...
    def points(self, first: int) -> Sequence[Any]: ...
    def cases(self, first: int, graph: Any, states: Sequence[Sequence[Any]]) -> Sequence[Any]: ...


@dataclass(frozen=True)
class Graphed(Statement):
    """The whole body of a function that has no terms: a front end gives its graphs.

    `text` identifies what it does: equal texts over equal domains do the same.
    """

    text: str
    body: GraphBody = field(compare=False, repr=False)


@dataclass(frozen=True)
class Function:
    """A function of the model; `result` is None if it is called for its effects."""

    name: str
    parameters: Mapping[str, Domain]
    result: Domain | None
    body: tuple[Statement, ...]
    span: Span | None = field(compare=False, repr=False, default=None)

    @property
    def graphed(self) -> GraphBody | None:
        """The body, if a front end executes it itself."""
        (first, *_) = self.body or (None,)
        return first.body if isinstance(first, Graphed) else None


@dataclass(frozen=True)
class Lowered:
    """A lowered model: the domain of the state, and the functions by role and name.

    `actions` take the state and then their parameters; `properties` map a name to its kind
    (invariant, transition, reachable, or a temporal one) and function; `antecedents` map the name
    of a `leads_to` property to its antecedent; `helpers` are the functions that all others call.
    `abstract` has the state domains of the designs that the model refines. `graph` is a graph on
    which a front end has executed the functions already, if it has. Then `orbit` may make, for each
    permutation, the leaves of what it makes of a state, whose leaves are numbered as those after a
    step: the least of these states is kept for all.
    """

    state: StructDomain
    actions: Mapping[str, Function]
    properties: Mapping[str, tuple[str, Function]]
    antecedents: Mapping[str, Function]
    constraints: Mapping[str, Function]
    helpers: Mapping[str, Function]
    abstract: tuple[StructDomain, ...] = ()
    graph: Any = field(default=None, compare=False, repr=False)
    orbit: Callable[[], Any] | None = field(default=None, compare=False, repr=False)
