"""Sizes of the kip320 design and the number of states each is known to have."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace


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
    def constants(self) -> dict[str, int]:
        """The constants by the names that the specmodel design gives them."""
        return {
            "replicas": self.replicas,
            "log_size": self.log_size,
            "max_records": self.max_records,
            "max_leader_epoch": self.max_leader_epoch,
        }


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
