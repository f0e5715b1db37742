"""Specs as a new user writes them, with a mistake each; and messages that no spec provokes.

Beside `mistakes.py`, which has those within functions: here are fields, values, declarations and
the lists of a spec.
"""

from __future__ import annotations

TEMPLATE = """
class Node(ScalarSet, size=3, prefix="n"):
    pass


class VoteRequest(Struct):
    sender: Node


class VoteResponse(Struct):
    sender: Node
    granted: bool


{declared}


class S(Struct):
    isr: Set[Node]
    n: Annotated[int, Range(0, 3)]
    of: dict[Node, Annotated[int, Range(0, 3)]]
    log: Annotated[list[Node], Capacity(2)]
    {field}


@init
def start() -> S:
    return S({values})


@action
def act(s: S, n: Node{more}) -> None:
    {does}


def grow(s: S) -> bool:
    s.n = 2
    return True


@invariant
def fine(s: S) -> bool:
    return True


class Full(Struct):
    bag: Annotated[Bag[Node], Capacity(1)]


class Sparse(Struct):
    of: Annotated[dict[Node, Annotated[int, Range(0, 3)]], Capacity(1)]
    at: Annotated[dict[Node, VoteRequest], Capacity(1)]


class Odd(Struct):
    sender: Annotated[int, Range(0, 3)]


Both = VoteRequest | VoteResponse


spec = Spec(state=S, init=start, actions=[act], invariants=[fine]{listed})
{after}
"""

PARTS = {
    "declared": "",
    "field": "pass",
    "values": "set(), 0, {n: 0 for n in Node}, []",
    "more": "",
    "does": "s.n = 1",
    "listed": "",
    "after": "",
}

