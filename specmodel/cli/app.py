"""The commands. Each is imported when it is asked for; `--help` asks for all, and for no more."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from specmodel import __version__

COMMANDS = {
    "check": "check",
    "simulate": "simulate",
    "list": "designs",
    "show": "show",
    "counterexamples": "counterexamples",
    "compare": "compare",
    "coverage": "coverage",
    "profile": "profile",
    "stats": "stats",
    "diff": "diff",
    "query": "query",
    "prove": "prove",
    "ablate": "ablate",
    "sweep": "sweep",
    "trace": "trace",
    "replay": "replay",
    "why": "why",
    "explore": "explore",
    "minimise": "minimise",
    "solve": "solve",
    "equal": "equal",
    "graph": "graph",
    "test": "test",
    "new": "new",
    "doctor": "doctor",
    "ir": "ir",
}
"""Commands in the order of `--help`, with their modules in `specmodel.cli`. The function has the
name of the module, or that of `_FUNCTIONS`."""

_FUNCTIONS = {"list": "list_designs"}


def application(wanted: str = "") -> typer.Typer:
    """The command line, with one command if that is the name of one, else with all of them.

    Reading what a command takes costs as much as a small search, so that of others is not read.
    """
    app = typer.Typer(
        help="A model checker for protocol designs written in Python.",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name in [wanted] if wanted in COMMANDS else COMMANDS:
        module = import_module(f"specmodel.cli.{COMMANDS[name]}")
        app.command(name)(getattr(module, _FUNCTIONS.get(name, COMMANDS[name])))
    return app


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"specmodel {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """A model checker for protocol designs written in Python.

    Exit codes: 0 holds, 1 violated, 2 wrong usage or a mistake in a spec, 3 incomplete,
    4 an engine and CPython disagree.
    """
