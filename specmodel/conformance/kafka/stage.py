"""The double of the brokers as a stage: it takes the state of the partition from each state of a
trace, and holds back what the trace has not come to."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from specmodel.conformance.kafka.partition import LogEntry, PartitionState
from specmodel.conformance.protocol import Stage
from specmodel.dataclass import dataclass
from specmodel.errors import UsageError
from specmodel.results import Step

NEXT = "next"
"""The value of the record that is written when a trace has ended, which the client should read."""

CRASH, SAVE = "crash", "save_offset"
"""The actions of a design by which a consumer starts anew, and commits its position."""


@dataclass(frozen=True)
class ClientKnowledge:
    """A client's knowledge in a state: the leader epoch of its metadata, and its position."""

    epoch: int
    position: int


class BrokersStage(Stage):
    """Brokers of one partition.

    `partition` reads the partition from a state of the design, `client` what its client knows.
    `held(state, action)` names the requests that are held back, unless they are refused, after an
    action that has led to a state. `with_sessions` says whether the brokers have fetch sessions.
    With a `pause`, in seconds after each step of theirs, they hold nothing back: clients do as they
    like meanwhile.
    """

    def __init__(
        self,
        partition: Callable[[Any], PartitionState],
        client: Callable[[Any], ClientKnowledge],
        held: Callable[[Any, str], Collection[str]],
        with_sessions: bool = True,
        pause: float = 0.0,
    ) -> None:
        super().__init__()
        self.partition, self.client = partition, client
        self.held = held
        self.with_sessions = with_sessions
        self._double: Any = None
        self.pause = pause
        self._all_shown = pause > 0

    def missing(self) -> str:
        """Whether kio is installed."""
        try:
            version("kio")
        except PackageNotFoundError:
            return "it needs kio: pip install 'specmodel[conformance]'"
        return ""

    def version(self) -> str:
        """The double, and the version of its codecs."""
        return f"double of the brokers on kio {version('kio')}"

    async def open(self, state: Any) -> None:
        """Starts the brokers with the state's logs."""
        # kio is an extra: a binding can be read, and its subjects named, without it.
        from specmodel.conformance.kafka.double import BrokersDouble

        held = self.partition(state)
        self._double = BrokersDouble(sorted(held.logs), held, self.note)
        self._double.with_sessions = self.with_sessions
        self._take(state, "")
        await self._double.open()

    def offers(self) -> Mapping[str, Any]:
        """The address of each broker, and the topic."""
        addresses = [f"127.0.0.1:{port}" for port in self._double.ports.values()]
        return {"bootstrap": ",".join(addresses), "topic": "t"}

    async def perform(self, step: Step, before: Any, after: Any) -> None:
        """Elections, writes and replication: the brokers have the next state. Crashes: the client
        is started anew."""
        self.note({"step": str(step)})
        self._take(after, step.action)
        if step.action == CRASH:
            assert self.subject is not None
            await self.subject.restart(self)
        await asyncio.sleep(self.pause)

    async def allow(self, step: Step, before: Any, after: Any) -> None:
        """The client may learn what the next state says that it knows, and is asked to commit."""
        self.note({"step": str(step)})
        self._take(after, step.action)
        if step.action == SAVE:
            assert self.subject is not None
            await self.subject.tell({"commit": True})

    async def nudge(self, what: str) -> None:
        """`down r1`, `up r1`, `wait 4 s`, `name no epochs`, `name epochs`, `show all`.

        Raises UsageError for anything else.
        """
        self.note({"stage": what})
        number = re.fullmatch(r"(?:down|up) r(\d+)|wait (\d+) s", what)
        if number is not None and number[2]:
            await asyncio.sleep(int(number[2]))
        elif number is not None and what.startswith("down"):
            self._double.take_down(int(number[1]))
        elif number is not None:
            self._double.bring_up(int(number[1]))
        elif what in ("name no epochs", "name epochs"):
            self._double.unnamed_epochs = what == "name no epochs"
        elif what == "show all":
            self._show_all()
        else:
            raise UsageError(f'the brokers cannot do "{what}"')

    async def let_go(self) -> None:
        """Shows all records and answers all requests. Answers about metadata stay as before."""
        self.note({"stage": "the client has parted: no request is held back any more"})
        self._show_all()

    async def release(self, state: Any) -> None:
        """Holds nothing back, and writes one more record for the client to read."""
        double = self._double
        self._take(state, "")
        held: PartitionState = double.state
        leader = held.leaders[held.epoch]
        held.noticed = {**held.noticed, leader: held.epoch}
        double.down.clear()
        double.unnamed_epochs = False
        held.logs = {
            **held.logs,
            leader: [*held.logs[leader], LogEntry(held.epoch_of(held.epoch), NEXT)],
        }
        held.exposed = {**held.exposed, leader: len(held.logs[leader])}
        double.told_epoch, double.visible_end, double.held = None, None, ()
        self.note({"stage": "nothing is held back any more"})

    async def close(self) -> None:
        """Cuts the connections, and frees the ports."""
        if self._double is not None:
            await self._double.close()

    def _take(self, state: Any, action: str) -> None:
        known = self.client(state)
        self._double.state = self.partition(state)
        self._double.told_epoch = None if self.pause else known.epoch
        if not self._all_shown:
            self._double.visible_end = known.position
            self._double.held = self.held(state, action) if action else ()

    def _show_all(self) -> None:
        self._all_shown = True
        self._double.visible_end, self._double.held = None, ()
