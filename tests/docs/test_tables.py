"""The tables of the pages on models say what the designs' files expect, as tests confirm.

A table stands between two comments, with the designs of its rows and, after a bar, the constants:

    <!-- table: kip101, kip320 | replicas=2 -->
    <!-- end -->

Its columns are the properties that some design of the table violates.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from specmodel.cli.settings import constants
from specmodel.suite.catalog import Catalog, catalog, shipped
from specmodel.suite.documents import Document
from tests.docs.pages import ROOT
from tests.models.expectations import check_everything

CORE = ROOT / "docs" / "kafka" / "core.md"
_TABLE = re.compile(r"<!-- table: (.+?)(?: \| (.+?))? -->\n(.*?)<!-- end -->", flags=re.S)


@cache
def shipped_designs() -> Catalog:
    """The models that come with specmodel."""
    return catalog((shipped(),))


def expected(document: Document, settings: dict[str, Any]) -> dict[str, Any]:
    """What a design's file expects at some constants."""
    if not settings:
        return dict(document.expect)
    return next(at for at in document.expect["at"] if at["constants"] == settings)


def table(names: list[str], settings: dict[str, Any]) -> str:
    """The table of some designs at some constants."""
    designs = [shipped_designs().named(name) for name in names]
    outcomes = [expected(design, settings) for design in designs]
    columns = violated(outcomes)
    rows = [["design", "source", *(f"`{c}`" for c in columns)], ["---"] * (2 + len(columns))]
    for design, outcome in zip(designs, outcomes, strict=True):
        cells = [cell(outcome, name) for name in columns]
        rows.append([f"`{design.name}`", design.source, *cells])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def violated(outcomes: list[dict[str, Any]]) -> list[str]:
    """The properties that some of the outcomes violate."""
    return list(
        dict.fromkeys(
            name
            for outcome in outcomes
            for name, found in outcome.get("properties", {}).items()
            if found["verdict"] == "violated"
        )
    )


def cell(outcome: dict[str, Any], name: str) -> str:
    """`holds`, or how many states a shortest counterexample has."""
    found = outcome.get("properties", {}).get(name)
    if found is None:
        assert outcome["verdict"] == "holds", f"nothing is expected of {name}"
        return "holds"
    return "holds" if found["verdict"] == "holds" else f"violated, {found['trace_length']}"


def pages() -> list[Any]:
    """The pages that have tables."""
    found = sorted(CORE.parents[1].glob("*/*.md"))
    having = [p for p in found if _TABLE.search(p.read_text("utf-8"))]
    return [pytest.param(p, id=f"{p.parent.name}-{p.stem}") for p in having]


def rows() -> list[Any]:
    """Each design of each table of the core; those beyond the first table take longer.

    The tests of the other models run what their files expect.
    """
    found: list[Any] = []
    for number, old in enumerate(_TABLE.finditer(CORE.read_text(encoding="utf-8"))):
        for name in (name.strip() for name in old[1].split(",")):
            marks = [pytest.mark.long] if number else []
            found.append(pytest.param(name, old[2] or "", id=f"{number}-{name}", marks=marks))
    return found


@pytest.mark.parametrize(("name", "settings"), rows())
def test_row(name: str, settings: str) -> None:
    """A whole search gives the verdicts, lengths and counts that the design's file expects."""
    given = constants(settings.split())
    outcome = expected(shipped_designs().named(name), given)
    result = check_everything(name, tuple(given.items()))
    for property_name, wanted in outcome.get("properties", {}).items():
        seen = result[property_name]
        assert seen.verdict == wanted["verdict"]
        assert wanted.get("trace_length", seen.trace_length) == seen.trace_length
    assert result.verdict == outcome["verdict"]
    for key in ("distinct", "depth"):
        assert getattr(result, key) == outcome.get(key, getattr(result, key))


@pytest.mark.parametrize("page", pages())
def test_tables(page: Path, request: pytest.FixtureRequest) -> None:
    """A table that differs from the designs' files misleads; --update-golden writes it anew."""

    def anew(old: re.Match[str]) -> str:
        names = [name.strip() for name in old[1].split(",")]
        settings = constants((old[2] or "").split())
        bar = f" | {old[2]}" if old[2] else ""
        return f"<!-- table: {old[1]}{bar} -->\n{table(names, settings)}<!-- end -->"

    text = page.read_text(encoding="utf-8")
    written = _TABLE.sub(anew, text)
    if request.config.getoption("--update-golden"):
        page.write_text(written, encoding="utf-8")
    assert written == page.read_text(encoding="utf-8")
