"""Tests of the class of a union's value, and what they leave of it."""

from __future__ import annotations

from tests.fuzz.kinds import Kind, option, united
from tests.fuzz.writer import Writer


class Classes(Writer):
    """Writes `isinstance`, and knows what is left where it is true or false."""

    def unions(self) -> list[tuple[str, Kind]]:
        """A few paths to values of unions, and of optional ones."""
        found = self.places("union", "option")
        return [(text, kind) for text, kind in found if len(kind.alternatives) > 1]

    def tested(self, text: str, kind: Kind) -> tuple[str, Kind | None, Kind | None]:
        """A test of a value's class; what is left where it holds, and where it does not."""
        parts = kind.alternatives
        union = kind.inner if kind.name == "option" else kind
        some = self.draw.sample(parts, self.draw.choice((1, 1, 1, min(2, len(parts)))))
        names = [part.text for part in some]
        named = [t for t, k in self.world.aliases.items() if set(k.parts) <= set(parts)]
        if named and self.chance(0.2):
            names = [self.pick(named)]
            some = [part for part in parts if part in self.world.aliases[names[0]].parts]
        others = tuple(part for part in parts if part not in some)
        absent = kind.name == "option"
        yes: Kind | None = united(union.parts, tuple(some))
        no: Kind | None = united(union.parts, others) if others else None
        if absent and len(some) > 1 and self.chance(0.15):
            names.append("None")
            yes, absent = option(united(union.parts, tuple(some))), False
        no = option(no) if absent and no else no
        written = " | ".join(names)
        if len(names) > 1 and "None" not in names and self.chance(0.4):
            written = f"({', '.join(names)})"
        return f"isinstance({text}, {written})", yes, no

    def narrow(self, text: str, kind: Kind | None) -> None:
        """In this scope, a value is known to be of a kind; nothing is, of the parts of a list."""
        if kind is not None and "[" not in text and "(" not in text:
            held = next((n for n in self.names if n.text == text and n.role == "local"), None)
            if held is not None and held.kind.alternatives:
                self.whole[text] = held.kind
            self.bind(text, kind, "case")

    def widen(self) -> None:
        """Something was stored: what was known of fields is mostly forgotten."""
        if self.chance(0.3):
            return
        self.names = [n for n in self.names if n.role != "case" or n.text.isidentifier()]

    def sift(self, name: str, kind: Kind) -> str:
        """A condition that leaves some classes of what a comprehension runs over."""
        test, yes, no = self.tested(name, kind)
        if self.chance(0.25):
            test, yes = f"not {test}", no
        self.narrow(name, yes)
        return test
