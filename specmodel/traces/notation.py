"""Values as a person reads them."""

from __future__ import annotations

import enum
from collections.abc import Container, Mapping
from typing import Any

from specmodel.domains import Domain, Map, Position, SeqDomain, StructDomain, ValueSet
from specmodel.domains.bags import is_bag
from specmodel.domains.records import Record
from specmodel.domains.shapes import is_sequence, is_tuple
from specmodel.model.lanes import Lanes
from specmodel.model.model import Model
from specmodel.model.places import domain_at, refuse_unfit_format
from specmodel.results import Step


class Notation:
    """Writes values: names of enum members and actors, short forms of records that have one."""

    def __init__(self, cells: Mapping[type[Any], str] | None = None) -> None:
        self.cells = dict(cells or {})

    @classmethod
    def of_spec(cls, spec: Model) -> Notation:
        """The notation of a spec: the records of its logs are written as its lanes' cells.

        Raises SpecError if the lanes do not fit the state.
        """
        if spec.lanes is None:
            return cls()
        cells = dict(spec.lanes.formats)
        if spec.lanes.log and spec.lanes.cell:
            record = _record(spec, spec.lanes)
            if isinstance(record, StructDomain):
                cells[record.cls] = spec.lanes.cell
        for struct, cell in cells.items():
            refuse_unfit_format(struct.__domain__, cell)
        return cls(cells)

    def record(self, record: Any, cell: str) -> str:
        """A record of a log; one that is not a struct replaces the format's `{}`."""
        if not cell or isinstance(record, Record):
            return self.value(record)
        try:
            return cell.format(self._cell_part(record))
        except (KeyError, IndexError, ValueError):
            return self.value(record)

    def value(self, value: Any) -> str:
        """A value on one line."""
        if isinstance(value, enum.Enum):
            return value.name
        if isinstance(value, Record):
            cell = self.cells.get(value.__domain__.cls)
            if cell is not None:
                return cell.format(**{k: self._cell_part(v) for k, v in vars(value).items()})
            return self._fields(value, ())
        if isinstance(value, Map) or is_bag(value):
            inner = ", ".join(f"{self.value(k)}: {self.value(v)}" for k, v in value.items())
            return f"{{{inner}}}"
        if is_tuple(value):
            inner = ", ".join(map(self.value, value))
            return f"({inner})" if len(value) > 1 else f"({inner},)"
        if is_sequence(value):
            return f"[{', '.join(map(self.value, value))}]"
        if isinstance(value, ValueSet):
            return f"{{{', '.join(map(self.value, value))}}}"
        if isinstance(value, Position) and value.picked is not None:
            return f"{value!r}: {self.value(value.picked)}"
        return repr(value)

    def without(self, record: Record, left_out: Container[str | None]) -> str:
        """A record on one line, by its own format, or else without some of its fields."""
        if record.__domain__.cls in self.cells:
            return self.value(record)
        return self._fields(record, left_out).removesuffix("()")

    def _fields(self, record: Record, left_out: Container[str | None]) -> str:
        shown = {name: held for name, held in vars(record).items() if name not in left_out}
        inner = ", ".join(f"{name}={self.value(held)}" for name, held in shown.items())
        return f"{type(record).__name__}({inner})"

    def _cell_part(self, value: Any) -> Any:
        return value if isinstance(value, int) else self.value(value)

    def step(self, step: Step) -> str:
        """An action with its arguments: `fetch(follower=r2, leader=r1)`."""
        inner = ", ".join(f"{name}={self.value(held)}" for name, held in step.arguments.items())
        return f"{step.action}({inner})"

    def phrase(self, value: Any) -> str:
        """A value below the lanes: without the names of structs and without absent entries."""
        if isinstance(value, Record) and value.__domain__.cls not in self.cells:
            return ", ".join(f"{name} {self.value(held)}" for name, held in vars(value).items())
        if isinstance(value, Map):
            held = [(k, v) for k, v in value.items() if v is not None]
            return "; ".join(f"{self.value(k)}: {self.phrase(v)}" for k, v in held) or "none"
        return self.value(value)


def _record(spec: Model, lanes: Lanes) -> Domain | None:
    """The type of the logs' records: by the path, or by the annotation of their function."""
    if isinstance(lanes.log, str):
        log = domain_at(spec.domain, lanes.log, lanes.actors)
    else:
        log = spec.type_of(lanes.log, "lanes: the log")
    return log.element if isinstance(log, SeqDomain) else None
