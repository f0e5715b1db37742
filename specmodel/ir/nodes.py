"""The IR: typed terms and statements over finite domains.

A model is functions over a state; a function is a list of statements over terms. Every node is
immutable, knows its type (a `Domain`; integer terms have the unbounded type `INT`, their bounds are
checked where they are stored) and the source it came from, so that a view can quote it. Nothing
here knows Python's syntax: `specmodel.lang.lowering` is one front end of several.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from specmodel.domains import BoolDomain, Domain, IntDomain, StructDomain
from specmodel.errors import Span

INT = IntDomain(-(1 << 61), 1 << 61)
BOOL = BoolDomain()


class NothingDomain(Domain):
    """The element type of an empty set or list whose place does not say what it holds."""

    @cached_property
    def size(self) -> int:
        return 0

    def __str__(self) -> str:
        return "nothing"


NOTHING = NothingDomain()


@dataclass(frozen=True)
class NoneDomain(Domain):
    """The type of a bare None, until the place it goes to says what it is an absence of."""

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
    """An expression: its type and where it stands in the source."""

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
    """A map's value at a key, a sequence's element at an index (negative: from the end), or how
    many copies of a member a bag has."""

    base: Term
    key: Term


@dataclass(frozen=True)
class Slice(Term):
    """Elements of a sequence, low (None: the first) included, high (None: the end) excluded."""

    base: Term
    low: Term | None
    high: Term | None


@dataclass(frozen=True)
class Apply(Term):
    """An operator on terms. `and` and `or` go from left to right and stop early, as in Python.

    Operators: + - * // % neg abs min max (ints); == != < <= > >= (ints; on sets the subset order);
    and or not; in; range (for `in` to look in, and nothing else); is_none, some (a value as an
    optional), as (a composite as one of another type, part by part), the (an optional's value; an
    error on None), sure (the same, refused where it may be None); is (whether
    a union's value is of one of the alternatives with these numbers, of which -1 is None; other
    types are the only alternative of themselves), narrow (a union's value as one of
    the alternative that it is of; an error if it is of another); len; | & ^ without (sets);
    plus minus (a bag, and a bag or a set), members (the set of a bag's members, or of a map's
    keys); drop (a map without a key), get (a map's value of a key, or another value), both of maps
    with a capacity;
    concat (sequences); picked (a value as it is now, which nobody may change).
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
    """What a generator runs over.

    domain: every value of `domain`; range: ints from terms[0] up to below terms[1]; elements: of a
    set or sequence; keys, values, items: of a map; enumerate: index and element of a sequence;
    while: nothing, as long as the condition of the generator of a `For` holds.
    """

    kind: Literal["domain", "range", "elements", "keys", "values", "items", "enumerate", "while"]
    terms: tuple[Term, ...] = ()
    domain: Domain | None = None


@dataclass(frozen=True)
class Generator:
    """Binds names to what a source yields, as long as the condition holds."""

    names: tuple[str, ...]
    types: tuple[Domain, ...]
    source: Source
    condition: Term | None = None


@dataclass(frozen=True)
class Key:
    """What a fold compares elements by: int or bool terms of the element, which has the name.

    `element` is the body of the fold, before that became the value of another type.
    """

    name: str
    element: Term
    terms: tuple[Term, ...]


@dataclass(frozen=True)
class Each(Term):
    """A fold over generators, nested left to right: all any sum count min max, or set bag list map,
    or entries (a map with a capacity, whose body is an entry).

    `first`, `least` and `greatest` give one of the elements, the last two by their `key`: of equal
    ones the first. `sorted` and `descending` give a list of all in the order of their keys, equal
    ones as they came. `default` is the result of min, max, first, least and greatest over nothing;
    without one that is an error. `count` sums truth. `eager` says that all and any look at
    everything, as of a list that is made before.
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


@dataclass(frozen=True)
class Statement:
    """An instruction and where it stands."""

    span: Span | None = field(compare=False, repr=False)


@dataclass(frozen=True)
class Require(Statement):
    """A guard."""

    condition: Term


@dataclass(frozen=True)
class Bind(Statement):
    """Gives a local name a value; of a part of the state it is a reference, as in Python."""

    name: str
    value: Term


@dataclass(frozen=True)
class Store(Statement):
    """Replaces a part of the state (or a local composite) by a value, checked against its domain.

    how: "assign" takes the value first, then the target; in all others the target comes first, and
    the value is made of what is there: the very term `target` within it. "update" (`+=`) replaces
    what is there; "grow" (append, extend) and "shift" (del, clear) change a list or map in place;
    "join"
    (`+=` on a list) does too, and then stores it, which is a copy where a struct has the list.
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
    """Calls a function for its effects and guards."""

    call: Call


@dataclass(frozen=True)
class Return(Statement):
    """Ends the function."""

    value: Term | None


@dataclass(frozen=True)
class Leave(Statement):
    """`break` (again=False) or `continue` (again=True) of the innermost loop."""

    again: bool


@dataclass(frozen=True)
class Refine(Statement):
    """Ends a refinement: whether a step of the abstract design leads from one state to another.

    `before` and `after` give the states of the abstract design that two states stand for. True if
    they are equal, or if one of the actions, which are functions of the model, leads with some
    arguments from the first to the second. These are tried in order until one does.
    """

    before: Call
    after: Call
    actions: tuple[str, ...]


@dataclass(frozen=True)
class Function:
    """A function of the model; `result` is None for one called for its effects."""

    name: str
    parameters: Mapping[str, Domain]
    result: Domain | None
    body: tuple[Statement, ...]
    span: Span | None = field(compare=False, repr=False, default=None)


@dataclass(frozen=True)
class Lowered:
    """Everything an engine compiles: the state and the functions by role and name.

    `actions` take the state and then their parameters; `properties` map a name to its kind
    (invariant, transition, reachable, or a temporal one) and function; `antecedents` map the name
    of a `leads_to` property to what leads to it; `helpers` are the functions that these call.
    `abstract` are the states of the designs that it refines.
    """

    state: StructDomain
    actions: Mapping[str, Function]
    properties: Mapping[str, tuple[str, Function]]
    antecedents: Mapping[str, Function]
    constraints: Mapping[str, Function]
    helpers: Mapping[str, Function]
    abstract: tuple[StructDomain, ...] = ()
