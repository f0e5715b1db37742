"""The documentation's links lead somewhere, and its references leave nothing out."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import pytest
import typer.main

import specmodel
import specmodel.lang
from specmodel.cli.app import application
from specmodel.engines.lacking import LACKING
from specmodel.views.json_result import result_json
from tests.docs.pages import PAGES, ROOT, prose

REFERENCE = ROOT / "docs" / "reference"
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """What `#...` may name on a page: its headings, as GitHub writes them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), flags=re.M)
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.replace(" ", "-") for heading in plain}


def links(page: Path) -> list[str]:
    """The targets of a page's links within the repository."""
    return [link for link in _LINK.findall(prose(page)) if "://" not in link]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_resolve(page: Path) -> None:
    """A link goes to a file of the repository, and to a heading that it has."""
    for link in links(page):
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), f"{link} leads nowhere"
        assert target.is_relative_to(ROOT), f"{link} leaves the repository"
        if anchor:
            assert anchor in anchors(target), f"{link}: no such heading"


def test_every_page_is_linked() -> None:
    """A page of docs/ that nothing leads to from its index would not be read."""
    seen: set[Path] = set()
    waiting = [ROOT / "docs" / "index.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md" or not page.exists():
            continue
        seen.add(page)
        waiting += [(page.parent / link.partition("#")[0]).resolve() for link in links(page)]
    assert set((ROOT / "docs").rglob("*.md")) <= seen


def test_cli_reference_has_every_option() -> None:
    """docs/reference/cli.md names the commands and options there are, and no others."""
    text = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    group = typer.main.get_command(application())
    commands = getattr(group, "commands")  # noqa: B009 - a group of whichever click typer brings
    options = {
        option
        for command in commands.values()
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--")
    }
    named = set(re.findall(r"--[a-z][a-z-]+", text))
    assert options - named - {"--help"} == set()
    assert named - options - {"--help"} == set()
    assert [c for c in commands if f"specmodel {c}" not in text] == []


def test_json_reference_has_every_key() -> None:
    """docs/reference/json.md describes the keys that a report has, and no others."""
    text = (REFERENCE / "json.md").read_text(encoding="utf-8")
    report = json.loads(
        result_json(specmodel.check("two-phase-commit", participants=1, coverage=True))
    )
    described = set(re.findall(r"^\| `(\w+)` \|", text, flags=re.M))
    assert described == set(report) | set(report["properties"][0])


def test_python_reference_has_every_name() -> None:
    """docs/reference/python.md describes what `specmodel` exports."""
    text = (REFERENCE / "python.md").read_text(encoding="utf-8")
    assert [name for name in specmodel.__all__ if f"`{name}" not in text] == []


def test_language_reference_has_every_name() -> None:
    """docs/reference/language.md describes what `specmodel.lang` exports."""
    text = (REFERENCE / "language.md").read_text(encoding="utf-8")
    assert [n for n in specmodel.lang.__all__ if not re.search(rf"\b{n}\b", text)] == []


def test_python_reference_has_what_engines_lack() -> None:
    """docs/reference/python.md names every argument of check, and what engines refuse of them."""
    text = (REFERENCE / "python.md").read_text(encoding="utf-8")
    section = text.partition("## Checking it")[2].partition("\n## ")[0]
    taken = inspect.signature(specmodel.check).parameters
    assert {name for name in taken if f"`{name}`" not in section} == set()
    for engine, lacking in LACKING.items():
        assert set(lacking) <= set(taken)
        assert f"| `{engine}` | {', '.join(f'`{name}`' for name in lacking)} |" in section
