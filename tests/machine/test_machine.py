"""Machine Python means what Python means, at 64 bits, and says where it cannot."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.machine import objects
from specmodel.machine.build import version
from specmodel.machine.language import (
    Structure,
    Words,
    acquire,
    add_ones,
    address,
    and_words,
    call,
    compress,
    ctpop,
    cttz,
    equal_words,
    i64,
    lshr,
    machine,
    mulhi,
    pause,
    pointer,
    prefetch,
    ptr,
    signed,
    ult,
    unrolled,
)
from specmodel.machine.translate import translate
from specmodel.machine.words import WORD, aligned_words

SCALE = 3


class Pair(Structure):
    first: i64
    second: i64


class Parcel(Structure):
    weight: i64
    marks: Words = Words(SCALE)
    pair: i64
    last: i64


@machine
def arithmetic(a: i64, b: i64, which: i64) -> i64:
    if which == 0:
        return a + b
    if which == 1:
        return a - b
    if which == 2:
        return a * b
    if which == 3:
        return a & b
    if which == 4:
        return a | b
    if which == 5:
        return a ^ b
    if which == 6:
        return -a
    if which == 7:
        return ~a
    if which == 8:
        return mulhi(a, b)
    if which == 9:
        return cttz(a)
    if which == 10:
        return ctpop(a)
    if which == 11:
        return min(a, b)
    if which == 12:
        return max(a, b)
    if which == 13:
        return a * 0x9E3779B97F4A7C15 + SCALE
    a += b
    a *= b
    a -= SCALE
    a ^= b
    return a


@machine
def shifts(a: i64, distance: i64, which: i64) -> i64:
    if which == 0:
        return a << distance
    moved = a
    if which == 1:
        moved = a >> distance
    elif which == 2:
        moved = lshr(a, distance)
    else:
        pass
    return moved


@machine
def compared(a: i64, b: i64) -> i64:
    bits = (a == b) | (a != b) << 1 | (a < b) << 2 | (a <= b) << 3 | (a > b) << 4 | (a >= b) << 5
    bits |= ult(a, b) << 6
    bits |= (a < b and b < 0) << 7
    bits |= (a < b or not b < 0) << 8
    bits += (a if a < b else b) & 1
    known: bool = a < 0
    if known and not (a == b or b == 0):
        bits = ~bits
    return bits


@machine
def loops(n: i64, skip: i64, stop: i64) -> i64:
    total = 0
    for i in range(n):
        if i == skip:
            continue
        if i == stop:
            break
        for k in range(i, n, 2):
            total = total * 7 + k
            i = 1000
        for k in unrolled(SCALE):
            total += k * i
            i += k
        total += i
    while True:
        total += 1
        if total & 7 == 0 or total < 0:
            break
        while total & 3 == 0:
            total += 2
            continue
    return total


@machine
def fill(to: ptr, n: i64) -> None:
    """Has no value to return."""
    if n < 0:
        return
    for i in range(n):
        to[i] = i * i
    to[0] += 5


@machine
def in_memory(p: ptr, n: i64) -> i64:
    prefetch(p)
    fill(p + 1, n)
    behind = p + (n + 1)
    behind[0] = ptr(address(p) + 8)[2]
    return (address(behind) - address(p)) + call(p[0], n, SCALE)


@machine
def equal_among(p: ptr, word: i64, mask: i64) -> i64:
    return equal_words(p, word, mask)


@machine
def compressed(to: ptr, words: ptr, bits: i64) -> None:
    compress(to, words, bits)


@machine
def joined(words: ptr, a_flip: i64, b_flip: i64, to: i64) -> i64:
    and_words(words + to * 8, words, a_flip, words + 8, b_flip)
    return 0


@machine
def added(to: ptr, held: ptr) -> i64:
    add_ones(to, held)
    return 0


@machine
def published(word: ptr) -> i64:
    pause()
    return acquire(word)


@machine
def product(a: i64, b: i64) -> i64:
    return a * b


@machine
def pair_of(parcel: Parcel) -> Pair:
    return Pair(parcel.pair)


@machine
def in_fields(c: Parcel, spare: ptr) -> i64:
    """Reads and writes fields, buffers, and fields of what a field points to."""
    c.weight += 5
    for i in range(SCALE):
        c.marks[i] = 10 + i
    pair = pair_of(c)
    pair.second = address(c)
    pair_of(c).first = c.last if address(pair) == c.pair else 0
    Pair(spare).second = Pair.words
    (c.marks + 1)[0] += acquire(pointer(c.weight))
    return Pair(spare + 1).first + Parcel.words


ENTRIES: list[Callable[..., Any]] = [
    arithmetic,
    shifts,
    compared,
    loops,
    in_memory,
    equal_among,
    compressed,
    joined,
    added,
    published,
    product,
    in_fields,
]


@pytest.fixture(scope="module", params=[(0, 0), (2, 1), (2, 2)], ids=["plain", "few", "optimised"])
def code(request: pytest.FixtureRequest) -> objects.LoadedCode:
    level, passes = request.param
    text = translate(ENTRIES, {})
    return objects.load(objects.host(level, passes), text, lambda: [text])


def function(code: objects.LoadedCode, name: str, arguments: int) -> Callable[..., int]:
    return code.function(name, "i" * arguments)


edges = st.sampled_from([0, 1, -1, 2, -2, (1 << 63) - 1, -(1 << 63), 1 << 32, 7])
words = st.integers(-(1 << 63), (1 << 63) - 1) | edges


@given(a=words, b=words, which=st.integers(0, 14))
def test_arithmetic_wraps_around(code: objects.LoadedCode, a: int, b: int, which: int) -> None:
    """Every operator gives what Python gives, modulo 2**64."""
    assert function(code, "arithmetic", 3)(a, b, which) == signed(arithmetic(a, b, which))


@given(a=words, distance=st.integers(0, 63), which=st.integers(0, 2))
def test_shifts(code: objects.LoadedCode, a: int, distance: int, which: int) -> None:
    """Arithmetic and logical shifts are not mixed up."""
    assert function(code, "shifts", 3)(a, distance, which) == signed(shifts(a, distance, which))


@given(a=words, b=words)
def test_comparisons_and_logic(code: objects.LoadedCode, a: int, b: int) -> None:
    """Comparisons are signed but for ult; and, or, not and if-expressions choose as in Python."""
    assert function(code, "compared", 2)(a, b) == signed(compared(a, b))


@given(n=st.integers(-2, 6), skip=st.integers(-1, 6), stop=st.integers(-1, 6))
def test_loops(code: objects.LoadedCode, n: int, skip: int, stop: int) -> None:
    """Break, continue, nesting, and assigning to a loop's variable: no later round changes."""
    assert function(code, "loops", 3)(n, skip, stop) == signed(loops(n, skip, stop))


