"""The options that select the shown part of a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specmodel.cli.groups import Group, option

if TYPE_CHECKING:
    from specmodel.model.model import Model
    from specmodel.views.selection import TraceView


TRACES = "What is shown of traces"


class Shown(Group):
    """The shown part of a trace."""

    full: bool = option(
        False, "Every variable of every state of a trace, all drawn.", "--full", panel=TRACES
    )
    only: list[str] | None = option(
        None,
        "Of a trace only this: log, replica.hw, log[r1]. Repeatable.",
        metavar="FIELD",
        panel=TRACES,
    )
    watch: list[str] | None = option(
        None,
        "The value of this in every state of a trace. Repeatable.",
        metavar="EXPR",
        panel=TRACES,
    )

    def view(self, spec: Model) -> TraceView | None:
        """The view of traces of a spec, or None for the default view.

        Raises UsageError for a field that does not exist, ExpressionError for a wrong expression.
        """
        if not (self.full or self.only or self.watch):
            return None  # without a trace its view is not needed
        from specmodel.views.selection import TraceView, selected

        watches = ()
        if self.watch:
            reader = spec.expressions()
            watches = tuple(reader.read(text, "--watch") for text in self.watch)
        return TraceView(self.full, selected(spec.domain, self.only or ()), watches)
