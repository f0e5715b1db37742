"""The options that say how much of a trace is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from specmodel.cli.groups import Group

if TYPE_CHECKING:
    from specmodel.lang.spec import Spec
    from specmodel.views.trace import TraceView


TRACES = "What is shown of traces"


class Shown(Group):
    """How much of a trace is shown."""

    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="Every variable of every state of a trace, all drawn.",
            rich_help_panel=TRACES,
        ),
    ] = False
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD",
            help="Of a trace only this: log, replica.hw, log[r1]. Repeatable.",
            rich_help_panel=TRACES,
        ),
    ] = None
    watch: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EXPR",
            help="The value of this in every state of a trace. Repeatable.",
            rich_help_panel=TRACES,
        ),
    ] = None

    def view(self, spec: Spec) -> TraceView | None:
        """What is to be shown of traces of a spec, or None: what is shown by default.

        Raises UsageError for a field that is not there, ExpressionError for a wrong expression.
        """
        if not (self.full or self.only or self.watch):
            return None  # without a trace its view need not be imported
        from specmodel.ir.expression import ExpressionReader
        from specmodel.views.selection import selected
        from specmodel.views.trace import TraceView

        watches = ()
        if self.watch:
            reader = ExpressionReader(spec)
            watches = tuple(reader.read(text, "--watch") for text in self.watch)
        return TraceView(self.full, selected(spec.domain, self.only or ()), watches)
