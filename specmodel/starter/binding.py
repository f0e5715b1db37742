"""How the design appears on the store: writers that we control, and the store under test."""

from collections.abc import Mapping
from typing import Any

from store import WriteStore

from specmodel import Step
from specmodel.conformance import PlayBinding, PlayedSubject, Stage


class StoreSubject(PlayedSubject):
    """The store under test; `made` makes one."""

    def __init__(self, made: type[WriteStore] = WriteStore) -> None:
        super().__init__()
        self.store = made()

    async def observe(self) -> Mapping[str, Any]:
        return {"written": self.store.written}


class Writers(Stage):
    """The writers, who take leases and write."""

    async def meet(self, subject: PlayedSubject) -> None:
        assert isinstance(subject, StoreSubject)
        self.store = subject.store

    async def perform(self, step: Step, before: Any, after: Any) -> None:
        if step.action == "lease":
            return  # the store hears of a lease only with a write
        took = self.store.write(before.held[step.arguments["w"]])
        self.note({"step": str(step), "took": took})


def observed(state: Any) -> Mapping[str, Any]:
    """The observations that belong to a state of the design."""
    return {"written": state.written}


def rebuilt(state: Any, seen: Mapping[str, Any]) -> None:
    """Puts what was seen into a state."""
    state.written = seen["written"]


binding = PlayBinding(
    stages={"writers": Writers},
    subjects={"store": StoreSubject},
    performs=["lease", "write"],
    observed=observed,
    rebuilt=rebuilt,
    properties=["in_order"],
)
