"""The options of a check, each stated once: name, type, default, and what is said of it.

From this table come the parameters of commands (`cli/options.py`), what an engine refuses, and the
tables of options in docs/reference.
"""

# ruff: noqa: RUF009 - each call is a field of its own

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeVar

from specmodel.errors import UsageError

SelfChecked = int | Literal["all"] | None
"""How many states to compare with CPython. None: as many as take little of a run's time."""

CHECKPOINT_EVERY = 600.0
"""Seconds between checkpoints, unless told otherwise."""

MOST = 10**15
"""The largest number that an option of a count takes: more than any machine gets to."""

ENGINES = ("native", "interpret", "spark", "smt")

# Sections of --help

SUBJECT = "What to check"
SEARCH = "How to search"
LIMITS = "Limits"
STATES = "Where states are kept"
REPORT = "What to write"

T = TypeVar("T")


@dataclass(frozen=True)
class Described:
    """What is said of an option.

    In `--help`: `help` in the section `panel`, a `metavar`, `flags` where the name is not all of
    them, and the `most` that a number may be. Where it is `open`, what a user leaves out is for the
    design or the machine to choose. `lacks` is what each engine says that has not got it, where
    `{option}` stands for its name.
    """

    panel: str
    help: str
    metavar: str
    flags: tuple[str, ...]
    most: int | None
    open: bool
    lacks: Mapping[str, str]


def _option(
    default: T,
    panel: str,
    help: str,
    metavar: str = "",
    *flags: str,
    most: int | None = MOST,
    open: bool = False,
    lacks: Mapping[str, str] = MappingProxyType({}),
) -> T:
    """The field of an option. The arguments are those of `Described`."""
    said = Described(panel, help, metavar, flags, most, open, lacks)
    return field(default=default, metadata={"said": said})


@cache
def described() -> dict[str, Described]:
    """What is said of each of the `Options` that a command may have, by its name."""
    return {f.name: f.metadata["said"] for f in fields(Options) if f.metadata}


_GIVEN = "{option} goes with --engine spark"
_ONLY_SPARK = {"native": _GIVEN, "interpret": _GIVEN, "smt": _GIVEN}
_ASKED = "the {engine} engine asks no solver: query_timeout is for smt"
_ONLY_SMT = {"native": _ASKED, "interpret": _ASKED, "spark": _ASKED}
_UNFIT = {"spark": "{option} is not for the spark engine"}
_UNKEPT = {
    "smt": "{option} is about states that a search keeps, and the smt engine keeps none: use the "
    "native engine, or limit it with --max-depth, --timeout or --query-timeout"
}
_OWN_WAY = {"interpret": "the interpreter keeps states its own way: use the native engine"}
_TABLES = {**_OWN_WAY, **_UNFIT, **_UNKEPT}
_UNREDUCED = {"interpret": "partial-order reduction is part of the native engine only", **_UNKEPT}
_UNSAVED = {"interpret": "the interpreter saves no space: use the native engine", **_UNKEPT}
_UNRESUMED = {
    "interpret": "the interpreter keeps no checkpoints: use the native engine",
    "spark": "{option} is not for the spark engine: --run DIR goes on",
}
_UNCHECKED = {
    **_UNRESUMED,
    **_UNKEPT,
    "spark": "{option} is not for the spark engine: --run DIR keeps all of a run",
}


@dataclass(frozen=True)
class Progress:
    """How far a running search has come. `frontier` is the states still to expand in this level.

    One that does not count states says in `asking` what it asks its solver. Once a search is over
    and its space is being saved, `saved` says how many states have been.
    """

    distinct: int | None
    generated: int | None
    depth: int
    frontier: int
    seconds: float
    memory: int
    disk: int = 0
    levels: tuple[int, ...] = ()
    asking: str = ""
    saved: int | None = None


