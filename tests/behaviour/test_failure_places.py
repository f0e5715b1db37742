"""Where a failure of a spec is shown: in the spec's own code, wherever its file lies."""

from __future__ import annotations

from typing import Annotated

import pytest

from specmodel.behaviour.steps import Interpreter
from specmodel.lang import Range, Spec, Struct, action, init
from specmodel.results import SpecFailure


class State(Struct):
    """A counter."""

    n: Annotated[int, Range(0, 1)]


@init
def start() -> State:
    """Begins at 0."""
    return State(0)


@action
def leave(s: State) -> None:
    """Leaves the range."""
    s.n = 7


def test_a_spec_beside_the_package_has_a_place() -> None:
    """A file in the folder that the package lies in, as the shipped models do, is a spec's."""
    interpreter = Interpreter(Spec(state=State, init=start, actions=[leave]))
    with pytest.raises(SpecFailure) as failed:
        list(interpreter.successors(next(iter(interpreter.initial()))))
    span = failed.value.span
    assert span is not None
    assert (span.file, span.text()) == (__file__, "s.n")
