"""Arguments and options that several commands have, so that they read alike in all of them.

Those that go together are a group, which also says what a search is given for them.
"""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from specmodel.cli.groups import Group

if TYPE_CHECKING:
    from specmodel.design import Design
    from specmodel.lang.constants import Value


class Format(enum.StrEnum):
    """How a report is written."""

    text = "text"
    json = "json"


MOST = 10**15
"""The largest number that an option of a count takes: more than any machine gets to."""

# What to look at

Target = Annotated[
    str,
    typer.Argument(metavar="DESIGN", help="A design's name, a .yaml file, or file.py:spec."),
]
Invariants = Annotated[
    list[str] | None,
    typer.Option(
        "--invariant", metavar="NAME", help="Check this property only, of any kind. Repeatable."
    ),
]
Deadlock = Annotated[
    bool | None,
    typer.Option("--deadlock/--no-deadlock", help="Whether a state without successor is wrong."),
]


class Constants(Group):
    """Values of constants, for designs that may have them."""

    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Bind a constant. Repeatable."),
    ] = None

    @property
    def constants(self) -> dict[str, Value]:
        """Those of --set. Raises UsageError for what is none."""
        from specmodel.cli.settings import constants

        return constants(self.settings or [])


class Bound(Constants):
    """What the constants of a design are."""

    profile: Annotated[
        str, typer.Option(metavar="NAME", help="Constants the design's file has a name for.")
    ] = ""

    def load(self, target: str) -> Design:
        """A design at these constants. Raises what a load does."""
        from specmodel.suite.targets import load_target

        return load_target(target, self.constants, self.profile)


Run = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        help="A folder of check --save-space, check --engine spark --run, simulate --save-walks.",
    ),
]

NoVerify = Annotated[
    bool,
    typer.Option("--no-verify", help="Do not read all files first to see whether one is damaged."),
]

# How to search

Engine = Annotated[str, typer.Option(help="native, interpret, spark or smt.")]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Threads. [default: the cores, at most 8]")
]
Master = Annotated[
    str | None,
    typer.Option(metavar="URL", help="With --engine spark: the cluster, as in spark://host:7077."),
]
QueryTimeout = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="With smt, the time for each question: 60s, 5m."),
]
MaxDepth = Annotated[
    int | None,
    typer.Option(
        "--max-depth",
        "--depth",
        min=1,
        max=MOST,
        help="Stop at this depth; initial states have depth 1. [default with smt: 10]",
    ),
]
Timeout = Annotated[str | None, typer.Option(metavar="TIME", help="Stop after this time: 60s, 5m.")]
EachStates = Annotated[
    int | None, typer.Option(min=1, max=MOST, help="Stop each search after about so many states.")
]
EachTimeout = Annotated[
    str | None, typer.Option(metavar="TIME", help="Stop each search after this time: 60s, 5m.")
]
SelfCheck = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help="States to compare with CPython: a number, all, or 0. [default: 50 or more]",
    ),
]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Searches side by side. [default: the cores, at most 8]")
]


class Limits(Group):
    """Where to stop a search."""

    max_states: Annotated[
        int | None, typer.Option(min=1, max=MOST, help="Stop after about so many distinct states.")
    ] = None
    max_memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Stop at this size: 4G, 500M.")
    ] = None
    timeout: Timeout = None

    def given(self) -> dict[str, Any]:
        """The keyword arguments of a search. Raises UsageError for what is none."""
        from specmodel.cli.settings import duration, memory

        return {
            "max_states": self.max_states,
            "max_memory": memory(self.max_memory),
            "timeout": duration(self.timeout),
        }


class EachLimits(Limits):
    """Where to stop each of several searches."""

    max_states: EachStates = None
    max_memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Stop each search at this size: 4G, 500M.")
    ] = None
    timeout: EachTimeout = None


class Search(Group):
    """What a search looks at, and how: with `Limits`, the options of `specmodel.check`."""

    properties: Invariants = None
    engine: Engine = "native"
    workers: Workers = None
    max_depth: MaxDepth = None
    query_timeout: QueryTimeout = None
    keep_going: Annotated[
        bool, typer.Option("--continue", help="Explore the whole space past violations.")
    ] = False
    deadlock: Deadlock = None
    symmetry: Annotated[
        bool | None,
        typer.Option(
            help="Whether states that differ only in the names of symmetric actors count as one.",
        ),
    ] = None
    spill: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="When memory is full, move states to disk, into DIR."),
    ] = None
    compress: Annotated[
        bool, typer.Option("--compress", help="Keep states in less memory, which takes longer.")
    ] = False
    fingerprint: Annotated[
        bool,
        typer.Option(
            "--fingerprint", help="Keep 64 bits of a state; some may be missed, which is unlikely."
        ),
    ] = False
    checkpoint: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep a checkpoint here, to --resume from.")
    ] = None
    checkpoint_every: Annotated[
        str | None, typer.Option(metavar="TIME", help="Time between checkpoints. [default: 10m]")
    ] = None
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the checkpoint, if there is one.")
    ] = False
    partial_order: Annotated[
        bool,
        typer.Option(
            "--partial-order",
            help="Leave out orders of steps that make no difference to invariants.",
        ),
    ] = False
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Count what of the spec's code is run.")
    ] = False
    master: Master = None
    run: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="With --engine spark: keep all of a run here, and go on with it."
        ),
    ] = None
    save_space: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Leave all states and steps here, as Parquet files."),
    ] = None
    self_check: SelfCheck = None

    def given(self) -> dict[str, Any]:
        """The keyword arguments of `specmodel.check`. Raises UsageError for what is none."""
        from specmodel.cli.settings import duration, self_check
        from specmodel.results import CHECKPOINT_EVERY

        return vars(self) | {
            "query_timeout": duration(self.query_timeout),
            "checkpoint_every": duration(self.checkpoint_every) or CHECKPOINT_EVERY,
            "self_check": self_check(self.self_check),
        }


# What to write

Form = Annotated[Format, typer.Option("--format", help="text or json.")]
Output = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the report here, not to stdout.")
]
TraceOut = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the counterexample here, as ITF (x.itf.json)."),
]
SaveTable = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Leave what was found here as a table, x.parquet."),
]
NoProgress = Annotated[bool, typer.Option("--quiet", "-q", help="No line of progress.")]