@dataclass(frozen=True)
class Options:
    """What to check and when to stop. None means the design's own choice, or no limit.

    `properties` restricts the check to some names; `keep_going` explores the whole space past
    violations; `symmetry` takes states that differ only in the names of symmetric actors for one;
    `partial_order` leaves out orders of steps that make no difference to invariants; `max_memory`
    is in bytes, `timeout` in seconds; so is `query_timeout`, for each question to a solver. With
    `spill`, a folder, states go to disk when the memory is full; with `compress` they are kept in
    less memory, and found more slowly. With `fingerprint` only 64 bits of each are kept, and one
    may be omitted for another. `checkpoint` is the folder in
    which a checkpoint is kept, written at the first complete level `checkpoint_every` seconds after
    the last and when the search is ended early; with `resume` the search goes on from the one
    there, if there is one. `remark` is told what is worth knowing while the search runs. `coverage`
    counts the points of the spec's code. On Spark, `master` is the cluster's, and `run` the folder
    in which all of a run is kept, and gone on with if it is there. `save_space` is the folder in
    which the space is left. `self_check` is how many states are compared with CPython: a number, 0
    for none, "all", or None for as many as take little time. `engine` is for `specmodel.check`,
    which calls it: an engine does not look at it.
    """

    properties: tuple[str, ...] | None = _option(
        None, SUBJECT, "Check this property only, of any kind. Repeatable.", "NAME", "--invariant"
    )
    keep_going: bool = _option(
        False, SUBJECT, "Explore the whole space past violations.", "", "--continue"
    )
    deadlock: bool | None = _option(None, SUBJECT, "Whether a state without successor is wrong.")
    symmetry: bool = _option(
        False,
        SUBJECT,
        "Whether states that differ only in the names of symmetric actors count as one.",
        open=True,
    )
    partial_order: bool = _option(
        False,
        SUBJECT,
        "Leave out orders of steps that make no difference to invariants.",
        lacks=_UNREDUCED,
    )
    coverage: bool = _option(
        False, SUBJECT, "Count what of the spec's code is run.", lacks={**_UNFIT, **_UNKEPT}
    )
    engine: str = _option(ENGINES[0], SEARCH, "native, interpret, spark or smt.")
    workers: int = _option(
        1, SEARCH, "Threads. [default: the cores, at most 8]", most=None, open=True
    )
    master: str | None = _option(
        None,
        SEARCH,
        "With --engine spark: the cluster, as in spark://host:7077.",
        "URL",
        lacks=_ONLY_SPARK,
    )
    run: Path | None = _option(
        None,
        SEARCH,
        "With --engine spark: keep all of a run here, and go on with it.",
        "DIR",
        lacks=_ONLY_SPARK,
    )
    self_check: SelfChecked = _option(
        None,
        SEARCH,
        "States to compare with CPython: a number, all, or 0. [default: 50 or more]",
        "N",
    )
    max_states: int | None = _option(
        None, LIMITS, "Stop after about so many distinct states.", lacks=_UNKEPT
    )
    max_depth: int | None = _option(
        None,
        LIMITS,
        "Stop at this depth; initial states have depth 1. [default with smt: 10]",
        "",
        "--max-depth",
        "--depth",
    )
    max_memory: int | None = _option(
        None, LIMITS, "Stop at this size: 4G, 500M.", "SIZE", lacks={**_UNFIT, **_UNKEPT}
    )
    timeout: float | None = _option(None, LIMITS, "Stop after this time: 60s, 5m.", "TIME")
    query_timeout: float | None = _option(
        None, LIMITS, "With smt, the time for each question: 60s, 5m.", "TIME", lacks=_ONLY_SMT
    )
    spill: Path | None = _option(
        None, STATES, "When memory is full, move states to disk, into DIR.", "DIR", lacks=_TABLES
    )
    compress: bool = _option(
        False, STATES, "Keep states in less memory, which takes longer.", lacks=_TABLES
    )
    fingerprint: bool = _option(
        False,
        STATES,
        "Keep 64 bits of a state; some may be missed, which is unlikely.",
        lacks=_TABLES,
    )
    checkpoint: Path | None = _option(
        None, STATES, "Keep a checkpoint here, to --resume from.", "DIR", lacks=_UNCHECKED
    )
    checkpoint_every: float = _option(
        CHECKPOINT_EVERY, STATES, "Time between checkpoints. [default: 10m]", "TIME", open=True
    )
    resume: bool = _option(
        False, STATES, "Go on from the checkpoint, if there is one.", lacks=_UNRESUMED
    )
    save_space: Path | None = _option(
        None, REPORT, "Leave all states and steps here, as Parquet files.", "DIR", lacks=_UNSAVED
    )
    remark: Callable[[str], None] | None = field(default=None, compare=False)
    progress: Callable[[Progress], None] | None = field(default=None, compare=False)


def refuse_lacking(engine: str, options: Options) -> None:
    """Raises UsageError for an option that an engine does not have."""
    for name, said in described().items():
        if engine in said.lacks and getattr(options, name) not in (None, False):
            option = f"--{name.replace('_', '-')}"
            raise UsageError(said.lacks[engine].format(option=option, engine=engine))
