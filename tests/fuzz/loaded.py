"""Designs of texts, and where they and their machine code are for a while."""

from __future__ import annotations

import atexit
import linecache
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from specmodel.design import Design
from specmodel.lang.loading import load_module


@cache
def _folder() -> Path:
    """Where specs are written, and machine code is kept for as long as one spec is compared."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["SPECMODEL_CACHE"] = str(folder / "cache")
    return folder


def load_text(text: str, name: str = "generated") -> Design:
    """The design of a spec's text."""
    file = _folder() / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    return Design("generated", load_module(file).spec("spec"), {}, source=text)


def forget() -> None:
    """Lets go of the sources and of the machine code of what was loaded."""
    linecache.clearcache()
    shutil.rmtree(_folder() / "cache", ignore_errors=True)
