"""Python files beside a design that are no specs: bindings for plays, maps between designs."""

from __future__ import annotations

import importlib.util
import os
import sys
import types
from pathlib import Path

from specmodel.errors import UsageError, described


def run_companion(file: Path, what: str) -> types.ModuleType:
    """Runs a Python file as a module of its own, which may import the files beside it.

    `what` names the kind of file in messages. Raises UsageError for a file that is not there or
    cannot be run.
    """
    if not file.is_file():
        raise UsageError(f"there is no {what} {file}")
    name = f"specmodel_{what}_{file.stem.replace('-', '_')}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UsageError(f"{file} is no Python file, as a {what} is")
    module = importlib.util.module_from_spec(spec)
    folder, known = str(file.parent.resolve()), set(sys.modules)
    sys.modules[name] = module
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    except Exception as wrong:
        raise UsageError(f"{file} cannot be run: {described(wrong)}") from wrong
    finally:
        sys.path.remove(folder)
        # The file of another folder may import modules of the same names.
        for new in set(sys.modules) - known - {name}:
            if (getattr(sys.modules[new], "__file__", "") or "").startswith(f"{folder}{os.sep}"):
                del sys.modules[new]
    return module
