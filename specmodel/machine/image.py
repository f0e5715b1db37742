"""Machine code as an image: bytes that can run at any address.

LLVM makes object files. Loading an object file takes LLVM, which itself takes longer to load than
most of its work. So object files are converted to images, which are cached, and an image is loaded
by copying it. There is no image if an object file needs more than an image supports: another
processor or system, or calls of library functions.

Source: System V Application Binary Interface, AMD64 Architecture Processor Supplement, chapter 4.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import platform
import struct
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from specmodel.dataclass import dataclass
from specmodel.errors import SpecmodelError

START = b"specmodel image 1\n"
PAGE = mmap.PAGESIZE

ELF_64 = b"\x7fELF\x02\x01"
RELOCATABLE, X86_64 = 1, 62
PROGRAM, SYMBOLS, RELOCATIONS, ZEROS = 1, 2, 4, 8
WRITABLE, ALLOCATED = 1, 2
GLOBAL, UNDEFINED = 1, 0


ABSOLUTE_64, RELATIVE_32, CALL_32, RELATIVE_64 = 1, 2, 4, 24
RELOCATION_FORMATS = {ABSOLUTE_64: "<Q", RELATIVE_32: "<i", CALL_32: "<i", RELATIVE_64: "<q"}
"""The format of the reference from code to another place, by the kind of relocation."""


def possible() -> bool:
    """Whether images can be made for this machine."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


@dataclass(frozen=True)
class Image:
    """Code, the places of its functions, and the words to which the image's address is added."""

    code: bytes
    functions: Mapping[str, int]
    pointers: tuple[int, ...] = ()

    def pack(self) -> bytes:
        """The image as one string of bytes."""
        functions = " ".join(f"{name}={at}" for name, at in self.functions.items())
        head = f"{functions}\n{' '.join(map(str, self.pointers))}\n".encode()
        return START + struct.pack("<I", len(head)) + head + self.code


def unpack(packed: bytes) -> Image | None:
    """The image that `pack` has packed; None for other bytes.

    Raises ValueError for damaged bytes of `pack`.
    """
    if not packed.startswith(START):
        return None
    begin = len(START) + 4
    size = int.from_bytes(packed[len(START) : begin], "little")
    functions, pointers, _ = packed[begin : begin + size].decode().split("\n")
    places = dict(one.split("=") for one in functions.split())
    found = Image(
        packed[begin + size :],
        {name: int(at) for name, at in places.items()},
        tuple(map(int, pointers.split())),
    )
    ends = (*found.functions.values(), *(at + 7 for at in found.pointers))
    if not found.code or not all(0 <= at < len(found.code) for at in ends):
        raise ValueError("an image refers to what is not in it")
    return found


class Mapped:
    """An image in memory, for as long as this lives."""

    def __init__(self, image: Image) -> None:
        """Raises SpecmodelError where the system does not allow it."""
        size = -(-len(image.code) // PAGE) * PAGE
        self._memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._memory[: len(image.code)] = image.code
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        for at in image.pointers:
            (offset,) = struct.unpack_from("<Q", self._memory, at)
            struct.pack_into("<Q", self._memory, at, self._base + offset)
        self._functions = image.functions
        make_executable(self._base, size)

    def get_function_address(self, name: str) -> int:
        """The address of a function; 0 if there is none with this name."""
        at = self._functions.get(name)
        return 0 if at is None else self._base + at


def make_executable(address: int, size: int) -> None:
    """Makes whole pages executable, and read-only. Raises SpecmodelError."""
    system = ctypes.CDLL(None, use_errno=True)
    protection = ctypes.c_int(mmap.PROT_READ | mmap.PROT_EXEC)
    if system.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(size), protection):
        raise SpecmodelError(
            "this system lets no program run code that it has made itself "
            f"({os.strerror(ctypes.get_errno())}): check with --engine interpret"
        )


# From object files


class _Section(NamedTuple):
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    name: int


class _Symbol(NamedTuple):
    name: str
    kind: int
    hidden: bool
    section: int
    value: int


class _Unfit(Exception):  # noqa: N818 - nothing is wrong
    """An object file needs more than an image supports."""


def link(codes: Sequence[bytes]) -> Image | None:
    """The image of object files, in the ELF format for x86-64; None if there can be none.

    They may call each other's functions.
    """
    try:
        return _Linking([_Object(code) for code in codes]).image()
    except _Unfit:
        return None


