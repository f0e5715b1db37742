"""One word for one thing: classes of the package do not share names, and the glossary is short."""

from __future__ import annotations

import ast
from collections import defaultdict

from tests.docs.pages import ROOT

MOST_ENTRIES = 40
"""A reader learns no more words than this."""


def classes() -> dict[str, list[str]]:
    """Where each class of the package is, by its name; `_Part` and `Part` count as one name."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in sorted((ROOT / "specmodel").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                where = f"{file.relative_to(ROOT)}:{node.lineno}"
                found[node.name.lstrip("_")].append(where)
    return found


def entries() -> list[tuple[str, str]]:
    """The rows of the glossary: word and meaning."""
    text = (ROOT / "docs/internals/glossary.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [(word, meaning) for word, meaning in rows if word != "Word"]


def test_no_two_classes_share_a_name() -> None:
    """A name that is met in a message, a test or a search stands for one class."""
    assert {name: where for name, where in classes().items() if len(where) > 1} == {}


def test_the_glossary_is_short() -> None:
    """A new word takes the place of another, or is a word that readers know already."""
    words = [word for word, _ in entries()]
    assert 0 < len(words) <= MOST_ENTRIES
    assert words == sorted(words)


def test_an_entry_is_one_sentence() -> None:
    """A meaning that needs a second sentence belongs on a page of its own."""
    assert [word for word, meaning in entries() if ". " in meaning or meaning.endswith(".")] == []