MISTAKES = {
    "field": [
        "x: VoteRequest | bool",
        "x: VoteRequest | Node | list[Node]",
        "x: str",
        "x: float",
        "x: list",
        "x: set[Node]",
        "x: dict",
        "x: frozenset",
        "x: tuple[int, ...]",
        "x: tuple[VoteRequest, int]",
        "x: object",
        "x: None",
        "x: Range",
        "x: Range(0, 3)",
        'x: "Unknown"',
        "x: dict[str, Node]",
        "x: Annotated[int, Capacity(3)]",
        "x: Annotated[list[Node], Range(0, 3)]",
        "x: Annotated[int, Range(3, 0)]",
        'x: Annotated[int, Range("a", 3)]',
        "x: Annotated[list[Node], Capacity(99999)]",
        "x: Set[Annotated[Set[Node], Capacity(1)]]",
        "x: Set[Annotated[dict[Node, bool], Capacity(1)]]",
        "x: Bag",
        "x: Annotated[Bag[Annotated[Bag[Node], Capacity(1)]], Capacity(2)]",
        "x: bool",
    ],
    "values": [
        "n=0, of={n: 0 for n in Node}, log=[]",
        "{}, 0, {n: 0 for n in Node}, []",
        "[], 0, {n: 0 for n in Node}, []",
        "set(), 0, {}, []",
        "set(), 0, {n: 0 for n in Node}, None",
        "set(), 9, {n: 0 for n in Node}, []",
        "set(), 0, {n: 0 for n in Node}, [], 7",
        "set(), 0, {n: 0 for n in Node}, [], zebra=7",
    ],
    "declared": [
        "class Bad(ScalarSet):\n    pass",
        "class Bad(ScalarSet, size=1000000):\n    pass",
        'class Bad(ScalarSet, size="3"):\n    pass',
        'bad = constant("bad", 1.5)',
        'bad = constant("bad", 5, high=3)',
        'bad = constant("bad", 10**20)',
        'bad = constant("bad", 1)\nworse = constant("bad", 2)',
        "import zebra_that_is_not_there",
        "Node.nth(0).zebra = 1",
        "zebra",
        "def f(:",
        "raise SystemExit(3)",
        "class Bad(Struct):\n    def __eq__(self, other: object) -> bool:\n        return True",
        "class Bad(Struct):\n    x: bool\n    x = property(lambda self: True)",
        "class Bad(ScalarSet, size=1):\n    def __hash__(self) -> int:\n        return 0",
        "import enum\n\n\nclass Level(enum.Enum):\n    low = 1\n"
        "    __ne__ = lambda self, other: False\n\n\nclass Bad(Struct):\n    x: Level",
        'class Level(float, Enum):\n    none = float("nan")\n\n\nclass Bad(Struct):\n    x: Level',
        "import enum\n\n\nclass Level(enum.Flag):\n    low = 1\n\n\n"
        "class Bad(Struct):\n    x: Level",
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Plain(Struct):\n    x: bool\n\n\n"
        "class Bad(Struct):\n    x: Plain",
    ],
    "more": [
        ", x: str",
        ", x: Annotated[Set[Node], Capacity(1)]",
        ", x: Annotated[Bag[Node], Capacity(1)]",
        ", x: Annotated[dict[Node, bool], Capacity(1)]",
        ", x: Unknown",
        ", x",
        ", x: Annotated[int, Range(0, 10**6)]",
    ],
    "does": [
        "s.n = zebra",
        "s.n: int = zebra",
        "x: str = 1",
        "x: Unknown = 1",
        "x = 1; x()",
        "x = len(obj=s.log)",
        "x = {[n]}",
        "y = 1\n    for y in s.log: pass",
        "x = VoteResponse(granted=grow(s), sender=n)",
        "s.n = s.near()",
        "s.n = s.isr[0:1]",
        "x: Node | None = None; s.n = 1 if n in range(3) else 0",
        "x: Annotated[int, Range(0, 3)] | None = None; s.log = s.log[:x]",
        "s.n = y; y = 1",
        "Node.nth(0).position = 3",
        "s.n += s.isr",
        "s.isr = s.isr - n",
        "s.log[0], = [n]",
        "(lambda: 1)()",
        "s.log[0:1] = []",
        "effect = len(*s.log)",
        "s.n = sum(s.log, 3)",
        "s.n = [x async for x in s.log]",
        "s.n = len({**s.of})",
        "1 + 1",
        *(
            f"b = Bag([n]); {line}"
            for line in (
                "b[n] = 2",
                "del b[n]",
                "b.add(n)",
                "s.n = b.count(n)",
                "s.n = b[1]",
                "x = b + [n]",
                "x = b | {n}",
                "require(b < b)",
                "require(s.n in b)",
                "s.n = sum(k for x, k in b.items())",
                "x = {Full(b)}",
                "s.isr = b",
                "x = Bag(n)",
                "x = Bag(n, n)",
                "x = Bag([[n]])",
            )
        ),
        *(
            f"d = Sparse({{}}, {{}}); {line}"
            for line in (
                "d.of = {**d.of}",
                "m = {n: 1}",
                "m: Annotated[dict[Node, bool], Capacity(1)] = {}",
                "d.of = {n: n}",
                "d.of = {1: 1}",
                "d.of[1] = 1",
                "require(1 in d.of)",
                "s.n = d.of.pop(n)",
                "d.of.update({n: 1})",
                "x = d.of.get()",
                "x = d.of.get(n, n)",
                "x = d.of.clear()",
                "d.of = dict(d.of)",
                "x = d.of | d.of",
                "x = {d.of}",
                "s.of = d.of",
            )
        ),
        "d = Sparse({n: 1}, {})\n    for x in d.of:\n        d.of[Node.nth(0)] = 1",
        "d = Sparse({}, {})\n    r = d.at[n]\n    d.at[Node.nth(0)] = r\n    r.sender = n",
        "s.n = -s.isr",
        "s.n = +s.isr",
        "s.n = not_there.field",
        "s.n = Node.zebra",
        "del s.n",
        "for x in enumerate(s.isr): pass",
        "for x in range('a'): pass",
        "for s.n in range(3): pass",
        "for x in range(): pass",
        "x = [1, 2][0:1:1]",
        "s.n = min(1)",
        "s.n = int('3')",
        *(
            f"m: VoteRequest | VoteResponse = VoteRequest(n); {line}"
            for line in (
                "m.sender = n",
                "require(isinstance(m))",
                "require(isinstance(m, (VoteRequest, None)))",
                "require(isinstance(m, int))",
                "require(isinstance(s.n, VoteRequest))",
                "require(m.granteed)",
                "require(m.granted == 7)",
                "f = Odd(1) if m.granted else m; s.n = f.sender",
            )
        ),
        *(
            f"m: VoteRequest | VoteResponse = VoteRequest(n)\n    match {line}: pass"
            for line in (
                "None:\n        case _",
                "m:\n        case Both()",
                "m:\n        case VoteRequest(x, y)",
                "m:\n        case VoteRequest(zebra=n)",
                "m:\n        case VoteRequest(x, sender=y)",
                "m:\n        case VoteResponse(m, x)",
                "m:\n        case VoteRequest(x) | VoteResponse(x)",
                "m:\n        case VoteRequest(sender=m) if True",
            )
        ),
    ],
    "listed": [
        ", transitions=[fine]",
        ", reachable=[act]",
        ", constraints=[7]",
        ", invariantz=[fine]",
    ],
    "after": [
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Plain(Struct):\n    x: bool\n\n\n"
        "@action\ndef also(s: S) -> None:\n    s.n = 1 if Plain(True).x else 2\n\n\n"
        "spec = spec.adding('x', actions=[also])",
        "spec = spec.replacing(zebra=fine)",
        'spec = spec.without("x", "zebra")',
        "spec = spec.without(start)",
        "spec = spec.without(require)",
        '@action(kind="go")\ndef one(s: S) -> None:\n    s.n = 1\n\n\n'
        '@action(kind="go")\ndef two(s: S) -> None:\n    s.n = 2\n\n\n'
        'spec = spec.adding(actions=[one, two]).without("go")',
        '@action(kind="go")\ndef one(s: S) -> None:\n    s.n = 1\n\n\n'
        "spec = spec.adding(actions=[one]).replacing(one=act, go=act)",
        'spec = spec.adding("x", zebras=[fine])',
        'spec = spec.adding("x", actions=[act])',
        "from specmodel.lang import weak\nspec = spec.under('x', weak(fine))",
        "from specmodel.lang import weak\nspec = spec.under('x', weak(act, per='zebra'))",
        "from specmodel.lang import weak\nspec = spec.under('x', weak())",
        "def plain(s: S) -> bool:\n    return True\n\n\nspec = spec.adding('x', liveness=[plain])",
        "from specmodel.lang import leads_to\n\n\ndef asked(s: S, n: Node) -> bool:\n"
        "    return True\n\n\n@leads_to(when=asked)\ndef answered(s: S) -> bool:\n"
        "    return True\n\n\nspec = spec.adding('x', liveness=[answered])",
    ],
}

