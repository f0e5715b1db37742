"""Sizes of the kip320 design and the number of states each is known to have."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Configuration:
    """Bounds of one run of kip320; epochs run from 0 to `max_leader_epoch` inclusive."""

    replicas: int
    log_size: int
    max_records: int
    max_leader_epoch: int

    @classmethod
    def parse(cls, text: str) -> Configuration:
        """Read `3,2,2,2`. Raises ValueError when it is not four positive integers."""
        if not re.fullmatch(r"[1-9]\d*(,[1-9]\d*){3}", text):
            raise ValueError(
                f"{text!r} is not replicas,log_size,max_records,max_leader_epoch:"
                " four integers of at least 1"
            )
        return cls(*map(int, text.split(",")))

    def __str__(self) -> str:
        return f"({self.replicas},{self.log_size},{self.max_records},{self.max_leader_epoch})"

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
}
"""As TLC counts them on the public TLA+ modules, but for the last two, which would take it half
an hour and hours: LARGE is as SPIN counts it, HUGE as specmodel's own engine does."""
