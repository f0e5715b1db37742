"""Which code makes kernels, as part of the key that they are cached under."""

from __future__ import annotations

import os
from pathlib import Path


def _fingerprint() -> str:
    """Changes whenever the code that makes kernels does: names, sizes and times of its files."""
    own = Path(__file__).resolve().parent
    ir = own.parent / "ir"
    folders = (own, ir, ir / "symbolic", ir / "symmetry")
    files = [
        entry for folder in folders for entry in os.scandir(folder) if entry.name.endswith(".py")
    ]
    stats = sorted((f.path, f.stat().st_size, f.stat().st_mtime_ns) for f in files)
    return repr(stats)


CODE = _fingerprint()
"""As of when this was imported, for that is the code that runs."""
