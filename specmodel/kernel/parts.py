"""The functions that all kernels have, in machine Python, as an object file.

It is compiled with LLVM's passes, which kernels are not, once for each number of words of a state,
and linked with the modules of each kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from specmodel.kernel.expanding import expand_blocks
from specmodel.kernel.instructions import DECLARATIONS
from specmodel.kernel.masks import begin_block, count_masks, note_found, run_gates
from specmodel.kernel.note import note, note_block
from specmodel.machine import objects
from specmodel.machine.build import build_object
from specmodel.machine.translate import declaration

PARTS: tuple[Callable[..., Any], ...] = (
    note,
    note_block,
    begin_block,
    run_gates,
    note_found,
    count_masks,
    expand_blocks,
)

HEAD = "".join([DECLARATIONS, *map(declaration, PARTS)])
"""The declarations at the head of each module of a kernel."""


def parts(words: int, target: objects.Target) -> bytes:
    """The object file for states of `words` words."""
    return build_object(PARTS, {"W": words}, target)
