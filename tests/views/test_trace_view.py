"""What of a trace is shown: all of it, some fields, watched expressions, narrow terminals."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from rich.text import Text

from specmodel.design import Design
from specmodel.errors import UsageError
from specmodel.results import Trace
from specmodel.views.page import Page
from specmodel.views.selection import TraceView, selected
from specmodel.views.symbols import ASCII, UNICODE
from specmodel.views.trace import trace_lines
from specmodel.views.wrapping import fitted, packed, wrapped
from tests.conftest import Specmodel


def shown(design: Design, trace: Trace, view: TraceView, width: int = 100) -> list[str]:
    return [line.plain for line in trace_lines(trace, design.spec, Page(width, ASCII, view))]


def test_watched_expressions(truncation: tuple[Design, Trace]) -> None:
    """A value in every state, marked where it changes; one that has none is no error."""
    design, trace = truncation
    reader = design.spec.expressions()
    texts = ("len(log[r1])", "log[r1][0].epoch")
    lines = shown(design, trace, TraceView(watches=tuple(map(reader.read, texts))))
    for text in texts:
        assert sum(f" {text} " in line for line in lines) == trace.length
    changed = [line for line in lines if line.startswith("      ! ")]
    lengths = [len(state.log[next(iter(state.log))]) for state in trace.states]
    moves = sum(a != b for a, b in pairwise(lengths))
    assert len(changed) == 2 * moves > 0
    assert any("no value: an index is out of range -> 1" in line for line in changed)


def test_some_fields(truncation: tuple[Design, Trace]) -> None:
    """Changes of what is selected, of everyone or of one; no drawing."""
    design, trace = truncation
    domain = design.spec.domain
    lines = shown(design, trace, TraceView(only=selected(domain, ["replica.hw", "log[r1]"])))
    told = [line.split()[0] for line in lines if line.startswith("        ")]
    assert set(told) == {"replica[*]", "replica[r2].hw", "log[*]", "log[r1]"}
    assert sum(" become_leader(" in line for line in lines) == sum(
        step.action == "become_leader" for step in trace.steps
    )


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("replica.hv", 'no field hv; did you mean "hw"'),
        ("log[r9]", "no key r9"),
        ("quorum[r1]", "has no \\[r1\\]"),
        ("next_id.x", "has no fields"),
        ("", "is no field"),
        ("log..x", "is no field"),
    ],
)
def test_fields_that_are_not_there(
    truncation: tuple[Design, Trace], field: str, message: str
) -> None:
    """Are refused with what there is."""
    with pytest.raises(UsageError, match=message):
        selected(truncation[0].spec.domain, [field])


def test_a_full_trace(truncation: tuple[Design, Trace]) -> None:
    """Every variable of every state, changes marked, every state drawn."""
    design, trace = truncation
    lines = shown(design, trace, TraceView(full=True))
    assert sum(line.startswith("    quorum: ") for line in lines) == trace.length
    assert sum(line.lstrip(" !").startswith("next_id ") for line in lines) == trace.length
    marked = [line for line in lines if line.startswith("      ! next_id")]
    assert len(marked) == len({state.next_id for state in trace.states}) - 1


@pytest.mark.parametrize("width", [50, 80])
@pytest.mark.parametrize("full", [False, True])
def test_narrow_terminals(truncation: tuple[Design, Trace], width: int, full: bool) -> None:
    """No line of a trace is wider than the terminal."""
    design, trace = truncation
    lines = shown(design, trace, TraceView(full=full), width)
    legend = lines.pop()
    assert max(map(len, lines)) <= width, max(lines, key=len)
    assert "high watermark" in legend


def test_a_cycle_is_bracketed(truncation: tuple[Design, Trace]) -> None:
    """What is repeated stands in a bracket that ends with where it goes on."""
    design, trace = truncation
    lasso = Trace(trace.states, trace.steps, 7)
    lines = [line.plain for line in trace_lines(lasso, design.spec, Page(100, UNICODE))]
    start = next(i for i, line in enumerate(lines) if line.startswith("  ┌"))
    end = next(i for i, line in enumerate(lines) if line.startswith("  └"))
    assert "back to state 8" in lines[end]
    assert all(line.startswith("  │") for line in lines[start + 1 : end])
    assert " 8  " in lines[start + 1]


def test_lines_are_broken_between_values() -> None:
    """Brackets stay together where there is room, and no text is lost."""
    assert wrapped("a {r1, r2} b {r1, r2}", 12) == ["a {r1, r2} b", "{r1, r2}"]
    assert packed(["epoch 1", "isr {r1, r2}", "x"], 14) == ["epoch 1,", "isr {r1, r2},", "x"]
    assert (
        "".join(wrapped("{" + "abc, " * 20 + "}", 30)).replace(" ", "") == "{" + "abc," * 20 + "}"
    )
    assert wrapped("", 10) == [""]


def test_the_options(specmodel: Specmodel, tmp_path: Path) -> None:
    """Who shows a trace takes them, and refuses what is not there before a search."""
    file = tmp_path / "t.itf.json"
    ran = specmodel(
        "check", "two-phase-commit-impatient", "--watch", "agreement", "--only", "phase",
        "--trace-out", file,
    )  # fmt: skip
    assert ran.code == 1 and "agreement  " in ran.out and "promised  " not in ran.out
    ran = specmodel("trace", file, "--full", "--watch", "len(heard)")
    assert ran.code == 0 and ran.out.count("len(heard)") == 10
    selection = ("--only", "heard", "--watch", "agreement")
    for command in (("simulate", "two-phase-commit-impatient"), ("minimise", file)):
        ran = specmodel(*command, *selection)
        assert "agreement  " in ran.out and "phase[p1]  " not in ran.out and "heard" in ran.out
    for bad in (("--watch", "len(heardd)"), ("--only", "phases")):
        ran = specmodel("check", "two-phase-commit", *bad)
        assert ran.code == 2 and "did you mean" in ran.err


def test_long_lines_go_on_deeper() -> None:
    """No word is lost, no line is too wide, columns stay whole, and what was bold still is."""
    line = Text("    x all(z for z in y)   ").append("with y=1", "bold").append("   (right there)")
    parts = list(fitted(line, 30))
    assert [part.plain for part in parts] == [
        "    x all(z for z in y)",
        "        with y=1",
        "        (right there)",
    ]
    assert [str(span.style) for span in parts[1].spans] == ["bold"]
    words = list(fitted(Text("  all(p is there for p in many of them)"), 32))
    assert [part.plain for part in words] == ["  all(p is there for p in many", "      of them)"]
    assert list(fitted(line, 100)) == [line]
