"""Expressions: for each kind of value, the ways in which a Python programmer may write one."""

from __future__ import annotations

from tests.fuzz.choosing import Choosing
from tests.fuzz.kinds import BOOL, INT, Kind, collection, option, same, size
from tests.fuzz.sets import CONSTANTS
from tests.fuzz.writer import Helper, as_tuple

SURE = ("enum", "actor", "struct", "union")
"""Kinds of values that are all true."""


class Expressions(Choosing):
    """Writes expressions of every kind. `depth` bounds how far they nest."""

    def expr(self, kind: Kind, depth: int = 2) -> str:
        """An expression of a kind; of a stored int, mostly one that stays in its range."""
        self.budget -= 1
        if depth <= 0 or self.budget <= 0:
            return self.leaf(kind)
        chosen = self.draw.random()
        if chosen < 0.3:
            return self.leaf(kind)
        if not self.pure and self.chance(0.5) and (changed := self.beside_a_change(kind, depth)):
            return changed
        if chosen < 0.36:
            split = self.by_class(kind, depth) if self.chance(0.35) else None
            return split or self.ternary(kind, depth)
        if chosen < (0.55 if self.busy and not self.pure else 0.42) and (
            called := self.call(kind, depth)
        ):
            return called
        if chosen < 0.5 and (got := self.got(kind, depth)):
            return got
        if self.in_order_of_module(kind) and self.chance(0.05):
            return f"ORDER[{self.pick(('0', '-1'))}]"
        if self.chance(self.odd * 0.15) and (odd := self.odd_expression(kind, depth)):
            return odd
        text = getattr(self, f"_{kind.name}")(kind, depth - 1)
        return text if text is not None else self.leaf(kind)

    def condition(self, depth: int = 2) -> str:
        """What may stand after `if`: a bool, now and then the truth of something else."""
        if self.chance(0.12 if depth == 2 else 0.01):
            places = self.places("list", "set", "bag", "table", "int", "option")
            if places:
                text, kind = self.draw.choice(places)
                scalar = kind.name == "option" and kind.inner.name in SURE
                if (
                    kind.name in ("list", "set", "bag", "table", "int")
                    or scalar
                    or self.may("truth")
                ):
                    return text if self.chance(0.6) else f"(not {text})"
        return self.expr(BOOL, depth)

    def ternary(self, kind: Kind, depth: int) -> str:
        lists = self.places("list")
        if lists and self.chance(0.4):
            text = self.draw.choice(lists)[0]
            with self.scope():
                self.fill(text)
                held = self.expr(kind, depth - 1)
            return f"({held} if {text} else {self.expr(kind, depth - 1)})"
        return (
            f"({self.expr(kind, depth - 1)} if {self.condition(depth - 1)}"
            f" else {self.expr(kind, depth - 1)})"
        )

    def call(self, kind: Kind, depth: int) -> str | None:
        """A call of a helper that gives a value of a kind."""
        fit = [h for h in self.helpers if h.result and same(h.result, kind)]
        fit = [h for h in fit if not (self.pure and h.changes)]
        if not fit:
            return None
        fit = (self.busy and [h for h in fit if h.changes]) or fit
        return self.calling(self.draw.choice(fit), depth - 1)

    def beside_a_change(self, kind: Kind, depth: int) -> str | None:
        """A value, and a call that may change the field whose class a test has told."""
        fit = [h for h in self.helpers if h.changes and h.result in (INT, BOOL)]
        facts = [n for n in self.names if n.role == "case" and "." in n.text]
        if not fit or not facts:
            return None
        fact, helper = self.draw.choice(facts), self.draw.choice(fit)
        told = self.about(fact.text, 1)
        if fact.kind.name == "struct" and self.chance(0.4):
            told = f"isinstance({fact.text}, {fact.kind.text})"
        called = self.calling(helper, 1)
        test = called if helper.result is BOOL else f"({called} {self.pick(('<', '!='))} 1)"
        if kind is INT and self.chance(0.7):
            told = f"int({told})"
            return f"({called} + {told})" if self.chance(0.7) else f"({told} + {called})"
        word = self.pick(("and", "or"))
        both = f"({test} {word} {told})" if self.chance(0.7) else f"({told} {word} {test})"
        if kind is BOOL:
            return both
        return f"({self.expr(kind, depth - 1)} if {both} else {self.expr(kind, depth - 1)})"

    def calling(self, helper: Helper, depth: int) -> str:
        """A call of a helper; now and then its last argument is given by name."""
        arguments = [self.argument(part, depth, helper.changes) for part in helper.parameters]
        if len(arguments) > 1 and self.chance(0.12):
            arguments[-1] = f"{helper.names[-1]}={arguments[-1]}"
        return f"{helper.name}({', '.join(arguments)})"

    def argument(self, kind: Kind, depth: int, changed: bool = False) -> str:
        """An argument for a parameter: for something that can be changed, a path where possible."""
        if kind.mutable and self.chance(0.85):
            for wanted in (*self.world.subtypes(kind), kind):
                path = self.path(wanted)
                if path and not (changed and path in self.fixed) and self.chance(0.8):
                    return path
        return self.expr(kind, depth)

    # Bools

    def _bool(self, kind: Kind, depth: int) -> str | None:
        if self.pure and self.pool.get("s") and self.chance(0.2) and self.named("s"):
            return self.pick(self.pool["s"])
        text = self.weighted(
            (
                (5, lambda: self.comparison(depth)),
                (3, lambda: self.equality(depth)),
                (4, lambda: self.membership(depth)),
                (
                    2,
                    lambda: (
                        f"({self.condition(min(depth, 1))} and {self.condition(min(depth, 1))})"
                    ),
                ),
                (
                    2,
                    lambda: f"({self.condition(min(depth, 1))} or {self.condition(min(depth, 1))})",
                ),
                (1.5, lambda: f"(not {self.condition(min(depth, 1))})"),
                (2.5, lambda: self.quantified(depth)),
                (1.5, self.is_none),
                (1.5, lambda: self.set_test(depth)),
                (0.3, lambda: f"bool({self.expr(INT, depth)})"),
                (2, lambda: self.narrowed(depth)),
                (3, lambda: self.by_classes(depth)),
            )
        )
        if text and self.pure and self.chance(0.3) and self.only_state(text):
            self.pool.setdefault("s", []).append(text)
        return text

    def named(self, text: str) -> bool:
        return any(n.text == text for n in self.names)

    def only_state(self, text: str) -> bool:
        """Whether nothing but the state is in scope, so that the text means the same elsewhere."""
        return [n.text for n in self.names if n.role != "global"] == ["s"] and ":=" not in text

    def comparison(self, depth: int) -> str:
        a, b = self.expr(INT, depth), self.expr(INT, depth)
        one = self.pick(("<", "<=", ">", ">=", "==", "!="))
        if self.chance(0.2):
            two = self.pick(("<", "<=", ">", ">=", "==", "!="))
            return f"({a} {one} {b} {two} {self.expr(INT, depth - 1)})"
        return f"({a} {one} {b})"

    def equality(self, depth: int) -> str | None:
        kinds = [k for k in self.every_kind() if k.name != "int"]
        if not kinds:
            return None
        kind = self.draw.choice(sorted(kinds, key=lambda k: k.text))
        path = self.path(kind)
        if kind.name == "union" and path is None:
            return None
        one = path or self.expr(kind, depth)
        other = kind
        if kind.name == "union":
            other = self.compared_to(kind)
        elif kind.name == "option" and self.chance(0.4):
            other = kind.inner
        elif kind.name == "struct" and self.chance(0.1):
            other = self.draw.choice([*self.world.subtypes(kind), kind])
        elif kind.scalar and self.chance(0.15):
            other = option(kind)
        two = self.expr(other, depth)
        if two == one:
            two = self.literal(other)
        return f"({one} {self.pick(('==', '==', '!='))} {two})"

    def is_none(self) -> str | None:
        options = self.places("option")
        if not options:
            return None
        return f"({self.draw.choice(options)[0]} is {self.pick(('None', 'not None'))})"

    def narrowed(self, depth: int) -> str | None:
        """A condition that asks whether something is there and goes on to use it."""
        options, lists = self.places("option"), self.places("list")
        if lists and (not options or self.chance(0.6)):
            text = self.draw.choice(lists)[0]
            with self.scope():
                self.fill(text)
                rest = self.expr(BOOL, depth)
            if self.chance(0.5):
                return f"(len({text}) > 0 and {rest})"
            return f"(len({text}) == 0 or {rest})"
        if not options:
            return None
        text, kind = self.draw.choice(options)
        with self.scope():
            self.bind(text, kind.inner, "narrowed")
            rest = self.expr(BOOL, depth)
        if self.chance(0.5):
            return f"({text} is not None and {rest})"
        return f"({text} is None or {rest})"

    def membership(self, depth: int) -> str | None:
        word = self.pick(("in", "in", "not in"))
        chosen = self.draw.random()
        containers = self.places("set", "bag", "table", "list", "map")
        if not self.may("key in map"):
            containers = [(t, k) for t, k in containers if k.name != "map"]
        if chosen < 0.5 and containers:
            text, kind = self.draw.choice(containers)
            element = kind.parts[0]
            if self.chance(0.15) and kind.name != "map":
                element = self.optional_of(element)
            return f"({self.expr(element, depth)} {word} {text})"
        if chosen < 0.65 and self.may("in range"):
            low, high = self.expr(INT, depth - 1), self.expr(INT, depth - 1)
            bounds = f"{low}, {high}" if self.chance(0.6) else high
            return f"({self.expr(INT, depth)} {word} range({bounds}))"
        kinds = sorted(self.every_kind(), key=lambda k: k.text)
        kinds = [k for k in kinds if k.name not in ("map", "list", "set", "bag", "table")] or [INT]
        kind = self.draw.choice(kinds)
        if kind.scalar and self.chance(0.15):
            kind = option(kind)
        path = self.path(kind)
        if "union" in (kind.name, kind.parts and kind.inner.name) and path is None:
            return None
        item = path or self.expr(kind, depth)
        return f"({item} {word} {self.choices_written_out(kind, depth)})"

    def choices_written_out(self, kind: Kind, depth: int) -> str:
        """A set, tuple or list display, as it stands after `in`."""
        if self.in_order_of_module(kind) and self.chance(0.3):
            return "ORDER"
        some = self.draw.choice((1, 2, 2, 2, 3, 3, 4))
        inner = [
            self.literal(kind) if self.chance(0.75) else self.expr(kind, depth) for _ in range(some)
        ]
        text = ", ".join(inner)
        form = self.draw.random()
        if form < (0.4 if size(kind) <= 32 else 0.1):
            return f"{{{text}}}"
        if form < 0.75:
            return f"({text},)"
        return f"[{text}]"

    def quantified(self, depth: int) -> str:
        word = self.pick(("all", "any"))
        with self.scope():
            clauses = self.clauses(depth)
            body = self.condition(depth)
        form = self.draw.random()
        if form < 0.06:
            return f"{word}([{body} {clauses}])"
        return f"{word}({body} {clauses})"

    def set_test(self, depth: int) -> str | None:
        sets = self.places("set")
        if not sets:
            return None
        text, kind = self.draw.choice(sets)
        other = self.expr(kind, depth)
        form = self.draw.random()
        if form < 0.6 or (text in CONSTANTS and self.chance(0.9)):
            return f"({text} {self.pick(('<', '<=', '>', '>=', '==', '!='))} {other})"
        method = self.pick(("issubset", "issuperset", "isdisjoint"))
        return f"{text}.{method}({other})"

    # Ints

    def _int(self, kind: Kind, depth: int) -> str | None:
        if kind.text != "int":
            return self.in_range(kind, depth)
        a, b = (lambda: self.expr(INT, depth)), (lambda: self.expr(INT, depth))

        def number() -> str:
            return self.pick(("2", "3", "2", "1", "-2", self.number()))

        return self.weighted(
            (
                (4, lambda: f"({a()} {self.pick(('+', '-', '+', '-', '*'))} {b()})"),
                (3, lambda: f"({a()} {self.pick(('+', '-'))} 1)"),
                (1, lambda: f"({a()} // {number()})"),
                (1.2, lambda: f"({a()} % {number()})"),
                (0.3 * self.risk, lambda: f"({a()} {self.pick(('//', '%'))} {b()})"),
                (1, lambda: f"{self.pick(('min', 'max'))}({a()}, {b()})"),
                (0.3, lambda: f"{self.pick(('min', 'max'))}({a()}, {b()}, {a()})"),
                (0.7, lambda: f"abs({a()})"),
                (0.7, lambda: f"(-{a()})"),
                (0.4 * self.may("+x"), lambda: f"(+{a()})"),
                (0.6, lambda: f"int({self.expr(BOOL, depth)})"),
                (0.4, lambda: f"({self.expr(BOOL, depth)} + {b()})"),
                (2.5, self.length),
                (1.5, lambda: self.copies(depth)),
                (1.5, lambda: self.folded(depth)),
                (1.2, lambda: self.counted(depth)),
                (0.5, lambda: self.summed(depth)),
                (0.7, lambda: self.next_of(INT, depth)),
                (0.7, lambda: self.by_key(INT, depth)),
                (2 * self.may("index"), self.found_in_list),
                (3 * self.may("method"), self.own_method),
            )
        )

    def own_method(self) -> str | None:
        fit = [(t, k) for t, k in self.places("struct") if k.text in self.world.methods]
        return f"{self.draw.choice(fit)[0]}.double()" if fit else None

    def found_in_list(self) -> str | None:
        lists = self.places("list")
        if not lists:
            return None
        text, kind = self.draw.choice(lists)
        return f"{text}.{self.pick(('index', 'count'))}({self.leaf(kind.inner)})"

    def in_range(self, kind: Kind, depth: int) -> str:
        """An int to be stored, which stays in the range of its place as a rule."""
        form = self.draw.random()
        size = kind.high - kind.low + 1
        if form < 0.25:
            return self.literal(kind)
        if form < 0.45:
            known = [n.text for n in self.names if n.kind.text == kind.text]
            return self.pick(known) if known else self.path_of(kind) or self.literal(kind)
        if form < 0.7:
            value = self.expr(INT, depth)
            return f"({value} % {size})" if not kind.low else f"({value} % {size} + {kind.low})"
        if form < 0.9:
            value = self.expr(INT, depth)
            if self.chance(0.5):
                return f"min(max({value}, {kind.low}), {kind.high})"
            return f"max({kind.low}, min({kind.high}, {value}))"
        return self.expr(INT, depth) if self.chance(2 * self.risk) else self.literal(kind)

    def path_of(self, kind: Kind) -> str | None:
        """A path to an int, if those of this very range are all that paths lead to."""
        ranges = {k.text for k in self.every_kind() if k.name == "int"}
        return self.path(kind) if ranges <= {kind.text} else None

    def length(self) -> str | None:
        if self.world.order is not None and self.chance(0.1):
            return "len(ORDER)"
        places = self.places("set", "bag", "table", "list", "map")
        if not places or self.chance(0.05):
            domains = [*self.world.actors, *self.world.enums]
            return f"len({self.draw.choice(domains).text})" if domains else None
        return f"len({self.draw.choice(places)[0]})"

    def folded(self, depth: int) -> str:
        """min or max of a collection or a generator, mostly with a default."""
        word = self.pick(("min", "max"))
        default = f", default={self.expr(INT, depth)}" if not self.chance(self.risk) else ""
        ints = [t for t, k in self.places("set", "bag", "list") if k.inner.name == "int"]
        if ints and self.chance(0.4):
            return f"{word}({self.pick(ints)}{default})"
        with self.scope():
            clauses = self.clauses(depth)
            body = self.expr(INT, depth)
        if default:
            return f"{word}(({body} {clauses}){default})"
        return f"{word}({body} {clauses})"

    def counted(self, depth: int) -> str:
        with self.scope():
            clauses = self.clauses(depth)
            if self.chance(0.5):
                return f"sum({self.expr(BOOL, depth)} {clauses})"
            if " if " not in clauses:
                clauses += f" if {self.condition(depth)}"
            return f"sum(1 {clauses})"

    def summed(self, depth: int) -> str:
        ints = [t for t, k in self.places("set", "bag", "list") if k.inner.name == "int"]
        if ints and self.chance(0.5):
            return f"sum({self.pick(ints)})"
        with self.scope():
            clauses = self.clauses(depth)
            return f"sum({self.expr(INT, depth)} {clauses})"

    # Members, options, structs

    def _enum(self, kind: Kind, depth: int) -> str | None:
        return (
            self.draw.choice((self.next_of, self.by_key))(kind, depth)
            if self.chance(0.3)
            else self.ternary(kind, depth)
        )

    def _actor(self, kind: Kind, depth: int) -> str | None:
        return self._enum(kind, depth)

    def _option(self, kind: Kind, depth: int) -> str | None:
        if self.chance(0.15):
            return self.by_key(kind, depth)
        if self.chance(0.15):
            with self.scope():
                clauses = self.clauses(depth)
                if " if " not in clauses:
                    clauses += f" if {self.condition(depth)}"
                return f"next(({self.expr(kind.inner, depth)} {clauses}), None)"
        return self.expr(kind.inner, depth) if self.chance(0.7) else "None"

    def _struct(self, kind: Kind, depth: int) -> str | None:
        if (path := self.path(kind)) and self.chance(0.35):
            return path
        if (subtypes := self.world.subtypes(kind)) and self.chance(0.05):
            kind = self.draw.choice(subtypes)
        if self.chance(0.08):
            return self.draw.choice((self.next_of, self.by_key))(kind, depth)
        values = [self.expr(part, depth) for _, part in kind.fields]
        split = self.draw.randint(0, len(values)) if self.chance(0.4) else len(values)
        written = values[:split]
        written += [
            f"{f}={v}" for (f, _), v in zip(kind.fields[split:], values[split:], strict=True)
        ]
        if kind.default and self.chance(0.6):
            written.pop()
        return f"{kind.text}({', '.join(written)})"

    def _tuple(self, kind: Kind, depth: int) -> str | None:
        if (path := self.path(kind)) and self.chance(0.35):
            return path
        if self.chance(0.15):
            return self.draw.choice((self.next_of, self.by_key))(kind, depth)
        return as_tuple([self.expr(part, depth) for _, part in kind.fields])

    # Lists, maps

    def _list(self, kind: Kind, depth: int) -> str | None:
        def a() -> str:
            return self.path(kind) or self.expr(kind, depth)

        def item() -> str:
            return self.expr(kind.inner, depth)

        def cut() -> str:
            return self.pick(("1", "1", "0", "2", "-1", self.leaf(INT)))

        return self.weighted(
            (
                (2, lambda: f"({a()} + [{item()}])"),
                (1, lambda: f"([{item()}] + {a()})"),
                (0.7, lambda: f"({a()} + {self.expr(kind, depth)})"),
                (2, lambda: f"{a()}[{cut()}:]"),
                (2, lambda: f"{a()}[:{cut()}]"),
                (0.7, lambda: f"{a()}[{cut()}:{cut()}]"),
                (0.3, lambda: f"{a()}[:]"),
                (2, lambda: f"[{item()}]"),
                (1.5, lambda: f"[{item()}, {item()}]"),
                (3, lambda: self.comprehension("[]", kind.inner, depth)),
                (0.5, lambda: self.comprehension("list", kind.inner, depth)),
                (0.7, lambda: f"list({a()})"),
                (0.7, lambda: self.in_order(self.over(kind, depth), kind, depth)),
                (0.4, lambda: f"list({self.expr(collection(kind.inner), depth)})"),
                (3 * self.may("reversed"), lambda: f"list(reversed({a()}))"),
                (1, lambda: self.in_order(a(), kind, depth)),
                (0.5, lambda: "[]"),
            )
        )

    def _map(self, kind: Kind, depth: int) -> str | None:
        if (path := self.path(kind)) and self.chance(0.2):
            return path
        key = self.fresh(kind.parts[0], inner=True)
        if path and self.chance(0.25):
            value = self.fresh(kind.inner, inner=True)
            if value != key:
                with self.scope():
                    self.bind(key, kind.parts[0], "loop")
                    self.bind(value, kind.inner, "loop")
                    body = self.expr(kind.inner, depth)
                return f"{{{key}: {body} for {key}, {value} in {path}.items()}}"
        with self.scope():
            key, clauses = self.every_key(kind)
            return f"{{{key}: {self.expr(kind.inner, depth)} {clauses}}}"
