"""Python that a spec may not have, with the caret's place, the message, and the way out."""

from __future__ import annotations

from dataclasses import dataclass

from specmodel.lang.lowering.functions import EFFECTS
from specmodel.lang.lowering.patterns import PATTERNS

VALUES = (
    "only ints, bools, None, enum members, scalars, structs and sets of them are values; "
    "a tuple of them can be gone through"
)
CALLS = (
    "call builtins (len, min, max, sum, any, all, abs, next, sorted, set, list), "
    "structs, or functions"
)
TOTAL = "write {key: value for key in Domain}: a map has every key"
COMPARISON = "write the comparison out"
ANOTHER_NAME = "give the new value a name of its own"
OPERATORS = "ints have + - * // %"
ATOMIC = "actions are atomic: nothing waits"
AGAIN = "read that part again"
SETS = "sets have | & - ^"
EMPTY = "write {key: value for key in Domain}: a map has every key; the empty set is set()"
LOOPS = "loop over a scalar set, an enum, range(...), a set, a list or a map"
DELETE = "del x[n:] truncates a list, del x[:n] drops its head"


@dataclass(frozen=True)
class Mistake:
    """The body of a function, the text that the carets underline, message and hint.

    `cause` is the text that is shown as the other place, of an earlier change.
    """

    body: str
    caret: str
    message: str
    hint: str = ""
    cause: str = ""


