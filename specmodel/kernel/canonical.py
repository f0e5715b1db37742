"""The canonical form of states under symmetry, as LLVM IR: the least of all renamings of each.

A block of states goes through all renamings together, in registers: each step makes an exchange and
compares the result with the least so far, lane by lane. Slots are sorted after each exchange.
"""

from __future__ import annotations

from collections.abc import Sequence

from specmodel.ir.layout import LeafBits
from specmodel.ir.symmetry.swaps import (
    Above,
    Carry,
    Equals,
    Recode,
    RenamingWalk,
    SlotExchange,
    Swap,
)
from specmodel.kernel.emit import Emitter
from specmodel.kernel.function import KernelFunction
from specmodel.kernel.instructions import BOOLS, INTS, splat
from specmodel.kernel.program import Program

STEPS = "@walk"


def steps_constant(walk: RenamingWalk) -> str:
    """The steps of a walk, as a constant of the module."""
    steps = ", ".join(f"i8 {step}" for step in walk.steps)
    return f"{STEPS} = internal constant [{len(walk.steps)} x i8] [{steps}]\n"


def canonical(program: Program, walk: RenamingWalk) -> str:
    """The function that replaces every state of a batch by its least renaming."""
    function = KernelFunction(program)
    e = function.e
    e.lines.append("define i64 @canonical(ptr %in, i64 %stride, i64 %n, ptr %context) {")
    with function.blocks("0"):
        first = e.new("getelementptr i64, ptr %in, i64 %at")
        e.load_words(first, "%stride")
        e.store_words(emit_least(e, walk), first, "%stride")
    e.line("ret i64 %n")
    return function.text()


def emit_least(e: Emitter, walk: RenamingWalk) -> list[str]:
    """Registers of the least renaming of the words in `e.words`. Begins and ends basic blocks."""
    start, words = e.block, list(e.words)
    count = range(len(words))
    e.line("br label %step")
    head, first = len(e.lines) + 1, "%step_number"
    e.label("step")
    here, best = ([f"%{kind}_{i}" for i in count] for kind in ("here", "best"))
    at = e.new(f"getelementptr [{len(walk.steps)} x i8], ptr {STEPS}, i64 0, i64 {first}")
    due = e.new(f"load i8, ptr {at}, align 1")
    cases = " ".join(f"i8 {n}, label %swap_{n}" for n in range(1, len(walk.swaps)))
    e.line(f"switch i8 {due}, label %swap_0 [ {cases} ]")
    results: list[list[str]] = []
    for number, swap in enumerate(walk.swaps):
        e.label(f"swap_{number}")
        results.append(_swapped(e, here, swap))
        e.line("br label %swapped")
    e.label("swapped")
    moved = [
        e.new(
            f"phi {INTS} "
            + ", ".join(f"[ {result[i]}, %swap_{n} ]" for n, result in enumerate(results))
        )
        for i in count
    ]
    for exchange in walk.exchanges:
        _exchange(e, moved, exchange)
    less = _less(e, moved, best)
    least = [
        e.new(f"select {BOOLS} {less}, {INTS} {m}, {INTS} {b}")
        for m, b in zip(moved, best, strict=True)
    ]
    following = e.new(f"add i64 {first}, 1")
    done = e.new(f"icmp eq i64 {following}, {len(walk.steps)}")
    e.line(f"br i1 {done}, label %least, label %step")
    phis = [f"  {first} = phi i64 [ 0, %{start} ], [ {following}, %swapped ]"]
    for i in count:
        phis.append(f"  {here[i]} = phi {INTS} [ {words[i]}, %{start} ], [ {moved[i]}, %swapped ]")
        phis.append(f"  {best[i]} = phi {INTS} [ {words[i]}, %{start} ], [ {least[i]}, %swapped ]")
    e.lines[head:head] = phis
    e.label("least")
    return least


