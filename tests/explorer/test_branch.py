"""Names of branches: what an address says must come back as it was."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specmodel.errors import UsageError
from specmodel.explorer.branch import Branch

branches = st.builds(
    Branch,
    kind=st.sampled_from(["t", "i"]),
    number=st.integers(1, 10_000),
    choices=st.lists(st.integers(0, 5000), max_size=8).map(tuple),
)


@settings(deadline=None)
@given(branches)
def test_a_name_names_one_branch(branch: Branch) -> None:
    """Writing and reading gives the same."""
    assert Branch.parse(str(branch)) == branch


@settings(deadline=None)
@given(branches, st.data())
def test_prefixes(branch: Branch, data: st.DataObject) -> None:
    """A prefix has the length asked for; the whole is its own prefix, and choices add to it."""
    length = data.draw(st.integers(1, branch.length))
    assert branch.prefix(length).length == length
    assert branch.prefix(branch.length) == branch
    assert branch.then(7).prefix(branch.length) == branch


@pytest.mark.parametrize(
    "text", ["", "t", "x3", "t-1", "t1.", "t1..2", "t1.a", " t1", "t1\n", "t" + "9" * 40]
)
def test_no_branch(text: str) -> None:
    """Anything else is refused with how one is written."""
    with pytest.raises(UsageError, match="is no branch"):
        Branch.parse(text)


def test_too_many_choices() -> None:
    """An address that would take for ever is refused before it does."""
    with pytest.raises(UsageError, match="at most"):
        Branch.parse("i0" + ".1" * 20_001)
