"""Images of code do what LLVM's own linking of the same object file does, wherever they lie."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import Any

import pytest

from specmodel.engines.native import walking
from specmodel.engines.native.loop import core
from specmodel.errors import SpecmodelError
from specmodel.machine import image, objects
from specmodel.machine.image import Image, Mapped

pytestmark = pytest.mark.skipif(not image.possible(), reason="no images for this machine")

PARTS = """
@powers = internal constant [4 x i64] [i64 1, i64 10, i64 100, i64 1000], align 64
@functions = internal constant [2 x ptr] [ptr @twice, ptr @thrice]
@names = internal constant [2 x ptr] [ptr @powers, ptr getelementptr (i8, ptr @powers, i64 24)]

define internal i64 @twice(i64 %a) noinline {
  %r = mul i64 %a, 2
  ret i64 %r
}

define internal i64 @thrice(i64 %a) noinline section ".text.elsewhere" {
  %r = mul i64 %a, 3
  ret i64 %r
}

define i64 @chosen(i64 %which, i64 %a) {
  %at = getelementptr [2 x ptr], ptr @functions, i64 0, i64 %which
  %f = load ptr, ptr %at
  %r = call i64 %f(i64 %a)
  ret i64 %r
}

define i64 @both(i64 %a, i64 %power) {
  %at = getelementptr [4 x i64], ptr @powers, i64 0, i64 %power
  %p = load i64, ptr %at
  %b = call i64 @thrice(i64 %a)
  %c = call i64 @chosen(i64 0, i64 %b)
  %r = mul i64 %c, %p
  ret i64 %r
}

define i64 @last(i64 %a, i64 %b) {
  %at = getelementptr [2 x ptr], ptr @names, i64 0, i64 1
  %p = load ptr, ptr %at
  %r = load i64, ptr %p
  ret i64 %r
}

define i64 @lanes(i64 %a, i64 %b) {
  %first = insertelement <8 x i64> poison, i64 %a, i64 0
  %all = shufflevector <8 x i64> %first, <8 x i64> poison, <8 x i32> zeroinitializer
  %sums = add <8 x i64> %all, <i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8>
  %r = call i64 @llvm.vector.reduce.xor.v8i64(<8 x i64> %sums)
  ret i64 %r
}
declare i64 @llvm.vector.reduce.xor.v8i64(<8 x i64>)
"""
"""Pointers to functions and data, calls between sections, constants of several sizes."""

NAMES = ("chosen", "both", "last", "lanes")


def function(place: Any, name: str) -> Callable[[int, int], int]:
    kind: Any = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    return kind(place.get_function_address(name))


@pytest.mark.parametrize("level", [0, 2])
def test_an_image_does_what_linked_code_does(level: int) -> None:
    target = objects.host(level)
    code = objects.compile_object(target, PARTS)
    linked = image.link([code])
    assert linked is not None
    assert set(linked.functions) == set(NAMES)
    assert linked.pointers  # of the tables
    own = Mapped(linked)
    llvms = objects._link(target, [code])  # pyright: ignore[reportPrivateUsage]
    for name in NAMES:
        for a in (0, 1) if name == "chosen" else (0, 7, -5):
            for b in (0, 1):
                assert function(own, name)(a, b) == function(llvms, name)(a, b)
    assert function(own, "both")(7, 3) == 7 * 3 * 2 * 1000
    assert function(own, "last")(0, 0) == 1000


ONE = """
declare hidden i64 @shared(i64)
define i64 @first(i64 %a, i64 %b) {
  %r = call i64 @shared(i64 %a)
  ret i64 %r
}
define hidden i64 @private(i64 %a) {
  %r = add i64 %a, 100
  ret i64 %r
}
"""
OTHER = """
declare hidden i64 @private(i64)
@table = internal constant [1 x ptr] [ptr @private], align 64
define hidden i64 @shared(i64 %a) {
  %r = mul i64 %a, 3
  ret i64 %r
}
define i64 @second(i64 %a, i64 %b) {
  %f = load volatile ptr, ptr @table
  %r = call i64 %f(i64 %a)
  ret i64 %r
}
"""


def test_modules_use_each_other() -> None:
    """In either order, by call and by address. What is hidden is not to be called from outside."""
    codes = [objects.compile_object(objects.host(), text) for text in (ONE, OTHER)]
    for order in (codes, codes[::-1]):
        linked = image.link(order)
        assert linked is not None
        assert set(linked.functions) == {"first", "second"}
        place = Mapped(linked)
        assert (function(place, "first")(5, 0), function(place, "second")(5, 0)) == (15, 105)
    assert image.link(codes[:1]) is None


def test_an_image_lies_anywhere() -> None:
    """Two of one image are each complete in themselves."""
    linked = image.link([objects.compile_object(objects.host(), PARTS)])
    assert linked is not None
    places = [Mapped(linked) for _ in range(5)]
    assert len({place.get_function_address("both") for place in places}) == 5
    first = function(places[0], "both")(1, 1)
    del places[0]
    assert {function(place, "both")(1, 1) for place in places} == {first}


def test_packing() -> None:
    made = Image(b"\x90\n\0code" + bytes(17), {"f": 0, "g": 4}, (8, 16))
    assert image.unpack(made.pack()) == made
    plain = Image(b"\xc3", {})
    assert image.unpack(plain.pack()) == plain
    assert image.unpack(b"\x7fELF something else") is None


WRITABLE = """
@count = internal global i64 5
define i64 @f(i64 %a, i64 %b) {
  store i64 %a, ptr @count
  %r = load volatile i64, ptr @count
  ret i64 %r
}
"""
OUTSIDE = """
declare i64 @strlen(ptr)
define i64 @f(i64 %a, i64 %b) {
  %r = call i64 @strlen(ptr null)
  ret i64 %r
}
"""


def test_a_system_that_runs_no_such_code() -> None:
    """Here pages that are not there: the message says what to do."""
    with pytest.raises(SpecmodelError, match=r"Cannot allocate memory\).*--engine interpret"):
        image.make_executable(image.PAGE, image.PAGE)


@pytest.mark.parametrize("text", [WRITABLE, OUTSIDE], ids=["variables", "libraries"])
def test_what_an_image_cannot_hold(text: str) -> None:
    assert image.link([objects.compile_object(objects.host(), text)]) is None


def test_other_formats_are_left_alone() -> None:
    """Of another system, another processor, or no object file at all."""
    code = objects.compile_object(objects.host(), PARTS)
    arm = code[:18] + struct.pack("<H", 183) + code[20:]
    for other in (b"", b"\xcf\xfa\xed\xfe" + bytes(100), arm):
        assert image.link([other]) is None


def test_all_own_code_is_images() -> None:
    """So that a command for which everything is in the cache needs no LLVM."""
    codes = [core.load_core(words, None, prints).code for words in (1, 2, 3) for prints in (0, 1)]
    codes.append(walking._core(2, 1, 1))  # pyright: ignore[reportPrivateUsage]
    assert all(isinstance(code.loaded.place, Mapped) for code in codes)
