"""Unions: domains, what isinstance and match tell, and what is refused, with the place."""

from __future__ import annotations

import enum
from pathlib import Path
from textwrap import indent
from typing import Annotated, Any

import pytest

from specmodel import api
from specmodel.domains import Domain, UnionDomain
from specmodel.domains.renaming import renamed, swapping
from specmodel.engines import interpret, native, smt
from specmodel.errors import SpecError, UsageError
from specmodel.ir.layout import Layout
from specmodel.lang import Capacity, Range, ScalarSet, Set, Struct
from specmodel.lang.annotations import domain_of
from specmodel.lang.lowering.patterns import PATTERNS
from specmodel.results import Options
from specmodel.space.types import described
from specmodel.space.types import domain_of as read_domain
from specmodel.traces.itf_values import decode, encode
from tests.engines.outcomes import Failed, outcome
from tests.written import design_of

Small = Annotated[int, Range(0, 2)]


class Node(ScalarSet, size=3, prefix="n", symmetric=True):
    """An actor."""


class Colour(enum.Enum):
    red = 1
    blue = 2


class A(Struct):
    x: Small
    n: Node | None


class B(Struct):
    y: bool
    seen: Set[Node]


class C(Struct):
    inner: A | B
    z: Colour


class D(Struct):
    many: Annotated[list[A | Colour], Capacity(2)]
    of: dict[Node, Node | Colour]


class Extended(A):
    more: bool


class Number(enum.IntEnum):
    one = 1


DOMAINS = [A | B, A | Colour | None, C | Node, B | C | D | Node, D | A]


