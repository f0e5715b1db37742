"""The state of a symbolic run: the values of slots, and the functions that run."""

from __future__ import annotations

from dataclasses import field, replace

from specmodel.dataclass import dataclass
from specmodel.domains import Domain
from specmodel.errors import Span
from specmodel.ir.symbolic.graph import Node
from specmodel.ir.symbolic.references import Binding, Place
from specmodel.ir.symbolic.values import Value


@dataclass
class Frame:
    """A function that is running: its names, its result, and the conditions that it has ended.

    `returned`: it has returned. `broke`, `again`: it has left the loop, or the round of the loop.
    `unbound` has the conditions under which names have no value.
    """

    names: dict[str, Binding]
    returned: Node
    broke: Node
    again: Node
    result: Binding | None = None
    unbound: dict[str, Node] = field(default_factory=dict[str, Node])

    def bind(self, name: str, binding: Binding) -> None:
        """Binds a name; from now on it always has a value."""
        self.names[name] = binding
        self.unbound.pop(name, None)

    def copy(self) -> Frame:
        return replace(self, names=dict(self.names), unbound=dict(self.unbound))


@dataclass
class World:
    """The part of a run that a branch may change: the values of slots, and frames."""

    slots: dict[int, Value]
    frames: list[Frame]

    def copy(self) -> World:
        return World(dict(self.slots), [f.copy() for f in self.frames])


@dataclass
class Slot:
    """The kind of a slot: the domain of its value, and whether it is a state.

    `aliases` are places that may have parts of a local list or map too, each since a moment. If it
    is not its `own`, the list or map itself may be such a part.
    """

    domain: Domain
    state: bool = False
    own: bool = True
    aliases: list[tuple[Place, int]] = field(default_factory=list[tuple[Place, int]])
    made: Span | None = None