def _swapped(e: Emitter, words: Sequence[str], swap: Swap) -> list[str]:
    held = list(words)
    for recode in swap.recodes:
        held[recode.word] = _recoded(e, held, recode)
    found = [""] * len(held)
    for carry in swap.carries:
        bits = _carried(e, held, carry)
        so_far = found[carry.target]
        found[carry.target] = e.new(f"or {INTS} {so_far}, {bits}") if so_far else bits
    return [word or splat(0) for word in found]


def _recoded(e: Emitter, words: Sequence[str], recode: Recode) -> str:
    word = words[recode.word]
    a, b = recode.codes
    if recode.one_bit:
        held = e.new(f"and {INTS} {word}, {splat(recode.mask & ~recode.difference)}")
        hit = e.new(f"icmp eq {INTS} {held}, {splat(a & b)}")
    else:
        held = e.new(f"and {INTS} {word}, {splat(recode.mask)}")
        either = [e.new(f"icmp eq {INTS} {held}, {splat(code)}") for code in (a, b)]
        hit = e.new(f"or {BOOLS} {either[0]}, {either[1]}")
    for condition in recode.where:
        hit = e.new(f"and {BOOLS} {hit}, {_holds(e, words, condition)}")
    changed = e.new(f"xor {INTS} {word}, {splat(recode.difference)}")
    return e.new(f"select {BOOLS} {hit}, {INTS} {changed}, {INTS} {word}")


def _holds(e: Emitter, words: Sequence[str], where: Above | Equals) -> str:
    held = e.new(f"and {INTS} {words[where.word]}, {splat(where.mask)}")
    if isinstance(where, Equals):
        return e.new(f"icmp eq {INTS} {held}, {splat(where.code)}")
    return e.new(f"icmp ugt {INTS} {held}, {splat(where.limit)}")


def _carried(e: Emitter, words: Sequence[str], carry: Carry) -> str:
    bits = e.new(f"and {INTS} {words[carry.source]}, {splat(carry.mask)}")
    for condition in carry.where:
        here = _holds(e, words, condition)
        bits = e.new(f"select {BOOLS} {here}, {INTS} {bits}, {INTS} {splat(0)}")
    if not carry.shift:
        return bits
    operation = "shl" if carry.shift > 0 else "lshr"
    return e.new(f"{operation} {INTS} {bits}, {splat(abs(carry.shift))}")


def _exchange(e: Emitter, words: list[str], exchange: SlotExchange) -> None:
    """Exchanges two slots in the registers of words where the later one comes first."""
    early, late = (
        [_piece(e, words, part) for part in parts] for parts in zip(*exchange.runs, strict=True)
    )
    hit = _less(e, late[: exchange.keys], early[: exchange.keys])
    for condition in exchange.where:
        hit = e.new(f"and {BOOLS} {hit}, {_holds(e, words, condition)}")
    for run, a, b in zip(exchange.runs, early, late, strict=True):
        different = e.new(f"xor {INTS} {a}, {b}")
        changed = e.new(f"select {BOOLS} {hit}, {INTS} {different}, {INTS} {splat(0)}")
        for part in run:
            bits = e.new(f"shl {INTS} {changed}, {splat(part.shift)}")
            words[part.word] = e.new(f"xor {INTS} {words[part.word]}, {bits}")


def _piece(e: Emitter, words: Sequence[str], part: LeafBits) -> str:
    """The value of some bits of a word."""
    moved = e.new(f"lshr {INTS} {words[part.word]}, {splat(part.shift)}")
    return e.new(f"and {INTS} {moved}, {splat(part.mask)}")


def _less(e: Emitter, a: Sequence[str], b: Sequence[str]) -> str:
    """The lanes in which one state is less than another: words compared unsigned, in order."""
    less = e.new(f"icmp ult {INTS} {a[-1]}, {b[-1]}")
    for x, y in zip(reversed(a[:-1]), reversed(b[:-1]), strict=True):
        equal = e.new(f"icmp eq {INTS} {x}, {y}")
        tied = e.new(f"and {BOOLS} {equal}, {less}")
        before = e.new(f"icmp ult {INTS} {x}, {y}")
        less = e.new(f"or {BOOLS} {before}, {tied}")
    return less