@given(
    held=st.lists(words, min_size=8, max_size=8),
    word=words,
    mask=st.sampled_from([-1, 1, 0, 0xFFFF_FFFF, -256]),
    same=st.sets(st.integers(0, 7)),
)
def test_eight_words_are_compared_at_once(
    code: objects.LoadedCode, held: list[int], word: int, mask: int, same: set[int]
) -> None:
    """A bit is set for just the words that agree with a word where the mask says."""
    for i in same:
        held[i] = signed(word ^ (held[i] & ~mask))
    array = (ctypes.c_int64 * 8)(*held)
    expected = sum(1 << i for i, w in enumerate(held) if (w ^ word) & mask == 0)
    assert function(code, "equal_among", 3)(ctypes.addressof(array), word, mask) == expected


@given(held=st.lists(words, min_size=8, max_size=8), bits=st.integers(0, 255))
def test_chosen_words_are_brought_together(
    code: objects.LoadedCode, held: list[int], bits: int
) -> None:
    """In their order, from the first place on; nothing is written behind eight words."""
    source, to = (ctypes.c_int64 * 8)(*held), (ctypes.c_int64 * 9)(*[77] * 9)
    function(code, "compressed", 3)(ctypes.addressof(to), ctypes.addressof(source), bits)
    chosen = [word for i, word in enumerate(held) if bits >> i & 1]
    assert list(to)[: len(chosen)] == chosen
    assert to[8] == 77


@given(
    a=st.lists(words, min_size=8, max_size=8),
    b=st.lists(words, min_size=8, max_size=8),
    flips=st.tuples(st.sampled_from([0, -1]), st.sampled_from([0, -1])),
    to=st.integers(0, 2),
)
def test_words_are_joined(
    code: objects.LoadedCode, a: list[int], b: list[int], flips: tuple[int, int], to: int
) -> None:
    """Each word of the one with that of the other, each negated or not; also in their place."""
    array = (ctypes.c_int64 * 25)(*a, *b, *[77] * 9)
    function(code, "joined", 4)(ctypes.addressof(array), *flips, to)
    held = [*a, *b, *[77] * 8]
    held[8 * to : 8 * to + 8] = [(x ^ flips[0]) & (y ^ flips[1]) for x, y in zip(a, b, strict=True)]
    assert list(array) == [*held, 77]


