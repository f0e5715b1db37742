"""The faults that `python -m tests.mutants` plants, as far as can be seen without planting them."""

from __future__ import annotations

import pytest

from tests.outside import ROOT
from tests.planted import FAULTS, Fault


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_there_is_a_place_for_it(fault: Fault) -> None:
    """The right text is there once, or the fault could not be planted; the page names the file."""
    text = (ROOT / "specmodel" / fault.file).read_text(encoding="utf-8")
    assert text.count(fault.right) == 1
    page = (ROOT / "docs/internals/soundness.md").read_text(encoding="utf-8")
    assert f"| {fault.name} | `{fault.file}` |" in page
