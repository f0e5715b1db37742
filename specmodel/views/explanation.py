"""Why a property is false, as an indented truth tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.text import Text

from specmodel.model.model import Model
from specmodel.results import PropertyResult
from specmodel.results.explanation import Explanation
from specmodel.traces.notation import Notation
from specmodel.views.lasso import lasso_lines
from specmodel.views.page import Page
from specmodel.views.symbols import Symbols
from specmodel.views.wrapping import fitted


def explained(spec: Model, found: PropertyResult, page: Page) -> Iterator[Text]:
    """The reason why the property of a counterexample is false at its end; empty for a deadlock.

    For a temporal property, the reason why the behaviour may continue for ever.
    """
    rule = next((r for r in spec.properties if r.name == found.name), None)
    if rule is None or found.trace is None:
        return
    if found.lasso is not None:
        yield from lasso_lines(rule, found.trace, found.lasso, Notation.of_spec(spec), page.width)
        return
    # Needed for a false property alone.
    from specmodel.behaviour.refinement import why_false
    from specmodel.behaviour.steps import Interpreter

    why = why_false(Interpreter.of(spec), rule, found.trace.states[-rule.states :])
    yield Text.assemble((found.name, "bold"), " is false:")
    for line in explanation_lines(why, Notation.of_spec(spec), page.symbols):
        yield from fitted(line, page.width)


def no_note(place: str) -> str:
    """No note on a place."""
    return ""


def explanation_lines(
    why: Explanation,
    notation: Notation,
    symbols: Symbols,
    depth: int = 1,
    note: Callable[[str], str] = no_note,
) -> Iterator[Text]:
    """The lines of a truth tree: its value, the expression, the bindings that make it so.

    `note` writes the note on a place of the state beside the value read there.
    """
    if isinstance(why.value, bool):
        mark, style = (symbols.true, "blue") if why.value else (symbols.false, "red")
        value = ""
    else:
        mark, style, value = " ", "", f" = {notation.value(why.value)}"
    line = Text("  " * depth).append(f"{mark} ", style).append(f"{why.text}{value}")
    if why.witness:
        bound = ", ".join(f"{name}={notation.value(held)}" for name, held in why.witness.items())
        line.append(f"   with {bound}", "bold")
    if not why.parts:
        line.append("".join(map(note, why.reads)), "dim")
    yield line
    for part in why.parts:
        if part.operator != "constant":
            yield from explanation_lines(part, notation, symbols, depth + 1, note)
