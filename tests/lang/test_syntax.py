"""Syntax trees are made by one thread at a time."""

from __future__ import annotations

import ast
import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from specmodel import syntax


class Cycle:
    """Something that runs Python when the collector finds it."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        sum(range(50))


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads take turns, and the collector comes, as often as can be."""
    turn, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50, 1, 1)
    yield
    sys.setswitchinterval(turn)
    gc.set_threshold(*threshold)


def test_threads_that_parse_at_once(restless: None) -> None:
    """None ends with the SystemError of CPython 3.11, as a tenth of them do with `ast.parse`."""
    text, wrong = Path(syntax.__file__).read_text() * 30, list[Exception]()
    text = text.replace("from __future__ import annotations\n", "")

    def parse() -> None:
        for _ in range(10):
            for _ in range(100):
                Cycle()
            try:
                assert ast.unparse(syntax.parsed_expression("a+b")) == "a + b"
                assert len(syntax.parsed(text).body) > 100
            except Exception as failure:
                wrong.append(failure)

    threads = [threading.Thread(target=parse) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
