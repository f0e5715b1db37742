"""The syntax of TLA+ modules as plain nodes, each with its place.

Operators are applied by name, whatever their fixity: `a + b` is the operator `+` applied to a and
b. Names are not resolved here (`scopes`).
"""

from __future__ import annotations

from dataclasses import field

from specmodel.dataclass import dataclass
from specmodel.errors import Span


@dataclass(frozen=True, eq=False)
class TlaTerm:
    """An expression, or an operator that is passed as an argument."""

    span: Span = field(repr=False)


@dataclass(frozen=True, eq=False)
class Numeral(TlaTerm):
    value: int


@dataclass(frozen=True, eq=False)
class StringLiteral(TlaTerm):
    value: str


@dataclass(frozen=True, eq=False)
class Applied(TlaTerm):
    """An operator applied to arguments, or a name alone.

    `path` are the instances before it: `I(x)!Op(y)` has the path `I(x)`.
    """

    name: str
    arguments: tuple[TlaTerm, ...] = ()
    path: tuple[Applied, ...] = ()


@dataclass(frozen=True, eq=False)
class Junction(TlaTerm):
    """A list of conjuncts or disjuncts; `operator` is `/\\` or `\\/`."""

    operator: str
    items: tuple[TlaTerm, ...]


@dataclass(frozen=True, eq=False)
class BoundNames:
    """Bound names and their set: `x, y \\in S`, or `<<x, y>> \\in S` (a pattern)."""

    names: tuple[str, ...]
    spans: tuple[Span, ...] = field(repr=False)
    pattern: bool
    members: TlaTerm | None


@dataclass(frozen=True, eq=False)
class BindingTerm(TlaTerm):
    """An expression with names that are bound to members of sets: a CHOOSE or a filter has one."""

    bounds: tuple[BoundNames, ...]
    body: TlaTerm


@dataclass(frozen=True, eq=False)
class Quantification(BindingTerm):
    """`quantifier` is `\\A`, `\\E`, `\\AA` or `\\EE`."""

    quantifier: str


class ChooseTerm(BindingTerm):
    """`CHOOSE x \\in S : body`."""


class SetFilter(BindingTerm):
    """`{x \\in S : body}`."""


class SetImage(BindingTerm):
    """`{body : x \\in S}`."""


class FunctionLiteral(BindingTerm):
    """`[x \\in S |-> body]`."""


@dataclass(frozen=True, eq=False)
class OperandsTerm(TlaTerm):
    """An expression with operands in an order."""

    items: tuple[TlaTerm, ...]


class SetLiteral(OperandsTerm):
    """`{a, b}`."""


class TupleLiteral(OperandsTerm):
    """`<<a, b>>`."""


class ProductTerm(OperandsTerm):
    """`A \\X B`."""


@dataclass(frozen=True, eq=False)
class FieldsTerm(TlaTerm):
    """An expression with an operand for each field."""

    fields: tuple[tuple[str, TlaTerm], ...]


class RecordLiteral(FieldsTerm):
    """`[a |-> x, b |-> y]`."""


class RecordSet(FieldsTerm):
    """`[a : S, b : T]`."""


@dataclass(frozen=True, eq=False)
class FunctionSet(TlaTerm):
    source: TlaTerm
    target: TlaTerm


@dataclass(frozen=True, eq=False)
class FunctionCall(TlaTerm):
    function: TlaTerm
    arguments: tuple[TlaTerm, ...]


@dataclass(frozen=True, eq=False)
class Overwrite:
    """An update of an EXCEPT: the indices on the way (a str is a field), and the value."""

    path: tuple[tuple[TlaTerm, ...] | str, ...]
    value: TlaTerm
    span: Span = field(repr=False)


@dataclass(frozen=True, eq=False)
class ExceptTerm(TlaTerm):
    function: TlaTerm
    updates: tuple[Overwrite, ...]


@dataclass(frozen=True, eq=False)
class OldValue(TlaTerm):
    """`@` in an EXCEPT."""


@dataclass(frozen=True, eq=False)
class FieldAccess(TlaTerm):
    record: TlaTerm
    name: str


@dataclass(frozen=True, eq=False)
class IfTerm(TlaTerm):
    test: TlaTerm
    then: TlaTerm
    other: TlaTerm


@dataclass(frozen=True, eq=False)
class CaseTerm(TlaTerm):
    arms: tuple[tuple[TlaTerm, TlaTerm], ...]
    other: TlaTerm | None


@dataclass(frozen=True, eq=False)
class LetTerm(TlaTerm):
    units: tuple[Unit, ...]
    body: TlaTerm


@dataclass(frozen=True, eq=False)
class LambdaTerm(TlaTerm):
    parameters: tuple[Parameter, ...]
    body: TlaTerm


@dataclass(frozen=True, eq=False)
class ActionBox(TlaTerm):
    """`[A]_v`, or `<<A>>_v` if `angle`."""

    action: TlaTerm
    subscript: TlaTerm
    angle: bool


@dataclass(frozen=True, eq=False)
class FairnessTerm(TlaTerm):
    """`WF_v(A)` or `SF_v(A)`."""

    strong: bool
    subscript: TlaTerm
    action: TlaTerm


@dataclass(frozen=True, eq=False)
class PartOf(TlaTerm):
    """A part of a definition: `Inv!2` is the second conjunct, `Inv!:` the whole (place 0)."""

    definition: Applied
    places: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Refused(TlaTerm):
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
    body: TlaTerm
    local: bool = False
    bounds: tuple[BoundNames, ...] = ()


@dataclass(frozen=True, eq=False)
class InstanceUnit(Unit):
    """`name(parameters) == INSTANCE module WITH ...`; the name is empty if it has none."""

    name: str
    parameters: tuple[Parameter, ...]
    module: str
    substitutions: tuple[tuple[str, TlaTerm], ...]
    local: bool


@dataclass(frozen=True, eq=False)
class AssumeUnit(Unit):
    name: str
    body: TlaTerm


@dataclass(frozen=True, eq=False)
class ModuleUnit(Unit):
    """A module, nested or not."""

    name: str
    extends: tuple[tuple[str, Span], ...]
    units: tuple[Unit, ...]