ACTIONS = [
    Mistake(
        "x = lambda: 1",
        "lambda: 1",
        "a lambda is not part of the spec language",
        "define a helper function, or write the expression itself",
    ),
    Mistake(
        "try:\n    s.n = 1\nexcept ValueError:\n    pass",
        "try:",
        "try is not part of the spec language",
        "a failing step is a mistake in the spec; guard it with require(...)",
    ),
    Mistake(
        "raise ValueError",
        "raise ValueError",
        "raise is not part of the spec language",
        "use require(False) to say that the step cannot happen",
    ),
    Mistake(
        "assert s.on",
        "assert s.on",
        "assert is not part of the spec language",
        "use require(...) for a guard, or state it as an invariant",
    ),
    Mistake(
        "with s:\n    pass",
        "with s:",
        "with is not part of the spec language",
        "specs have no resources",
    ),
    Mistake(
        "def inner() -> None:\n    pass",
        "def inner() -> None:",
        "a nested function is not part of the spec language",
        "define helper functions at the top level of the module",
    ),
    Mistake(
        "class Inner:\n    pass",
        "class Inner:",
        "a nested class is not part of the spec language",
        "define structs at the top level of the module",
    ),
    Mistake(
        "async def inner() -> None:\n    pass",
        "async def inner() -> None:",
        "async is not part of the spec language",
        ATOMIC,
    ),
    Mistake(
        "match s.n:\n    case [1]:\n        pass",
        "[1]",
        "this pattern is not part of the spec language",
        PATTERNS,
    ),
    Mistake(
        "global LIMIT",
        "global LIMIT",
        "global is not part of the spec language",
        "keep everything that changes in the state",
    ),
    Mistake(
        "import os",
        "import os",
        "a nested import is not part of the spec language",
        "import at the top of the module",
    ),
    Mistake(
        'x = f"{s.n}"',
        'f"{s.n}"',
        "an f-string is not part of the spec language",
        "specs hold no text; use an enum for names",
    ),
    Mistake('x = "text"', '"text"', "'text' is not a value of the language", VALUES),
    Mistake("x = 1.5", "1.5", "1.5 is not a value of the language", VALUES),
    Mistake("x = ...", "...", "Ellipsis is not a value of the language", VALUES),
    Mistake("x = yield 1", "yield 1", "yield is not part of the spec language", ATOMIC),
    Mistake(
        "x = (y := 3)",
        "y := 3",
        ":= is not part of the spec language",
        "assign the value to a name on a line of its own",
    ),
    Mistake("x = ()", "()", "a tuple without parts is not part of the language"),
    Mistake(
        "x = (n, s.log)",
        "s.log",
        "a tuple is a value, and a list of a value of Point can change",
        "name its parts as the fields of a Struct",
    ),
    Mistake("x = (1, n)[s.n]", "(1, n)[s.n]", "a tuple is indexed by a number, such as t[0]"),
    Mistake("x = (1, n)[2]", "(1, n)[2]", "a tuple of 2 has no part 2"),
    Mistake("[x, y] = s.ints", "[x, y]", "this cannot be assigned to"),
    Mistake(
        "x = {n: 1}",
        "{n: 1}",
        "a dict display is not part of the spec language",
        "write {key: value for key in Domain}: a map has every key; the empty set is set()",
    ),
    Mistake("x = s.n / 2", "s.n / 2", "this operator is not part of the language", OPERATORS),
    Mistake("x = s.n ** 2", "s.n ** 2", "this operator is not part of the language", OPERATORS),
    Mistake("x = s.n << 1", "s.n << 1", "this operator is not part of the language", OPERATORS),
    Mistake("x = ~s.n", "~s.n", "this operator is not part of the language"),
    Mistake("s.n |= 1", "s.n |= 1", "this operator is not part of the language", OPERATORS),
    Mistake(
        "x = s.near @ s.near",
        "s.near @ s.near",
        "this operator is not part of the language",
        OPERATORS,
    ),
    Mistake(
        "around(s, 3)", "around(s, n)", "around calls itself", "calls are unrolled: write a loop"
    ),
    Mistake("require(untyped(s, 3))", "n", "parameter n has no annotation"),
    Mistake(
        "require(sometimes(s))",
        "def sometimes(s: State) -> bool:",
        "sometimes may end without returning a value",
        "return one on every way",
    ),
    Mistake(
        "require(defaulted(s))",
        "def defaulted(s: State, n: int = 1) -> bool:",
        "parameters are positional, without defaults",
    ),
    Mistake("x = effect(s)", "effect(s)", "effect gives no value"),
    Mistake("x = helper(s)", "helper(s)", "helper takes s, n"),
    Mistake("x = helper(s, 1, 2)", "helper(s, 1, 2)", "helper takes s, n"),
    Mistake("x = helper(s, k=1)", "helper(s, k=1)", "helper has no parameter k"),
    Mistake("x = helper(s, 1, n=2)", "helper(s, 1, n=2)", "n is given twice"),
    Mistake("x = helper(s, n)", "n", "this is a value of Node, where an int is wanted"),
    Mistake("x = helper", "helper", "helper is not a value of the language", VALUES),
    Mistake("x = THINGS[0]", "THINGS", "[1, 2] is not a value of the language", VALUES),
    Mistake("x = Light(1)", "Light(1)", "Light cannot be called in a spec", CALLS),
    Mistake("x = Light.blue", "Light.blue", "Light has no blue; known: green, red"),
    Mistake(
        "x = zip(s.ints, s.ints)", "zip(s.ints, s.ints)", "zip cannot be called in a spec", CALLS
    ),
    Mistake("x = max(s.ints, most=1)", "max(s.ints, most=1)", "max takes no most here"),
    Mistake("x = Node.nth(s.n)", "Node.nth(s.n)", "nth takes a constant position, 0 to 1"),
    Mistake("x = Node.nth(5)", "Node.nth(5)", "nth takes a constant position, 0 to 1"),
    Mistake("x = Point()", "Point()", "Point needs a value for its field x"),
    Mistake("x = Point(1, 2, 3)", "Point(1, 2, 3)", "Point has 2 fields"),
    Mistake("x = Point(x=1, z=1)", "Point(x=1, z=1)", "Point has no field z"),
    Mistake("s.n = True", "True", "this is a bool, where an int is wanted"),
    Mistake("s.n = max(s.on, s.n)", "s.on", "this is a bool, not an int", "write int(...)"),
    Mistake("s.n = s.lit", "s.lit", "this is a value of Light, where an int is wanted"),
    Mistake("s.lit = None", "None", "this is None, where a value of Light is wanted"),
    Mistake("s.who = 3", "3", "this is an int, where a value of Node or None is wanted"),
    Mistake("s.on = s.n", "s.n", "this is an int, where a bool is wanted"),
    Mistake("s.log.append(1)", "1", "this is an int, where a value of Point is wanted"),
    Mistake(
        "s.log.extend(s.ints)",
        "s.ints",
        "this is a list of an int, where a list of a value of Point is wanted",
    ),
    Mistake(
        "s.log += Point(1)",
        "s.log += Point(1)",
        "a list of a value of Point and a value of Point cannot be joined",
    ),
    Mistake(
        "s.seen |= n",
        "s.seen |= n",
        "a set of a value of Node and a value of Node cannot be combined so",
        SETS,
    ),
    Mistake(
        "s.seen += {n}",
        "s.seen += {n}",
        "a set of a value of Node and a set of a value of Node cannot be combined so",
        SETS,
    ),
    Mistake("x = s.of[1]", "1", "this is an int, where a value of Node is wanted"),
    Mistake("x = s.seen[0]", "s.seen[0]", "a set of a value of Node cannot be indexed"),
    Mistake("x = s.n[0]", "s.n[0]", "an int cannot be indexed"),
    Mistake("x = s.ints[::2]", "s.ints[::2]", "a slice has no step here"),
    Mistake("x = s.zzz", "s.zzz", "State has no field zzz; it has n, at, lit, on, who, near,"),
    Mistake("x = s.n.x", "s.n.x", "an int has no fields"),
    Mistake("x = n < o", "n < o", "a value of Node and a value of Node have no order"),
    Mistake("x = s.n == n", "s.n == n", "an int never equals a value of Node"),
    Mistake("x = s.who is n", "s.who is n", "`is` compares with None only", "use =="),
    Mistake("x = n in s.nums", "n in s.nums", "a value of Node cannot be in a set of an int"),
    Mistake("x = [1, n]", "[1, n]", "the elements are of different types"),
    Mistake(
        "x = 1 if s.on else n", "1 if s.on else n", "one side is an int, the other a value of Node"
    ),
    Mistake("x = s.n and s.at", "s.n", "this is an int, where a bool is wanted"),
    Mistake("require(s.near)", "s.near", "a value of Point has no clear truth", COMPARISON),
    Mistake("require(s.on, s.on)", "require(s.on, s.on)", "this takes one argument"),
    Mistake(
        "x = require(s.on)",
        "require(s.on)",
        "require is a statement, not a value",
        "put it on a line of its own",
    ),
    Mistake("x = max(n, o)", "n", "this is a value of Node, not an int"),
    Mistake("x = sum(s.seen)", "sum(s.seen)", "sum is of ints"),
    Mistake("x = any(s.seen)", "s.seen", "a value of Node has no clear truth", COMPARISON),
    Mistake("x = len(s.n)", "len(s.n)", "len is of a set, a bag, a list or a map"),
    Mistake("x = abs(n)", "n", "this is a value of Node, not an int"),
    Mistake(
        "x = 1\nx = n",
        "x = n",
        "x changes its type here",
        "annotate it where it is first assigned: x: Type = ...",
    ),
    Mistake("x = s.who\nx: int = 0", "x: int = 0", "x changes its type here", ANOTHER_NAME),
    Mistake(
        "x = None", "x = None", "the type of x is unknown", "annotate it: x: Replica | None = None"
    ),
    Mistake(
        "xs = [{n1}]\nxs[0] = s.maybes",
        "s.maybes",
        "`s.maybes` may have None where a value is wanted",
        "test it before, or annotate the name: x: list[int | None] = ...",
    ),
    Mistake(
        "xs = [s.near]\nxs[0] = s.far",
        "s.far",
        "`s.far` may be None here, which a value is wanted for",
        "test it before, or write require_some(...)",
    ),
    Mistake(
        "x = [None]\nx[0] = 3",
        "3",
        "this is an int, where None is wanted",
        "where None and others are to be, annotate the name: x: list[int | None] = ...",
    ),
    Mistake(
        "x = {i: 0 for i in range(2)}\nx[s.n] = 1",
        "s.n",
        "this may be no key of the map, whose keys are 0..1: Python would add it",
        "test for it before, or use a narrower range",
    ),
    Mistake(
        "x: float = 1",
        "float",
        "x: `float` is not a finite type",
        "count in smaller units: Annotated[int, Range(low, high)]",
    ),
    Mistake("x: Zebra = 1", "Zebra", "an annotation cannot be read: name 'Zebra' is not defined"),
    Mistake("x: int", "x: int", "annotate a local name with a value"),
    Mistake("x = zebra", "zebra", "zebra is not defined"),
    Mistake("x = y = 1", "x = y = 1", "assign to one target at a time"),
    Mistake("x, y = s.near", "s.near", "this is a value of Point, not a tuple of 2"),
    Mistake(
        "s.log.sort()",
        "s.log.sort()",
        "a list has no sort here",
        "let the actions keep the order",
    ),
    Mistake(
        "x = s.log.index(Point(1))",
        "s.log.index(Point(1))",
        "a list has no index here",
        "loop with enumerate: for position, x in enumerate(s.log)",
    ),
    Mistake("s.seen.add(n)", "s.seen.add(n)", "a set has no add here", "write s.seen |= {n}"),
    Mistake(
        "s.of.pop(n)",
        "s.of.pop(n)",
        "a map has no pop here",
        "a map has every key: store a value that means absent",
    ),
    Mistake(
        "s.seen.remove(n)", "s.seen.remove(n)", "a set has no remove here", "write s.seen -= {n}"
    ),
    Mistake(
        "s.seen.update({n})",
        "s.seen.update({n})",
        "a set has no update here",
        "write s.seen |= {n}",
    ),
    Mistake("s.seen = {}", "{}", "a dict display is not part of the spec language", EMPTY),
    Mistake("f = {}", "{}", "a dict display is not part of the spec language", EMPTY),
    Mistake("x = zebra(s)", "zebra", "zebra is not defined"),
    Mistake("zebra(s)", "zebra", "zebra is not defined"),
    Mistake("s.n = zebra.foo", "zebra", "zebra is not defined"),
    Mistake("zebra.n = 1", "zebra", "zebra is not defined"),
    Mistake(
        "x = s.of.get(n)",
        "s.of.get(n)",
        "a map has no get here",
        "a map has every key: write s.of[n]",
    ),
    Mistake(
        "require(n in s.of)",
        "n in s.of",
        "a map has every key of its domain",
        "it is true of each: leave it out, or give the map a Capacity",
    ),
    Mistake(
        "x = s.log.append(Point(1))",
        "s.log.append(Point(1))",
        "append of a list is a statement, not a value",
        "it is a statement of its own",
    ),
    Mistake(
        "x = s.near.copy()",
        "s.near.copy()",
        "Point has no methods in a spec",
        "call a function at the top of the module",
    ),
    Mistake("s.n", "s.n", "this has no effect", EFFECTS),
    Mistake("print(s.n)", "print(s.n)", "this has no effect", EFFECTS),
    Mistake("del s.log[0]", "del s.log[0]", "this cannot be deleted", DELETE),
    Mistake(
        "for i in range(0, 4, 2):\n    s.n = i",
        "range(0, 4, 2)",
        "range has no step here",
        "count up by one and compute the value from the index",
    ),
    Mistake("for i in s.n:\n    pass", "s.n", "this cannot be looped over", LOOPS),
    Mistake("for a, b in Node:\n    pass", "a, b", "1 name is bound here, not 2"),
    Mistake("for a, b, c in s.of.items():\n    pass", "a, b, c", "2 names are bound here, not 3"),
    Mistake("x = {a for a, b in {(n, 1, 2)}}", "a, b", "3 names are bound here, not 2"),
    Mistake("for i in Node:\n    pass\nelse:\n    pass", "pass", "a loop has no else here"),
    Mistake(
        "x = {k: 1 for k in Node if k == n}",
        "{k: 1 for k in Node if k == n}",
        "this does not make a total map",
        TOTAL,
    ),
    Mistake(
        "s.of = {k: Point(0) for k in Light}",
        "{k: Point(0) for k in Light}",
        "this does not make a total map",
        TOTAL,
    ),
    Mistake(
        "s.of = {k: Point(0) for k in s.seen}",
        "{k: Point(0) for k in s.seen}",
        "this does not make a total map",
        TOTAL,
    ),
    Mistake(
        "x = (k for k in Node)",
        "(k for k in Node)",
        "a generator alone is not part of the spec language",
        "generators stand inside all, any, sum, min, max, set",
    ),
    Mistake(
        "s.n = max(s.ints, default=s.log[0].x if s.on else None)",
        "s.log[0].x if s.on else None",
        "a default that may be None",
        "test it for None before, and give the int",
    ),
    Mistake("return 1", "return 1", "act is declared to return nothing"),
    Mistake(
        "p = s.near\ns.near = Point(1)\np.x = 2",
        "p",
        "p refers to a part of the state that was replaced at line",
        AGAIN,
        "s.near = Point(1)",
    ),
    Mistake(
        "p = s.log[0]\ndel s.log[0:]\np.x = 1",
        "p",
        "p refers to a part of the state that was replaced at line",
        AGAIN,
        "del s.log[0:]",
    ),
    Mistake(
        "for p in [q for q in s.log if q.x > 1]:\n    p.x = 2",
        "p.x",
        "p.x may be a part of something else too, which this would change",
        "change it where it lies, or make a new value",
        "[q for q in s.log if q.x > 1]",
    ),
    Mistake(
        "for p in s.log:\n    s.n += p.x\n    del s.log[:1]",
        "s.log",
        "this goes through a list whose length changes at line",
        "leave the loop after the change, or go through a new list",
        "del s.log[:1]",
    ),
    Mistake(
        "for p in s.log:\n    s.log = [Point(p.x)]",
        "s.log",
        "this goes through s.log, which is replaced at line",
        "leave the loop after the change, or go through a new list",
        "s.log = [Point(p.x)]",
    ),
    Mistake(
        "late = s.log[1:]\ns.log[1].x = 3\ns.n = late[0].x",
        "late",
        "late holds parts that were changed elsewhere at line",
        "make it after the change, or of new values",
        "s.log[1].x = 3",
    ),
    Mistake("for i in range(100000):\n    pass", "100000", "this loop has no small bound"),
    Mistake(
        "x = 1\nfor i in range(70):\n    x = x * 3",
        "x * 3",
        "this can grow beyond 62 bits",
        "bound its parts",
    ),
    Mistake(
        "x = 3000000000000000000", "3000000000000000000", "3000000000000000000 is beyond 62 bits"
    ),
    Mistake(
        "x = 1000000000 * 1000000000 * 9",
        "1000000000 * 1000000000 * 9",
        "9000000000000000000 is beyond 62 bits",
    ),
]

