"""Whatever the documentation shows, a reader who does it gets: commands, output, Python, files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Specmodel
from tests.docs.pages import PAGES, ROOT, Block, blocks
from tests.docs.session import Session, changed, commands, matches

WITH_EXAMPLES = [page for page in PAGES if blocks(page)]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda p: str(p.relative_to(ROOT)))
def test_page(
    page: Path, tmp_path: Path, specmodel: Specmodel, request: pytest.FixtureRequest
) -> None:
    """Every block of a page does what it shows, one after the other as a reader would.

    With --update-golden, output that differs is written into the page; lines that were elided come
    back with it, to be cut by hand.
    """

    def run(arguments: list[str]) -> tuple[int, str]:
        ran = specmodel(*arguments)
        return ran.code, ran.err + ran.out

    if page.name == "tla.md":
        pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")
    session = Session(tmp_path, run)
    wrong: list[tuple[Block, str]] = []
    for block in blocks(page):
        instead = session.follow(block)
        if instead is not None:
            wrong.append((block, instead))
    if wrong and request.config.getoption("--update-golden"):
        lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
        for block, instead in reversed(wrong):
            at = block.line - 1
            lines[at : at + block.text.count("\n")] = [instead]
        page.write_text("".join(lines), encoding="utf-8")
        return
    assert not wrong, "\n".join(f"{block.place} shows otherwise:\n{text}" for block, text in wrong)


def test_elided_output_is_compared() -> None:
    """`...` stands for whole lines only; all that is shown must be there, in that order."""
    written = "a\nb\nc\nd\n"
    assert matches("a\n...\nd\n", written)
    assert matches("a\n...\nc\n...\n", written)
    assert not matches("a\n...\nx\n...\nd\n", written)
    assert not matches("a\n...\nc\n", written)
    assert not matches("a\nb\nc\n", written)
    assert not matches("a\nb\n...\nb\nc\nd\n", written)


def test_measurements_are_not_compared() -> None:
    """Times, rates, memory and threads depend on the machine; counts do not."""
    shown = "9 generated, 0.18 s (4,189 states/s), native, 2 workers, compiled in 0.5 s, 20 MB\n"
    assert matches(shown, "9 generated, 1.80 s (418 states/s), native, 1 worker, 3 MB\n")
    assert not matches(shown, "8 generated, 1.80 s (418 states/s), native, 1 worker, 3 MB\n")


def test_commands_of_a_block() -> None:
    """A command goes on after a backslash; what follows up to the next one is its output."""
    text = "$ specmodel check x \\\n    --quiet\nfine\n$ echo $?\n0\n"
    assert commands(text) == [
        ("$ specmodel check x \\\n    --quiet\n", "fine\n"),
        ("$ echo $?\n", "0\n"),
    ]


def test_changed_functions_keep_their_place() -> None:
    """A function shown anew, decorators and all, replaces the old one and nothing else."""
    text = "a = 1\n\n@mark\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n"
    assert changed(text, "@mark\ndef f():\n    return 3\n") == text.replace("return 1", "return 3")
