"""One spec: loaded, compared, and how that ended."""

from __future__ import annotations

import atexit
import linecache
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.errors import SpecError, SpecmodelError
from specmodel.lang.loading import load_module
from tests.fuzz.engines import compare_engines
from tests.fuzz.quick import compare_graphs
from tests.fuzz.verdict import Endless, Verdict, internal, limit, refused

SECONDS = 5.0
"""What the interpreter and the lowering of a small spec may take; whole searches may take more."""


@cache
def _folder() -> Path:
    """Where specs are written, and machine code is kept for as long as one spec is compared."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["SPECMODEL_CACHE"] = str(folder / "cache")
    return folder


def load(text: str) -> Design:
    """The design of a spec's text."""
    file = _folder() / "generated.py"
    file.write_text(text, encoding="utf-8")
    return Design("generated", load_module(file).spec("spec"), {}, source=text)


def forget() -> None:
    """Lets go of the sources and of the machine code of what was loaded."""
    linecache.clearcache()
    shutil.rmtree(_folder() / "cache", ignore_errors=True)


def attempt(text: str, seed: int = 0, full: bool = False, smt: bool = False) -> Verdict:
    """How the comparison of a spec ends: of its graphs and, if it is to be full, of searches."""
    try:
        with limit(SECONDS):
            try:
                design = load(text)
                if not list(Interpreter(design.spec).initial()):
                    return Verdict("invalid", "no initial state")
            except (SpecmodelError, RecursionError) as error:
                return Verdict("invalid", str(getattr(error, "message", error))[:80])
            try:
                found = compare_graphs(design.spec, seed)
            except SpecError as error:
                return refused(error)
            except Exception as error:
                return internal(error)
        if found.kind == "agree" and full:
            with limit(12 * SECONDS):
                return compare_engines(design, smt)
        return found
    except Endless:
        return Verdict("endless")
    finally:
        forget()
