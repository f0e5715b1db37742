"""The results of random walks. They never show that a property holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.results.result import PropertyResult, SelfCheck, property_of


@dataclass(frozen=True)
class Touched:
    """The visited part of the state space, as far as a sample of its states shows.

    `states` is the number of distinct states visited: counted if `share`, the part of all states in
    the sample's slice, is 1, else estimated. `sampled`, `once`, `twice` are the states of the
    sample visited by any walk, by one walk only, by two.

    `new_a_walk` is the number of new states that one more walk is expected to visit (Good and
    Turing's estimate, with walks as the units). `least` estimates a lower bound on the number of
    states that such walks can visit at all (Chao 1987): states that hardly any walk would visit
    leave no mark in any sample, so there may be far more. Either is None if there is no estimate;
    `unknown` says why.
    """

    states: int
    share: float
    sampled: int
    once: int
    twice: int
    new_a_walk: float | None = None
    least: float | None = None
    unknown: str = ""


@dataclass(frozen=True)
class Guarantee:
    """The bugs that priority-based walks find, and with what probability.

    A bug of depth `order`, in a design with `bindings` bindings whose behaviours all end within
    `steps` steps, is found by each walk with a probability of at least `a_walk`, so by some walk
    with at least `at_all` (Burckhardt et al., "A randomized scheduler with probabilistic guarantees
    of finding bugs", 2010; bindings are its threads).
    """

    order: int
    bindings: int
    steps: int
    a_walk: float
    at_all: float


@dataclass(frozen=True)
class Simulation:
    """The result of a simulation of a design.

    `properties` are violated, or (`reachable` ones) hold because they were met, each with a trace;
    otherwise they are incomplete: walks decide nothing else. `walk` is the number of the walk that
    violated, `walk_length` its states until then, before the trace was shrunk; `shortest` names
    properties whose trace is known to be a shortest one. `steps` counts the steps of all walks,
    `cut` the walks ended by the depth limit, `longest` the states of the longest. `coverage` is how
    often walks took each action, `bindings` how often each binding. `stopped` is "violation",
    "timeout", "interrupted", or empty: all walks were made. `saved` is the folder with tables of
    the walks, None if that was not asked for or failed. `self_check` is the part that was compared
    with CPython, None if nothing was.
    """

    design: str
    constants: Mapping[str, Value]
    engine: str
    workers: int
    strategy: str
    seed: int
    depth: int
    walks: int
    steps: int
    cut: int
    longest: int
    seconds: float
    properties: tuple[PropertyResult, ...]
    coverage: Mapping[str, int]
    bindings: Mapping[str, int]
    touched: Touched
    guarantee: Guarantee | None = None
    walk: int | None = None
    walk_length: int | None = None
    shortest: tuple[str, ...] = ()
    stopped: str = ""
    compile_seconds: float = 0.0
    saved: Path | None = None
    self_check: SelfCheck | None = None

    @property
    def violated(self) -> bool:
        """Whether a walk violated a property."""
        return any(found.verdict == "violated" for found in self.properties)

    @property
    def verdict(self) -> str:
        """`violated`, or `incomplete`: walks without a violation decide nothing."""
        return "violated" if self.violated else "incomplete"

    def __getitem__(self, name: str) -> PropertyResult:
        return property_of(self.properties, name)


@dataclass(frozen=True)
class WalkProgress:
    """The progress of a simulation. `seconds` since it began.

    Before the first walk, `asking` says what is compiled.
    """

    walks: int
    steps: int
    seconds: float
    asking: str = ""
