"""The syntax of TLA+ modules as plain nodes, each with its place.

Operators are applied by name, whatever their fixity: `a + b` is the operator `+` applied to a and
b. Names are not resolved here (`scopes`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from specmodel.errors import Span


@dataclass(frozen=True, eq=False)
class Term:
    """An expression, or an operator that is passed as an argument."""

    span: Span = field(repr=False)


@dataclass(frozen=True, eq=False)
class Numeral(Term):
    value: int


@dataclass(frozen=True, eq=False)
class StringLiteral(Term):
    value: str


@dataclass(frozen=True, eq=False)
class Applied(Term):
    """An operator applied to arguments, or a name alone.

    `path` are the instances before it: `I(x)!Op(y)` has the path `I(x)`.
    """

    name: str
    arguments: tuple[Term, ...] = ()
    path: tuple[Applied, ...] = ()


@dataclass(frozen=True, eq=False)
class Junction(Term):
    """A list of conjuncts or disjuncts; `operator` is `/\\` or `\\/`."""

    operator: str
    items: tuple[Term, ...]


@dataclass(frozen=True, eq=False)
class Names:
    """Bound names and their set: `x, y \\in S`, or `<<x, y>> \\in S` (a pattern)."""

    names: tuple[str, ...]
    spans: tuple[Span, ...]
    pattern: bool
    members: Term | None


@dataclass(frozen=True, eq=False)
class Quantification(Term):
    """`quantifier` is `\\A`, `\\E`, `\\AA` or `\\EE`."""

    quantifier: str
    bounds: tuple[Names, ...]
    body: Term


@dataclass(frozen=True, eq=False)
class ChooseTerm(Term):
    bound: Names
    body: Term


@dataclass(frozen=True, eq=False)
class SetLiteral(Term):
    items: tuple[Term, ...]


@dataclass(frozen=True, eq=False)
class SetFilter(Term):
    bound: Names
    body: Term


@dataclass(frozen=True, eq=False)
class SetImage(Term):
    body: Term
    bounds: tuple[Names, ...]


@dataclass(frozen=True, eq=False)
class FunctionLiteral(Term):
    bounds: tuple[Names, ...]
    body: Term


@dataclass(frozen=True, eq=False)
class FunctionSet(Term):
    source: Term
    target: Term


@dataclass(frozen=True, eq=False)
class FunctionCall(Term):
    function: Term
    arguments: tuple[Term, ...]


@dataclass(frozen=True, eq=False)
class Overwrite:
    """An update of an EXCEPT: the indices on the way (a str is a field), and the value."""

    path: tuple[tuple[Term, ...] | str, ...]
    value: Term
    span: Span = field(repr=False)


@dataclass(frozen=True, eq=False)
class ExceptTerm(Term):
    function: Term
    updates: tuple[Overwrite, ...]


@dataclass(frozen=True, eq=False)
class OldValue(Term):
    """`@` in an EXCEPT."""


@dataclass(frozen=True, eq=False)
class RecordLiteral(Term):
    fields: tuple[tuple[str, Term], ...]


@dataclass(frozen=True, eq=False)
class RecordSet(Term):
    fields: tuple[tuple[str, Term], ...]


@dataclass(frozen=True, eq=False)
class FieldAccess(Term):
    record: Term
    name: str


@dataclass(frozen=True, eq=False)
class TupleLiteral(Term):
    items: tuple[Term, ...]


@dataclass(frozen=True, eq=False)
class ProductTerm(Term):
    factors: tuple[Term, ...]


@dataclass(frozen=True, eq=False)
class IfTerm(Term):
    test: Term
    then: Term
    other: Term


@dataclass(frozen=True, eq=False)
class CaseTerm(Term):
    arms: tuple[tuple[Term, Term], ...]
    other: Term | None


@dataclass(frozen=True, eq=False)
class LetTerm(Term):
    units: tuple[Unit, ...]
    body: Term


@dataclass(frozen=True, eq=False)
class LambdaTerm(Term):
    parameters: tuple[Parameter, ...]
    body: Term


@dataclass(frozen=True, eq=False)
class ActionBox(Term):
    """`[A]_v`, or `<<A>>_v` if `angle`."""

    action: Term
    subscript: Term
    angle: bool


@dataclass(frozen=True, eq=False)
class FairnessTerm(Term):
    """`WF_v(A)` or `SF_v(A)`."""

    strong: bool
    subscript: Term
    action: Term


@dataclass(frozen=True, eq=False)
class Refused(Term):
    """A construct that is refused where it is used: `what` says why."""

    what: str


# Units of modules


@dataclass(frozen=True, eq=False)
class Parameter:
    """A parameter of an operator, or a declared constant; one that is an operator has an arity."""

    name: str
    arity: int
    span: Span = field(repr=False)


@dataclass(frozen=True, eq=False)
class Unit:
    """A unit of a module."""

    span: Span = field(repr=False)


@dataclass(frozen=True, eq=False)
class ConstantUnit(Unit):
    constants: tuple[Parameter, ...]


@dataclass(frozen=True, eq=False)
class VariableUnit(Unit):
    names: tuple[Parameter, ...]


@dataclass(frozen=True, eq=False)
class RecursiveUnit(Unit):
    operators: tuple[Parameter, ...]


@dataclass(frozen=True, eq=False)
class OperatorUnit(Unit):
    """`name(parameters) == body`; of a function, `f[x \\in S] == body`, `bounds` are its bounds."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Term
    local: bool = False
    bounds: tuple[Names, ...] = ()


@dataclass(frozen=True, eq=False)
class InstanceUnit(Unit):
    """`name(parameters) == INSTANCE module WITH ...`; the name is empty if it has none."""

    name: str
    parameters: tuple[Parameter, ...]
    module: str
    substitutions: tuple[tuple[str, Term], ...]
    local: bool


@dataclass(frozen=True, eq=False)
class AssumeUnit(Unit):
    name: str
    body: Term


@dataclass(frozen=True, eq=False)
class ModuleUnit(Unit):
    """A module, nested or not."""

    name: str
    extends: tuple[tuple[str, Span], ...]
    units: tuple[Unit, ...]
