"""Code is kept on disk, found again, and never trusted when damaged."""

from __future__ import annotations

import ctypes
import gc
import hashlib
import itertools
import os
import platform
import stat
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from specmodel.environment import findings
from specmodel.errors import SpecmodelError, SpecmodelWarning
from specmodel.machine import cache, compilers, image, objects

ANSWER = "define i64 @answer() {\n  ret i64 42\n}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("SPECMODEL_CACHE", str(tmp_path / "cache"))
    objects.host_processor.cache_clear()
    yield tmp_path / "cache"
    objects.host_processor.cache_clear()


def answer(code: objects.LoadedCode) -> int:
    return code.function("answer")()


def load(key: str = ANSWER, level: int = 2) -> objects.LoadedCode:
    return objects.load(objects.host(level), key, lambda: [ANSWER])


def test_second_load_is_from_the_cache() -> None:
    """Code is compiled once for a key and a target."""
    assert not load().cached
    again = load()
    assert again.cached
    assert answer(again) == 42
    assert not load(key="another").cached
    assert not load(level=0).cached


def test_text_is_not_asked_for_on_a_hit() -> None:
    """A hit costs no translation."""
    load(key="k")

    def never() -> str:
        raise AssertionError

    assert answer(objects.load(objects.host(), "k", never)) == 42


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 500])
def test_damaged_file_is_compiled_anew(folder: Path, damage: bytes) -> None:
    """A truncated or overwritten file is noticed and replaced."""
    load()
    (file,) = folder.rglob("*.code")
    file.write_bytes(damage)
    again = load()
    assert not again.cached
    assert answer(again) == 42
    assert load().cached


FORGED = {
    "nothing": b"",
    "head cut short": image.START + b"\xff",
    "no lines": image.START + struct.pack("<I", 3) + b"abc" + b"\xc3",
    "no number": image.START + struct.pack("<I", 11) + b"answer=x\n\n" + b"\xc3",
    "beyond its end": image.START + struct.pack("<I", 12) + b"answer=99\n\n" + b"\xc3",
    "before its start": image.START + struct.pack("<I", 12) + b"answer=-9\n\n" + b"\xc3",
    "pointer beyond": image.START + struct.pack("<I", 12) + b"answer=0\n4\n" + bytes(11),
    "no code": image.START + struct.pack("<I", 11) + b"answer=0\n\n",
    "no object": struct.pack("<Q", 3) + b"abc",
    "longer than it is": struct.pack("<Q", 1 << 60) + b"\x7fELF",
}


@pytest.mark.parametrize("content", FORGED.values(), ids=FORGED)
def test_what_nobody_kept_is_compiled_anew(folder: Path, content: bytes) -> None:
    """A digest that is right says nothing of what it is of: that is looked at too."""
    load()
    (file,) = folder.rglob("*.code")
    file.write_bytes(hashlib.sha256(content).digest() + content)
    for other in folder.rglob("*.host"):
        other.write_bytes(hashlib.sha256(content).digest() + content)
    objects.host_processor.cache_clear()
    again = load()
    assert not again.cached
    assert answer(again) == 42
    assert load().cached


