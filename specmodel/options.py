"""The options of a check, each declared once: name, type, default, and help.

From this table come the parameters of commands (`cli/options.py`) and the tables of options in
docs/reference. Each engine names those it has (`engines/base/engine.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, fields
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

from specmodel.dataclass import dataclass

SelfChecked = int | Literal["all"] | None
"""The number of states to compare with CPython. None: as many as take little of a run's time."""

CHECKPOINT_EVERY = 600.0
"""Seconds between checkpoints, unless told otherwise."""

MOST = 10**15
"""The greatest value of an option that counts: more than any machine reaches."""

DEFAULT_ENGINE = "native"

# Sections of --help

SUBJECT = "What to check"
SEARCH = "How to search"
LIMITS = "Limits"
STATES = "Where states are kept"
REPORT = "What to write"

T = TypeVar("T")


@dataclass(frozen=True)
class Described:
    """The description of an option.

    In `--help`: `help` in the section `panel`, a `metavar`, `flags` if the name is not the only
    one, and the greatest value `most`. If it is `open`, the design or the machine chooses a missing
    value.
    """

    panel: str
    help: str
    metavar: str
    flags: tuple[str, ...]
    most: int | None
    open: bool


FOLDER_OR_URL = "DIR|URL"
"""The metavar of a folder that may be in a store, as s3://bucket/space is."""


def _option(
    default: T,
    panel: str,
    help: str,
    metavar: str = "",
    *flags: str,
    most: int | None = MOST,
    open: bool = False,
) -> T:
    """The field of an option. The arguments are those of `Described`."""
    said = Described(panel, help, metavar, flags, most, open)
    return field(default=default, metadata={"said": said})


@cache
def described() -> dict[str, Described]:
    """The descriptions of the `Options` that a command may have, by name."""
    return {f.name: f.metadata["said"] for f in fields(Options) if f.metadata}


@dataclass(frozen=True)
class Progress:
    """The progress of a running search. `frontier` is the states still to expand in this level.

    A search that does not count states says in `asking` what it asks its solver. When a search is
    over and its space is being saved, `saved` is the number of saved states.
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
    `spill`, a folder, states go to disk when the memory is full; with `compress` they take less
    memory, and lookups take more time. With `fingerprint` only 64 bits of each are kept, and one
    may be taken for another and omitted. `checkpoint` is the folder of a checkpoint, written at the
    first complete level `checkpoint_every` seconds after the last and when the search ends early;
    with `resume` the search continues from the one there, if there is one. `remark` gets remarks
    while the search runs. `coverage` counts the coverage points. On Spark, `master` is the
    cluster's, and `run` the folder of the run, which is continued if it exists. `save_space` is the
    folder for the space. `self_check` is the number of states compared with CPython: a number, 0
    for none, "all", or None for as many as take little time. `engine` is for `specmodel.check`,
    which calls it: an engine does not read it.
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
    )
    coverage: bool = _option(False, SUBJECT, "Count what of the spec's code is run.")
    engine: str = _option(DEFAULT_ENGINE, SEARCH, "What searches.")
    workers: int = _option(
        1, SEARCH, "Threads. [default: the cores, at most 8]", most=None, open=True
    )
    master: str | None = _option(
        None,
        SEARCH,
        "With --engine spark: the cluster, as in spark://host:7077.",
        "URL",
    )
    run: Path | None = _option(
        None,
        SEARCH,
        "With --engine spark: keep all of a run here, and go on with it.",
        FOLDER_OR_URL,
    )
    self_check: SelfChecked = _option(
        None,
        SEARCH,
        "States to compare with CPython: a number, all, or 0. [default: 50 or more]",
        "N",
    )
    max_states: int | None = _option(None, LIMITS, "Stop after about so many distinct states.")
    max_depth: int | None = _option(
        None,
        LIMITS,
        "Stop at this depth; initial states have depth 1. [default with smt: 10]",
        "",
        "--max-depth",
        "--depth",
    )
    max_memory: int | None = _option(None, LIMITS, "Stop at this size: 4G, 500M.", "SIZE")
    timeout: float | None = _option(None, LIMITS, "Stop after this time: 60s, 5m.", "TIME")
    query_timeout: float | None = _option(
        None, LIMITS, "With smt, the time for each question: 60s, 5m.", "TIME"
    )
    spill: Path | None = _option(
        None, STATES, "When memory is full, move states to disk, into DIR.", "DIR"
    )
    compress: bool = _option(False, STATES, "Keep states in less memory, which takes longer.")
    fingerprint: bool = _option(
        False,
        STATES,
        "Keep 64 bits of a state; some may be missed, which is unlikely.",
    )
    checkpoint: Path | None = _option(
        None, STATES, "Keep a checkpoint here, to --resume from.", "DIR"
    )
    checkpoint_every: float = _option(
        CHECKPOINT_EVERY, STATES, "Time between checkpoints. [default: 10m]", "TIME", open=True
    )
    resume: bool = _option(False, STATES, "Go on from the checkpoint, if there is one.")
    save_space: Path | None = _option(
        None, REPORT, "Leave all states and steps here, as Parquet files.", FOLDER_OR_URL
    )
    remark: Callable[[str], None] | None = field(default=None, compare=False)
    progress: Callable[[Progress], None] | None = field(default=None, compare=False)