def sampled(domain: Domain) -> list[Any]:
    step = max(1, domain.size // 500)
    return [domain.at(i) for i in range(0, domain.size, step)]


@pytest.mark.parametrize("annotation", DOMAINS, ids=str)
def test_values_in_order(annotation: Any) -> None:
    """A value has one index and one packed form, in the same order; the written forms read back."""
    domain = domain_of(annotation, "x")
    state = type("State", (Struct,), {"__annotations__": {"m": annotation}, "__module__": __name__})
    layout = Layout(state.__domain__)
    last: tuple[int, ...] = ()
    for value in sampled(domain):
        assert domain.at(domain.index(value)) == value == domain.copy(value)
        words = layout.pack(state(value))
        assert words > last and layout.unpack(words).m == value
        assert decode(domain, encode(domain, value), "x") == value
        last = words
    again = read_domain(described(domain))
    assert (str(again), again.size) == (str(domain), domain.size)
    assert [str(again.at(i)) for i in (0, again.size - 1)] == [
        str(domain.at(i)) for i in (0, domain.size - 1)
    ]


def test_order_is_that_of_names() -> None:
    """So that a union is the same however it is written; nested ones are flat."""
    assert domain_of(B | A, "x") == domain_of(A | B, "x")
    held = domain_of(C | (B | A) | None, "x")
    assert str(held) == "A | B | C | None"
    assert domain_of(A | A | None, "x") == domain_of(A | None, "x")
    assert isinstance(domain_of(Node | Colour, "x"), UnionDomain)
    assert domain_of(Node | Colour, "x").immutable


def test_itf_form() -> None:
    """That of Apalache's variants."""
    domain = domain_of(A | Colour | None, "x")
    written = encode(domain, A(1, None))
    none = {"tag": "None", "value": {"#tup": []}}
    assert written == {
        "tag": "Some",
        "value": {"tag": "A", "value": {"x": {"#bigint": "1"}, "n": none}},
    }
    with pytest.raises(UsageError, match=r"is no value of A \| Colour"):
        decode(domain, {"tag": "Some", "value": {"tag": "B", "value": {}}}, "x")


def test_renaming_follows_the_class() -> None:
    domain = domain_of(A | B | Node, "x")
    one, two, _ = Node
    swap = swapping(Node.__domain__, 0)
    assert renamed(domain, A(1, one), swap) == A(1, two)
    assert renamed(domain, B(True, {one}), swap) == B(True, {two})
    assert renamed(domain, one, swap) == two


@pytest.mark.parametrize(
    ("annotation", "said"),
    [
        (A | int, "`int` is no alternative of a union\n  a union is of Structs, Enums"),
        (A | bool | None, "`bool` is no alternative"),
        (A | list[A], "`list[A]` is no alternative"),
        (A | Set[A], "is no alternative"),
        (A | Extended, "Extended extends A, so that isinstance does not tell"),
        (A | Number, "members of Number equal values of other classes\n  make it a plain Enum"),
        (A | str, "`str` is not a finite type"),
        (A | type("A", (Struct,), {}), "two alternatives are called A\n  rename one"),
    ],
    ids=str,
)
def test_refused_alternatives(annotation: Any, said: str) -> None:
    with pytest.raises(SpecError) as error:
        domain_of(annotation, "S.m")
    assert str(error.value).startswith("S.m: ") and said in str(error.value)


def test_values_of_other_classes_are_not_stored() -> None:
    domain = domain_of(A | Colour, "x")
    for value in (B(True, set()), Extended(0, None, True), 1, None):
        with pytest.raises(SpecError, match=r"leaves its domain A \| Colour"):
            domain.store(value, "S.m")


SPEC = """
class Node(ScalarSet, size=2, prefix="n"):
    pass

class Colour(Enum):
    red = 1
    blue = 2

class A(Struct):
    x: Annotated[int, Range(0, 2)]
    n: Node

class B(Struct):
    x: Annotated[int, Range(0, 2)]
    y: bool

class C(Struct):
    z: Colour
    x: Annotated[list[Annotated[int, Range(0, 2)]], Capacity(2)]

class S(Struct):
    m: A | B
    o: A | B | C | None
    many: Annotated[list[A | B | C], Capacity(2)]
    role: Colour | A
    out: Annotated[int, Range(-1, 9)]

def f(a: A) -> int:
    return a.x

def g(m: A | B | C | None) -> int:
    match m:
        case A() | B():
            return m.x
        case None:
            return 4
        case C(z, x):
            return len(x) + (5 if z == Colour.red else 7)

def h(s: S) -> A | B:
    return A(1, Node.nth(0)) if s.out == 1 else s.m

@init
def start() -> S:
    return S(m=B(0, True), o=None, many=[], role=Colour.red, out=-1)

@action
def first(s: S, a: A) -> None:
    s.m = a

@action
def second(s: S, b: B) -> None:
    s.o = b
    s.role = A(b.x, Node.nth(0))

@action
def third(s: S, c: C) -> None:
    require(c.z == Colour.red or len(c.x) == 1)
    s.o = c
    s.role = c.z

@action
def more(s: S) -> None:
    require(len(s.many) < 2 and (s.many == [] or s.many[0] != s.m))
    s.many.append(s.m)

@action
def act(s: S) -> None:
{body}

@invariant
def fine(s: S) -> bool:
    return s.out < 9

spec = Spec(state=S, init=start, actions=[first, second, third, more, act], invariants=[fine])
"""

FOLLOWED = {
    "a common field": "s.out = s.m.x",
    "a test before": "require(isinstance(s.m, A))\ns.out = f(s.m)",
    "an early return": "if not isinstance(s.m, B):\n    return\ns.out = 3 if s.m.y else 2",
    "or": "require(not isinstance(s.o, C) or len(s.o.x) == 1)\ns.out = 4",
    "not and": "if not (isinstance(s.o, C) and s.o.x == []):\n    s.out = 5",
    "conditional": "s.out = len(s.o.x) if isinstance(s.o, C) else 8 if s.o is None else s.o.x",
    "a store forgets": "require(isinstance(s.m, B))\ns.m = A(2, Node.nth(1))\ns.out = s.m.x",
    "a loop": "for m in s.many:\n    if isinstance(m, A):\n        s.out = m.x",
    "a comprehension": "s.out = sum(m.x for m in s.many if not isinstance(m, C))",
    "order of sets": "for m in {s.m, B(0, False), A(1, Node.nth(1))}:\n    s.out = m.x",
    "members": "require(s.m in {B(0, True), A(1, Node.nth(1))})\ns.out = 0",
    "of several types": "s.many = [A(0, Node.nth(0)), C(Colour.red, [1])]",
    "an enum beside": "s.out = 1 if s.role == Colour.red else 2 if s.role == s.m else 3",
    "written out": "m = A(1, Node.nth(0)) if s.out == 1 else None if s.out == 2 else s.m\n"
    "s.many = [A(1, Node.nth(0)), C(Colour.red, [])]\n"
    "s.out = 3 if m in [s.m, A(0, Node.nth(0))] else 4",
    "exhaustive": "s.out = g(s.o)",
    "truth": "require(s.o and s.o != s.m)\ns.out = 0",
    "evaluated once": "match h(s):\n    case B(y=True):\n        s.out = 4\n"
    "    case A(n=Node() as q):\n        s.out = 5 if q == Node.nth(0) else 6",
    "ints": "match s.out:\n    case -1 | 0:\n        s.out += 1\n    case n if n > 2:\n"
    "        s.out = 0\n    case _:\n        s.out = 3",
    "optional": "match s.o:\n    case None:\n        s.out = 0\n    case A(x=x) if x == 1:\n"
    "        s.out = x\n    case A() | B():\n        s.out = s.o.x + 2\n    case c:\n"
    "        s.out = len(c.x) + 4",
    "a name goes on": "require(len(s.many) > 0)\nm = s.many[0]\ndel s.many[:1]\nmatch m:\n"
    "    case C(z=Colour.red, x=l) if len(l) == 1:\n        s.out = l[0]\n"
    "    case C(x=l):\n        s.out = 5 + len(l)\n"
    "    case A(x) as a if a.n == Node.nth(0):\n        s.out = x\n"
    "    case other:\n        s.out = other.x if isinstance(other, A) else 7",
    "captured by a false guard": "match s.m:\n    case A(v) if v == 5:\n        s.out = 2\n"
    "    case A():\n        s.out = v\n    case B():\n        pass",
    "never": "require(isinstance(s.m, B))\nmatch s.m:\n    case A():\n        s.out = 1\n"
    "    case B():\n        s.out = 2",
}


@pytest.mark.parametrize("body", FOLLOWED.values(), ids=FOLLOWED)
def test_engines_agree(body: str, tmp_path: Path) -> None:
    """States, verdicts and traces are those of CPython."""
    design = design_of(tmp_path, SPEC.replace("{body}", indent(body, "    ")))
    limits: dict[str, Any] = {"keep_going": True, "max_states": 400, "deadlock": True}
    wanted = outcome(interpret.check, design, Options(**limits))
    assert not isinstance(wanted, Failed), wanted.message
    assert wanted["coverage"]["act"] > 0
    assert outcome(native.check, design, Options(**limits, workers=2)) == wanted


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("s.out = 1 if s.m.y else 0", "'A' object has no attribute 'y'"),
        (
            "match s.m:\n    case A(v, n=q) if v == 1:\n        s.out = 2\n"
            "    case _:\n        s.out = v",
            "cannot access local variable 'v'",
        ),
    ],
)
def test_failures(body: str, said: str, tmp_path: Path) -> None:
    """What the value's class lacks is a failure of the spec at the same place for both."""
    design = design_of(tmp_path, SPEC.replace("{body}", indent(body, "    ")))
    one, two = (outcome(check, design, Options()) for check in (interpret.check, native.check))
    assert isinstance(one, Failed) and said in one.message
    assert one == two


