"""A design as it is sent: its sources are laid out so that their imports find each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.api import load
from specmodel.kernel.kernel import Kernel
from tests.written import written

pytest.importorskip("pyspark")

from specmodel.engines.spark.sent_design import design_to_send, files_of

CORE = """
class State(Struct):
    at: Annotated[int, Range(0, 3)]

@init
def zero() -> State:
    return State(0)
"""

DESIGNS = """
from ..replication.core import State, zero

@action
def step(s: State) -> None:
    s.at = min(s.at + 1, 3)

spec = Spec(state=State, init=zero, actions=[step])
"""


def test_sources_in_several_folders(tmp_path: Path) -> None:
    """They keep their folders below the one that all are in, and mean the same elsewhere."""
    for folder in ("replication", "zombie"):
        (tmp_path / folder).mkdir()
    core = written(tmp_path / "replication", CORE, "core.py")
    designs = written(tmp_path / "zombie", DESIGNS, "designs.py")
    design = load(f"{designs}:spec")
    sent_design = design_to_send(design, (), Kernel(design.spec, ()).program)
    assert files_of(design) == {"replication/core.py": str(core), "zombie/designs.py": str(designs)}
    assert sent_design.main == "zombie/designs.py"
    sent_design.refuse_other(Kernel(sent_design.design().spec, ()).program)