class _Object:
    """The contents of an object file."""

    def __init__(self, code: bytes) -> None:
        if not code.startswith(ELF_64) or code[16:20] != struct.pack("<HH", RELOCATABLE, X86_64):
            raise _Unfit
        (table,) = struct.unpack_from("<Q", code, 0x28)
        count, names = struct.unpack_from("<HH", code, 0x3C)
        self.code = code
        self.sections = [self._section(table + 64 * number) for number in range(count)]
        self._names = self.sections[names]
        self.symbols = [symbol for section in self.sections for symbol in self._symbols(section)]
        """All symbols: an object file has one table of them."""

    def held(self, section: _Section) -> bytes:
        """The bytes of a section."""
        if section.kind == ZEROS:
            return bytes(section.size)
        return self.code[section.offset : section.offset + section.size]

    def needed(self, section: _Section) -> bool:
        """Whether a section is needed when code runs."""
        if section.kind not in (PROGRAM, ZEROS) or not section.flags & ALLOCATED:
            return False
        constant = self._text(self._names, section.name).startswith(".data.rel.ro")
        if section.alignment > PAGE or (section.flags & WRITABLE and not constant):
            raise _Unfit
        return True

    def _section(self, at: int) -> _Section:
        name, kind, flags, _, offset, size, link, info, alignment, _ = struct.unpack_from(
            "<IIQQQQIIQQ", self.code, at
        )
        return _Section(kind, flags, offset, size, link, info, alignment, name)

    def _symbols(self, section: _Section) -> list[_Symbol]:
        if section.kind != SYMBOLS:
            return []
        names = self.sections[section.link]
        return [
            _Symbol(self._text(names, name), kind, other & 3 != 0, number, value)
            for name, kind, other, number, value, _ in struct.iter_unpack(
                "<IBBHQQ", self.held(section)
            )
        ]

    def _text(self, section: _Section, at: int) -> str:
        begin = section.offset + at
        return self.code[begin : self.code.index(0, begin)].decode()


class _Linking:
    """The places of sections of object files, and the references between them."""

    def __init__(self, objects: Sequence[_Object]) -> None:
        self.objects = objects
        self.size = 0
        self.places: list[dict[int, int]] = [self._placed(one) for one in objects]
        self.names: dict[str, int] = {}
        self.functions: dict[str, int] = {}
        for one, places in zip(objects, self.places, strict=True):
            for symbol in one.symbols:
                if symbol.kind >> 4 == GLOBAL and symbol.section in places:
                    place = places[symbol.section] + symbol.value
                    self.names[symbol.name] = place
                    if not symbol.hidden:
                        self.functions[symbol.name] = place

    def image(self) -> Image:
        image = bytearray(self.size)
        for one, places in zip(self.objects, self.places, strict=True):
            for number, place in places.items():
                held = one.held(one.sections[number])
                image[place : place + len(held)] = held
        pointers: list[int] = []
        for one, places in zip(self.objects, self.places, strict=True):
            for section in one.sections:
                if section.kind == RELOCATIONS and section.info in places:
                    pointers += self._relocate(image, one, places, section)
        return Image(bytes(image), self.functions, tuple(pointers))

    def _placed(self, one: _Object) -> dict[int, int]:
        """The places in the image of the needed sections of an object file."""
        places: dict[int, int] = {}
        for number, section in enumerate(one.sections):
            if one.needed(section):
                begin = -(-self.size // section.alignment) * section.alignment
                places[number] = begin
                self.size = begin + section.size
        return places

    def _relocate(
        self, image: bytearray, one: _Object, places: dict[int, int], section: _Section
    ) -> list[int]:
        """Fills in references to other places; returns the places of absolute addresses."""
        start, pointers = places[section.info], list[int]()
        for offset, info, addend in struct.iter_unpack("<QQq", one.held(section)):
            at, symbol = start + offset, one.symbols[info >> 32]
            if symbol.section in places:
                to = places[symbol.section] + symbol.value + addend
            elif symbol.section == UNDEFINED and symbol.name in self.names:
                to = self.names[symbol.name] + addend
            else:
                raise _Unfit
            kind = info & 0xFFFFFFFF
            if kind not in RELOCATION_FORMATS:
                raise _Unfit
            if kind == ABSOLUTE_64:
                pointers.append(at)
            else:
                to -= at
            struct.pack_into(RELOCATION_FORMATS[kind], image, at, to)
        return pointers
