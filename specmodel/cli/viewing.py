"""The options that say how much of a trace is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from specmodel.lang.spec import Spec
    from specmodel.views.trace import TraceView

Full = Annotated[
    bool, typer.Option("--full", help="Every variable of every state of a trace, all drawn.")
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="FIELD",
        help="Of a trace only this: log, replica.hw, log[r1]. Repeatable.",
    ),
]
Watch = Annotated[
    list[str] | None,
    typer.Option(
        "--watch", metavar="EXPR", help="The value of this in every state of a trace. Repeatable."
    ),
]


def trace_view(
    spec: Spec, full: bool, only: Sequence[str] | None, watch: Sequence[str] | None
) -> TraceView | None:
    """What is to be shown of traces of a spec, or None: what is shown by default.

    Raises UsageError for a field that is not there, ExpressionError for a wrong expression.
    """
    if not (full or only or watch):
        return None  # without a trace its view need not be imported
    from specmodel.ir.expression import ExpressionReader
    from specmodel.views.selection import selected
    from specmodel.views.trace import TraceView

    watches = ()
    if watch:
        reader = ExpressionReader(spec)
        watches = tuple(reader.read(text, "--watch") for text in watch)
    return TraceView(full, selected(spec.domain, only or ()), watches)