FILES = {
    f"{part}: {wrong}": TEMPLATE.format(**{**PARTS, part: wrong})
    for part, cases in MISTAKES.items()
    for wrong in cases
}
"""The text of each spec, by what is wrong in it."""

PICKS = [
    "for k in Node:\n        m = pick(s.log)",
    "if s.n == 0:\n        m = pick(MAYBE)",
    "if s.n == 0:\n        perhaps(s)",
    "s.n = len(s.log) if pick(s.log) == n else 0",
    "s.of[pick(s.isr)] = 1",
    "n = pick(s.isr)",
    "m = pick([one for one in s.log if one != n])",
    "m = pick(values=s.log)",
    "m = pick(s.log, S)",
    "m = pick(s.log, 'Node')",
    "for k in Node:\n        first(s)",
    "s.n = 0 if n == first(s) else 1",
]
PICK = "from specmodel.lang import pick"
FIRST = """def first(s: S) -> Node:
    one = pick(s.log)
    return one


MAYBE = {None, Node.nth(0)}


def perhaps(s: S) -> None:
    one = pick(MAYBE)"""
PARAMETERS = [
    "int",
    "list[Node]",
    "Bag[Node]",
    "Unbounded",
    "dict[Annotated[int, Range(0, 10**5)], bool]",
    "Set[Annotated[int, Range(1, 4097)]]",
    "Set[Annotated[int, Range(1, 10**30)]]",
]
FILES |= {
    f"parameter: {kind}": TEMPLATE.format(
        **{
            **PARTS,
            "declared": "class Unbounded(Struct):\n    x: int",
            "after": f"@action\ndef also(s: S, x: {kind}) -> None:\n    s.n = 1\n\n\n"
            "spec = spec.adding('x', actions=[also])",
        }
    )
    for kind in PARAMETERS
}
FILES["growing: beyond what a state holds"] = TEMPLATE.format(
    **{**PARTS, "declared": "class Great(Struct):\n    x: int\n\n\nGreat(2**50)"}
)

FILES["changing: what += adds to changes the list"] = TEMPLATE.format(
    **{
        **PARTS,
        "field": "ints: Annotated[list[Annotated[int, Range(0, 3)]], Capacity(2)]",
        "values": PARTS["values"] + ", [1, 2]",
        "does": "s.ints[-1] += shorter(s)",
        "after": "\ndef shorter(s: S) -> int:\n    del s.ints[:1]\n    return 1",
    }
)

