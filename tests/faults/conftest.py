"""A design whose searches meet faults, and what a search of it finds without any."""

from __future__ import annotations

import pytest

from specmodel.design import Design
from specmodel.engines import native
from specmodel.results import Options, Result
from tests.engines.test_checkpoint import GRID
from tests.written import design_of


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Design:
    return design_of(tmp_path_factory.mktemp("spec"), GRID, size=24)


@pytest.fixture(scope="module")
def whole(design: Design) -> Result:
    return native.check(design, Options(keep_going=True))