ELECTION = Path(__file__).parents[1] / "specs" / "election.py"


@pytest.mark.parametrize(("nodes", "states"), [(2, 61), (3, 458)])
def test_symmetry(nodes: int, states: int) -> None:
    """Messages that carry actors, and maps of unions by actor, are renamed by their class."""
    design = api.load(f"{ELECTION}:spec", nodes=nodes, terms=1)
    options = Options(keep_going=True, symmetry=True)
    wanted = outcome(interpret.check, design, options)
    assert not isinstance(wanted, Failed) and wanted["distinct"] == states
    assert outcome(native.check, design, options) == wanted


def test_smt_finds_the_same() -> None:
    design = api.load(f"{ELECTION}:spec", terms=1)
    found = [
        next(p for p in engine(design, Options(max_depth=7)).properties if p.trace)
        for engine in (native.check, smt.check)
    ]
    assert [(p.name, p.trace and p.trace.length) for p in found] == [("no_heartbeat", 7)] * 2


SETS = """
class Node(ScalarSet, size=3, prefix="n", symmetric=True):
    pass

class Many(Struct):
    of: dict[Node, bool]
    last: Node | None

class Some(Struct):
    who: Node
    seen: Set[Node]

class S(Struct):
    by: dict[Node, Many | Some | Node | None]

@init
def start() -> S:
    return S({n: None for n in Node})

@action
def many(s: S, n: Node, m: Node) -> None:
    s.by[n] = Many({k: k == m for k in Node}, m if s.by[n] is None else None)

@action
def some(s: S, n: Node, seen: Set[Node]) -> None:
    require(s.by[n] is not None)
    s.by[n] = Some(n, seen)

@action
def one(s: S, n: Node, m: Node) -> None:
    require(isinstance(s.by[m], Some))
    s.by[n] = m

spec = Spec(state=S, init=start, actions=[many, some, one])
"""


