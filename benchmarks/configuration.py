"""What is searched: sizes of the kip320 design, and the number of states each is known to have."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Protocol


class Case(Hashable, Protocol):
    """A design with its constants, as every contender searches it; `str` gives its name."""

    @property
    def design(self) -> str:
        """The name of the specmodel design."""
        ...

    @property
    def invariants(self) -> tuple[str, ...]:
        """What specmodel checks in every state: what the peers' models check."""
        ...

    @property
    def constants(self) -> dict[str, int]:
        """The constants by the names that the specmodel design gives them."""
        ...

    @property
    def symmetric(self) -> bool:
        """Whether states that differ only in names count as one."""
        ...

    @property
    def known(self) -> StateSpace | None:
        """The state space that every contender has to find, if it is known."""
        ...


@dataclass(frozen=True, order=True)
class Configuration:
    """Bounds of one run of kip320; epochs run from 0 to `max_leader_epoch` inclusive.

    In a `symmetric` one, states that differ only in the names of replicas count as one.
    """

    replicas: int
    log_size: int
    max_records: int
    max_leader_epoch: int
    symmetric: bool = False

    @classmethod
    def parse(cls, text: str) -> Configuration:
        """Read `3,2,2,2`. Raises ValueError when it is not four positive integers."""
        if not re.fullmatch(r"[1-9]\d*(,[1-9]\d*){3}", text):
            raise ValueError(
                f"{text!r} is not replicas,log_size,max_records,max_leader_epoch:"
                " four integers of at least 1"
            )
        replicas, log_size, max_records, max_leader_epoch = map(int, text.split(","))
        return cls(replicas, log_size, max_records, max_leader_epoch)

    def __str__(self) -> str:
        bounds = f"({self.replicas},{self.log_size},{self.max_records},{self.max_leader_epoch})"
        return f"{bounds} up to names" if self.symmetric else bounds

    @property
    def up_to_names(self) -> Configuration:
        """The same bounds, symmetric."""
        return replace(self, symmetric=True)

    @property
    def design(self) -> str:
        """The name of the specmodel design."""
        return "kip320"

    @property
    def invariants(self) -> tuple[str, ...]:
        """What specmodel checks in every state: what the peers' models check."""
        return INVARIANTS

    @property
    def known(self) -> StateSpace | None:
        """Its state space, if that was counted by several checkers or took one of them long."""
        return KNOWN_SPACES.get(self)

    @property
    def constants(self) -> dict[str, int]:
        """The constants by the names that the specmodel design gives them."""
        return {
            "replicas": self.replicas,
            "log_size": self.log_size,
            "max_records": self.max_records,
            "max_leader_epoch": self.max_leader_epoch,
        }


INVARIANTS = ("weak_isr", "strong_isr")
SMALLEST = Configuration(2, 2, 2, 1)
MAIN = Configuration(3, 2, 2, 2)
LARGE = Configuration(3, 2, 2, 3)
HUGE = Configuration(3, 3, 3, 3)


@dataclass(frozen=True)
class StateSpace:
    """Reachable states, and the number of states on the longest of the shortest paths to them."""

    distinct: int
    depth: int


KNOWN_SPACES = {
    SMALLEST: StateSpace(957, 15),
    Configuration(2, 2, 2, 2): StateSpace(5_973, 18),
    Configuration(3, 2, 2, 1): StateSpace(39_619, 22),
    MAIN: StateSpace(737_794, 26),
    LARGE: StateSpace(9_985_570, 32),
    HUGE: StateSpace(64_739_578, 37),
    SMALLEST.up_to_names: StateSpace(479, 15),
    Configuration(3, 2, 2, 1).up_to_names: StateSpace(6_713, 22),
    MAIN.up_to_names: StateSpace(123_311, 26),
    LARGE.up_to_names: StateSpace(1_665_204, 32),
}
"""As TLC counts them on the public TLA+ modules, but for what would take it half an hour and more:
LARGE is as SPIN counts it, HUGE and LARGE up to names as specmodel's own engine does."""
