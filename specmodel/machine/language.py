"""The language of machine Python: its types, and the operations for which Python has no sign.

A machine function is a module-level function under `@machine`, annotated with `i64`, `bool`, `ptr`
and structures. It is read as text and never run by CPython. The definitions here are its types for
type checkers and, for the operations on integers, their meaning. All integers are signed and wrap
around at 64 bits; a pointer points at 64-bit words. Shifts take a distance of 0 to 63.

A structure is a subclass of `Structure`. Machine Python and Python share its words in memory: both
read and write `c.used`.
"""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar, Self, TypeGuard, TypeVar, overload

from specmodel.dataclass import dataclass
from specmodel.machine.words import WORD, aligned_words

i64 = int

MASK = (1 << 64) - 1

F = TypeVar("F", bound=Callable[..., Any])


def machine(function: F) -> F:
    """Marks a function as machine Python."""
    setattr(function, "__machine__", True)  # noqa: B010 - functions have no such attribute declared
    return function


def is_machine(value: object) -> bool:
    """Whether a value is a function marked as machine Python."""
    return getattr(value, "__machine__", False) is True


def is_module(value: object) -> TypeGuard[ModuleType]:
    """Whether a value is a module whose constants machine Python may name: one of ours."""
    return isinstance(value, ModuleType) and value.__name__.startswith("specmodel.")


class ptr:  # noqa: N801 - reads as the type it stands for
    """A pointer to 64-bit words: `p[i]` loads and stores, `p + i` points i words further."""

    def __init__(self, address: i64) -> None:
        raise NotImplementedError("machine Python is compiled, not run")

    def __getitem__(self, index: i64) -> i64:
        raise NotImplementedError

    def __setitem__(self, index: i64, value: i64) -> None:
        raise NotImplementedError

    def __add__(self, words: i64) -> ptr:
        raise NotImplementedError


class Words(ptr):
    """A buffer in a structure, declared as `names: Words = Words(64)` for 64 words.

    Machine Python takes it for the pointer to its first word. Python can slice it.
    """

    def __init__(self, count: int) -> None:
        self.count = count

    @overload
    def __getitem__(self, index: i64) -> i64: ...

    @overload
    def __getitem__(self, index: slice) -> list[i64]: ...

    def __getitem__(self, index: i64 | slice) -> Any:
        raise NotImplementedError


@dataclass(frozen=True)
class StructureField:
    """The place of a field in its structure, in words.

    `count`: the words of a buffer, or else 0.
    """

    offset: int
    count: int

    def __get__(self, held: Structure, owner: type[Structure]) -> Any:
        if not self.count:
            return held.memory[self.offset]
        return (ctypes.c_int64 * self.count).from_buffer(held.memory, self.offset * WORD)

    def __set__(self, held: Structure, value: int) -> None:
        if self.count:
            raise AttributeError("a buffer is written word by word")
        held.memory[self.offset] = value


class Structure:
    """A structure: its annotated attributes are its fields, which lie one after the other.

    A field is an `i64`, which may hold an address, or a buffer: `Words`. For machine Python,
    `Structure(x)` is a pointer to the structure at an address or plain pointer; for Python, a view.
    """

    fields: ClassVar[dict[str, StructureField]] = {}
    words: ClassVar[int] = 0
    """The number of its words."""

    def __init__(self, address: i64 | ptr) -> None:
        assert isinstance(address, int)
        self.memory = (ctypes.c_int64 * self.words).from_address(address)

    def __init_subclass__(cls) -> None:
        cls.fields, cls.words = {}, 0
        for name, kind in inspect.get_annotations(cls).items():
            buffer = vars(cls).get(name)
            count = buffer.count if isinstance(buffer, Words) else 0
            if kind != ("Words" if count else "i64") or name in ("fields", "words", "memory"):
                raise TypeError(f"{cls.__name__}.{name}: {kind} is no field of a structure")
            cls.fields[name] = field = StructureField(cls.words, count)
            setattr(cls, name, field)
            cls.words += count or 1

    @classmethod
    def new(cls) -> Self:
        """A structure whose words are all zero. Its memory lives as long as the returned view."""
        made = cls.__new__(cls)
        made.memory = aligned_words(cls.words)
        return made


