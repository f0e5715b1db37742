"""Names of behaviours: where one starts, and the choices made since.

    t12          the first 12 states of the recorded trace
    t9.12.3      its first 9 states, then the bindings 12 and 3
    i0.5         the first initial state, then the binding 5

Such a name is part of the address of a page, so that an address restores what it showed. Bindings
are numbered as the interpreter does, which is the same on every run of the same design.
"""

from __future__ import annotations

import re
from typing import Literal

from specmodel.dataclass import dataclass
from specmodel.errors import UsageError

MOST_CHOICES = 20_000
"""The greatest number of choices in a name."""

_FORM = re.compile(r"([ti])(\d{1,9})((?:\.\d{1,9})*)")


@dataclass(frozen=True)
class Branch:
    """The name of a behaviour.

    `kind` "t" starts with `number` states of the recorded trace, at least 1; "i" with the initial
    state of that number, from 0. `choices` are the bindings taken from there.
    """

    kind: Literal["t", "i"]
    number: int
    choices: tuple[int, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Branch:
        """The branch with a name. Raises UsageError for a text that is not a name."""
        match = _FORM.fullmatch(text)
        if match is None:
            raise UsageError(f'"{text[:40]}" is no branch: one is written t9.12.3 or i0.5')
        choices = tuple(int(part) for part in match[3].split(".")[1:])
        if len(choices) > MOST_CHOICES:
            raise UsageError(f"a branch has at most {MOST_CHOICES} choices, not {len(choices)}")
        return cls("t" if match[1] == "t" else "i", int(match[2]), choices)

    @property
    def length(self) -> int:
        """The states of the behaviour."""
        return (self.number if self.kind == "t" else 1) + len(self.choices)

    def prefix(self, length: int) -> Branch:
        """The branch of its first states."""
        start = self.number if self.kind == "t" else 1
        if length < start:
            return Branch("t", length)
        return Branch(self.kind, self.number, self.choices[: length - start])

    def then(self, *choices: int) -> Branch:
        """The branch that continues with some bindings."""
        return Branch(self.kind, self.number, (*self.choices, *choices))

    def __str__(self) -> str:
        return ".".join([f"{self.kind}{self.number}", *map(str, self.choices)])
