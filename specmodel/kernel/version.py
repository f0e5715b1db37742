"""The version of the code that makes machine code: a part of the keys of cached code.

Only the text of the files counts, not their folder or their times: a cache that CI restores fits
every checkout of the same text. Reading the 48 files that make kernels takes 0.7 ms.
"""

from __future__ import annotations

import os
from pathlib import Path

from specmodel.machine.texts import texts_digest


def _kernel_files() -> list[str]:
    """The files of the code that makes kernels of models.

    Lowering is left out: it makes the model, and a kernel's key has the digest of the model.
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
"""The digest at the time of import, because that is the code that runs."""
