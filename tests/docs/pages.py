"""The documentation as tests see it: pages, their fenced blocks, and what is done with them.

A comment on the line before a block says what the block is; the reader does not see it.

    <!-- file: retry.py -->      the block is this file
    <!-- append: retry.py -->    the block goes to the end of it
    <!-- change: retry.py -->    the functions of the block take the place of those of the same name
    <!-- at the root -->         the block's commands run in the root of the repository
    <!-- not run -->             the block shows what cannot be run here
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PAGES = (
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
)

_COMMENT = re.compile(r"<!-- (?:(file|append|change): (\S+)|(at the root|not run)) -->")
_FENCE = re.compile(r"```(\S*)$")


@dataclass(frozen=True)
class Block:
    """A fenced block. `line` is that of its first line of text, from 1."""

    page: Path
    line: int
    language: str
    text: str
    mark: str = ""
    file: str = ""

    @property
    def place(self) -> str:
        """Where it is, as an editor understands it."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found: list[Block] = []
    lines = page.read_text(encoding="utf-8").splitlines()
    start, language = 0, ""
    for number, line in enumerate(lines, 1):
        fence = _FENCE.fullmatch(line)
        if start and line == "```":
            before = lines[start - 2 - 1] if start > 2 else ""
            comment = _COMMENT.fullmatch(before)
            mark, file = "", ""
            if comment is not None:
                mark, file = comment[1] or comment[3], comment[2] or ""
            text = "".join(f"{held}\n" for held in lines[start - 1 : number - 1])
            found.append(Block(page, start, language, text, mark, file))
            start = 0
        elif not start and fence:
            start, language = number + 1, fence[1]
    return found


def prose(page: Path) -> str:
    """The page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
