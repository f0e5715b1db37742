"""The commands. Only what `--help` needs is imported: the rest comes with its use."""

from __future__ import annotations

from typing import Annotated

import typer

from specmodel import __version__
from specmodel.cli.ablate import ablate
from specmodel.cli.check import check
from specmodel.cli.compare import compare
from specmodel.cli.counterexamples import counterexamples
from specmodel.cli.coverage import coverage
from specmodel.cli.designs import list_designs
from specmodel.cli.diff import diff
from specmodel.cli.doctor import doctor
from specmodel.cli.equal import equal
from specmodel.cli.explore import explore
from specmodel.cli.graph import graph
from specmodel.cli.ir import ir
from specmodel.cli.minimise import minimise
from specmodel.cli.new import new
from specmodel.cli.profile import profile
from specmodel.cli.prove import prove
from specmodel.cli.query import query
from specmodel.cli.replay import replay
from specmodel.cli.show import show
from specmodel.cli.simulate import simulate
from specmodel.cli.solve import solve
from specmodel.cli.stats import stats
from specmodel.cli.sweep import sweep
from specmodel.cli.test import test
from specmodel.cli.trace import trace
from specmodel.cli.why import why

app = typer.Typer(
    help="A model checker for protocol designs written in Python.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"specmodel {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """A model checker for protocol designs written in Python.

    Exit codes: 0 holds, 1 violated, 2 wrong usage or a mistake in a spec, 3 incomplete.
    """


app.command("check")(check)
app.command("simulate")(simulate)
app.command("list")(list_designs)
app.command("show")(show)
app.command("counterexamples")(counterexamples)
app.command("compare")(compare)
app.command("coverage")(coverage)
app.command("profile")(profile)
app.command("stats")(stats)
app.command("diff")(diff)
app.command("query")(query)
app.command("prove")(prove)
app.command("ablate")(ablate)
app.command("sweep")(sweep)
app.command("trace")(trace)
app.command("replay")(replay)
app.command("why")(why)
app.command("explore")(explore)
app.command("minimise")(minimise)
app.command("solve")(solve)
app.command("equal")(equal)
app.command("graph")(graph)
app.command("test")(test)
app.command("new")(new)
app.command("doctor")(doctor)
app.command("ir")(ir)