def test_symmetry_within(tmp_path: Path) -> None:
    """Alternatives whose parts change their places when actors are renamed."""
    design = design_of(tmp_path, SETS)
    options = Options(symmetry=True, max_states=500)
    wanted = outcome(interpret.check, design, options)
    assert outcome(native.check, design, options) == wanted


IN_PLACE = "a part of a union's value cannot change in place"
STORE = "make a new value, and store it whole"
TEST = "test it before: isinstance(x, A), or match"
ELSEWHERE = "may be a part of something else too, which this would change"
CLASSES = "isinstance(m, A), isinstance(m, A | B) or isinstance(m, (A, B))"
MATCH_M = "match s.m:\n    case {}:\n        pass"
MISTAKES = [
    ("s.out = s.o.x", "s.o.x", "x is of another type in each of A, B, C", "test which it is"),
    ("s.out = s.m.q", "s.m.q", "no alternative of A | B has a field q", ""),
    ("require(isinstance(s.m, A))\ns.m.x = 1", "s.m.x", IN_PLACE, STORE),
    ("require(isinstance(s.o, C))\ns.o.x.append(1)", "s.o.x", IN_PLACE, STORE),
    ("require(isinstance(s.o, C))\ndel s.o.x[1:]", "s.o.x", IN_PLACE, STORE),
    ("match s.m:\n    case A() as a:\n        a.x = 1", "a.x", f"a.x {ELSEWHERE}", "change it"),
    ("match s.o:\n    case C(x=l):\n        l.append(1)", "l", f"l {ELSEWHERE}", "change it"),
    (
        "a = A(0, Node.nth(0))\nm: A | B = a\na.x = 1\ns.out = m.x",
        "m",
        "m holds parts that were changed elsewhere",
        "make it after the change",
    ),
    ("s.out = f(s.m)", "s.m", "this is a value of A | B, where a value of A is wanted", TEST),
    (
        "s.role = s.m",
        "s.m",
        "this is a value of A | B, where a value of A | Colour is wanted",
        TEST,
    ),
    ("require(s.m == 3)", "s.m == 3", "a value of A | B never equals an int", ""),
    ("require(isinstance(s.m, int))", "int", "only Structs, Enums, ScalarSets and None", CLASSES),
    ("require(isinstance(s.out, A))", "s.out", "isinstance tells the alternatives of a union", ""),
    ("require(isinstance(s.m))", "isinstance(s.m)", "isinstance takes a value and a class", ""),
    (MATCH_M.format("[x]"), "[x]", "this pattern is not part of the spec language", PATTERNS),
    (MATCH_M.format("A(1, x=2)"), "2", "x is given twice", ""),
    (MATCH_M.format("A(q=2)"), "2", "A has no field q", ""),
    (MATCH_M.format("A(1, _, 3)"), "A(1, _, 3)", "A has 2 fields, and here are 3", ""),
    (
        MATCH_M.format("A(x=v) | B(x=v)"),
        "A(x=v)",
        "a pattern within | captures no names",
        "write a",
    ),
    (MATCH_M.format("int()"), "int", "only Structs, Enums, ScalarSets and None", CLASSES),
    (MATCH_M.format("'x'"), "'x'", "'x' is not a value of the language", "only ints"),
    (
        "match s.m:\n    case A() as k:\n        pass\n    case B() as k:\n        pass",
        "B() as k",
        "k changes its type here",
        "annotate it",
    ),
    (
        "match s.role:\n    case Colour(1):\n        pass",
        "Colour(1)",
        "Colour has 0 fields",
        "write",
    ),
]


@pytest.mark.parametrize(("body", "at", "message", "hint"), MISTAKES, ids=[m[0] for m in MISTAKES])
def test_mistakes(body: str, at: str, message: str, hint: str, tmp_path: Path) -> None:
    """Each has its place, and a way out where there is one."""
    with pytest.raises(SpecError) as error:
        native.check(design_of(tmp_path, SPEC.replace("{body}", indent(body, "    "))), Options())
    assert error.value.message.startswith(message)
    assert error.value.hint.startswith(hint) and bool(error.value.hint) == bool(hint)
    assert error.value.span is not None and error.value.span.text() == at