PROPERTIES = [
    Mistake("return s.n", "s.n", "this is an int, where a bool is wanted"),
    Mistake("return None", "None", "this is None, where a bool is wanted"),
    Mistake(
        "if s.on:\n    return True",
        "def fine(s: State) -> bool:",
        "fine may end without returning a value",
        "return one on every way",
    ),
    Mistake("s.n = 1\nreturn True", "s.n = 1", "a property does not change the state"),
    Mistake("effect(s)\nreturn True", "s.n = 1", "a property does not change the state"),
    Mistake(
        "return guarded(s)",
        "require(s.on)",
        "a property has no guards",
        "return False, or use a condition",
    ),
    Mistake(
        "return require_some(s.who) == n1",
        "require_some(s.who)",
        "a property has no guards",
        "test for None instead",
    ),
    Mistake(
        "s.log.append(Point(1))\nreturn True",
        "s.log.append(Point(1))",
        "a property does not change the state",
    ),
    Mistake("return all(x for x in s.log)", "x", "a value of Point has no clear truth", COMPARISON),
    Mistake(
        "return helper(s, 1) < helper(s, 2)",
        "helper(s, 1) < helper(s, 2)",
        "a bool and a bool have no order",
    ),
    Mistake("return max([]) == 1", "max([])", "max is of ints"),
    Mistake(
        "return all(\n    s.n == 1\n    and zebra\n    for k in Node\n)",
        "zebra",
        "zebra is not defined",
    ),
]