def test_kept_code_without_its_function(folder: Path) -> None:
    """Of an image of other functions it is said which folder is to blame."""
    load()
    (file,) = folder.rglob("*.code")
    content = image.Image(b"\xc3" * 16, {"other": 0}).pack()
    file.write_bytes(hashlib.sha256(content).digest() + content)
    with pytest.raises(SpecmodelError, match=r"remove .*cache"):
        load().address("answer")


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX")
@pytest.mark.parametrize("umask", [0o000, 0o002, 0o077, 0o777])
def test_the_folder_is_this_users_alone(folder: Path, umask: int) -> None:
    """Others can neither read nor write what is kept, whatever the umask says."""
    before = os.umask(umask)
    try:
        load()
    finally:
        os.umask(before)
    for made in (folder, folder / "objects"):
        assert stat.S_IMODE(made.stat().st_mode) == 0o700
    assert load().cached


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX")
@pytest.mark.parametrize("part", [".", "objects"])
@pytest.mark.parametrize("rights", [0o777, 0o770, 0o702])
def test_code_that_others_can_write_is_not_run(folder: Path, part: str, rights: int) -> None:
    """A forged image with a right digest, where others may have put it, is left alone."""
    load()
    (file,) = folder.rglob("*.code")
    forged = image.unpack(file.read_bytes()[cache.DIGEST_SIZE :])
    content = file.read_bytes()[cache.DIGEST_SIZE :].replace(b"\x2a\0\0\0", b"\x2b\0\0\0")
    file.write_bytes(hashlib.sha256(content).digest() + content)
    if forged is not None:
        assert answer(load()) == 43  # so much for the digest
    (folder / part).chmod(rights)
    held = sorted(folder.rglob("*"))
    with pytest.warns(SpecmodelWarning, match="others can write to the cache .*chmod 700"):
        assert answer(load()) == 42
    assert sorted(folder.rglob("*")) == held
    (finding,) = itertools.islice((f for f in findings() if f.name == "cache"), 1)
    assert (finding.state, finding.needed) == ("wrong", False)
    assert "others can write to" in finding.text and "chmod 700" in finding.remedy


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="takes another user")
@pytest.mark.parametrize("part", [".", "objects"])
def test_the_cache_of_another_user_is_not_used(folder: Path, part: str) -> None:
    """Whoever owns a folder can write to it, whatever its rights say now."""
    load()
    os.chown(folder / part, 1234, 1234)
    with pytest.warns(SpecmodelWarning, match="is another user's; set SPECMODEL_CACHE"):
        assert not load().cached
    os.chown(folder / part, 0, 0)
    assert load().cached
    (file,) = folder.rglob("*.code")
    os.chown(file, 1234, 1234)  # left from when the folder was open
    assert not load().cached


def test_unwritable_folder_does_no_harm(folder: Path) -> None:
    """Without a cache, everything still works."""
    folder.write_text("a file where the folder should be")
    assert answer(load()) == 42


def test_no_partial_files_are_left(folder: Path) -> None:
    """Files appear under their names when they are whole."""
    load()
    assert not list(folder.rglob("*~"))


def test_what_is_not_used_goes_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that has grown too large keeps what was used last."""
    monkeypatch.setattr(cache, "LOOK_EVERY", 0.0)
    monkeypatch.setattr(cache, "MOST", 20_000)
    for number in range(16):
        cache.write(f"{number}.code", bytes(1_000))
        os.utime(folder / "objects" / f"{number}.code", (number, number))
    assert cache.read("3.code") == bytes(1_000)
    for number in range(16, 20):
        cache.write(f"{number}.code", bytes(1_000))
    kept = {file.stem for file in folder.rglob("*.code")}
    assert {"3", "15", "19"} < kept and not {"0", "1", "2", "4", "5"} & kept
    assert sum(file.stat().st_size for file in folder.rglob("*.code")) < 20_000


def test_code_for_a_plain_machine_runs() -> None:
    """A target narrower than the host's gives code that the host runs too."""
    cpu = "x86-64" if platform.machine() in ("x86_64", "AMD64") else objects.host().cpu
    plain = objects.Target(cpu, features="", level=0)
    assert answer(objects.load(plain, ANSWER, lambda: [ANSWER])) == 42


def test_what_links_is_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that another version of the linker has made is not used."""
    load()
    monkeypatch.setattr(objects, "_linker", lambda: "another")
    assert not load().cached


def test_a_hit_needs_no_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading LLVM takes longer than most of what code is needed for. Nor to know the processor."""
    if not image.possible():
        pytest.skip("there are no images for this machine")
    known = objects.host()
    load()

    def never() -> Any:
        raise AssertionError

    monkeypatch.setattr(objects, "_llvm", never)
    objects.host_processor.cache_clear()
    assert objects.host() == known
    assert answer(load()) == 42


