"""Statements: what an action, a helper or a property may do, one after the other."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.fuzz.changes import STEP, Lines
from tests.fuzz.iteration import Source
from tests.fuzz.kinds import BOOL, INT, Kind, bag, collection, inside, same, sequence
from tests.fuzz.odd_statements import OddStatements
from tests.fuzz.sets import CONSTANTS

GIVEN = ("local", "loop", "parameter", "argument")
"""Roles of names that the function has given to something."""


class Statements(OddStatements):
    """Writes blocks of statements. `result` is what the function being written gives."""

    def block(self, count: int, depth: int) -> Lines:
        """Some statements, in a scope that ends with them."""
        lines: Lines = []
        for _ in range(count):
            lines += self.statement(depth)
            if not self.pure:
                self.widen()
        return lines or ["pass"]

    def inner(self, count: int, depth: int) -> Lines:
        with self.scope():
            return [STEP + line for line in self.block(count, depth)]

    def statement(self, depth: int) -> Lines:
        """A statement, or a few that belong together."""
        if self.budget <= 0:
            return []
        if self.chance(self.odd * 0.12):
            return self.odd_statement()
        deeper = 1.0 if depth > 0 else 0.0
        changing = 0.0 if self.pure else 1.0
        options: list[tuple[float, Callable[[int], Lines]]] = [
            (5 * changing, self.store),
            (3 * changing, self.progress),
            (3 * changing, self.augment),
            (3 * changing, self.list_change),
            (3 * changing, self.key_change),
            (3 * changing, self.through_local),
            (1.2 * changing, self.keep_local),
            (1.5 * changing, self.call_statement),
            (1.2 * changing, self.exchange),
            (1.5 * changing, self.guard),
            (2.2, self.alias),
            (0.35, self.gather),
            (2.5, self.local),
            (1.2, self.rebind),
            (3 * deeper, self.branch),
            (3.5 * deeper, self.loop),
            (0.7 * deeper, self.counted_loop),
            (1.5, self.unpack),
            (1.5 * deeper, self.narrowing),
            (2 * deeper, self.telling),
            (1.2, self.sifted),
            (2 * deeper, self.matching),
            (0.8 if self.result is not None else 0.3 * changing, self.leave),
            (1.5 if self.looping else 0, self.jump),
        ]
        for _ in range(6):
            chosen = self.draw.choices([f for _, f in options], [w for w, _ in options])[0]
            if lines := chosen(depth):
                return lines
        return []

    # Stores

    def target(self, *kinds: str, roles: tuple[str, ...] = ()) -> tuple[str, Kind] | None:
        """A place to store into, and the kind of what it takes."""
        wanted = [k for k in self.every_kind() if not kinds or k.name in kinds]
        wanted.sort(key=lambda k: k.text)
        self.draw.shuffle(wanted)
        for kind in wanted[:4]:
            if path := self.path(kind, roles, place=True):
                return path, kind
        return None

    def store(self, _depth: int) -> Lines:
        found = self.target(roles=("state", "local", "loop", "narrowed", "parameter"))
        if found is None:
            return []
        path, kind = found
        if kind.name == "int" and kind.text != "int" and self.chance(0.25):
            step, edge = self.draw.choice((("+ 1", kind.high), ("- 1", kind.low)))
            test = "<" if step == "+ 1" else ">"
            if self.chance(0.5):
                return [f"require({path} {test} {edge})", f"{path} = {path} {step}"]
            return [f"if {path} {test} {edge}:", f"{STEP}{path} = {path} {step}"]
        return [f"{path} = {self.expr(kind, 2)}"]

    def store_union(self) -> Lines:
        """A union's value of the state is replaced."""
        found = [k for k in self.every_kind() if k.alternatives]
        found.sort(key=lambda k: k.text)
        places = [(p, k) for k in found if (p := self.path(k, ("state",), place=True))]
        if not places:
            return []
        path, kind = self.draw.choice(places)
        return [f"{path} = {self.literal(kind)}"]

    def progress(self, _depth: int) -> Lines:
        """A step of the kind that makes a state space: counting, toggling, collecting."""
        simple = ("bool", "int", "enum", "actor", "option", "union", "set", "bag", "list")
        found = self.target(*simple, roles=("state",))
        if found is None:
            return []
        path, kind = found
        known = [n.text for n in self.names if n.kind.name == kind.name and same(n.kind, kind)]
        held = [n.text for n in self.names if kind.parts and same(n.kind, kind.inner)]
        item = self.pick(held) if held else self.literal(kind.inner) if kind.parts else ""
        if kind.name == "list":
            if self.chance(0.25):
                return [f"del {path}[:1]"]
            return self.room(path, kind, f"{path}.append({item})")
        if kind.name == "set":
            return [f"{path} {self.pick(('|=', '|=', '-=', '^='))} {{{item}}}"]
        if kind.name == "bag":
            grown = self.room(path, kind, f"{path} += {{{item}}}")
            return grown if self.chance(0.7) else [f"{path} -= {{{item}}}"]
        if kind.name == "bool" and self.chance(0.6):
            return [f"{path} = not {path}"]
        if kind.name == "int" and kind.text != "int" and self.chance(0.7):
            if self.chance(0.5) and not kind.low:
                return [f"{path} = ({path} + 1) % {kind.high + 1}"]
            return [f"if {path} < {kind.high}:", f"{STEP}{path} += 1"]
        if kind.name == "option" and self.chance(0.7):
            return [f"{path} = {item if self.chance(0.7) else 'None'}"]
        return [f"{path} = {self.pick(known) if known else self.literal(kind)}"]

    def augment(self, _depth: int) -> Lines:
        found = self.target("int", "int", "set", "bag", "list")
        if found is None:
            return []
        path, kind = found
        if kind.name == "set":
            return [f"{path} {self.pick(('|=', '|=', '-=', '&=', '^='))} {self.expr(kind, 1)}"]
        if kind.name == "bag":
            other = bag(kind.inner, 2) if self.chance(0.5) else collection(kind.inner)
            sign, more = self.pick(("+=", "-=")), self.expr(other, 1)
            line = f"{path} {sign} {more}"
            return [line] if sign == "-=" else self.room(path, kind, line)
        if kind.name == "list":
            if self.growing(path):
                return []
            line = f"{path} += {self.expr(sequence(kind.inner, 2), 1)}"
            return self.room(path, kind, line)
        value = self.pick(("1", "1", self.expr(INT, 1)))
        value = (self.busy and self.call(INT, 1)) or value
        operator = self.pick(("+=", "+=", "-=", "*=", "//=", "%="))
        if operator in ("//=", "%="):
            value = self.pick(("2", "3", "-2"))
        line = f"{path} {operator} {value}"
        if kind.text != "int" and self.chance(0.7) and operator in ("+=", "-="):
            edge = f"{path} + {value} <= {kind.high}"
            if operator == "-=":
                edge = f"{path} - {value} >= {kind.low}"
            return [f"if {edge}:", f"{STEP}{line}"]
        return [line]

    # Names for parts, and what they are good for

    def alias(self, _depth: int) -> Lines:
        """A name for a part, however it is reached."""
        places = self.places("struct", "list", "map", "table")
        if not places:
            return []
        path, kind = self.draw.choice(places)
        form = self.draw.random()
        if form < 0.15:
            other = self.path(kind) or path
            path = f"{path} if {self.condition(1)} else {other}"
        elif form < 0.3 and (called := self.call(kind, 1)):
            path = called
        elif form < 0.5:
            lists = [(t, k) for t, k in self.places("list") if k.inner.mutable]
            if lists:
                text, held = self.draw.choice(lists)
                kind = held.inner
                index = self.pick(("0", "-1", "1"))
                ways = ["{}[1:][0]", "{}[:1][0]", "list({})[{i}]", "[x for x in {}][{i}]"]
                ways += ["({} + {})[{i}]", *["{}[{i}]"] * 5]
                ways += ["list(reversed({}))[0]"] * 3 * self.may("reversed")
                reach = self.pick(ways)
                path = reach.replace("{i}", index).replace("{}", text)
                name = self.fresh(kind)
                self.bind(name, kind)
                least = 2 if "1" in reach or index == "1" else 1
                return (
                    [f"require(len({text}) >= {least})", f"{name} = {path}"]
                    if (not self.pure and not self.chance(self.risk))
                    else [f"{name} = {path}"]
                )
        name = self.fresh(kind)
        self.bind(name, kind, "case" if path in self.fixed else "local")
        return [f"{name} = {path}"]

    def gather(self, _depth: int) -> Lines:
        """A local list of parts."""
        places = [(t, k) for t, k in self.places("struct", "list", "map") if t not in self.fixed]
        kinds = sorted(dict.fromkeys(k for _, k in places), key=lambda k: k.text)
        if not kinds:
            return []
        kind = self.draw.choice(kinds)
        whole = sequence(kind, 3)
        form = self.draw.random()
        lists = [t for t, k in self.places("list") if same(k.inner, kind)]
        name = self.fresh(whole)
        if form < 0.35 or not lists:
            parts = [
                self.path(kind) or self.literal(kind) for _ in range(self.draw.choice((1, 2, 2)))
            ]
            text = f"({', '.join(parts)},)" if self.may("tuple") else f"[{', '.join(parts)}]"
        else:
            source = self.pick(lists)
            ways = [f"[x for x in {source}]", f"[x for x in {source} if {self.condition(0)}]"]
            ways += [f"list({source})", f"{source}[:]", f"{source}[1:]"]
            ways += [f"{source} + {self.pick(lists)}"]
            ways += [f"list(reversed({source}))"] * 3 * self.may("reversed")
            text = self.pick(ways)
        self.bind(name, whole)
        return [f"{name} = {text}"]

    def through_local(self, depth: int) -> Lines:
        """A change through a name that is not the state's."""
        roles = ("local", "loop", "parameter", "narrowed")
        if self.chance(0.03):
            roles = (*roles, "argument")
        found = self.target(roles=roles)
        if found is None:
            return []
        path, kind = found
        if kind.name == "list" and self.chance(0.6):
            return self.change_list(path, kind)
        if kind.name in ("int", "set", "bag") and self.chance(0.4):
            operator = self.pick(("|=" if kind.name == "set" else "+=", "-="))
            return [f"{path} {operator} {self.expr(kind, 1)}"]
        return [f"{path} = {self.expr(kind, 1)}"]

    def keep_local(self, _depth: int) -> Lines:
        """A local that can be changed is stored somewhere, and may be changed afterwards."""
        held = [n for n in self.names if n.kind.mutable and n.role in GIVEN]
        if not held:
            return []
        name = self.draw.choice(held)
        lists = [(t, k) for t, k in self.places("list") if same(k.inner, name.kind)]
        lines: Lines = []
        if lists and self.chance(0.5):
            path, kind = self.draw.choice(lists)
            if self.chance(0.3):
                lines = [f"if {path}:", f"{STEP}{path}[{self.pick(('0', '-1'))}] = {name.text}"]
            elif not self.growing(path):
                lines = self.room(path, kind, f"{path}.append({name.text})")
        elif (place := self.path(name.kind, ("state",), place=True)) and place != name.text:
            lines = [f"{place} = {name.text}"]
        if lines and self.chance(0.4):
            lines += self.through_local(0)
        return lines

    def call_statement(self, depth: int) -> Lines:
        fit = [h for h in self.helpers if h.changes]
        if not fit:
            return []
        helper = self.draw.choice(fit)
        called = self.calling(helper, 1)
        if helper.result is not None and self.chance(0.7):
            if (place := self.path(helper.result, place=True)) and self.chance(0.6):
                if helper.result.name == "int" and self.chance(0.4):
                    return [f"{place} += {called}"]
                return [f"{place} = {called}"]
            name = self.fresh(helper.result)
            self.bind(name, helper.result)
            return [f"{name} = {called}"]
        return [called]

    def exchange(self, _depth: int) -> Lines:
        """Unpacking: two places at once, maybe exchanged."""
        one = self.target()
        if one is None:
            return []
        first, kind = one
        second = self.path(kind, place=True) or first
        if self.chance(0.5) and first != second:
            return [f"{first}, {second} = {second}, {first}"]
        other = self.target() or one
        if first == other[0] and first.isidentifier():
            return []
        return [f"{first}, {other[0]} = {self.expr(kind, 1)}, {self.expr(other[1], 1)}"]

    # Locals

    def local(self, _depth: int) -> Lines:
        """A new local value."""
        kinds = sorted(self.world.annotations(), key=lambda k: k.text)
        kinds = [k for k in kinds if k.name != "table" or self.chance(0.05)]
        kind = self.draw.choice([INT, INT, BOOL, *kinds])
        kind = INT if kind.name == "int" else kind
        text = self.expr(kind, 2)
        name = self.fresh(kind)
        self.bind(name, kind)
        bare = text in ("[]", "set()", "None") or kind.name == "option"
        bare = bare or ("union" in inside(kind) and kind.name != "struct" and self.chance(0.8))
        if bare or self.chance(0.2):
            return [f"{name}: {self.annotation(kind)} = {text}"]
        return [f"{name} = {text}"]

    def unpack(self, _depth: int) -> Lines:
        """The parts of a tuple get names."""
        kinds = sorted((k for k in self.every_kind() if k.name == "tuple"), key=lambda k: k.text)
        if not kinds:
            return []
        kind = self.draw.choice(kinds)
        value = self.expr(kind, 2)
        names = [self.fresh(part) for _, part in kind.fields]
        if len(set(names)) < len(names):
            return []
        for name, (_, part) in zip(names, kind.fields, strict=True):
            self.bind(name, INT if part.name == "int" else part, "local")
        left = ", ".join(names) if len(names) > 1 else f"{names[0]},"
        return [f"{left} = {value}"]

    def annotation(self, kind: Kind) -> str:
        """How a local or a parameter is annotated: as the field is, or more loosely."""
        if kind.name == "list" and self.may("bare list"):
            return f"list[{kind.inner.text}]"
        if kind.name == "set" and self.may("bare list"):
            return f"set[{kind.inner.text}]"
        return kind.text

    def rebind(self, _depth: int) -> Lines:
        """A local is given another value, or a scalar one is changed in place."""
        held = [n for n in self.names if n.role in GIVEN and n.text.isidentifier()]
        held = [n for n in held if n.role == "local" or n.kind.scalar]
        cases = [n.text for n in self.names if n.role == "case" and n.text in self.whole]
        if cases and (not held or self.chance(0.5)):
            text = self.pick(cases)
            line = f"{text} = {self.expr(self.whole[text], 2)}"
            self.bind(text, self.whole[text])
            return [line]
        if not held:
            return []
        name = self.draw.choice(held)
        if name.kind.name == "int" and self.chance(0.5):
            return [f"{name.text} {self.pick(('+=', '-=', '*='))} {self.expr(INT, 1)}"]
        if name.kind.name == "set" and self.chance(0.6):
            return [f"{name.text} {self.pick(('|=', '-=', '&='))} {self.expr(name.kind, 1)}"]
        return [f"{name.text} = {self.expr(name.kind, 2)}"]

    # Control

    def guard(self, _depth: int) -> Lines:
        options = self.places("option")
        if options and self.chance(0.25):
            text, kind = self.draw.choice(options)
            if self.chance(0.15):
                return [f"require_some({text})"]
            name = self.fresh(kind.inner)
            self.bind(name, INT if kind.inner.name == "int" else kind.inner)
            return [f"{name} = require_some({text})"]
        lists = self.places("list")
        if lists and self.chance(0.4):
            text = self.draw.choice(lists)[0]
            self.fill(text)
            return [f"require({self.pick(('len({}) > 0', '{}', 'len({}) >= 1')).format(text)})"]
        return [f"require({self.condition(2)})"]

    def branch(self, depth: int) -> Lines:
        lists, count = self.places("list"), self.draw.choice((1, 1, 2))
        if lists and self.chance(0.3):
            text = self.draw.choice(lists)[0]
            with self.scope():
                self.fill(text)
                held = self.pick(("len({}) > 0", "{}", "{} != []")).format(text)
                lines = [f"if {held}:", *self.inner(count, depth - 1)]
        else:
            lines = [f"if {self.condition(2)}:", *self.inner(count, depth - 1)]
        while self.chance(0.15):
            lines += [f"elif {self.condition(1)}:", *self.inner(1, depth - 1)]
        if self.chance(0.35):
            lines += ["else:", *self.inner(1, depth - 1)]
        return lines

    def narrowing(self, depth: int) -> Lines:
        """What is optional is used where it is there."""
        options = self.places("option")
        if not options:
            return []
        text, kind = self.draw.choice(options)
        lines = [f"if {text} is not None:"]
        if self.chance(0.3):
            local = self.fresh(kind)
            lines, text = [f"{local} = {text}", f"if {local} is not None:"], local
        with self.scope():
            self.bind(text, kind.inner, "case" if text in self.fixed else "narrowed")
            lines += [STEP + line for line in self.block(self.draw.choice((1, 2)), depth - 1)]
        return lines

    def loop(self, depth: int) -> Lines:
        source = self.source(2)
        targets, bound = self.targets(source.kinds)
        lines = [f"for {', '.join(targets)} in {source.text}:"]
        self.looping += 1
        with self.scope():
            if not self.pure:
                self.widen()
            for name, kind in bound:
                self.bind(name, kind, "loop")
            self.enter(source, targets)
            body = self.block(self.draw.choice((1, 1, 2, 2, 3)), depth - 1)
            if not self.pure and self.chance(0.5) and source.kinds[-1].mutable:
                body += self.through_local(depth - 1)
            place = source.over and not source.over.endswith(")")  # no result of a call
            if place and not self.pure and self.chance(0.08):
                at = self.draw.choice((0, len(body)))
                change = self.change_under(source)
                body = [*body, *change] if at else [*change, *body]
        self.looping -= 1
        lines += [STEP + line for line in body]
        fixed = not source.over and source.text not in ("", "range(0)")
        if self.chance(0.3 if fixed else 0.08):
            for name, kind in bound:
                self.bind(name, INT if kind.name == "int" else kind, "local")
        return lines

    def counted_loop(self, depth: int) -> Lines:
        """A `while` that counts its rounds, and may leave or skip some."""
        lists = self.places("list")
        if lists and self.chance(0.3):
            text, kind = self.draw.choice(lists)
            return self.sought(text, kind)
        most = f"len({self.draw.choice(lists)[0]})" if lists else "2"
        name = self.fresh(INT)
        first, test, step = "0", f"{name} < {most}", "+= 1"
        if self.chance(0.2):
            first, test = str(self.draw.randint(1, 4)), f"{name} > 0"
            step = self.pick(("-= 1", "-= 2", "//= 2"))
        more = f" and {self.condition(1)}" if self.chance(0.4) else ""
        lines = [f"{name} = {first}", f"while {test}{more}:"]
        self.looping += 1
        with self.scope():
            if not self.pure:
                self.widen()
            self.bind(name, INT, "global")
            body = [f"{name} {step}", *self.block(self.draw.choice((1, 1, 2)), depth - 1)]
        self.looping -= 1
        self.bind(name, INT, "local")
        return [*lines, *(STEP + line for line in body)]

    def sought(self, text: str, kind: Kind) -> Lines:
        """A `while` that goes on to the first element that meets a condition, or back from the
        last one."""
        name, element = self.fresh(INT), "it"
        with self.scope():
            self.bind(element, kind.inner, "global")
            test = self.condition(1)
        back = self.chance(0.3)
        place = f"{text}[{name} - 1]" if back else f"{text}[{name}]"
        test = re.sub(rf"\b{element}\b", place, test)
        if not back and self.chance(0.5):
            test = f"not {test}"
        self.bind(name, INT, "local")
        if back:
            return [f"{name} = len({text})", f"while {name} > 0 and {test}:", f"{STEP}{name} -= 1"]
        return [f"{name} = 0", f"while {name} < len({text}) and {test}:", f"{STEP}{name} += 1"]

    def change_under(self, source: Source) -> Lines:
        """A change of what a loop runs over, while it does."""
        held = [
            (t, k) for t, k in self.places("list", "set", "bag", "map", "table") if t == source.over
        ]
        held = [(t, k) for t, k in held if t not in CONSTANTS]
        if not held:
            return []
        path, kind = held[0]
        if kind.name in ("set", "bag"):
            operator = self.pick(("|=" if kind.name == "set" else "+=", "-="))
            return [f"{path} {operator} {self.expr(kind, 1)}"]
        if kind.name == "table" and self.chance(0.8):
            return self.key_change(0)
        if kind.name in ("map", "table") or self.chance(0.3):
            return [f"{path} = {self.expr(kind, 1)}"]
        if not path.startswith("s."):
            return [f"del {path}[{self.pick((':1', '1:', '-1:'))}]"]
        return self.change_list(path, kind)

    def leave(self, _depth: int) -> Lines:
        value = "" if self.result is None else f" {self.expr(self.result, 1)}"
        return [f"if {self.condition(1)}:", f"{STEP}return{value}"]

    def jump(self, _depth: int) -> Lines:
        return [f"if {self.condition(1)}:", STEP + self.pick(("break", "continue"))]
