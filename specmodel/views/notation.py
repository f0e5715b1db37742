"""Values as a person reads them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

from specmodel.domains import Map, SeqDomain, StructDomain, ValueSet
from specmodel.domains.shapes import is_sequence
from specmodel.errors import SpecError
from specmodel.lang.spec import Spec
from specmodel.lang.struct import Struct
from specmodel.results import Step


class Notation:
    """Writes values: names of enum members and actors, short forms of records that have one."""

    def __init__(self, cells: Mapping[type[Any], str] | None = None) -> None:
        self.cells = dict(cells or {})

    @classmethod
    def of_spec(cls, spec: Spec) -> Notation:
        """The notation of a spec: the records of its logs are written as its lanes' cells.

        Raises SpecError if the lanes do not fit the state.
        """
        if spec.lanes is None:
            return cls()
        domain: Any = spec.domain
        for part in spec.lanes.log.split("."):
            domain = domain.fields.get(part) if isinstance(domain, StructDomain) else None
            domain = getattr(domain, "value", domain)
        if not isinstance(domain, SeqDomain):
            raise SpecError(
                f'lanes: "{spec.lanes.log}" is no sequence per {spec.lanes.actor.__name__}'
            )
        record = domain.element
        if not spec.lanes.cell or not isinstance(record, StructDomain):
            return cls()
        try:
            spec.lanes.cell.format(**dict.fromkeys(record.fields, 0))
        except (KeyError, IndexError, ValueError) as wrong:
            fields = ", ".join(record.fields)
            raise SpecError(
                f'lanes: the cell "{spec.lanes.cell}" does not fit a {record.name}: {wrong}',
                hint=f"its fields are {fields}",
            ) from None
        return cls({record.cls: spec.lanes.cell})

    def value(self, value: Any) -> str:
        """A value on one line."""
        if isinstance(value, enum.Enum):
            return value.name
        if isinstance(value, Struct):
            cell = self.cells.get(type(value))
            if cell is not None:
                return cell.format(**{k: self._cell_part(v) for k, v in vars(value).items()})
            inner = ", ".join(f"{name}={self.value(held)}" for name, held in vars(value).items())
            return f"{type(value).__name__}({inner})"
        if isinstance(value, Map):
            inner = ", ".join(f"{self.value(k)}: {self.value(v)}" for k, v in value.items())
            return f"{{{inner}}}"
        if is_sequence(value):
            return f"[{', '.join(map(self.value, value))}]"
        if isinstance(value, ValueSet):
            return f"{{{', '.join(map(self.value, value))}}}"
        return repr(value)

    def _cell_part(self, value: Any) -> Any:
        return value if isinstance(value, int) else self.value(value)

    def step(self, step: Step) -> str:
        """An action with its arguments: `fetch(follower=r2, leader=r1)`."""
        inner = ", ".join(f"{name}={self.value(held)}" for name, held in step.arguments.items())
        return f"{step.action}({inner})"

    def phrase(self, value: Any) -> str:
        """A value below the lanes: without the names of structs, absent entries left out."""
        if isinstance(value, Struct) and type(value) not in self.cells:
            return ", ".join(f"{name} {self.value(held)}" for name, held in vars(value).items())
        if isinstance(value, Map):
            held = [(k, v) for k, v in value.items() if v is not None]
            return "; ".join(f"{self.value(k)}: {self.phrase(v)}" for k, v in held) or "none"
        return self.value(value)
