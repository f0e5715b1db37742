"""The starter repository: a spec, two designs of it, software, a test, CI, a hook for commits.

The other files here are its templates. `NAME` and `DESIGN` in them stand for its name, as a name in
Python and as the name of a design.
"""

from __future__ import annotations

import keyword
import re
from pathlib import Path

from specmodel.errors import UsageError

_FILES = {
    "readme.md": "README.md",
    "requirements.txt": "requirements.txt",
    "gitignore": ".gitignore",
    "pre-commit.yaml": ".pre-commit-config.yaml",
    "workflow.yml": ".github/workflows/models.yml",
    "model.py": "models/NAME.py",
    "holds.yaml": "models/DESIGN.yaml",
    "violated.yaml": "models/DESIGN-unfenced.yaml",
    "test.py": "tests/test_NAME.py",
    "store.py": "real/store.py",
    "binding.py": "real/binding.py",
}

_TAKEN = ("specmodel", "lease", "write", "leases", "empty")
"""Names with another meaning in the starter spec."""


def start(name: str, folder: Path) -> tuple[Path, ...]:
    """Writes the files of a new repository into a folder, which it makes; returns their paths in
    it.

    Raises UsageError for an invalid name, for a folder that is not empty, and for one that cannot
    be written.
    """
    module = name.replace("-", "_")
    if not re.fullmatch(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*", name):
        raise UsageError(f'"{name}" is no name: small letters, digits and "-", as in "lease-store"')
    if keyword.iskeyword(module) or module in _TAKEN:
        raise UsageError(f'"{name}" has a meaning already: take another name')
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already: name another, or --folder a new one")
    written: list[Path] = []
    try:
        for source, target in _FILES.items():
            text = (Path(__file__).parent / source).read_text(encoding="utf-8")
            file = folder / _named(target, name, module)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_named(text, name, module), encoding="utf-8")
            written.append(file)
    except OSError as wrong:
        raise UsageError(f"cannot write {folder}: {wrong.strerror}") from None
    return tuple(written)


def _named(text: str, name: str, module: str) -> str:
    return text.replace("DESIGN", name.replace("_", "-")).replace("NAME", module)
