"""Statements that tell the classes of a union's value apart, and `match` of any value."""

from __future__ import annotations

from tests.fuzz.changes import STEP, Changes, Lines
from tests.fuzz.kinds import INT, Kind, united


class Matching(Changes):
    """Writes `match`, chains of `isinstance`, and early ends for some classes."""

    result: Kind | None = None

    def inner(self, count: int, depth: int) -> Lines:
        raise NotImplementedError

    def subject(self, named: bool = True) -> tuple[Lines, str, Kind] | None:
        """A union's value, mostly by a local name, which stays what it is."""
        found = self.unions()
        if not found:
            return None
        text, kind = self.draw.choice(found)
        calls = [h for h in self.helpers if h.result and len(h.result.alternatives) > 1]
        calls = [h for h in calls if not (self.pure and h.changes)]
        if calls and self.chance(0.15):
            helper = self.draw.choice(calls)
            assert helper.result is not None
            text, kind = self.calling(helper, 1), helper.result
        if not named and self.chance(0.2):
            return [], text, kind
        if text.isidentifier() or (self.chance(0.5) and "[" not in text and "(" not in text):
            return [], text, kind
        name = self.fresh(kind)
        self.bind(name, kind)
        return [f"{name} = {text}"], name, kind

    def telling(self, depth: int) -> Lines:
        """An `if` for a class, others for other classes, and what is left."""
        found = self.subject()
        if found is None:
            return []
        lines, text, kind = found
        word, left = "if", kind
        while len(left.alternatives) > 1 or left.name == "option":
            if left.name == "option" and (not left.alternatives or self.chance(0.2)):
                test, yes, no = f"{text} is not None", left.inner, None
            elif len(left.alternatives) > 1:
                test, yes, no = self.tested(text, left)
            else:
                break
            if self.chance(0.2):
                test, yes, no = f"not {test}" if "is not" not in test else test, no, yes
                if "is not" in test:
                    yes, no = no, yes
            with self.scope():
                self.narrow(text, yes)
                more = f" and {self.about(text, 1)}" if self.chance(0.15) else ""
                lines += [f"{word} {test}{more}:", *self.inner(self.draw.choice((1, 2)), depth - 1)]
            if more or no is None or self.chance(0.3):
                break
            word, left = "elif", no
        if self.chance(0.4):
            with self.scope():
                if word == "elif" and left is not kind:
                    self.narrow(text, left)
                lines += ["else:", *self.inner(1, depth - 1)]
        return lines

    def sifted(self, _depth: int) -> Lines:
        """A guard, or an early end, for all but some classes."""
        found = self.subject()
        if found is None:
            return []
        lines, text, kind = found
        test, yes, no = self.tested(text, kind)
        if no is not None and self.chance(0.3):
            test, yes = f"not {test}", no
        if not self.pure and self.chance(0.5):
            if self.chance(0.1):
                test = f"{test} and {self.condition(1)}"
            lines += [f"require({test})"]
        else:
            other = test.removeprefix("not ") if test.startswith("not ") else f"not {test}"
            lines += [f"if {other}:", STEP + self.ending()]
        self.narrow(text, yes)
        return lines

    def ending(self) -> str:
        """A statement after which nothing follows in a block."""
        if self.looping and self.chance(0.5):
            return self.pick(("continue", "break"))
        if self.result is None:
            return "return" if not self.pure else "pass"
        return f"return {self.expr(self.result, 1)}"

    # match

    def matching(self, depth: int) -> Lines:
        """A `match` of a union's value, or of an enum's member, an int, a bool or an option."""
        found = self.subject(named=False) if self.chance(0.75) else None
        if found is None:
            places = self.places("enum", "int", "option", "bool", "struct")
            places = [(t, k) for t, k in places if not (k.name == "struct" and self.chance(0.7))]
            if not places:
                return []
            text, kind = self.draw.choice(places)
            found = [], text, kind
        lines, text, kind = found
        return [*lines, f"match {text}:", *self.cases(text, kind, depth)]

    def cases(self, text: str, kind: Kind, depth: int, returning: bool = False) -> Lines:
        """Cases for a value, each with a block, or with what is returned."""
        lines: Lines = []
        left = [*kind.alternatives, *([None] if kind.name == "option" else [])]
        self.draw.shuffle(left)
        many = len(left) if returning else self.draw.randint(1, max(2, len(left)))
        for number in range(many):
            last = number == many - 1
            with self.scope():
                one = left.pop() if left else None
                if not returning and self.chance(0.1):
                    one = self.draw.choice([*kind.alternatives, one])
                resting = last and not returning and self.chance(0.3)
                if resting:
                    pattern = self.rest(text, kind)
                elif one is None and kind.name == "option" and self.chance(0.8):
                    pattern = "None"
                elif one is not None and returning:
                    self.narrow(text, one)
                    pattern = f"{one.text}()"
                elif one is not None:
                    pattern = self.class_pattern(text, kind, one, left)
                else:
                    pattern = self.pattern(text, kind, 2)
                guard = "" if returning or self.chance(0.75) else f" if {self.condition(1)}"
                if self.always(pattern) and not last and not guard:
                    guard = f" if {self.condition(1)}"
                lines += [f"{STEP}case {pattern}{guard}:"]
                if returning:
                    assert self.result is not None
                    lines += [f"{2 * STEP}return {self.expr(self.result, 2)}"]
                else:
                    body = self.inner(self.draw.choice((1, 1, 2)), depth - 1)
                    lines += [STEP + line for line in body]
        return lines

    def always(self, pattern: str) -> bool:
        """Whether a pattern fits any value, so that Python takes no case after it."""
        return pattern.isidentifier() and pattern not in ("None", "True", "False")

    def class_pattern(self, text: str, kind: Kind, one: Kind, left: list[Kind | None]) -> str:
        """A pattern for an alternative, or for two."""
        other = next((k for k in left if k is not None), None)
        if other is not None and self.chance(0.15):
            left.remove(other)
            union = kind.inner if kind.name == "option" else kind
            self.narrow(text, united(union.parts, (one, other)))
            if self.chance(0.5):
                return f"{one.text}() | {other.text}()"
            return " | ".join(self.pattern(text, k, 2, names=False) for k in (one, other))
        self.narrow(text, one)
        pattern = self.pattern(text, one, 2)
        if pattern.endswith(")") and self.chance(0.2):
            name = self.captured(text, one)
            return f"{pattern} as {name}" if name else pattern
        return pattern

    def rest(self, text: str, kind: Kind) -> str:
        """What fits any value."""
        name = self.captured(text, kind) if self.chance(0.3) else None
        return name or "_"

    def captured(self, text: str, kind: Kind) -> str | None:
        """A name for what a pattern captures, which is not that of its subject."""
        name = self.fresh(kind)
        if name == text.split(".")[0] or any(n.text == name for n in self.names):
            return None
        self.bind(name, INT if kind.name == "int" else kind, "case")
        return name

    def pattern(self, text: str, kind: Kind, depth: int, names: bool = True) -> str:
        """A pattern for a value of a kind; without `names` it captures nothing."""
        if names and self.chance(self.odd * 0.06 + self.risk * 0.02):
            odd = ("[x]", "int()", "True", "1", "None", "-1", "None | _", "object()", "2.0")
            return self.pick((*odd, "Color(zz=1)", "(True | 0) as flag"))
        if depth < 2 and self.chance(0.45):
            return (names and self.captured(text, kind)) or "_"
        if kind.name == "bool":
            return self.pick(("True", "False"))
        if kind.name == "int":
            form = self.draw.random()
            number = self.number(kind)
            return f"{number} | {self.number(kind)}" if form < 0.2 else number
        if kind.name == "enum":
            some = self.draw.sample(kind.members, min(len(kind.members), 2))
            form = self.draw.random()
            return f"{kind.text}()" if form < 0.15 else " | ".join(some[: 1 + (form > 0.8)])
        if kind.name == "actor":
            return f"{kind.text}()"
        if kind.name == "option":
            return "None" if self.chance(0.4) else self.pattern(text, kind.inner, depth, names)
        if kind.name == "union":
            one = self.draw.choice(kind.alternatives or kind.parts)
            return self.pattern(text, one, depth, names)
        if kind.name != "struct" or depth <= 0:
            return (names and self.captured(text, kind)) or "_"
        some = self.draw.randint(0, len(kind.fields))
        fields = list(kind.fields)
        if self.chance(0.5):
            parts = [self.pattern(text, part, depth - 1, names) for _, part in fields[:some]]
        else:
            fields = self.draw.sample(fields, some)
            parts = [f"{f}={self.pattern(text, part, depth - 1, names)}" for f, part in fields]
        return f"{kind.text}({', '.join(parts)})"

    def matched_return(self) -> Lines:
        """The end of a function that returns in each case of a union."""
        found = self.subject()
        if found is None or self.result is None:
            return []
        lines, text, kind = found
        return [*lines, f"match {text}:", *self.cases(text, kind, 1, returning=True)]
