"""Arguments and options that several commands have, so that they read alike in all of them."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer


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
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Bind a constant. Repeatable."),
]
Profile = Annotated[
    str,
    typer.Option("--profile", metavar="NAME", help="Constants the design's file has a name for."),
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
MaxStates = Annotated[
    int | None, typer.Option(min=1, max=MOST, help="Stop after about so many distinct states.")
]
MaxMemory = Annotated[str | None, typer.Option(metavar="SIZE", help="Stop at this size: 4G, 500M.")]
Timeout = Annotated[str | None, typer.Option(metavar="TIME", help="Stop after this time: 60s, 5m.")]
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
QueryTimeout = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="With smt, the time for each question: 60s, 5m."),
]
SelfCheck = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help="States to compare with CPython: a number, all, or 0. [default: 50 or more]",
    ),
]
EachStates = Annotated[
    int | None, typer.Option(min=1, max=MOST, help="Stop each search after about so many states.")
]
EachMemory = Annotated[
    str | None, typer.Option(metavar="SIZE", help="Stop each search at this size: 4G, 500M.")
]
EachTimeout = Annotated[
    str | None, typer.Option(metavar="TIME", help="Stop each search after this time: 60s, 5m.")
]

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
