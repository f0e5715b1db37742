"""Random expressions of TLA+, by the kind of value that they have.

Expressions may have no value in some states: more of them the greater `risk` is.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.tla.random_kinds import BOOL, DOMAINS, INT, Kind, KindWriter, size

Env = tuple[tuple[str, Kind], ...]
"""The names that an expression may use, with their kinds."""

TAGS = ('"a"', '"b"')
LOGIC = ("/\\", "\\/", "=>", "<=>")
MEMBERSHIP = ("\\in", "\\notin")
SETS = ("\\cup", "\\cup", "\\cap", "\\")


class TermWriter(KindWriter):
    """Writes random expressions."""

    def __init__(self, rng: random.Random, risk: float) -> None:
        super().__init__(rng)
        self.risk = risk
        self.operators: list[tuple[str, tuple[Kind, ...], Kind]] = []

    # Values

    def constant(self, kind: Kind) -> str:
        """A value that does not depend on the state."""
        return self.expr(kind, 0, ())

    def expr(self, kind: Kind, depth: int, env: Env) -> str:
        """An expression of a kind."""
        if self.chance(0.55 if depth > 0 else 0.7):
            reached = self._reached(kind, env, depth)
            if reached is not None:
                return reached
        if depth > 0:
            if self.chance(0.28):
                return self._general(kind, depth, env)
            made: Callable[[Kind, int, Env], str | None] = getattr(self, f"_{kind[0]}")
            found = made(kind, depth - 1, env)
            if found is not None:
                return found
        return self._made(kind, env, depth)

    def _made(self, kind: Kind, env: Env, depth: int) -> str:
        inner = lambda k: self.expr(k, depth - 1, env)  # noqa: E731
        match kind:
            case ("rec", fields):
                return "[" + ", ".join(f"{n} |-> {inner(k)}" for n, k in fields) + "]"
            case ("tup", parts):
                return "<<" + ", ".join(map(inner, parts)) + ">>"
            case ("var", records):
                place = self.rng.randrange(len(records))
                fields = ", ".join(
                    f"{n} |-> {TAGS[place]}" if n == "t" else f"{n} |-> {inner(k)}"
                    for n, k in records[place][1]
                )
                return f"[{fields}]"
            case ("seq", item):
                count = self.rng.choice([0, 1, 1, 2])
                return "<<" + ", ".join(inner(item) for _ in range(count)) + ">>"
            case ("fun", domain, part):
                text, key, _ = DOMAINS[domain]
                name = self.fresh()
                body = self.expr(part, max(0, depth - 1), (*env, (name, key)))
                return f"[{name} \\in {text} |-> {body}]"
            case ("map", domain, part):
                key = DOMAINS[domain][1]
                if self.chance(0.3):
                    return "<<>>"
                return f"({self._key(domain)} :> {inner(part)})" if key else ""
            case ("set", member):
                count = self.rng.choice([0, 1, 2, 2])
                return "{" + ", ".join(inner(member) for _ in range(count)) + "}"
            case ("int",):
                return self.rng.choice(["0", "1", "2", "3", "K"])
            case ("bool",):
                return self.rng.choice(["TRUE", "FALSE"])
            case ("str",):
                return self.rng.choice(['"a"', '"b"', '"c"'])
            case ("mv",):
                return self.rng.choice(["m1", "m2"])
            case _:
                return self.rng.choice(["nil", "nil", "0", "1", "2"])

    def _key(self, domain: str) -> str:
        keys = {"zero": "012", "one": "12", "str": ['"a"', '"b"'], "mv": ["m1", "m2"]}
        return self.rng.choice(list(keys[domain]))

    def _reached(self, kind: Kind, env: Env, depth: int) -> str | None:
        """A name of the kind, or a part of a name's value."""
        found = [text for text, held in env if held == kind]
        if found and self.chance(0.7):
            return self.rng.choice(found)
        parts: list[str] = []
        for text, held in env:
            parts += [t for t, k in self._parts(text, held, depth, env) if k == kind]
        if parts:
            return self.rng.choice(parts)
        return self.rng.choice(found) if found else None

    def _parts(self, text: str, kind: Kind, depth: int, env: Env) -> list[tuple[str, Kind]]:
        """The parts of a value; some have no value in some states."""
        risky = self.chance(self.risk)
        match kind:
            case ("rec", fields):
                return [(f"{text}.{n}", k) for n, k in fields]
            case ("tup", parts):
                return [(f"{text}[{i}]", k) for i, k in enumerate(parts, 1)]
            case ("fun", domain, part):
                key = self._argument(domain, depth, env, risky)
                return [(f"{text}[{key}]", part)]
            case ("map", domain, part):
                key = self._argument(domain, depth, env, risky)
                if risky:
                    return [(f"{text}[{key}]", part)]
                other = self.constant(part)
                guarded = f"(IF {key} \\in DOMAIN {text} THEN {text}[{key}] ELSE {other})"
                return [(guarded, part)]
            case ("seq", item):
                taken = self.rng.choice([f"Head({text})", f"{text}[Len({text})]", f"{text}[1]"])
                if risky:
                    return [(taken, item)]
                return [(f"(IF {text} = <<>> THEN {self.constant(item)} ELSE {taken})", item)]
            case ("var", records):
                place = self.rng.randrange(2)
                name, held = next((n, k) for n, k in records[place][1] if n != "t")
                if risky:
                    return [(f"{text}.{name}", held)]
                test = f"{text}.t = {TAGS[place]}"
                return [(f"(IF {test} THEN {text}.{name} ELSE {self.constant(held)})", held)]
            case ("opt",) if risky:
                return [(text, INT)]
            case ("opt",):
                return [(f"(IF {text} = nil THEN 0 ELSE {text})", INT)]
            case ("set", member) if risky:
                return [(f"(CHOOSE {(v := self.fresh())} \\in {text} : {v} = {v})", member)]
            case _:
                return []

    def _argument(self, domain: str, depth: int, env: Env, risky: bool) -> str:
        text, key, _ = DOMAINS[domain]
        if depth <= 0:
            return self._key(domain)
        if risky:
            return self.expr(key, depth - 1, env)
        v = self.fresh()
        inner = self.expr(key, depth - 1, env)
        if self.chance(0.5):
            return f"(CHOOSE {v} \\in {text} : {v} = {inner} \\/ ~({inner} \\in {text}))"
        return f"(IF {inner} \\in {text} THEN {inner} ELSE {self._key(domain)})"

    def _general(self, kind: Kind, depth: int, env: Env) -> str:
        """A form that any kind of value may have."""
        down = depth - 1
        inner = lambda: self.expr(kind, down, env)  # noqa: E731
        test = lambda: self.expr(BOOL, down, env)  # noqa: E731
        match self.rng.randrange(8):
            case 0 | 1:
                return f"(IF {test()} THEN {inner()} ELSE {inner()})"
            case 2:
                arms = f"(CASE {test()} -> {inner()} [] {test()} -> {inner()}"
                return f"{arms})" if self.chance(self.risk) else f"{arms} [] OTHER -> {inner()})"
            case 3:
                name, other = self.fresh("l"), self.kind(1)
                value = self.expr(other, down, env)
                return f"(LET {name} == {value} IN {self.expr(kind, down, (*env, (name, other)))})"
            case 4:
                name, held, arg = self.fresh("F"), self.kind(1), self.fresh()
                body = self.expr(kind, down, (*env, (arg, held)))
                return f"(LET {name}({arg}) == {body} IN {name}({self.expr(held, down, env)}))"
            case 5:
                v, some = self.fresh(), self.fresh("S")
                members = self.expr(("set", kind), down, env)
                chosen = self.expr(BOOL, down, (*env, (v, kind)))
                if self.chance(self.risk):
                    return f"(CHOOSE {v} \\in {members} : {chosen})"
                held = f"{some} == {{{v} \\in {members} : {chosen}}}"
                taken = f"CHOOSE {v} \\in {some} : TRUE"
                return f"(LET {held} IN IF {some} = {{}} THEN {inner()} ELSE {taken})"
            case 6:
                found = [op for op in self.operators if op[2] == kind]
                if found:
                    name, kinds, _ = self.rng.choice(found)
                    given = ", ".join(self.expr(k, down, env) for k in kinds)
                    return f"{name}({given})" if given else name
                return inner()
            case _:
                f, n = self.fresh("f"), self.fresh()
                scope = (*env, (n, INT), (f"{f}[{n} - 1]", kind))
                body = self.expr(kind, down, scope)
                first = self.expr(kind, 0, env)
                bound = f"{f}[{n} \\in 0..2] == IF {n} = 0 THEN {first} ELSE {body}"
                return f"(LET {bound} IN {f}[{self.rng.choice(['0', '1', '2'])}])"

    # Numbers and names

    def _int(self, kind: Kind, depth: int, env: Env) -> str | None:
        number = lambda: self.expr(INT, depth, env)  # noqa: E731
        match self.rng.randrange(9):
            case 0 | 1 | 2:
                return f"({number()} {self.rng.choice(['+', '+', '-', '*'])} {number()})"
            case 3:
                return f"({number()} % {self.rng.choice(['2', '3', '4'])})"
            case 4:
                return f"({number()} \\div {self.rng.choice(['2', '3'])})"
            case 5 | 6:
                return f"Cardinality({self.expr(('set', self.kind(1)), depth, env)})"
            case 7:
                return f"Len({self.expr(('seq', self.kind(1)), depth, env)})"
            case _:
                name = self.rng.choice(["Sum", "Total"])
                held = ("set" if name == "Sum" else "seq", INT)
                return f"{name}({self.expr(held, depth, env)})"

    def _str(self, kind: Kind, depth: int, env: Env) -> str | None:
        return None

    _mv = _str

    def _opt(self, kind: Kind, depth: int, env: Env) -> str | None:
        return self.expr(INT, depth, env) if self.chance(0.3) else None

    def _bool(self, kind: Kind, depth: int, env: Env) -> str | None:
        test = lambda: self.expr(BOOL, depth, env)  # noqa: E731
        number = lambda: self.expr(INT, depth, env)  # noqa: E731
        match self.rng.randrange(13):
            case 0:
                return f"({number()} {self.rng.choice(['<', '>', '<=', '>='])} {number()})"
            case 1 | 2:
                return f"({test()} {self.rng.choice(LOGIC)} {test()})"
            case 3:
                return f"~{test()}"
            case 4 | 5:
                held = self.rng.choice(env)[1] if env and self.chance(0.6) else self.kind(2)
                a, b = (self.expr(held, depth, env) for _ in range(2))
                return f"({a} {self.rng.choice(['=', '=', '#'])} {b})"
            case 6:
                held = self.kind(1)
                members = self.expr(("set", held), depth, env)
                word = self.rng.choice(MEMBERSHIP)
                return f"({self.expr(held, depth, env)} {word} {members})"
            case 7:
                held = ("set", self.kind(1))
                return f"({self.expr(held, depth, env)} \\subseteq {self.expr(held, depth, env)})"
            case 8 | 9:
                return self._quantified(depth, env)
            case 10:
                held = self.rng.choice(env)[1] if env and self.chance(0.7) else self.kind(2)
                return self.bounded(held, self._named(held, depth, env))
            case 11:
                if self.chance(self.risk / 2):
                    a, b = (self.expr(self.kind(1), depth, env) for _ in range(2))
                    return f"({a} = {b})"
                return f"({number()} \\in {self.rng.choice(['Nat', 'Int', '(0..3)'])})"
            case _:
                v, held = self.fresh(), ("seq", self.kind(1))
                inner = self.expr(BOOL, depth, (*env, (v, held[1])))
                taken = self.expr(held, depth, env)
                return f"(SelectSeq({taken}, LAMBDA {v} : {inner}) = {self.expr(held, 0, env)})"

    def _named(self, kind: Kind, depth: int, env: Env) -> str:
        return self._reached(kind, env, depth) or f"({self.expr(kind, depth, env)})"

    def _quantified(self, depth: int, env: Env) -> str:
        word = self.rng.choice(["\\A", "\\E"])
        held = self.kind(1)
        if self.chance(0.3):
            pair = (self.atom(), self.atom())
            a, b = self.fresh(), self.fresh()
            members = self.expr(("set", ("tup", pair)), depth, env)
            inner = self.expr(BOOL, depth, (*env, (a, pair[0]), (b, pair[1])))
            return f"({word} <<{a}, {b}>> \\in {members} : {inner})"
        if self.chance(0.25):
            a, b = self.fresh(), self.fresh()
            members = self.expr(("set", held), depth, env)
            inner = self.expr(BOOL, depth, (*env, (a, held), (b, held)))
            return f"({word} {a}, {b} \\in {members} : {inner})"
        v = self.fresh()
        inner = self.expr(BOOL, depth, (*env, (v, held)))
        return f"({word} {v} \\in {self.expr(('set', held), depth, env)} : {inner})"

    # Values with parts

    def _rec(self, kind: Kind, depth: int, env: Env) -> str | None:
        held = self.expr(kind, depth, env)
        name, part = self.rng.choice(kind[1])
        inner = self.expr(part, depth, (*env, ("@", part)))
        more = ""
        if self.chance(0.3):
            other, of = self.rng.choice(kind[1])
            more = f", !.{other} = {self.expr(of, depth, (*env, ('@', of)))}"
        return f"[{held} EXCEPT !.{name} = {inner}{more}]"

    def _tup(self, kind: Kind, depth: int, env: Env) -> str | None:
        if self.chance(0.5):
            return None
        place = self.rng.randrange(len(kind[1]))
        part = kind[1][place]
        inner = self.expr(part, depth, (*env, ("@", part)))
        return f"[{self.expr(kind, depth, env)} EXCEPT ![{place + 1}] = {inner}]"

    def _var(self, kind: Kind, depth: int, env: Env) -> str | None:
        return None

    def _fun(self, kind: Kind, depth: int, env: Env) -> str | None:
        domain, part = kind[1:]
        if self.chance(0.3):
            return None
        updates: list[str] = []
        for _ in range(self.rng.choice([1, 1, 2])):
            key = self.expr(DOMAINS[domain][1], depth, env)
            path, held = f"[{key}]", part
            if part[0] == "rec" and self.chance(0.5):
                name, held = self.rng.choice(part[1])
                path += f".{name}"
            updates.append(f"!{path} = {self.expr(held, depth, (*env, ('@', held)))}")
        return f"[{self.expr(kind, depth, env)} EXCEPT {', '.join(updates)}]"

    def _map(self, kind: Kind, depth: int, env: Env) -> str | None:
        domain, part = kind[1:]
        text, key, _ = DOMAINS[domain]
        match self.rng.randrange(5):
            case 0 | 1:
                held = (
                    f"{self._argument(domain, depth, env, False)} :> {self.expr(part, depth, env)}"
                )
                other = self.expr(kind, depth, env)
                return f"(({held}) @@ {other})" if self.chance(0.5) else f"({other} @@ ({held}))"
            case 2:
                v = self.fresh()
                body = self.expr(part, depth, (*env, (v, key)))
                members = self.expr(("set", key), depth, env)
                return f"[{v} \\in ({members} \\cap {text}) |-> {body}]"
            case 3:
                v, w, held = self.fresh(), self.fresh(), self._named(kind, 0, env)
                test = self.expr(BOOL, depth, (*env, (w, key)))
                members = f"{{{w} \\in DOMAIN {held} : {test}}}"
                return f"[{v} \\in {members} |-> {held}[{v}]]"
            case _:
                new = self.expr(part, depth, (*env, ("@", part)))
                return f"[{self.expr(kind, depth, env)} EXCEPT ![{self._key(domain)}] = {new}]"

    def _seq(self, kind: Kind, depth: int, env: Env) -> str | None:
        held, item = self.expr(kind, depth, env), kind[1]
        match self.rng.randrange(8):
            case 0 | 1 | 2:
                return f"Append({held}, {self.expr(item, depth, env)})"
            case 3:
                if self.chance(self.risk):
                    return f"Tail({held})"
                return f"(IF {held} = <<>> THEN {held} ELSE Tail({held}))"
            case 4:
                return f"({held} \\o {self.expr(kind, depth, env)})"
            case 5:
                if self.chance(self.risk):
                    a, b = (self.expr(INT, depth, env) for _ in range(2))
                    return f"SubSeq({held}, {a}, {b})"
                return f"SubSeq({held}, {self.rng.choice(['1', '2'])}, Len({held}))"
            case 6:
                v = self.fresh()
                test = self.expr(BOOL, depth, (*env, (v, item)))
                return f"SelectSeq({held}, LAMBDA {v} : {test})"
            case _:
                i = self.fresh()
                new = self.expr(item, depth, (*env, (i, INT), (f"{i}s[{i}]", item)))
                return f"(LET {i}s == {held} IN [{i} \\in 1..Len({i}s) |-> {new}])"

    def _set(self, kind: Kind, depth: int, env: Env) -> str | None:
        member = kind[1]
        held = lambda: self.expr(kind, depth, env)  # noqa: E731
        number = lambda: self.expr(INT, depth, env)  # noqa: E731
        choice = self.rng.randrange(12)
        if choice < 3:
            return f"({held()} {self.rng.choice(SETS)} {held()})"
        if choice < 5:
            v = self.fresh()
            test = self.expr(BOOL, depth, (*env, (v, member)))
            return f"{{{v} \\in {held()} : {test}}}"
        if choice < 7:
            v, other = self.fresh(), self.kind(1)
            made = self.expr(member, depth, (*env, (v, other)))
            return f"{{{made} : {v} \\in {self.expr(('set', other), depth, env)}}}"
        if choice == 7 and size(member) < 6:
            return f"(UNION {self.expr(('set', kind), depth, env)})"
        if choice == 8 and size(member) < 20:
            return self.all_of(member)
        match member:
            case ("int",):
                if self.chance(0.3):
                    return f"(DOMAIN {self.expr(('seq', self.atom()), depth, env)})"
                return f"({number()}..{number()})"
            case ("str",) | ("mv",):
                return f"(DOMAIN {self.expr(('map', member[0], self.atom()), depth, env)})"
            case ("set", inner) if size(inner) < 6:
                return f"(SUBSET {self.expr(('set', inner), depth, env)})"
            case ("tup", (a, b)):
                one, two = (self.expr(("set", k), depth, env) for k in (a, b))
                return f"({one} \\X {two})"
            case ("rec", fields):
                sets = [f"{n} : {self.expr(('set', k), depth, env)}" for n, k in fields]
                return f"[{', '.join(sets)}]"
            case ("fun", domain, part):
                return f"[{DOMAINS[domain][0]} -> {self.expr(('set', part), depth, env)}]"
            case _:
                return None
