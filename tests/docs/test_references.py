"""The documentation's links lead somewhere, and its references leave nothing out."""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import fields, replace
from pathlib import Path

import pytest
import typer.main

import specmodel
import specmodel.lang
from specmodel.cli.app import application
from specmodel.engines.registry import ENGINES
from specmodel.errors import UsageError
from specmodel.options import Options, described
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


def test_walks_name_what_is_there() -> None:
    """Each file that CONTRIBUTING.md names for a change is in the repository or the package."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    walks = text.partition("## Where do I go for")[2].partition("\n## ")[0]
    files = re.findall(r"`([\w./-]+/[\w./-]+)`", walks)
    assert len(files) > 7, "the walks are not found"
    assert [
        f for f in files if not any((at / f).exists() for at in (ROOT, ROOT / "specmodel"))
    ] == []


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


def engines_table() -> str:
    """Which engine has which option, as each engine says."""
    rows = [["Option", "of the command", *(f"`{engine}`" for engine in ENGINES)]]
    rows.append(["---"] * len(rows[0]))
    for name, said in described().items():
        flags = said.flags or (f"--{name.replace('_', '-')}",)
        has = ["yes" if name in engine.options else "" for engine in ENGINES.values()]
        rows.append([f"`{name}`", ", ".join(f"`{flag}`" for flag in flags), *has])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def test_python_reference_has_the_options_of_engines(request: pytest.FixtureRequest) -> None:
    """docs/reference/python.md has a row for each option, and the engines that have it.

    --update-golden writes the table anew.
    """
    page = REFERENCE / "python.md"
    text = page.read_text(encoding="utf-8")
    begin, end = "<!-- options -->\n", "<!-- end -->"
    before, _, rest = text.partition(begin)
    written = before + begin + engines_table() + end + rest.partition(end)[2]
    if request.config.getoption("--update-golden"):
        page.write_text(written, encoding="utf-8")
    assert written == page.read_text(encoding="utf-8")


def test_check_takes_the_options_by_name() -> None:
    """Each option is an argument of `specmodel.check`, with the default that `Options` has."""
    taken = inspect.signature(specmodel.check).parameters
    section = (REFERENCE / "python.md").read_text("utf-8").partition("## Checking it")[2]
    assert {n for n in taken if f"`{n}`" not in section.partition("\n## ")[0]} == set()
    for option in fields(Options):
        chosen = option.metadata and option.metadata["said"].open
        default = None if option.name in ("symmetry", "workers") and chosen else option.default
        assert taken[option.name].default == default


def test_an_engine_refuses_what_it_lacks() -> None:
    """An option that an engine has not got is refused, with the text for it; the others are not."""
    values = {"bool": True, "int": 1, "float": 1.0, "Path": Path("x"), "str": "x"}
    for option in fields(Options):
        kind = str(option.type).removesuffix(" | None")
        for engine in ENGINES.values() if option.metadata and kind in values else ():
            options = replace(Options(), **{option.name: values[kind]})
            if option.name in engine.options:
                engine.refuse_lacking(options)
            else:
                with pytest.raises(UsageError):
                    engine.refuse_lacking(options)


def test_refusals_are_of_options_that_an_engine_lacks() -> None:
    """No engine has a text for an option that it has, or for none."""
    for engine in ENGINES.values():
        assert set(engine.refusals) == set(described()) - engine.options, engine.name