@given(held=st.lists(words, min_size=8, max_size=8), before=words)
def test_ones_are_added(code: objects.LoadedCode, held: list[int], before: int) -> None:
    """Each of eight words grows by the ones of the word in its place."""
    source, to = (ctypes.c_int64 * 8)(*held), (ctypes.c_int64 * 9)(*[before] * 9)
    function(code, "added", 2)(ctypes.addressof(to), ctypes.addressof(source))
    assert list(to) == [*(signed(before + ctpop(word)) for word in held), before]


def test_a_word_of_another_thread(code: objects.LoadedCode) -> None:
    word = ctypes.c_int64(-5)
    assert function(code, "published", 1)(ctypes.addressof(word)) == -5


def test_memory_and_calls(code: objects.LoadedCode) -> None:
    """Pointers count in words; calls reach machine functions and addresses."""
    array = (ctypes.c_int64 * 6)(code.address("product"))
    result = function(code, "in_memory", 2)(ctypes.addressof(array), 4)
    assert list(array) == [code.address("product"), 5, 1, 4, 9, 4]
    assert result == 5 * 8 + 4 * SCALE


def test_constants_can_be_given() -> None:
    """A module-level constant is replaced for a specialised translation."""
    text = translate([arithmetic], {"SCALE": 10})
    code = objects.load(objects.host(), text, lambda: [text])
    assert function(code, "arithmetic", 3)(1, 0, 13) == signed(0x9E3779B97F4A7C15 + 10)


def test_structures(code: objects.LoadedCode) -> None:
    """Machine code and Python see the same fields: those of each other, and no others' words."""
    parcel, pair, spare = Parcel.new(), Pair.new(), Pair.new()
    parcel.weight, parcel.pair, parcel.last, spare.first = 1, address(pair), -7, 99
    assert function(code, "in_fields", 2)(address(parcel), address(spare)) == 2 + 6
    assert (parcel.weight, parcel.pair, parcel.last) == (6, address(pair), -7)
    assert (parcel.marks[:], parcel.marks[1]) == ([10, 17, 12], 17)
    assert (pair.first, pair.second) == (-7, address(parcel))
    assert (spare.first, spare.second) == (99, 2)
    assert Pair(address(pair)).second == pair.second


def test_fields_do_not_overlap() -> None:
    """Writing a word of a structure changes no other, in whatever order they are written."""
    parcel = Parcel.new()
    for value, field in enumerate(("last", "weight", "pair")):
        setattr(parcel, field, value + 1)
    for i in range(SCALE):
        parcel.marks[i] = 10 + i
    assert parcel.memory[: Parcel.words] == [2, 10, 11, 12, 3, 1]
    with pytest.raises(AttributeError, match="word by word"):
        setattr(parcel, "marks", 1)  # noqa: B010 - checkers know that this is wrong
    both = aligned_words(2 * Pair.words)
    pairs = [Pair(ctypes.addressof(both) + i * Pair.words * WORD) for i in range(2)]
    pairs[1].first, pairs[0].second, pairs[1].second, pairs[0].first = 1, 2, 3, 4
    assert both[:4] == [4, 2, 1, 3]


def test_fields_are_words_or_buffers() -> None:
    """What machine code cannot have, or what structures have for themselves, is refused at once."""
    for names in ({"wrong": "ptr"}, {"wrong": "Words"}, {"words": "i64"}):
        with pytest.raises(TypeError, match="is no field of a structure"):
            type("Wrong", (Structure,), {"__annotations__": names})


@pytest.mark.parametrize("fields", [{"a": "i64"}, {"b": "i64", "a": "i64"}])
def test_code_is_kept_by_fields(fields: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """With other fields of a structure from anywhere, code in the cache is not used."""
    before = version.__wrapped__((in_fields,))
    monkeypatch.setitem(globals(), "Pair", type("Pair", (Structure,), {"__annotations__": fields}))
    assert version.__wrapped__((in_fields,)) != before
