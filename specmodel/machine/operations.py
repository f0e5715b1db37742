"""The types and operations of `language` in LLVM IR."""

from __future__ import annotations

import platform

from specmodel.dataclass import dataclass
from specmodel.machine.language import Structure

I64, BOOL, PTR, VOID = "i64", "i1", "ptr", "void"


@dataclass(frozen=True)
class Pointer:
    """The type of a pointer to a structure; as text, the name in LLVM."""

    to: type[Structure]

    def __str__(self) -> str:
        return PTR


Kind = str | Pointer


def name_of(kind: Kind) -> str:
    """The name of a type in messages."""
    return kind.to.__name__ if isinstance(kind, Pointer) else kind


PAUSES = {
    "x86_64": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "aarch64": ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),
}
"""The instruction that lets a processor rest, by its kind."""

OTHER_NAMES = {"amd64": "x86_64", "arm64": "aarch64"}

_KIND = platform.machine().lower()
_DECLARED, _PAUSE = PAUSES.get(OTHER_NAMES.get(_KIND, _KIND), ("", ""))


@dataclass(frozen=True)
class Operation:
    """The types of an operation's arguments and result, and its instruction.

    The instruction has a number in braces in the place of each operand.
    """

    takes: tuple[str, ...]
    gives: str
    instruction: str


OPERATIONS = {
    "ptr": Operation((I64,), PTR, "inttoptr i64 {0} to ptr"),
    "address": Operation((PTR,), I64, "ptrtoint ptr {0} to i64"),
    "lshr": Operation((I64, I64), I64, "lshr i64 {0}, {1}"),
    "ult": Operation((I64, I64), BOOL, "icmp ult i64 {0}, {1}"),
    "min": Operation((I64, I64), I64, "call i64 @llvm.smin.i64(i64 {0}, i64 {1})"),
    "max": Operation((I64, I64), I64, "call i64 @llvm.smax.i64(i64 {0}, i64 {1})"),
    "mulhi": Operation((I64, I64), I64, "call i64 @mulhi(i64 {0}, i64 {1})"),
    "cttz": Operation((I64,), I64, "call i64 @llvm.cttz.i64(i64 {0}, i1 false)"),
    "ctpop": Operation((I64,), I64, "call i64 @llvm.ctpop.i64(i64 {0})"),
    "equal_words": Operation(
        (PTR, I64, I64), I64, "call i64 @equal_words(ptr {0}, i64 {1}, i64 {2})"
    ),
    "compress": Operation((PTR, PTR, I64), VOID, "call void @compress(ptr {0}, ptr {1}, i64 {2})"),
    "and_words": Operation(
        (PTR, PTR, I64, PTR, I64),
        VOID,
        "call void @and_words(ptr {0}, ptr {1}, i64 {2}, ptr {3}, i64 {4})",
    ),
    "add_ones": Operation((PTR, PTR), VOID, "call void @add_ones(ptr {0}, ptr {1})"),
    "prefetch": Operation(
        (PTR,), VOID, "call void @llvm.prefetch.p0(ptr {0}, i32 1, i32 3, i32 1)"
    ),
    "acquire": Operation((PTR,), I64, "load atomic i64, ptr {0} acquire, align 8"),
    "release": Operation((PTR, I64), VOID, "store atomic i64 {1}, ptr {0} release, align 8"),
    "exchange": Operation((PTR, I64), I64, "atomicrmw xchg ptr {0}, i64 {1} acq_rel, align 8"),
    "fetch_add": Operation((PTR, I64), I64, "atomicrmw add ptr {0}, i64 {1} acq_rel, align 8"),
    "pause": Operation((), VOID, _PAUSE),
}

DEFINITIONS = f"""\
{_DECLARED}
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.ctpop.i64(i64)
declare <8 x i64> @llvm.ctpop.v8i64(<8 x i64>)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare <8 x i64> @llvm.experimental.vector.compress.v8i64(<8 x i64>, <8 x i1>, <8 x i64>)

define internal i64 @mulhi(i64 %a, i64 %b) alwaysinline nounwind {{
  %wide.a = zext i64 %a to i128
  %wide.b = zext i64 %b to i128
  %product = mul nuw i128 %wide.a, %wide.b
  %high = lshr i128 %product, 64
  %r = trunc i128 %high to i64
  ret i64 %r
}}

define internal <8 x i64> @everywhere(i64 %word) alwaysinline nounwind {{
  %first = insertelement <8 x i64> poison, i64 %word, i64 0
  %r = shufflevector <8 x i64> %first, <8 x i64> poison, <8 x i32> zeroinitializer
  ret <8 x i64> %r
}}

define internal i64 @equal_words(ptr %words, i64 %word, i64 %mask) alwaysinline nounwind {{
  %word.all = call <8 x i64> @everywhere(i64 %word)
  %mask.all = call <8 x i64> @everywhere(i64 %mask)
  %loaded = load <8 x i64>, ptr %words, align 8
  %differing = xor <8 x i64> %loaded, %word.all
  %counting = and <8 x i64> %differing, %mask.all
  %equal = icmp eq <8 x i64> %counting, zeroinitializer
  %bits = bitcast <8 x i1> %equal to i8
  %r = zext i8 %bits to i64
  ret i64 %r
}}

define internal void @compress(ptr %to, ptr %words, i64 %bits) alwaysinline nounwind {{
  %loaded = load <8 x i64>, ptr %words, align 8
  %byte = trunc i64 %bits to i8
  %mask = bitcast i8 %byte to <8 x i1>
  %packed = call <8 x i64> @llvm.experimental.vector.compress.v8i64(
    <8 x i64> %loaded, <8 x i1> %mask, <8 x i64> poison)
  store <8 x i64> %packed, ptr %to, align 8
  ret void
}}

define internal void @add_ones(ptr %to, ptr %words) alwaysinline nounwind {{
  %loaded = load <8 x i64>, ptr %words, align 8
  %ones = call <8 x i64> @llvm.ctpop.v8i64(<8 x i64> %loaded)
  %before = load <8 x i64>, ptr %to, align 8
  %sum = add <8 x i64> %before, %ones
  store <8 x i64> %sum, ptr %to, align 8
  ret void
}}

define internal void @and_words(ptr %to, ptr %a, i64 %a.flip, ptr %b, i64 %b.flip) \
alwaysinline nounwind {{
  %a.words = load <8 x i64>, ptr %a, align 8
  %b.words = load <8 x i64>, ptr %b, align 8
  %a.all = call <8 x i64> @everywhere(i64 %a.flip)
  %b.all = call <8 x i64> @everywhere(i64 %b.flip)
  %a.made = xor <8 x i64> %a.words, %a.all
  %b.made = xor <8 x i64> %b.words, %b.all
  %made = and <8 x i64> %a.made, %b.made
  store <8 x i64> %made, ptr %to, align 8
  ret void
}}
"""
"""The functions that the instructions of operations call."""
