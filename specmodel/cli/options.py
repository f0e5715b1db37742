"""Arguments and options of several commands, declared once so that they are the same everywhere.

Options that go together are a group, which also has the functions that use them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import cache
from inspect import Parameter
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from specmodel.cli import output as out
from specmodel.cli.groups import Group, argument, keyword, option
from specmodel.errors import UsageError
from specmodel.options import FOLDER_OR_URL, REPORT, SUBJECT, Options, described

if TYPE_CHECKING:
    from rich.text import Text

    from specmodel.constants import Value
    from specmodel.design import Design
    from specmodel.views.page import Page
    from specmodel.views.selection import TraceView

# The design


class Constants(Group):
    """Values of constants, for designs that may have them."""

    settings: list[str] | None = option(
        None, "Bind a constant. Repeatable.", "--set", metavar="NAME=VALUE", panel=SUBJECT
    )

    @property
    def constants(self) -> dict[str, Value]:
        """The constants of --set. Raises UsageError for a text that is not a constant."""
        from specmodel.cli.settings import constants

        return constants(self.settings or [])


class Bound(Constants):
    """The constants of the design, and the configuration of a TLA+ module."""

    profile: str = option(
        "", "Constants the design's file has a name for.", metavar="NAME", panel=SUBJECT
    )

    config: Path | None = option(
        None,
        "With a TLA+ module: its configuration for TLC. [default: the .cfg beside it]",
        "--config",
        metavar="FILE",
        panel=SUBJECT,
    )

    def load(self, target: str) -> Design:
        """A design at these constants. Raises the errors of a load."""
        from specmodel.suite.targets import load_target

        return load_target(self.named(target), self.constants, self.profile)

    def named(self, target: str) -> str:
        """A target, of a module with the configuration. Raises UsageError for any other target if
        there is a configuration.
        """
        if self.config is None:
            return target
        module = target.partition(".tla:")[0].removesuffix(".tla")
        if module == target:
            raise UsageError("--config goes with a TLA+ module (Module.tla)")
        return f"{module}.tla:{relpath(self.config, Path(module).parent)}"


class Subject(Bound):
    """A design, at constants."""

    target: str = argument("DESIGN", "A design's name, a .yaml file, or file.py:spec.")

    def design(self) -> Design:
        """The named design. Raises the errors of a load."""
        return self.load(self.target)

    def python_design(self) -> Design:
        """The named design; raises UsageError for one that is a TLA+ module."""
        from specmodel.model.model import Interpreted

        found = self.design()
        if isinstance(found.spec, Interpreted):
            raise UsageError(f"{found.name} is a TLA+ module, which this does not take yet")
        return found


TraceFile = Annotated[Path, typer.Argument(metavar="TRACE", help="A trace in ITF (x.itf.json).")]
On = Annotated[
    str, typer.Option("--on", metavar="DESIGN", help="By the rules of this design, not its own.")
]
DesignOrTrace = Annotated[
    str, typer.Argument(metavar="DESIGN|TRACE", help="A design, or a trace (x.itf.json).")
]
TraceBy = Annotated[
    str, typer.Option("--on", metavar="DESIGN", help="A trace by this design, not its own.")
]
Run = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="A folder or URL that --save-space, --run or --save-walks has written.",
    ),
]
NoVerify = Annotated[
    bool,
    typer.Option("--no-verify", help="Do not read all files first to see whether one is damaged."),
]
Counting = Annotated[
    str | None,
    typer.Option(
        "--master",
        metavar="URL",
        help="The Spark that counts, as in spark://host:7077. [default: none: DuckDB, here]",
    ),
]

# The search

Jobs = Annotated[
    int | None, typer.Option(min=1, help="Searches side by side. [default: the cores, at most 8]")
]
_READ = {"TIME": "duration", "SIZE": "memory", "N": "self_check"}
"""The function in `settings` that reads the text of an option, by its metavar."""

_TYPES: dict[str, Any] = {
    "bool": bool,
    "int": int,
    "str": str,
    "Path": Path,
    "tuple[str, ...]": list[str],
}


class Search(Group):
    """The options of a search: the `Options` of `specmodel.check`, all of them or some."""

    each = False
    """Whether they hold for each of several searches."""

    @classmethod
    def parameters(cls, *names: str) -> list[Parameter]:
        """The options, as a command would declare them: those that are named, or all."""
        return [cls._parameter(name) for name in described() if not names or name in names]

    @classmethod
    @cache
    def _parameter(cls, name: str) -> Parameter:
        said = described()[name]
        declared = Options.__dataclass_fields__[name]
        plain = str(declared.type).removesuffix(" | None")
        undecided = said.open or plain != declared.type
        text = said.metavar in (*_READ, FOLDER_OR_URL)
        kind = str if text else _TYPES[plain]
        flag = f"--{name.replace('_', '-')}"
        if kind is bool and undecided:
            flag = f"{flag}/--no-{flag[2:]}"
        help = said.help if name != "engine" else _engines()
        if cls.each and help.startswith("Stop"):
            help = f"Stop each search{help[4:].partition(';')[0].rstrip('.')}."
        option = typer.Option(
            *(said.flags or (flag,)),
            metavar=said.metavar or None,
            min=1 if kind is int else None,
            max=said.most if kind is int else None,
            help=help,
            rich_help_panel=said.panel,
        )
        if undecided:
            return keyword(name, Annotated[kind | None, option], None)
        return keyword(name, Annotated[kind, option], declared.default)

    def given(self) -> dict[str, Any]:
        """The keyword arguments of `specmodel.check`. Raises UsageError for wrong values."""
        from specmodel.cli import settings

        given = {name: value for name, value in vars(self).items() if value is not None}
        for name, said in described().items():
            if name in given and said.metavar in _READ:
                given[name] = getattr(settings, _READ[said.metavar])(given[name])
        return given


def _engines() -> str:
    """The names of the engines, as a sentence."""
    from specmodel.engines.registry import ENGINES  # commands without searches do not need it

    *others, last = ENGINES
    return f"{', '.join(others)} or {last}."


class EachSearch(Search):
    """The options of each of several searches."""

    each = True


# The report


NoProgress = Annotated[
    bool, typer.Option("--quiet", "-q", help="No line of progress.", rich_help_panel=REPORT)
]


class Format(Group):
    """The form in which a report is written, to stdout.

    `Annotated[Format, "text", "csv"]` are the forms; the default is text and JSON. The first form
    is the default of the command.
    """

    form: StrEnum
    output: Path | None = None

    @classmethod
    def parameters(cls, *names: str) -> list[Parameter]:
        """The form, and the options that are declared."""
        forms = names or ("text", "json")
        kind = StrEnum("Form", [form.partition(":")[0] for form in forms])
        said = f"{', '.join(forms[:-1])} or {forms[-1]}."
        option = typer.Option("--format", help=said, rich_help_panel=REPORT)
        return [keyword("form", Annotated[kind, option], next(iter(kind))), *super().parameters()]

    def refuse_wrong(self) -> None:
        """Raises UsageError for a file that cannot be written, before time is spent on it."""
        out.refuse_unwritable(self.output)

    def page(self, view: TraceView | None = None) -> Page:
        """The page for the report; `view` selects the shown part of traces."""
        return out.page(self.output, view)

    def show(self, **forms: Callable[[], Iterable[Text | str] | str]) -> None:
        """Writes a report in the requested form.

        `forms` has for each form, by its name, the function that gives the report: lines or a text.
        """
        report = forms[self.form.value]()
        self.write([report] if isinstance(report, str) else report)

    def write(self, lines: Iterable[Text | str]) -> None:
        """Writes lines to the report's destination. Raises UsageError if they cannot be written."""
        out.emit(lines, self.output)


class Output(Format):
    """The form of a report, and its destination."""

    output: Path | None = option(
        None, "Write the report here, not to stdout.", metavar="FILE", panel=REPORT
    )


class TraceOutput(Output):
    """A report, and a file for the trace that is found."""

    trace_out: Path | None = option(
        None, "Write the counterexample here, as ITF (x.itf.json).", metavar="FILE", panel=REPORT
    )

    def refuse_wrong(self) -> None:
        """Raises UsageError for a file that cannot be written, before time is spent on it."""
        out.refuse_unwritable(self.output, self.trace_out)


class TableOutput(Output):
    """The report of a series of searches, and its table."""

    save_table: Path | None = option(
        None, "Leave what was found here as a table, x.parquet.", metavar="FILE", panel=REPORT
    )

    def refuse_wrong(self) -> None:
        """Raises UsageError for a file that cannot be written, before time is spent on it."""
        super().refuse_wrong()
        out.refuse_no_table(self.save_table)

    def save(self, table: Callable[[], Any]) -> None:
        """Saves the table of results, a `pyarrow.Table`, if that is asked for."""
        if self.save_table is not None:
            out.write_table(self.save_table, table())
