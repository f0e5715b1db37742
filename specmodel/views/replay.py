"""A replay of a recorded trace, as text."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from specmodel.analysis.rival import Replayed
from specmodel.views.comparison import wrapped
from specmodel.views.page import Page
from specmodel.views.replay_sentences import ReplaySentences
from specmodel.views.trace import trace_lines


def replay_lines(found: Replayed, page: Page) -> Iterator[Text]:
    """The behaviour as far as it goes, and the result of the replay."""
    yield from trace_lines(found.trace, found.design.spec, page)
    yield Text()
    sentences = ReplaySentences(found)
    yield from wrapped(f"on {found.design.name}: {sentences.headline()}", 4, page.width)
    for depth, text in sentences.details():
        yield from wrapped(f"{' ' * (2 + 2 * depth)}{text}", 6 + 2 * depth, page.width)
