"""Statements that change a list or a map with a capacity."""

from __future__ import annotations

from tests.fuzz.expressions import Expressions
from tests.fuzz.kinds import INT, Kind

Lines = list[str]

STEP = "    "


class Changes(Expressions):
    """Writes changes of lists and maps. `looping` is how many loops they stand in."""

    looping: int = 0

    def block(self, count: int, depth: int) -> Lines:
        raise NotImplementedError

    def target(self, *kinds: str, roles: tuple[str, ...] = ()) -> tuple[str, Kind] | None:
        raise NotImplementedError

    def through_local(self, depth: int) -> Lines:
        raise NotImplementedError

    def room(self, path: str, kind: Kind, line: str) -> Lines:
        """A line that makes a list longer, mostly where it may be."""
        if self.chance(self.risk) and path.startswith("s."):
            return [line]
        if not self.pure and self.chance(0.4):
            return [f"require(len({path}) < {kind.most or 4})", line]
        return [f"if len({path}) < {kind.most or 4}:", f"{STEP}{line}"]

    def growing(self, path: str) -> bool:
        """Whether a list grows without bound if a loop goes on: one that is not of the state."""
        return self.looping > 0 and not path.startswith("s.") and self.chance(0.5)

    def list_change(self, _depth: int) -> Lines:
        found = self.target("list") or None
        lists = [(t, k) for t, k in self.places("list") if t not in self.fixed]
        if lists and (found is None or self.chance(0.5)):
            found = self.draw.choice(lists)
        return self.change_list(*found) if found else []

    def change_list(self, path: str, kind: Kind) -> Lines:
        form = self.draw.random()
        item = self.expr(kind.inner, 1)
        cut = self.pick(("1", "1", "1", "0", "2", "-1", f"len({path}) - 1", self.leaf(INT)))
        if form < 0.35:
            return self.room(path, kind, f"{path}.append({item})")
        if form < 0.45:
            return self.room(path, kind, f"{path}.extend({self.expr(kind, 1)})")
        if form < 0.6:
            return [f"del {path}[:{cut}]"]
        if form < 0.72:
            return [f"del {path}[{cut}:]"]
        if form < 0.8:
            return [f"{path}.clear()"]
        index = self.index(path)
        if form < 0.95:
            return [f"if {path}:", f"{STEP}{path}[{index}] = {item}"]
        if self.may("del item"):
            return [f"if {path}:", f"{STEP}del {path}[{self.pick(('0', '-1'))}]"]
        return [f"{path}[{index}] = {item}"]

    def key_change(self, depth: int) -> Lines:
        """A change of a map with a capacity: a key more or less, or the value of a key."""
        tables = [(t, k) for t, k in self.places("table") if t not in self.fixed]
        if not tables:
            return []
        path, kind = self.draw.choice(tables)
        key, form = self.leaf(kind.parts[0]), self.draw.random()
        if form < 0.35:
            line = f"{path}[{key}] = {self.expr(kind.inner, 1)}"
            if self.chance(self.risk):
                return [line]
            test = f"{key} in {path} or len({path}) < {kind.most}"
            return [f"require({test})", line] if self.chance(0.4) else [f"if {test}:", STEP + line]
        if form < 0.4:
            return [f"{path}.clear()"]
        if form < 0.6:
            line = f"del {path}[{key}]"
            return [line] if self.chance(self.risk) else [f"if {key} in {path}:", STEP + line]
        with self.scope():
            self.bind(f"{path}[{key}]", kind.inner, "narrowed")
            lines = self.through_local(0) if self.chance(0.7) else self.block(2, depth - 1)
        return [f"if {key} in {path}:", *(STEP + line for line in lines or ["pass"])]
