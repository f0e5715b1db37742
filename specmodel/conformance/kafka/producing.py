"""The double of the brokers as a stage for producers: each produce request waits until the trace
comes to what the broker does with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from specmodel.conformance.kafka.partition import PartitionState, ProduceAnswer
from specmodel.conformance.kafka.stage import BrokersStage, ClientKnowledge
from specmodel.conformance.protocol import StageFailed
from specmodel.results import Step


def log_text(broker: int) -> str:
    """The name of the observation of a broker's log."""
    return f"log of r{broker}"


class ProducersStage(BrokersStage):
    """Brokers of one partition, and a producer.

    `partition` reads the partition from a state of the design, `known` the latest leader epoch that
    metadata names. `sends(step, before)` gives the value that the application sends in a step, or
    an empty text. `answers(step, before)` gives the error (`none` for an acknowledgement, `lost`
    for none) by which a step answers the request that waits, and the offset of its record; None if
    it does not answer.
    """

    def __init__(
        self,
        partition: Callable[[Any], PartitionState],
        known: Callable[[Any], int],
        sends: Callable[[Step, Any], str],
        answers: Callable[[Step, Any], ProduceAnswer | None],
    ) -> None:
        super().__init__(partition, lambda state: ClientKnowledge(known(state), 0), _held_nothing)
        self.sends, self.answers = sends, answers

    async def open(self, state: Any) -> None:
        """Starts the brokers, which hold produce requests."""
        await super().open(state)
        self._double.told_by_all = self._double.holds_produce = True

    async def allow(self, step: Step, before: Any, after: Any) -> None:
        """The application sends a record, or a broker does something with the request."""
        self.note({"step": str(step)})
        value, answer = self.sends(step, before), self.answers(step, before)
        if answer is not None and not self._double.waiting:
            raise StageFailed(f"{step}: no request waits for an answer")
        self._take(after, step.action)
        if answer is not None:
            waiting = self._double.waiting[0]
            waiting.answer.set_result(answer)
        if value:
            assert self.subject is not None
            await self.subject.tell({"send": value})

    async def let_go(self) -> None:
        """Nothing: the play is over."""

    async def release(self, state: Any) -> None:
        """Metadata names the latest leader, which knows that it leads, and brokers answer."""
        self._take(state, "")
        double, held = self._double, self._double.state
        double.told_epoch = held.epoch
        held.noticed = {**held.noticed, held.leaders[held.epoch]: held.epoch}
        double.holds_produce = False
        for waiting in double.waiting:
            waiting.answer.set_result(self._answer(waiting))
        self.note({"stage": "nothing is held back any more"})

    def _answer(self, waiting: Any) -> ProduceAnswer:
        """The answer to a request: its record may be in the log already."""
        log = self._double.state.logs[waiting.broker]
        first = len(log) - len(waiting.values)
        if [entry.value for entry in log[max(first, 0) :]] == waiting.values:
            return "none", first
        return self._double.append(waiting.broker, waiting.values)

    async def observe(self) -> Mapping[str, Any]:
        """The request that waits, and the logs."""
        found = {
            log_text(broker): " ".join(f"{entry.value}@e{entry.epoch}" for entry in log)
            for broker, log in self._double.state.logs.items()
        }
        waiting = [f"{' '.join(w.values)} at r{w.broker}" for w in self._double.waiting]
        return {**found, "request": ", ".join(waiting)}


def _held_nothing(state: Any, action: str) -> tuple[str, ...]:
    return ()
