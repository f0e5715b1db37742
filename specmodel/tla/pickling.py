"""Values of a module as bytes, for another process that has the same module."""

from __future__ import annotations

import io
import pickle
from typing import Any

from specmodel.tla.specification import Specification
from specmodel.tla.values import ModelValue


def pickled(value: Any) -> bytes:
    """What is made of values, without the functions of a module."""
    held = io.BytesIO()
    _ValuePickler(held, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
    return held.getvalue()


def unpickled(spec: Specification, held: bytes) -> Any:
    """What was pickled, with the model values of a module's configuration."""
    return _ValueUnpickler(spec, held).load()


class _ValuePickler(pickle.Pickler):
    """Writes model values by their names: those of a configuration are objects of its own."""

    def persistent_id(self, obj: Any) -> str | None:
        return obj.name if isinstance(obj, ModelValue) else None


class _ValueUnpickler(pickle.Unpickler):
    def __init__(self, spec: Specification, held: bytes) -> None:
        super().__init__(io.BytesIO(held))
        self._values = spec.configuration.values

    def persistent_load(self, pid: str) -> ModelValue:
        return self._values[pid]
