"""What searches leave behind in a process that makes many of them: no threads, no memory."""

from __future__ import annotations

import gc
import mmap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from specmodel.engines import native
from specmodel.errors import UsageError
from specmodel.results import Options
from tests.engines.test_checkpoint import GRID
from tests.written import design_of


@pytest.fixture(autouse=True)
def uncollected() -> Iterator[None]:
    """What is in cycles stays there: Python does not know how much memory hangs on it."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def mapped() -> int:
    """Maps of memory that are open."""
    return sum(isinstance(o, mmap.mmap) and not o.closed for o in gc.get_objects())


def wait_for_others() -> None:
    """Until threads that end by themselves have ended."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and thread.name.startswith("specmodel"):
            thread.join(60)
            assert not thread.is_alive()


@pytest.mark.parametrize(
    "options", [{}, {"compress": True}, {"max_depth": 4}, {"fingerprint": True}], ids=str
)
def test_memory(tmp_path: Path, options: dict[str, Any]) -> None:
    """All that a search has taken is given back when it is over, not when Python looks for it."""
    design = design_of(tmp_path, GRID)
    native.check(design, Options(keep_going=True, workers=2, **options))
    before = mapped()
    native.check(design, Options(keep_going=True, workers=2, **options))
    assert mapped() == before


def test_refused(tmp_path: Path) -> None:
    """A search that cannot begin has no threads."""
    design = design_of(tmp_path, GRID)
    for _ in range(3):
        with pytest.raises(UsageError, match="nothing to resume from"):
            native.check(design, Options(workers=3, resume=True))
    wait_for_others()
    assert not [t for t in threading.enumerate() if t.name.startswith("specmodel")]
