"""Which code makes machine code, as part of the keys that machine code is cached under.

The text of files alone counts, not their folder or their times: a cache that CI restores fits
every checkout of the same text. Reading the 48 files that make kernels takes 0.7 ms.
"""

from __future__ import annotations

import os
from pathlib import Path

from specmodel.machine.texts import texts_digest


def _kernel_files() -> list[str]:
    """The files of the code that makes kernels of models.

    Lowering is left out: it makes the model, of which a kernel's key has a digest.
    """
    own = Path(__file__).parent
    ir = own.parent / "ir"
    folders = (
        own,
        own.parent / "domains",
        own.parent / "machine",
        ir,
        ir / "symbolic",
        ir / "symmetry",
    )
    entries = (entry for folder in folders for entry in os.scandir(folder))
    return sorted(entry.path for entry in entries if entry.name.endswith(".py"))


CODE = texts_digest(_kernel_files())
"""As of when this was imported, for that is the code that runs."""
