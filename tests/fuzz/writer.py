"""What every part of the generator shares: chance, the names in scope, paths and literals."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.fuzz.kinds import BOOL, INT, Kind, World, bounded, leads, option, same

POOLS = {
    "bool": ("ok", "b", "flag", "found"),
    "int": ("i", "n", "k", "x", "count", "total"),
    "enum": ("c", "mode", "x"),
    "actor": ("n", "m", "r", "who"),
    "option": ("o", "maybe", "x"),
    "struct": ("p", "q", "r", "x", "item"),
    "tuple": ("pair", "t", "e", "x"),
    "union": ("m", "msg", "x"),
    "map": ("d", "table", "m"),
    "table": ("d", "by", "m"),
    "set": ("seen", "z", "some"),
    "bag": ("net", "z", "bag"),
    "list": ("xs", "ys", "rest", "v"),
}
"""Names for locals, by the kind of their value: few, so that they shadow and clash."""


@dataclass(frozen=True)
class Name:
    """A name in scope, or an expression that is as good as one (`s.far`, once it is not None)."""

    text: str
    kind: Kind
    role: str
    """One of state, parameter, argument (of an action), local, loop, narrowed, global, case.

    A case is what a test has left of a union: nothing can be changed in it.
    """


Bound = list[tuple[str, Kind]]
"""Names that a loop or an assignment binds, with the kinds of their values."""


@dataclass(frozen=True)
class Helper:
    """A function of the module that others may call, with the names of its parameters.

    `changes` says that it may change things.
    """

    name: str
    parameters: tuple[Kind, ...]
    result: Kind | None
    changes: bool
    names: tuple[str, ...]


@dataclass
class Writer:
    """Chance, and what is in scope where something is being written."""

    draw: random.Random
    world: World
    names: list[Name] = field(default_factory=list[Name])
    helpers: list[Helper] = field(default_factory=list[Helper])
    pool: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Conditions on the state that were written before, by the name of the state."""
    odd: float = 0.0
    """How often Python is written that the reference says is refused."""
    busy: bool = False
    """Whether expressions often call what changes the state."""
    risk: float = 0.15
    """How often something is written that fails unless the state is right for it."""
    starting: bool = False
    """In the initial state: collections mostly have something in them."""
    pure: bool = False
    """In a property: nothing may be changed, and nothing required."""
    habits: frozenset[str] = frozenset()
    """What this spec's author writes although the reference does not list it."""
    budget: int = 60
    """Expressions still to be written in this function; leaves only, once they are used up."""
    deep: int = 0
    """Paths within paths that are being written: keys and indices."""
    filled: frozenset[str] = frozenset()
    """Lists that have an element here: what was asked for it, or is being run over."""
    places_in: dict[str, str] = field(default_factory=dict[str, str])
    """Names that run over the indices of a list, and which list that is."""
    fixed: set[str] = field(default_factory=set[str])
    """Paths that lead through a union's value, in which nothing can be changed."""
    whole: dict[str, Kind] = field(default_factory=dict[str, Kind])
    """The unions that local names are of, of which tests have left something."""
    taken: dict[str, str] = field(default_factory=dict[str, str])
    """The kind of each name that the function has given, in whatever scope."""

    # Chance

    def chance(self, probability: float) -> bool:
        return self.draw.random() < probability

    def may(self, habit: str) -> bool:
        """Whether something that the reference does not list is written here."""
        return habit in self.habits

    def begin(self, text: str, kind: Kind, role: str) -> None:
        """Adds a parameter; the first one also what the module names for all its functions."""
        if not self.names:
            self.names += [Name(t, k, "global") for t, k in self.world.named]
        self.bind(text, kind, role)

    def pick(self, options: Sequence[str]) -> str:
        return self.draw.choice(options)

    def weighted(self, options: Sequence[tuple[float, Callable[[], str | None]]]) -> str | None:
        """What the first applicable of some writers gives, chosen by weight."""
        left = [(w, f) for w, f in options if w > 0]
        for _ in range(5):
            if not left:
                return None
            chosen = self.draw.choices(range(len(left)), [w for w, _ in left])[0]
            text = left.pop(chosen)[1]()
            if text is not None:
                return text
        return None

    # Scope

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is named inside is forgotten afterwards."""
        outer, filled = list(self.names), self.filled
        try:
            yield
        finally:
            self.names, self.filled = outer, filled

    def fill(self, text: str) -> None:
        """A list has an element from here on, to the end of the scope."""
        self.filled |= {text}

    def bind(self, text: str, kind: Kind, role: str = "local") -> None:
        """Adds a name, in the place of one that has the same text."""
        self.names = [
            n
            for n in self.names
            if n.text != text and not n.text.startswith((f"{text}.", f"{text}["))
        ]
        self.names.append(Name(text, kind, role))
        self.taken.setdefault(text, "int" if kind.name == "int" else kind.text)

    def fresh(self, kind: Kind, inner: bool = False) -> str:
        """A name for a value. An `inner` one, of a comprehension, may hide another."""
        pool = POOLS[kind.name]
        known = {n.text: n for n in self.names}
        own = "int" if kind.name == "int" else kind.text
        for _ in range(6):
            name = self.pick(pool)
            if not inner and self.taken.get(name, own) != own and not self.may("retype"):
                continue
            if name not in known or (inner and self.chance(0.4) and known[name].role != "state"):
                return name
            held = known[name]
            if held.role in ("local", "loop") and held.kind.text == kind.text and self.chance(0.3):
                return name
        number = 1
        while f"{pool[0]}{number}" in known or f"{pool[0]}{number}" in self.taken:
            number += 1
        return f"{pool[0]}{number}"

    # Paths

    def path(self, wanted: Kind, roles: Sequence[str] = (), place: bool = False) -> str | None:
        """An expression that leads from a name to a value of a kind, if there is one.

        Where it is to be a `place`, something can be stored there: a plain local counts too.
        """
        if self.deep > 2:
            return None
        roots = [n for n in self.names if leads(n.kind, wanted) and (not roles or n.role in roles)]
        if place:
            roots = [n for n in roots if not same(n.kind, wanted) or n.role in ("local",)]
            roots = [n for n in roots if n.role != "case"]
        self.deep += 1
        try:
            if self.deep == 1 and self.chance(0.006 if place else 0.05):
                root = self.unnamed()
                if root and leads(root.kind, wanted) and not (place and same(root.kind, wanted)):
                    roots = [root]
            return self._path(roots, wanted, place)
        finally:
            self.deep -= 1

    def unnamed(self) -> Name | None:
        """A part of something that no name is given to: what a helper returns, or one of two."""
        fit = [h for h in self.helpers if h.result is not None and h.result.mutable]
        fit = [h for h in fit if not (self.pure and h.changes)]
        if fit and self.chance(0.92):
            helper = self.draw.choice(fit)
            text = f"{helper.name}({', '.join(self.leaf(k) for k in helper.parameters)})"
            assert helper.result is not None
            return Name(text, helper.result, "local")
        parts = [n for n in self.names if n.kind.mutable and n.role not in ("state", "case")]
        if not parts or not self.chance(0.2):
            return None
        name = self.draw.choice(parts)
        others = [n.text for n in parts if n.kind.text == name.kind.text]
        text = f"({name.text} if {self.leaf(BOOL)} else {self.pick(others)})"
        return Name(text, name.kind, "local")

    def _path(self, roots: list[Name], wanted: Kind, place: bool) -> str | None:
        for _ in range(5):
            if not roots:
                return None
            root = self.draw.choices(roots, [3 if n.role != "state" else 2 for n in roots])[0]
            found = self._descend(root.text, root.kind, wanted, place)
            if found:
                if root.role == "case":
                    self.fixed.add(found)
                return found
        return None

    def _descend(self, text: str, kind: Kind, wanted: Kind, place: bool) -> str | None:
        within = False
        for deep in (3, 2, 1, 0):
            steps = [(f, part) for f, part in kind.fields if deep and leads(part, wanted, deep - 1)]
            if kind.name == "tuple" and place:
                steps = []
            if kind.name == "union" and steps:
                if place:
                    steps = []
                elif self.chance(self.risk / 3):
                    some = [f for one in kind.left for f in one.fields]
                    steps = [(f, k) for f, k in some if leads(k, wanted, deep - 1)] or steps
            further = (
                deep
                and kind.name in ("map", "table", "list", "option")
                and leads(kind.inner, wanted, deep - 1)
            )
            if same(kind, wanted) and (not (steps or further) or self.chance(0.8)):
                if within:
                    self.fixed.add(text)
                return text
            within = within or (kind.name == "union" and bool(steps))
            if steps:
                name, part = self.draw.choice(steps)
                text = f"{text}[{name}]" if kind.name == "tuple" else f"{text}.{name}"
                kind = part
            elif further and kind.name == "option":
                if not self.chance(self.risk / 2) or (
                    same(kind.inner, wanted) and wanted.name == "bool"
                ):
                    return None
                kind = kind.inner
            elif further and kind.name == "table" and not self.chance(self.risk / 2):
                return None
            elif further and kind.name in ("map", "table"):
                text, kind = f"{text}[{self.key(kind.parts[0])}]", kind.inner
            elif further:
                if text not in self.filled and not self.chance(self.risk / 4):
                    return None
                text, kind = f"{text}[{self.index(text)}]", kind.inner
            else:
                return None
        return None

    def index(self, text: str) -> str:
        """An index into a list."""
        options = ["0", "0", "0", "-1", "-1", f"len({text}) - 1", f"-len({text})"]
        options += [n.text for n in self.names if self.places_in.get(n.text) == text] * 6
        if self.chance(self.risk):
            options = ["1", "-2", "2", f"len({text})", self.leaf(INT)]
            options += [n.text for n in self.names if n.kind.name == "int"] * 2
        return self.pick(options)

    def key(self, kind: Kind) -> str:
        """A key of a map: for one from ints, hardly ever an int that may be none."""
        if kind.name != "int" or self.chance(self.risk):
            return self.leaf(kind)
        known = [n.text for n in self.names if n.kind.text == kind.text]
        return self.pick(known) if known and self.chance(0.6) else self.literal(kind)

    def places(self, *kinds: str, roles: Sequence[str] = ()) -> list[tuple[str, Kind]]:
        """A few paths to values of kinds with these names."""
        wanted = [k for k in self.every_kind() if k.name in kinds]
        found: dict[str, Kind] = {}
        for kind in sorted(wanted, key=lambda k: k.text):
            for _ in range(2):
                path = self.path(kind, roles)
                if path is not None and (kind is not self.world.state or self.chance(0.1)):
                    found[path] = kind
        return list(found.items())

    def every_kind(self) -> list[Kind]:
        """The kinds of what can be reached from the names in scope, in a fixed order."""
        found: dict[Kind, None] = {}
        queue = [n.kind for n in self.names]
        while queue:
            kind = queue.pop()
            if kind not in found:
                found[kind] = None
                queue += [part for _, part in kind.fields]
                queue += kind.parts
        return list(found)

    # Literals and leaves

    def leaf(self, kind: Kind) -> str:
        """A name, a path or a literal."""
        if self.chance(0.7):
            known = [n.text for n in self.names if same(n.kind, kind)]
            if known and self.chance(0.5):
                return self.pick(known)
            path = self.path(kind)
            if path is not None:
                return path
        if kind.name == "bool" and self.chance(0.85):
            if (asked := self.asked()) and self.chance(0.3):
                return asked
            places = self.places("int", "enum", "actor")
            if places:
                text, held = self.draw.choice(places)
                return f"({text} {self.pick(('==', '!='))} {self.literal(held)})"
        return self.literal(kind)

    def asked(self) -> str | None:
        """A test of a union's class."""
        places = [(t, k) for t, k in self.places("union", "option") if len(k.alternatives) > 1]
        if not places:
            return None
        text, kind = self.draw.choice(places)
        return f"isinstance({text}, {self.draw.choice(kind.alternatives).text})"

    def literal(self, kind: Kind) -> str:
        """A value written out, in the domain of a kind."""
        if kind.name == "bool":
            return self.pick(("True", "False"))
        if kind.name == "int":
            return self.number(kind)
        if kind.name in ("enum", "actor"):
            return self.member(kind)
        if kind.name == "option":
            return "None" if self.chance(0.4) else self.literal(kind.inner)
        if kind.name == "union":
            return self.literal(self.draw.choice(kind.parts))
        if kind.name == "struct":
            inner = [self.literal(part) for _, part in kind.fields]
            return f"{kind.text}({', '.join(inner)})"
        if kind.name == "tuple":
            return as_tuple([self.literal(part) for _, part in kind.fields])
        if kind.name == "map":
            with self.scope():
                key, clauses = self.every_key(kind)
                return f"{{{key}: {self.literal(kind.inner)} {clauses}}}"
        if kind.name == "table":
            some = range(self.draw.randint(int(self.starting), min(kind.most, 2)))
            some = some if self.hashed(kind.parts[0]) else range(0)
            inner = [f"{self.literal(kind.parts[0])}: {self.literal(kind.inner)}" for _ in some]
            return f"{{{', '.join(inner)}}}"
        count = self.draw.choice((1, 1, 2, 3) if self.starting else (0, 0, 1, 1, 2, 3))
        if kind.name == "list":
            inner = [self.literal(kind.inner) for _ in range(min(count, kind.most or 3))]
            return f"[{', '.join(inner)}]"
        count = count if self.hashed(kind.inner) else 0
        inner = [self.literal(kind.inner) for _ in range(min(count, kind.most or 3))]
        if kind.name == "bag":
            return f"Bag([{', '.join(inner)}])" if inner else "Bag()"
        return f"{{{', '.join(inner)}}}" if inner else "set()"

    def hashed(self, kind: Kind) -> bool:
        """Whether a literal is written where Python hashes it: hardly ever a list."""
        held = kind.inner if kind.name == "option" else kind
        return held.name not in ("list", "map", "table") or self.chance(0.1)

    def member(self, kind: Kind) -> str:
        """An enum's member; an actor, of a set whose members are interchangeable only by name."""
        if kind.name == "enum" or not self.world.symmetric:
            return self.pick(kind.members)
        known = [n.text for n in self.names if same(n.kind, kind)]
        path = None if known else self.path(kind)
        return self.pick(known) if known else path or self.pick(kind.members)

    def targets(self, kinds: Sequence[Kind], inner: bool = False) -> tuple[list[str], Bound]:
        """The targets of a loop, with the names that they bind; a tuple may be unpacked."""
        found, bound = list[str](), Bound()
        for kind in kinds:
            if kind.name == "tuple" and self.chance(0.5):
                texts, names = self.targets([part for _, part in kind.fields], inner)
                names = [(f"{n}3" if n in dict(bound) else n, part) for n, part in names]
                again = dict(zip(texts, [n for n, _ in names], strict=False))
                plain = len(texts) == len(names)
                if plain:
                    found.append(as_tuple([again[text] for text in texts]))
                    bound += names
                    continue
            name = self.fresh(kind, inner)
            while name in dict(bound):
                name += "2"
            found.append(name)
            bound.append((name, kind))
        return found, bound

    def every_key(self, kind: Kind) -> tuple[str, str]:
        """The key of a comprehension that makes a map, and its clauses; names are in scope."""
        key = kind.parts[0]
        known = self.path(kind) if key.name == "tuple" else None
        if key.name != "tuple" or len(key.fields) == 1 or (known and self.chance(0.3)):
            name, source = self.fresh(key, inner=True), known or self.keys(kind)
            self.bind(name, key, "loop")
            return name, f"for {name} in {source}"
        names = [f"{self.fresh(part, inner=True)}{i}" for i, (_, part) in enumerate(key.fields)]
        sources = [self.keys(Kind("map", "", (part, INT))) for _, part in key.fields]
        for name, (_, part) in zip(names, key.fields, strict=True):
            self.bind(name, part, "loop")
        rounds = zip(names, sources, strict=True)
        return as_tuple(names), " ".join(f"for {name} in {source}" for name, source in rounds)

    def keys(self, kind: Kind) -> str:
        """What a map's keys are run over as."""
        key = kind.parts[0]
        if key.name in ("bool", "union") and (known := self.path(kind)):
            return known  # there is no other way to go through all of them in an action
        if key.name == "bool":
            return "(False, True)"
        if key.name == "int":
            return f"range({key.low}, {key.high + 1})" if key.low else f"range({key.high + 1})"
        if key.name == "union":
            return f"values({key.text})"
        return key.text

    def number(self, kind: Kind = INT) -> str:
        """An int: within a kind's range, at its edges more often than not."""
        if kind.text == "int":
            kind = self.draw.choice([*self.world.ints, bounded(0, 3), bounded(0, 3)])
        low, high = kind.low, kind.high
        value = self.draw.choice(
            (
                low,
                high,
                low,
                self.draw.randint(low, high),
                self.draw.randint(low, min(high, low + 4)),
            )
        )
        return str(value)

    def optional_of(self, kind: Kind) -> Kind:
        return kind if kind.name == "option" else option(kind)

    def boolean_names(self) -> list[str]:
        return [n.text for n in self.names if same(n.kind, BOOL)]


def as_tuple(parts: Sequence[str]) -> str:
    """A tuple written out."""
    return f"({', '.join(parts)})" if len(parts) > 1 else f"({parts[0]},)"
