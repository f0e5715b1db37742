"""Tests of the designs, in addition to the expectations in their YAML files."""

from collections.abc import Callable
from typing import Any

from specmodel import assert_holds, assert_violated


def test_fencing_holds_with_more_leases() -> None:
    """The argument does not depend on how many leases there are."""
    assert_holds("models/DESIGN.yaml", leases=5)


def test_fencing_is_needed() -> None:
    """Without the check two leases are enough, and the last step is a late write."""
    trace = assert_violated("models/DESIGN-unfenced.yaml", "in_order", length=5, leases=2)
    assert trace is not None
    assert trace.steps[-1].action == "write"


def test_the_store_follows_the_design(conform: Callable[..., Any]) -> None:
    """The software takes no late write."""
    conform("models/DESIGN.yaml", "real/binding.py", walks=5)
