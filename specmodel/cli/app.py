"""The commands. Each is imported when it is needed; `--help` needs all of them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.core

from specmodel.version import __version__

COMMANDS = {
    "Check": ("check", "simulate", "prove", "solve", "counterexamples"),
    "Understand": ("show", "trace", "why", "explore", "graph", "coverage", "profile", "minimise"),
    "Compare": ("compare", "replay", "equal"),
    "Many searches": ("ablate", "sweep", "test"),
    "Real software": ("conform", "validate"),
    "Spaces as data": ("stats", "diff", "query"),
    "Project": ("list", "new", "doctor", "pack", "ir"),
}
"""The names of commands, by the sections of `--help`. A command is the function of its name, in the
module of its name in `specmodel.cli`, but for those of `_FUNCTIONS`."""

_FUNCTIONS = {"list": ("designs", "list_designs")}


class Command(typer.core.TyperCommand):
    """A command whose plain help has its options in sections: typer's rich help alone does."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and options."""
        records = [(option, option.get_help_record(ctx)) for option in self.get_params(ctx)]
        usual = {"argument": "Arguments", "option": "Options"}
        _write_sections(
            formatter,
            [
                (getattr(o, "rich_help_panel", None) or usual[o.param_type_name], record)
                for o, record in records
                if record is not None
            ],
        )


class Commands(typer.core.TyperGroup):
    """The commands, in sections."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the name and the first line of help of each."""
        room = formatter.width - 6 - max(map(len, self.commands))
        _write_sections(
            formatter,
            [
                (getattr(command, "rich_help_panel", ""), (name, command.get_short_help_str(room)))
                for name, command in self.commands.items()
            ],
        )


MOST_ALIGNED = 30
"""The characters of the longest name with which others are aligned: click breaks the line after
longer ones.
"""


def _write_sections(formatter: Any, rows: Sequence[tuple[str, tuple[str, str]]]) -> None:
    """Writes names and their texts below the headings of their sections."""
    wide = min(MOST_ALIGNED, max(len(name) for _, (name, _) in rows))
    for heading in sorted(dict.fromkeys(h for h, _ in rows), key=lambda h: h != "Arguments"):
        with formatter.section(heading):
            formatter.write_dl([(n.ljust(wide), text) for h, (n, text) in rows if h == heading])


def application(wanted: str = "") -> typer.Typer:
    """The command line, with only one command if `wanted` is its name, else with all commands.

    Reading the options of a command takes as long as a small search, so those of other commands are
    not read.
    """
    app = typer.Typer(
        cls=Commands,
        help="A model checker for protocol designs written in Python.",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    known = {name: panel for panel, names in COMMANDS.items() for name in names}
    for name in [wanted] if wanted in known else known:
        module, function = _FUNCTIONS.get(name, (name, name))
        command = getattr(import_module(f"specmodel.cli.{module}"), function)
        app.command(name, cls=Command, rich_help_panel=known[name])(command)
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
