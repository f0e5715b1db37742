"""What follows from conditions that hold together: unit propagation with values of numbers."""

from __future__ import annotations

from typing import Any

from specmodel.ir.symbolic.graph import Node

Clause = tuple[tuple[Node, ...], bool]
"""Conditions, and the value that at least one of them has."""


class PathFacts:
    """What is known while conditions hold, of which the last can be taken back.

    A condition that contradicts those before it makes them `impossible`. What is found out is not
    all that follows: of a junction, it is what its last open part has to be.
    """

    def __init__(self) -> None:
        self.impossible = False
        self._truths: dict[int, bool] = {}
        self._values: dict[int, int] = {}
        self._denied: dict[int, dict[int, bool]] = {}
        """Values that numbers have not."""
        self._below: dict[int, list[tuple[int, bool]]] = {}
        """Whether numbers are less than others."""
        self._watched: dict[int, dict[int, Clause]] = {}
        """Clauses with two open parts or more, by what may settle one of two of these."""
        self._changes: dict[int, set[int]] = {}
        """What may settle a part of a clause: see `_changes`."""
        self._undo: list[tuple[Any, Any]] = []
        """What was added: a dictionary and its key, or a list and None."""
        self._ends: list[tuple[int, bool]] = []
        self._tried: Node | None = None
        """A condition that was found possible, and is there still until something is asked."""

    def __len__(self) -> int:
        """The number of conditions that hold."""
        return len(self._ends) - (self._tried is not None)

    def add(self, condition: Node) -> None:
        """One more condition holds."""
        if self._tried is condition:
            self._tried = None
            return
        self._settle()
        self._ends.append((len(self._undo), self.impossible))
        if not self.impossible:
            self.impossible = not self._hold(condition)

    def pop(self) -> None:
        """The last condition holds no longer."""
        self._settle()
        end, self.impossible = self._ends.pop()
        for _ in range(len(self._undo) - end):
            held, key = self._undo.pop()
            if key is None:
                held.pop()
            else:
                del held[key]

    def allow(self, condition: Node) -> bool:
        """Whether a condition may hold with the others."""
        if self.impossible:
            return False
        known = self.truth(condition)
        if known is None and not self._apart(condition):
            self.add(condition)
            if self.impossible:
                self.pop()
                return False
            self._tried = condition
        return known is not False

    def _settle(self) -> None:
        """Takes back what was tried."""
        if self._tried is not None:
            self._tried = None
            self.pop()

    def _apart(self, node: Node) -> bool:
        """Whether nothing that is known has to do with a condition."""
        denied = node.op == "not"
        if denied:
            (node,) = node.args
        if node.op in ("and", "or") or self._watched.get(2 * node.id + (not denied)):
            return False
        if node.op != "eq" or not node.args[1].constant:
            return True
        number = node.args[0].id
        if denied:
            return not self._denied.get(number)
        return not self._watched.get(2 * number) and not self._below.get(number)

    def truth(self, node: Node) -> bool | None:
        """Whether a condition holds; None if that is not known from it and its parts."""
        self._settle()
        return self._truth(node)

    def _truth(self, node: Node) -> bool | None:
        denied = node.op == "not"
        if denied:
            (node,) = node.args
        known = self._known(node)
        if known is None and node.op in ("and", "or"):
            known = every = node.op == "and"
            for part in node.args:
                found = self._known(part)
                if found is None:
                    known = None
                elif found is not every:
                    known = found
                    break
        return known if known is None else known is not denied

    def _known(self, node: Node) -> bool | None:
        """Whether a condition holds, from the condition as a whole."""
        denied = node.op == "not"
        if denied:
            (node,) = node.args
        if node.op == "const":
            return bool(node.value) is not denied
        known = self._truths.get(node.id)
        if known is None and node.op in ("eq", "lt") and node.args[1].constant:
            value, other = self._values.get(node.args[0].id), node.args[1].value
            if value is not None:
                known = value == other if node.op == "eq" else value < other
        return known if known is None else known is not denied

    def _set(self, held: dict[int, Any], key: int, value: Any) -> None:
        held[key] = value
        self._undo.append((held, key))

    def _append(self, held: dict[int, list[Any]], key: int, value: Any) -> None:
        found = held.setdefault(key, [])
        found.append(value)
        self._undo.append((found, None))

    def _hold(self, condition: Node) -> bool:
        """Notes a condition and what follows; False if it contradicts what is known."""
        pending = [(condition, True)]
        while pending:
            node, holds = pending.pop()
            while node.op == "not":
                node, holds = node.args[0], not holds
            if node.op == "const":
                if bool(node.value) is not holds:
                    return False
                continue
            known = self._truths.get(node.id)
            if known is not None:
                if known is not holds:
                    return False
                continue
            self._set(self._truths, node.id, holds)
            if node.op in ("and", "or"):
                if holds is (node.op == "and"):
                    pending += [(part, holds) for part in node.args]
                elif not self._open((node.args, holds), pending):
                    return False
            changes = (2 * node.id + holds,)
            if node.op in ("eq", "lt") and node.args[1].constant:
                if not self._compared(node, holds):
                    return False
                if holds and node.op == "eq":
                    changes = *changes, 2 * node.args[0].id
            for change in changes:
                if watching := self._watched.get(change):
                    for clause in tuple(watching.values()):
                        if not self._open(clause, pending):
                            return False
        return True

    def _compared(self, node: Node, holds: bool) -> bool:
        """Notes the comparison of a number with a constant."""
        number, other = node.args[0], node.args[1].value
        value = self._values.get(number.id)
        if value is not None:
            return (value == other if node.op == "eq" else value < other) is holds
        if node.op == "lt":
            self._append(self._below, number.id, (other, holds))
            return True
        denied = self._denied.setdefault(number.id, {})
        if not holds:
            self._set(denied, other, True)
            return len(denied) < number.high - number.low + 1
        self._set(self._values, number.id, other)
        return other not in denied and all(
            (other < limit) is below for limit, below in self._below.get(number.id, ())
        )

    def _open(self, clause: Clause, pending: list[tuple[Node, bool]]) -> bool:
        """Has the last open part of a clause hold, or watches two; False if none is left."""
        parts, holds = clause
        found: list[Node] = []
        for part in parts:
            truth = self._truth(part)
            if truth is holds:
                return True
            if truth is None:
                found.append(part)
                if len(found) == 2:
                    break
        if not found:
            return False
        if len(found) == 1:
            pending.append((found[0], holds))
            return True
        for part in found:
            key = 2 * part.id + holds
            changes = self._changes.get(key)
            if changes is None:
                self._changes[key] = changes = _changes(part, holds)
            for change in changes:
                watching = self._watched.setdefault(change, {})
                if id(clause) not in watching:
                    self._set(watching, id(clause), clause)
        return True


def _changes(node: Node, holds: bool) -> set[int]:
    """After which of what is found out a condition may be known not to be as a clause needs it."""
    if node.op == "not":
        (node,), holds = node.args, not holds
    found = {2 * node.id + (not holds)}
    for part in node.args if node.op in ("and", "or") else (node,):
        wrong = not holds
        if part.op == "not":
            (part,), wrong = part.args, holds
        found.add(2 * part.id + wrong)
        if part.op in ("eq", "lt") and part.args[1].constant:
            found.add(2 * part.args[0].id)
    return found
