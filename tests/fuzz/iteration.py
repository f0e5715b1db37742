"""What a `for` may run over, in statements and in comprehensions."""

from __future__ import annotations

from dataclasses import dataclass

from tests.fuzz.classes import Classes
from tests.fuzz.kinds import INT, Kind, bounded, sequence, size


@dataclass(frozen=True)
class Source:
    """What stands after `in`, what it gives, and where the elements come from, if they are parts.

    `names` are the targets before they are named, in order; more than one is unpacked. Kinds in a
    pair of parentheses nest, as in `for i, (k, v) in enumerate(...)`.
    """

    text: str
    kinds: tuple[Kind, ...]
    over: str = ""
    pattern: str = ""


class Iteration(Classes):
    """Writes what loops run over."""

    def expr(self, kind: Kind, depth: int = 2) -> str:
        raise NotImplementedError

    def condition(self, depth: int = 2) -> str:
        raise NotImplementedError

    def source(self, depth: int, element: Kind | None = None) -> Source:
        """Something to run over; if possible, such that it gives elements of a kind."""
        lists, sets = self.places("list"), self.places("set", "bag")
        maps = self.places("map", "table")
        if element is not None and self.chance(0.6):
            lists = [(t, k) for t, k in lists if k.inner.text == element.text] or lists
            sets = [(t, k) for t, k in sets if k.inner.text == element.text] or sets
            maps = [(t, k) for t, k in maps if k.inner.text == element.text] or maps
        options: list[tuple[float, str]] = [(2, "domain"), (2, "range"), (0.7, "display")]
        options += [(6, "list")] * bool(lists) + [(3, "set")] * bool(sets)
        options += [(3, "map")] * bool(maps)
        chosen = self.draw.choices([o for _, o in options], [w for w, _ in options])[0]
        if chosen == "domain":
            small = [k for k in (*self.world.structs, *self.world.unions) if size(k) <= 12]
            small = [k for k in small if k.text.isidentifier() or self.chance(0.05)]
            if small and self.chance(0.1):
                kind = self.draw.choice(small)
                text = f"values({kind.text})"
                if self.chance(0.9):
                    self.fixed.add(text)
                return Source(text, (kind,), text)
            domains = [*self.world.actors, *self.world.enums]
            if domains:
                kind = self.draw.choice(domains)
                return Source(kind.text, (kind,))
            chosen = "range"
        if chosen == "range":
            return self._range(depth)
        if chosen == "display":
            return self._display(depth, element)
        if chosen == "list":
            return self._over_list(lists, depth)
        if chosen == "set":
            text, kind = self.draw.choice(sets)
            form = self.draw.random()
            if form < 0.15:
                text = self.expr(kind, depth)
            elif form < 0.2:
                text = f"list({text})"
            elif form < 0.4 and kind.inner.name == "int":
                text = f"sorted({text})"
            if self.chance(0.95):
                self.fixed.add(text)  # a member of a set cannot change
            return Source(text, (kind.inner,), text)
        text, kind = self.draw.choice(maps)
        form = self.draw.random()
        if form < 0.3:
            return Source(text, (kind.parts[0],), text)
        if form < 0.65:
            return Source(f"{text}.values()", (kind.inner,), text)
        if form < 0.8 and self.may("keys"):
            return Source(f"{text}.keys()", (kind.parts[0],), text)
        return Source(f"{text}.items()", (kind.parts[0], kind.inner), text)

    def _range(self, depth: int) -> Source:
        form = self.draw.random()
        lists = self.places("list")
        if form < 0.35:
            return Source(f"range({self.draw.randint(1, 4)})", (INT,))
        if form < 0.65 and lists:
            return Source(f"range(len({self.draw.choice(lists)[0]}))", (INT,))
        small = [n for n in self.places("int") if n[1].high - n[1].low < 20]
        bound = f"{self.draw.choice(small)[0]} % 4" if small else "2"
        if form < 0.8:
            return Source(f"range({bound})", (INT,))
        if form < 0.9 or not self.may("range step"):
            return Source(f"range({self.draw.randint(-1, 2)}, {bound})", (INT,))
        return Source(f"range({self.draw.randint(2, 4)}, 0, -1)", (INT,))

    def _display(self, depth: int, element: Kind | None) -> Source:
        """A tuple, list or set written out: of numbers and members, or of parts of the state."""
        if self.world.order and self.chance(0.5):
            return Source("ORDER", (self.world.order,))
        parts = self.places("struct", "list", "map")
        if parts and self.chance(0.4):
            kind = self.draw.choice(parts)[1]
            some = [self.path(kind) or self.literal(kind) for _ in range(2)]
            form = "({},)" if self.chance(0.6) else "[{}]"
            return Source(form.format(", ".join(some)), (kind,), some[0])
        kind = element if element is not None and element.scalar else bounded(0, 3)
        some = [self.literal(kind) for _ in range(self.draw.randint(1, 3))]
        form = self.pick(("({},)", "[{}]", "{{{}}}"))
        return Source(form.format(", ".join(some)), (kind,))

    def _over_list(self, lists: list[tuple[str, Kind]], depth: int) -> Source:
        text, kind = self.draw.choice(lists)
        part = kind.inner
        form = self.draw.random()
        if form < 0.4:
            return Source(text, (part,), text)
        if form < 0.52:
            cut = self.pick(("1:", ":1", ":2", ":", "-1:", ":-1", "1:2"))
            return Source(f"{text}[{cut}]", (part,), text)
        if form < 0.57:
            return Source(f"enumerate({text})", (INT, part), text)
        if form < 0.7 and self.may("reversed"):
            return Source(f"reversed({text})", (part,), text)
        if form < 0.78 and self.may("zip"):
            other, held = self.draw.choice(lists)
            return Source(f"zip({text}, {other})", (part, held.inner), text)
        if form < 0.82:
            return Source(f"list({text})", (part,), text)
        if form < 0.88:
            key = self.fresh(part, inner=True)
            with self.scope():
                self.bind(key, part, "loop")
                only = f" if {self.condition(depth - 1)}" if self.chance(0.6) else ""
            return Source(f"[{key} for {key} in {text}{only}]", (part,), text)
        if form < 0.93:
            other = self.path(kind) or text
            return Source(f"({text} + {other})", (part,), text)
        if form < 0.97 and part.name == "int":
            return Source(f"sorted({text})", (part,), text)
        return Source(self.expr(sequence(part, kind.most), depth), (part,), text)

    def enter(self, source: Source, targets: list[str]) -> None:
        """What is known within a loop: the list has an element, the first name is its index."""
        if source.over:
            self.fill(source.over)
        if source.text.startswith(("range(len(", "enumerate(")):
            over = source.text.removeprefix("range(len(").removeprefix("enumerate(").rstrip(")")
            self.fill(over)
            self.places_in[targets[0]] = over
        if source.over in self.fixed:
            for name, kind in zip(targets, source.kinds, strict=True):
                if kind.mutable:
                    self.bind(name, kind, "case")

    def clauses(self, depth: int, element: Kind | None = None) -> str:
        """`for ... in ... if ...` of a comprehension; what it names is in scope from then on."""
        written: list[str] = []
        for _ in range(2 if self.chance(0.15) else 1):
            source = self.source(depth - 1, element)
            targets, bound = self.targets(source.kinds, inner=True)
            for name, kind in bound:
                self.bind(name, kind, "loop")
            self.enter(source, targets)
            written.append(f"for {', '.join(targets)} in {source.text}")
            if len(source.kinds[-1].alternatives) > 1 and self.chance(0.4):
                written.append(f"if {self.sift(targets[-1], source.kinds[-1])}")
            if self.chance(0.4):
                written.append(f"if {self.condition(depth - 1)}")
        return " ".join(written)
