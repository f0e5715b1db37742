"""The types that a generated spec declares: enums, actors, ranges, structs, and what they make."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, eq=False)
class Kind:
    """A type as the generator sees it: one object for each, so that they compare fast.

    `name` is one of bool, int, enum, actor, option, struct, tuple, union, map, table (a map with a
    capacity), set, bag, list. `text` is how it is annotated. `parts` are the element of an option,
    a set, a bag or a list, the key and the value of a map, or the alternatives of a union. An int
    that is stored has `low` and `high`, which do not tell ints apart; a list has `most` elements.
    """

    name: str
    text: str
    parts: tuple[Kind, ...] = ()
    low: int = 0
    high: int = 0
    most: int = 0
    fields: tuple[tuple[str, Kind], ...] = ()
    """Those of a struct, those that all alternatives of a union have, or the parts of a tuple."""
    members: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    default: str = ""
    """Of a struct, that of its last field."""
    left: tuple[Kind, ...] = ()
    """Of a union, the alternatives that tests have left."""

    @property
    def mutable(self) -> bool:
        """Whether a name for such a value can be used to change it in place."""
        return self.name in ("struct", "map", "table", "list")

    @property
    def scalar(self) -> bool:
        return self.name in ("bool", "int", "enum", "actor")

    @property
    def inner(self) -> Kind:
        """What is in an option, a set, a bag or a list; of a map, its values."""
        return self.parts[-1]

    @property
    def alternatives(self) -> tuple[Kind, ...]:
        """What is left of a union, or of an optional one: the kinds that isinstance tells apart."""
        return self.inner.alternatives if self.name == "option" else self.left


BOOL = Kind("bool", "bool")
INT = Kind("int", "int")


@lru_cache(10_000)
def option(inner: Kind) -> Kind:
    return Kind("option", f"{inner.text} | None", (inner,))


@lru_cache(10_000)
def collection(element: Kind, most: int = 0) -> Kind:
    """A set: with a capacity, if `most` is one."""
    text = f"Set[{element.text}]"
    text = f"Annotated[{text}, Capacity({most})]" if most else text
    return Kind("set", text, (element,), most=most)


@lru_cache(10_000)
def tupled(parts: tuple[Kind, ...]) -> Kind:
    text = f"tuple[{', '.join(part.text for part in parts)}]"
    return Kind("tuple", text, fields=tuple((str(i), part) for i, part in enumerate(parts)))


@lru_cache(10_000)
def bag(element: Kind, most: int) -> Kind:
    text = f"Annotated[Bag[{element.text}], Capacity({most})]"
    return Kind("bag", text, (element,), most=most)


@lru_cache(10_000)
def sequence(element: Kind, most: int) -> Kind:
    text = f"Annotated[list[{element.text}], Capacity({most})]"
    return Kind("list", text, (element,), most=most)


@lru_cache(10_000)
def mapping(key: Kind, value: Kind) -> Kind:
    return Kind("map", f"dict[{key.text}, {value.text}]", (key, value))


@lru_cache(10_000)
def table(key: Kind, value: Kind, most: int) -> Kind:
    text = f"Annotated[dict[{key.text}, {value.text}], Capacity({most})]"
    return Kind("table", text, (key, value), most=most)


@lru_cache(10_000)
def united(parts: tuple[Kind, ...], left: tuple[Kind, ...] | None = None, text: str = "") -> Kind:
    """A union, of which some alternatives are left, all by default; a single one is itself."""
    left = parts if left is None else left
    if len(left) == 1:
        return left[0]
    common = tuple(
        (f, kind)
        for f, kind in left[0].fields
        if all(any(g == f and same(held, kind) for g, held in one.fields) for one in left)
    )
    text = text or " | ".join(part.text for part in parts)
    return Kind("union", text, parts, fields=common, left=left)


@lru_cache(10_000)
def bounded(low: int, high: int) -> Kind:
    return Kind("int", f"Annotated[int, Range({low}, {high})]", low=low, high=high)


@lru_cache(10_000)
def same(a: Kind, b: Kind) -> bool:
    """Whether a value of one kind may stand where the other is wanted, bounds of ints aside."""
    if a.name != b.name:
        return False
    if a.name == "union":
        return set(a.parts) == set(b.parts)
    if a.name == "tuple":
        parts = zip(a.fields, b.fields, strict=False)
        return len(a.fields) == len(b.fields) and all(same(x, y) for (_, x), (_, y) in parts)
    if a.name == "struct" or not a.parts:
        return a.name == "int" or a.text == b.text
    return all(same(x, y) for x, y in zip(a.parts, b.parts, strict=True))


@lru_cache(10_000)
def inside(kind: Kind) -> frozenset[str]:
    """The names of all kinds that a value of this kind has in it, itself included."""
    found = {kind.name}
    for _, part in kind.fields:
        found |= inside(part)
    for part in kind.parts:
        found |= inside(part)
    return frozenset(found)


@lru_cache(10_000)
def has_capacity(kind: Kind) -> bool:
    """Whether a value of a kind has a set with a capacity or a bag in it, which no set may hold."""
    held = (*kind.parts, *(part for _, part in kind.fields))
    return bool(kind.name in ("set", "bag", "table") and kind.most) or any(map(has_capacity, held))


@lru_cache(10_000)
def leads(kind: Kind, wanted: Kind, deep: int = 3) -> bool:
    """Whether a value of a kind has one of the wanted kind somewhere in it, or is one."""
    if same(kind, wanted):
        return True
    if deep == 0:
        return False
    steps = [part for _, part in kind.fields]
    if kind.name in ("map", "table", "list", "option"):
        steps.append(kind.inner)
    return any(leads(step, wanted, deep - 1) for step in steps)


class World:
    """The types of one spec, drawn at random."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.symmetric = draw.random() < 0.12
        self.enums: list[Kind] = []
        self.actors: list[Kind] = []
        self.structs: list[Kind] = []
        self.unions: list[Kind] = []
        self.aliases: dict[str, Kind] = {}
        """The unions that the module gives a name to."""
        for name in ("Color", "Mode")[: draw.choice((0, 1, 1, 2))]:
            pool = ("red", "green", "blue", "gold") if name == "Color" else ("off", "on", "idle")
            members = tuple(f"{name}.{m}" for m in pool[: draw.randint(1, len(pool))])
            self.enums.append(Kind("enum", name, members=members))
        for name in ("Node", "Key")[: 1 if self.symmetric else draw.choice((0, 1, 1, 2))]:
            size = draw.choice((2, 2, 3) if self.symmetric else (1, 2, 2, 2, 3))
            members = tuple(f"{name}.nth({i})" for i in range(size))
            self.actors.append(Kind("actor", name, members=members))
        self.ints = [self._range() for _ in range(draw.randint(1, 3))]
        several = draw.random() < 0.3
        for name in ("P", "Q", "Item")[: draw.choice((2, 3) if several else (0, 1, 1, 1, 2, 2, 3))]:
            self.structs.append(self._struct(name))
            if several or draw.random() < 0.15:
                self._union()
        fields = [(f, self.field(2)) for f in "abcdef"[: draw.choice((1, 2, 2, 3, 3, 4, 5))]]
        if self.unions and not any("union" in inside(kind) for _, kind in fields):
            fields[0] = ("a", self._holding(draw.choice(self.unions)))
        if self.symmetric:
            fields.insert(0, ("who", self.actors[0]))
        self.state = Kind("struct", "S", fields=tuple(fields))
        self.named: list[tuple[str, Kind]] = []
        self.module: list[str] = []
        self.methods: set[str] = set()
        self._module_names()

    def _union(self) -> None:
        """A union of some of the types so far, if they can be told apart."""
        pool = [k for k in (*self.structs, *self.enums, *self.actors) if not self._related(k)]
        pool = [*pool, *(k for k in self.structs if k not in pool)]
        self.draw.shuffle(pool)
        parts: list[Kind] = []
        for kind in pool[: self.draw.choice((2, 2, 3, 3, 4))]:
            if not any(k.text in kind.bases or kind.text in k.bases for k in parts):
                parts.append(kind)
        if len(parts) < 2 or any(set(parts) == set(known.parts) for known in self.unions):
            return
        name = ("Message", "Either", "Third")[len(self.unions)]
        named = self.draw.random() < 0.4
        self.unions.append(united(tuple(parts), text=name if named else ""))
        if named:
            self.aliases[name] = self.unions[-1]

    def _related(self, kind: Kind) -> bool:
        return any(kind.text in k.bases or k.text in kind.bases for k in self.structs)

    def _holding(self, kind: Kind) -> Kind:
        """A kind of a field that has one of another kind in it."""
        chance = self.draw.random()
        if chance < 0.2:
            return kind if chance < 0.1 else option(kind)
        if chance < 0.4 or has_capacity(kind):
            return sequence(kind, self.draw.choice((1, 2, 2, 3)))
        if chance < 0.5 and size(kind) <= 600:
            return collection(kind)
        if chance < 0.65:
            return collection(kind, self.draw.choice((1, 2, 2, 3)))
        if chance < 0.8:
            return bag(kind, self.draw.choice((1, 2, 2, 3)))
        if chance < 0.9 and self.actors:
            return mapping(self.actors[0], kind)
        key = kind if chance < 0.95 else self._sparse()
        return table(key, kind, self.draw.choice((1, 2, 2)))

    def _module_names(self) -> None:
        """What the module names for all its functions: a constant, a number, some members."""
        if self.draw.random() < 0.15:
            self.named.append(("most", INT))
            self.module.append(f'most = constant("most", {self.draw.randint(0, 4)})')
        if self.draw.random() < 0.1:
            self.named.append(("LIMIT", INT))
            self.module.append(f"LIMIT = {self.draw.randint(-2, 5)}")
        if self.draw.random() < 0.05:
            self._known_values()
        groups = [*self.enums, *([] if self.symmetric else self.actors)]
        if groups and self.draw.random() < 0.15:
            kind = self.draw.choice(groups)
            some = self.draw.sample(kind.members, self.draw.randint(1, len(kind.members)))
            self.named.append(("SOME", collection(kind)))
            self.module.append(f"SOME = frozenset({{{', '.join(some)}}})")
        self.order: Kind | None = None
        self.ordered = 0
        if groups and self.draw.random() < 0.06:
            self.order = self.draw.choice(groups)
            self.put_in_order(self.order.members)
        elif self.draw.random() < 0.05:
            low, self.ordered = self.draw.choice((-1, 0, 0, 1)), self.draw.randint(1, 4)
            self.order = bounded(low, low + self.ordered - 1)
            self.module.append(f"ORDER = range({low}, {low + self.ordered})")

    def put_in_order(self, texts: Sequence[str]) -> None:
        """The module has a tuple of these."""
        self.ordered = len(texts)
        self.module.append(f"ORDER = ({', '.join(texts)},)")

    def _known_values(self) -> None:
        """Sets that the module computes: all values of a kind, or some subsets of one."""
        groups = [*self.enums, *([] if self.symmetric else self.actors)]
        if groups and self.draw.random() < 0.5:
            kind = self.draw.choice(groups)
            self.named.append(("QUORUMS", collection(collection(kind))))
            form = self.draw.choice(
                ("{{q for q in subsets({0}) if 2 * len(q) > len({0})}}", "subsets({0}, size=1)")
            )
            self.module.append(f"QUORUMS = {form.format(kind.text)}")
            return
        pool = [k for k in (*self.structs, *self.unions) if size(k) <= 30]
        if pool and not self.symmetric:
            kind = self.draw.choice(pool)
            self.named.append(("ALL", collection(kind)))
            self.module.append(f"ALL = values({kind.text})")

    def _range(self) -> Kind:
        usual = ((0, 1), (0, 2), (0, 3), (0, 3), (0, 4), (0, 7), (0, 9), (1, 3), (-1, 1), (-2, 2))
        small = ((-3, 4), (-4, -1), (0, 0), (5, 5), (0, 15), (0, 16), (2**40, 2**40 + 3))
        wide = ((-128, 127), (0, 255), (0, 2**31 - 1), (-(2**31), 2**31 - 1), (-1, 2**32))
        pools = self.draw.choices((usual, small, wide), (80, 14, 6))
        low, high = self.draw.choice(pools[0])
        return bounded(low, high)

    def _struct(self, name: str) -> Kind:
        base: Kind | None = None
        plain = [k for k in self.structs if not k.default]
        if plain and self.draw.random() < 0.2:
            base = self.draw.choice(plain)
        fields = list(base.fields) if base else []
        taken = {f for f, _ in fields}
        free = [f for f in ("f", "g", "h", "k", "v", "w") if f not in taken]
        for f in free[: self.draw.choice((1, 1, 2, 2, 3))]:
            deep = 1 if self.draw.random() < 0.35 else 0
            known = [kind for k in self.structs for g, kind in k.fields if g == f]
            alike = known and self.draw.random() < 0.3
            fields.append((f, self.draw.choice(known) if alike else self.field(deep)))
        bases = (base.text, *base.bases) if base else ()
        default, last = "", fields[-1][1]
        if self.draw.random() < 0.25 and (base is None or len(fields) > len(base.fields)):
            if last.name == "option":
                default = "None"
            elif last.name in ("bool", "int", "enum"):
                default = {"bool": "False", "int": str(last.low)}.get(last.name) or last.members[0]
        return Kind("struct", name, fields=tuple(fields), bases=bases, default=default)

    def scalar(self) -> Kind:
        pool = [BOOL, *self.ints, *self.ints, *self.enums, *self.actors]
        return self.draw.choice(pool)

    def element(self, deep: int) -> Kind:
        """What may be in a collection."""
        kind = self._element(deep)
        return option(kind) if kind.name != "option" and self.draw.random() < 0.08 else kind

    def _element(self, deep: int) -> Kind:
        if self.unions and self.draw.random() < 0.3:
            return self.draw.choice(self.unions)
        if self.structs and self.draw.random() < 0.45:
            return self.draw.choice(self.structs)
        if deep > 0 and self.draw.random() < 0.15:
            return self.field(deep - 1)
        return self.tuple() if self.draw.random() < 0.12 else self.scalar()

    def tuple(self) -> Kind:
        """A tuple of scalars, some of which may be absent, and now and then of tuples or sets."""
        parts = list[Kind]()
        for _ in range(self.draw.choice((1, 2, 2, 2, 3))):
            kind, chance = self.scalar(), self.draw.random()
            if chance < 0.12:
                kind = option(kind)
            elif chance < 0.16:
                kind = tupled((kind, self.scalar()))
            elif chance < 0.2 and size(kind) <= 5:
                kind = collection(kind)
            parts.append(kind)
        return tupled(tuple(parts))

    def field(self, deep: int) -> Kind:
        chance = self.draw.random()
        if deep == 0 or chance < 0.25:
            kind = self.scalar()
            return option(kind) if self.draw.random() < 0.2 else kind
        if chance < 0.29:
            return option(self.tuple()) if self.draw.random() < 0.2 else self.tuple()
        if chance < 0.4 and self.structs:
            among = self.unions and self.draw.random() < 0.4
            kind = self.draw.choice(self.unions if among else self.structs)
            return option(kind) if self.draw.random() < 0.25 else kind
        if chance < 0.65:
            kind = sequence(self.element(deep - 1), self.draw.choice((1, 2, 2, 3, 3, 4)))
        elif chance < 0.8:
            kind = self._set() if chance < 0.73 else self._bag()
        elif chance < 0.89:
            value = self.element(deep - (self.draw.random() < 0.7))
            kind = table(self._sparse(), value, self.draw.choice((1, 2, 2, 3)))
        else:
            keys = [*self.actors * 3, *self.enums * 3, bounded(0, 2), bounded(0, 1)]
            keys += [k for k in self.ints if size(k) <= 5]
            keys += [BOOL] * (self.draw.random() < 0.1)
            keys += [k for k in self.unions if size(k) <= 6] * 3
            pair = self.tuple()
            plain = all(part.name != "set" for _, part in pair.fields)
            keys += [pair] * 2 * (size(pair) <= 8 and plain)
            kind = mapping(self.draw.choice(keys), self.element(deep))
        return option(kind) if self.draw.random() < 0.06 else kind

    def _set(self) -> Kind:
        if self.draw.random() < 0.6:
            return collection(self._small())
        return collection(self._sparse(), self.draw.choice((1, 2, 2, 3)))

    def _bag(self) -> Kind:
        kind = self._sparse()
        kind = option(kind) if self.draw.random() < 0.08 else kind
        return bag(kind, self.draw.choice((1, 2, 3, 3)))

    def _sparse(self) -> Kind:
        """What may be in a collection with a capacity."""
        pool = [
            *self.unions * 4,
            *self.structs * 3,
            *self.ints,
            *self.enums,
            *self.actors,
            self.tuple(),
            self._small(),
        ]
        return self.draw.choice([kind for kind in pool if not has_capacity(kind)])

    def _small(self) -> Kind:
        """What may be in a set: mostly of few values, now and then of more than 32."""
        pool = [k for k in self.ints if k.high - k.low < 40] or [bounded(0, 3)]
        pool += [BOOL, *self.enums, *self.actors]
        pool += [k for k in (*self.structs, *self.unions) if size(k) <= 600] * 2
        pair = self.tuple()
        pool += [pair] * 2 * (size(pair) <= 60)
        kind = self.draw.choice([kind for kind in pool if not has_capacity(kind)])
        form = self.draw.random()
        if form < 0.12:
            kind = option(kind)
        elif form < 0.17 and size(kind) <= 5:
            kind = sequence(kind, 2) if self.draw.random() < 0.5 else collection(kind)
        return kind

    def annotations(self) -> Iterator[Kind]:
        """Kinds that a programmer would give to a parameter or a local name."""
        yield from (BOOL, INT, *self.enums, *self.actors, *self.structs, *self.unions)
        for _, kind in self.state.fields:
            yield kind

    def subtypes(self, kind: Kind) -> list[Kind]:
        """The structs that extend one."""
        return [k for k in self.structs if kind.text in k.bases]


@lru_cache(10_000)
def size(kind: Kind) -> int:
    """How many values a kind has, at most 10**9."""
    if kind.name == "bool":
        count = 2
    elif kind.name == "int":
        count = kind.high - kind.low + 1
    elif kind.name in ("enum", "actor"):
        count = len(kind.members)
    elif kind.name == "option":
        count = 1 + size(kind.inner)
    elif kind.name == "union":
        count = sum(map(size, kind.parts))
    elif kind.name in ("struct", "tuple"):
        count = 1
        for _, part in kind.fields:
            count *= size(part)
    elif kind.name in ("set", "bag", "table") and kind.most:
        count = 10**9  # no parameter is one
    elif kind.name == "set":
        count = 2 ** min(30, size(kind.inner))
    elif kind.name == "list":
        count = sum(size(kind.inner) ** n for n in range(kind.most + 1))
    else:
        count = int(size(kind.inner) ** min(30, size(kind.parts[0])))
    return min(count, 10**9)