def test_another_processor_is_not_taken_for_this(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder may be shared by machines: what is kept of one says nothing about another."""
    described = tmp_path / "cpuinfo"
    monkeypatch.setattr(objects, "CPUINFO", described)
    asked: list[int] = []
    usual = objects._llvm  # pyright: ignore[reportPrivateUsage]

    def llvm() -> Any:
        asked.append(1)
        return usual()

    monkeypatch.setattr(objects, "_llvm", llvm)
    texts = ["flags\t: sse2 avx2\ncpu MHz\t: 1000\n", "flags\t: sse2\ncpu MHz\t: 1000\n"]
    for text, times in ((texts[0], 1), (texts[0].replace("1000", "2000"), 1), (texts[1], 2)):
        described.write_text(text)
        objects.host_processor.cache_clear()
        objects.host()
        assert len(asked) == times
    described.write_text("model name\t: one that tells no flags\n")
    for times in (3, 4):  # where its features are not known, nothing is kept
        objects.host_processor.cache_clear()
        objects.host()
        assert len(asked) == times
    described.unlink()
    objects.host_processor.cache_clear()
    objects.host()
    assert len(asked) == 5


def test_code_that_no_image_can_hold() -> None:
    """It calls a library, so LLVM puts it into memory, at first and from the cache."""
    text = """
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @filled(ptr %to, i64 %size) {
  call void @llvm.memset.p0.i64(ptr %to, i8 42, i64 %size, i1 false)
  ret void
}
"""
    for cached in (False, True):
        code = objects.load(objects.host(), "calls", lambda: [ANSWER, text])
        assert code.cached == cached
        assert not isinstance(code.place, image.Mapped)
        buffer = (ctypes.c_uint8 * 1000)()
        code.function("filled", "pi", "")(ctypes.addressof(buffer), 999)
        assert bytes(buffer) == bytes([42] * 999 + [0])
        assert answer(code) == 42  # in another module


def test_python_is_left_as_it_was() -> None:
    """Threads take turns more often while something compiles, and not after, or if it fails."""
    usual = sys.getswitchinterval()
    seen: list[float] = []

    def texts() -> Iterator[str]:
        seen.append(sys.getswitchinterval())
        yield ANSWER
        assert not objects.load(objects.host(), "within", lambda: [ANSWER]).cached
        seen.append(sys.getswitchinterval())
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        objects.load(objects.host(), "without", texts)
    assert seen == [pytest.approx(compilers.TURN, rel=0.01)] * 2
    assert sys.getswitchinterval() == usual


def test_unknown_function_is_an_error() -> None:
    """A name that the code does not have never gives an address to jump to."""
    with pytest.raises(KeyError):
        load().address("question")


def test_wrong_ir_is_refused() -> None:
    """LLVM's complaint reaches the caller."""
    with pytest.raises(RuntimeError):
        objects.load(objects.host(), "broken", lambda: ["define nonsense"])


def test_code_in_a_cycle_can_be_collected() -> None:
    """The collector frees members of a cycle in any order; the engine must survive that."""
    for _ in range(20):
        cycle: list[object] = [load()]
        cycle.append(cycle)
        del cycle
    gc.collect()
    assert answer(load()) == 42


def test_large_modules_are_generated_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a size, code is that of level 0, which takes linear time."""
    sums = "\n".join(f"  %s{n + 1} = add i64 %s{n}, {n}" for n in range(50))
    text = f"define i64 @sum(i64 %s0) {{\n{sums}\n  ret i64 %s50\n}}\n"
    code = objects.compile_object(objects.host(), text)
    monkeypatch.setattr(objects, "LARGE", 100)
    large = objects.compile_object(objects.host(), text)
    assert large != code and large == objects.compile_object(objects.host(0), text)
