"""The operations of `language` in LLVM IR: functions that are inlined wherever they are called."""

from __future__ import annotations

import platform

I64, BOOL, PTR, VOID = "i64", "i1", "ptr", "void"

SIGNATURES: dict[str, tuple[tuple[str, ...], str]] = {
    "lshr": ((I64, I64), I64),
    "ult": ((I64, I64), BOOL),
    "min": ((I64, I64), I64),
    "max": ((I64, I64), I64),
    "mulhi": ((I64, I64), I64),
    "cttz": ((I64,), I64),
    "ctpop": ((I64,), I64),
    "equal_words": ((PTR, I64, I64), I64),
    "compress": ((PTR, PTR, I64), VOID),
    "prefetch": ((PTR,), VOID),
    "acquire": ((PTR,), I64),
    "release": ((PTR, I64), VOID),
    "exchange": ((PTR, I64), I64),
    "fetch_add": ((PTR, I64), I64),
    "pause": ((), VOID),
}
"""What each takes and gives."""

DEFINITIONS = """\
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare <8 x i64> @llvm.experimental.vector.compress.v8i64(<8 x i64>, <8 x i1>, <8 x i64>)

define internal i64 @lshr(i64 %a, i64 %b) alwaysinline nounwind {
  %r = lshr i64 %a, %b
  ret i64 %r
}

define internal i1 @ult(i64 %a, i64 %b) alwaysinline nounwind {
  %r = icmp ult i64 %a, %b
  ret i1 %r
}

define internal i64 @min(i64 %a, i64 %b) alwaysinline nounwind {
  %r = call i64 @llvm.smin.i64(i64 %a, i64 %b)
  ret i64 %r
}

define internal i64 @max(i64 %a, i64 %b) alwaysinline nounwind {
  %r = call i64 @llvm.smax.i64(i64 %a, i64 %b)
  ret i64 %r
}

define internal i64 @mulhi(i64 %a, i64 %b) alwaysinline nounwind {
  %wide.a = zext i64 %a to i128
  %wide.b = zext i64 %b to i128
  %product = mul nuw i128 %wide.a, %wide.b
  %high = lshr i128 %product, 64
  %r = trunc i128 %high to i64
  ret i64 %r
}

define internal i64 @cttz(i64 %a) alwaysinline nounwind {
  %r = call i64 @llvm.cttz.i64(i64 %a, i1 false)
  ret i64 %r
}

define internal i64 @ctpop(i64 %a) alwaysinline nounwind {
  %r = call i64 @llvm.ctpop.i64(i64 %a)
  ret i64 %r
}

define internal i64 @equal_words(ptr %words, i64 %word, i64 %mask) alwaysinline nounwind {
  %word.first = insertelement <8 x i64> poison, i64 %word, i64 0
  %word.all = shufflevector <8 x i64> %word.first, <8 x i64> poison, <8 x i32> zeroinitializer
  %mask.first = insertelement <8 x i64> poison, i64 %mask, i64 0
  %mask.all = shufflevector <8 x i64> %mask.first, <8 x i64> poison, <8 x i32> zeroinitializer
  %loaded = load <8 x i64>, ptr %words, align 8
  %differing = xor <8 x i64> %loaded, %word.all
  %counting = and <8 x i64> %differing, %mask.all
  %equal = icmp eq <8 x i64> %counting, zeroinitializer
  %bits = bitcast <8 x i1> %equal to i8
  %r = zext i8 %bits to i64
  ret i64 %r
}

define internal void @compress(ptr %to, ptr %words, i64 %bits) alwaysinline nounwind {
  %loaded = load <8 x i64>, ptr %words, align 8
  %byte = trunc i64 %bits to i8
  %mask = bitcast i8 %byte to <8 x i1>
  %packed = call <8 x i64> @llvm.experimental.vector.compress.v8i64(
    <8 x i64> %loaded, <8 x i1> %mask, <8 x i64> poison)
  store <8 x i64> %packed, ptr %to, align 8
  ret void
}

define internal void @prefetch(ptr %word) alwaysinline nounwind {
  call void @llvm.prefetch.p0(ptr %word, i32 1, i32 3, i32 1)
  ret void
}

define internal i64 @acquire(ptr %word) alwaysinline nounwind {
  %r = load atomic i64, ptr %word acquire, align 8
  ret i64 %r
}

define internal void @release(ptr %word, i64 %value) alwaysinline nounwind {
  store atomic i64 %value, ptr %word release, align 8
  ret void
}

define internal i64 @exchange(ptr %word, i64 %value) alwaysinline nounwind {
  %r = atomicrmw xchg ptr %word, i64 %value acq_rel, align 8
  ret i64 %r
}

define internal i64 @fetch_add(ptr %word, i64 %value) alwaysinline nounwind {
  %r = atomicrmw add ptr %word, i64 %value acq_rel, align 8
  ret i64 %r
}
"""

PAUSES = {
    "x86_64": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "aarch64": ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),
}
"""What lets a processor rest, by its kind."""

OTHER_NAMES = {"amd64": "x86_64", "arm64": "aarch64"}


def text() -> str:
    """The definitions of all operations, for this machine."""
    kind = platform.machine().lower()
    declaration, pause = PAUSES.get(OTHER_NAMES.get(kind, kind), ("", ""))
    return f"""{DEFINITIONS}
{declaration}
define internal void @pause() alwaysinline nounwind {{
  {pause}
  ret void
}}
"""