FILES |= {
    f"picking: {does}": TEMPLATE.format(**{**PARTS, "declared": PICK, "after": FIRST, "does": does})
    for does in PICKS
}
FILES["picking: through two names"] = TEMPLATE.format(
    **{
        **PARTS,
        "declared": PICK,
        "does": "Outer.Inner.first(s)",
        "after": "class Outer:\n    class Inner:\n        @staticmethod\n"
        "        def first(s: S) -> Node:\n            one = pick(s.log)\n            return one",
    }
)
FILES["picking: in a property"] = TEMPLATE.format(
    **{
        **PARTS,
        "declared": PICK,
        "after": f"{FIRST}\n\n\n@invariant\ndef odd(s: S) -> bool:\n    return first(s) in s.isr\n"
        "\n\nspec = spec.adding(invariants=[odd])",
    }
)

REFINING = """from specmodel.lang import pick, refines


class Abstract(Struct):
    n: Annotated[int, Range(0, 3)]


@init
def zero() -> Abstract:
    return Abstract(0)


@action
def up(s: Abstract) -> None:
    {does}


abstract = Spec(state=Abstract, init=zero, actions=[up])


{refinement}"""

REFINEMENTS = {
    "@refines": ("s: S", "Abstract", "return Abstract(s.n)"),
    "@refines(zero)": ("s: S", "Abstract", "return Abstract(s.n)"),
    "takes more": ("s: S, n: Node", "Abstract", "return Abstract(s.n)"),
    "takes another state": ("s: Abstract", "Abstract", "return s"),
    "takes anything": ("s", "Abstract", "return Abstract(s.n)"),
    "gives another struct": ("s: S", "VoteRequest", "return VoteRequest(Node.nth(0))"),
    "says not what it gives": ("s: S", "None", "return Abstract(s.n)"),
    "gives no struct": ("s: S", "Abstract", "return s.n"),
    "gives a field that is not there": ("s: S", "Abstract", "return Abstract(s.m)"),
    "gives nothing in some states": ("s: S", "Abstract", "if s.n:\n        return Abstract(s.n)"),
    "changes the state": ("s: S", "Abstract", "s.n = 1\n    return Abstract(s.n)"),
    "picks": ("s: S", "Abstract", "one = pick(s.log)\n    return Abstract(s.of[one])"),
    "requires something": ("s: S", "Abstract", "require(s.n == 0)\n    return Abstract(s.n)"),
}
"""Functions of a refinement: what they take, give and do."""


def refining(what: str, does: str = "s.n += 1", lists: str = "transitions") -> str:
    """A spec with one of the refinements, of an abstract design whose action does something."""
    takes, gives, body = REFINEMENTS[what]
    mark = what if what.startswith("@") else "@refines(abstract)"
    refinement = f"{mark}\ndef seen({takes}) -> {gives}:\n    {body}"
    after = REFINING.format(does=does, refinement=refinement)
    after += f"\n\nspec = spec.adding({lists}=[seen])"
    return TEMPLATE.format(**{**PARTS, "after": after})


FILES |= {f"refining: {what}": refining(what) for what in REFINEMENTS}
FILES["refining: an action that cannot be"] = refining("changes the state", "s.n = 'one'")
FILES["refining: an abstract design that need not move"] = refining(
    "changes the state", lists="liveness"
)
FILES["refining: an invariant"] = refining("changes the state", lists="invariants")

SILENT = {
    "store it on a line of its own": "of maps with a capacity: tests/lang/test_sparse_maps.py",
    "Defect.of(wrong": "of the compiler itself: tests/ir",
    "constant {name} is true or false, not": "of a value that a user gives: tests/cli",
    "constant {name} is an integer, not": "of a value that a user gives: tests/lang",
    "constant {name} = {value} is outside": "of a value that a user gives: tests/cli",
    "with picking(value)": "of an action that a test calls: tests/lang/test_pick.py",
    "picks once more": "of an action that a test calls: tests/lang/test_pick.py",
    "FIXED, hint": "of a value that is made to change: tests/lang/test_structs.py",
    "no such file:": "of a file that a user names: tests/lang/test_loading.py",
    "has no spec": "of a spec that a user names: tests/suite/test_targets.py",
    "import_of(wrong)": "annotations as texts: tests/lang/test_annotations.py, test_loading.py",
    "{cls.__name__}: {what}": "of a struct whose annotations are not texts of its own",
    "the source of {function.__name__}": "of a function without a file: test_mistakes.py",
}
"""Messages that no spec here provokes, by a part of their source, and why."""
