"""What a notebook shows of results, through IPython's own formatters."""

from __future__ import annotations

import subprocess
import sys
from typing import Any
from xml.etree import ElementTree

import pytest
from IPython.core.interactiveshell import InteractiveShell

import specmodel
from specmodel.results import Step, Trace
from tests.outside import PATIENCE


@pytest.fixture
def shell() -> Any:
    made = InteractiveShell()
    specmodel.load_ipython_extension(made)
    return made


def shown(shell: Any, value: object) -> dict[str, str]:
    data, _ = shell.display_formatter.format(value)
    return data


def test_a_result_shows_its_violations(shell: Any) -> None:
    """Verdict, properties, the chart of the counterexample and its states."""
    result = specmodel.check("two-phase-commit-impatient", engine="interpret", keep_going=True)
    html = shown(shell, result)["text/html"]
    for text in ("two-phase-commit-impatient: violated", "agreement", "prepare(p=p1)", "10 states"):
        assert text in html
    assert html.count("<svg") == sum(p.verdict == "violated" for p in result.properties)
    ElementTree.fromstring(html.replace("&nbsp;", " "))
    trace = result["agreement"].trace
    assert trace is not None
    assert "<svg" in shown(shell, trace)["text/html"]


def test_a_trace_of_no_spec_is_listed(shell: Any) -> None:
    """States that no spec is known for: the steps alone, escaped."""
    html = shown(shell, Trace((0, 1), (Step("a<b", {}),)))["text/html"]
    assert "a&lt;b()" in html and "<svg" not in html


def test_graphs_and_comparisons(shell: Any) -> None:
    """A graph is a picture, a comparison a table."""
    graph = specmodel.graph("two-phase-commit", by=["decision"])
    assert "decision = commit" in shown(shell, graph)["image/svg+xml"].replace("\u00a0", " ")
    compared = specmodel.compare(
        "two-phase-commit", "two-phase-commit-impatient", engine="interpret", participants=2
    )
    assert "| " in shown(shell, compared)["text/markdown"]


def test_values_do_not_know_of_it() -> None:
    """Importing results brings in no view, no graph and no IPython."""
    code = (
        "import sys, specmodel.results\n"
        "bad = [m for m in sys.modules if m.startswith(('specmodel.views', 'specmodel.graphs',"
        " 'specmodel.notebook', 'IPython'))]\n"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE)