def is_structure(value: object) -> TypeGuard[type[Structure]]:
    """Whether a value is a structure's class."""
    return isinstance(value, type) and issubclass(value, Structure)


def address(held: ptr | Structure) -> i64:
    """The address that a pointer holds, or the address of a structure."""
    assert isinstance(held, Structure), "machine Python is compiled, not run"
    return ctypes.addressof(held.memory)


def pointer(word: i64) -> ptr:
    """The pointer to a field or element: `pointer(c.used)`."""
    raise NotImplementedError(word)


def call(function: i64, *arguments: i64 | ptr | Structure) -> i64:
    """Calls the function at an address, in the C convention; it returns an integer."""
    raise NotImplementedError(function, arguments)


def prefetch(pointer: ptr) -> None:
    """Fetches the cache line of a word that is going to be read and probably written."""
    raise NotImplementedError(pointer)


def acquire(pointer: ptr) -> i64:
    """Reads a word that other threads write; their writes before it are visible after this."""
    raise NotImplementedError(pointer)


def release(pointer: ptr, value: i64) -> None:
    """Writes a word that other threads read; a reader of it also sees all writes before it."""
    raise NotImplementedError(pointer, value)


def exchange(pointer: ptr, value: i64) -> i64:
    """Writes a word that other threads write as well; returns the old value.

    Acquires and releases.
    """
    raise NotImplementedError(pointer, value)


def fetch_add(pointer: ptr, value: i64) -> i64:
    """Adds to a word that other threads write as well; returns the old value.

    Acquires and releases.
    """
    raise NotImplementedError(pointer, value)


def pause() -> None:
    """Lets the processor rest for a moment, if it has an instruction for it."""
    raise NotImplementedError


def equal_words(pointer: ptr, word: i64, mask: i64) -> i64:
    """Compares 8 words with a word in the bits of a mask: bit i is for `pointer[i]`."""
    raise NotImplementedError(pointer, word, mask)


def compress(to: ptr, words: ptr, bits: i64) -> None:
    """Stores those of 8 words whose bits are set, one after the other.

    `to[0:8]` is overwritten whole: the words after the stored ones are undefined.
    """
    raise NotImplementedError(to, words, bits)


def and_words(to: ptr, a: ptr, a_flip: i64, b: ptr, b_flip: i64) -> None:
    """Stores `(a[i] ^ a_flip) & (b[i] ^ b_flip)` of 8 words, all of which it reads first."""
    raise NotImplementedError(to, a, a_flip, b, b_flip)


def add_ones(to: ptr, words: ptr) -> None:
    """Adds to each word of `to[0:8]` the number of one bits of the word in the same place."""
    raise NotImplementedError(to, words)


def unrolled(count: i64) -> range:
    """The numbers below a constant: the body of a loop over them is translated for each."""
    return range(count)


def signed(value: int) -> i64:
    """The signed 64-bit integer with the low 64 bits of a value."""
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


def lshr(value: i64, distance: i64) -> i64:
    """Logical shift to the right."""
    return signed((value & MASK) >> distance)


def mulhi(a: i64, b: i64) -> i64:
    """The high 64 bits of the 128-bit product of two numbers taken as unsigned."""
    return signed((a & MASK) * (b & MASK) >> 64)


def ult(a: i64, b: i64) -> bool:
    """Whether a < b, both taken as unsigned."""
    return a & MASK < b & MASK


def cttz(value: i64) -> i64:
    """The number of zero bits below the lowest one bit; 64 for zero."""
    value &= MASK
    return (value & -value).bit_length() - 1 if value else 64


def ctpop(value: i64) -> i64:
    """The number of one bits."""
    return (value & MASK).bit_count()
