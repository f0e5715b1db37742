"""`dataclass` as in the standard library, with classes made in a quarter of the time.

The standard one compiles up to six functions for each class: for two hundred classes, that took a
third of the time of a small check. This one compiles `__init__` alone; the others are the same for
all classes. A frozen class is so for type checkers: at run time, nothing guards its attributes.
"""

from __future__ import annotations

from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses

    def dataclass(cls=None, *, frozen=False, eq=True, order=False, **others):
        """The class with fields, as by `dataclasses.dataclass`."""
        if cls is None:
            return lambda given: dataclass(given, frozen=frozen, eq=eq, order=order, **others)
        if order:
            return dataclasses.dataclass(cls, frozen=frozen, order=True, **others)
        if cls.__doc__ is None:
            cls.__doc__ = cls.__name__  # or the signature would be looked up
        own = vars(cls)
        says, equals = "__repr__" in own, "__eq__" in own
        hashes = own.get("__hash__") is not None
        made = dataclasses.dataclass(cls, eq=False, repr=False, **others)
        if not says:
            made.__repr__ = _repr
        if eq:
            compared = [f.name for f in dataclasses.fields(made) if f.compare]
            made._compared = _values(compared)
            if not equals:
                made.__eq__ = _eq
            if not hashes:
                made.__hash__ = _hash if frozen else None
        return made

    def _values(names):
        """A function of an object that gives the values of its attributes, as a tuple."""
        if len(names) == 1:
            only = attrgetter(*names)
            return staticmethod(lambda each: (only(each),))
        return staticmethod(attrgetter(*names) if names else lambda each: ())

    @recursive_repr()
    def _repr(self):
        shown = (f.name for f in dataclasses.fields(self) if f.repr)
        held = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{self.__class__.__qualname__}({held})"

    def _eq(self, other):
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self._compared(self) == self._compared(other)

    def _hash(self):
        return hash(self._compared(self))
