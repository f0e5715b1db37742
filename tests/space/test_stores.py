"""Spaces and walks in stores: the same as on this machine, whole or not at all, errors told."""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
import time
import uuid
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import specmodel
from specmodel import space, store_lock, stores
from specmodel.errors import DamagedRun, UsageError
from specmodel.space.diff import difference
from specmodel.space.files import RunFiles
from specmodel.space.space import Space
from specmodel.store_lock import StoreLock

pytest.importorskip("upath", reason="pip install 'specmodel[stores]'")


class ThrottledError(Exception):
    """An error of a store's library."""


ThrottledError.__module__ = "botocore.exceptions"

SMALL: dict[str, Any] = {"replicas": 2, "max_leader_epoch": 1}


@pytest.fixture
def store() -> str:
    """The URL of a new folder, in a store of this process."""
    return f"memory://{uuid.uuid4().hex}/space"


def test_a_space_in_a_store_is_the_same(store: str, tmp_path: Path) -> None:
    """States and steps, levels, verdicts, and statistics by SQL's tables; saved twice, too."""
    specmodel.check("kip320", save_space=store, **SMALL)
    result = specmodel.check("kip320", save_space=store, **SMALL)
    assert str(result.saved) == store
    specmodel.check("kip320", save_space=tmp_path / "here", **SMALL)
    there, here = Space(store), Space(tmp_path / "here")
    assert there.complete
    assert there.size == here.size == result.distinct
    for name in ("states", "transitions", "actions", "violations"):
        assert there.table(name).equals(here.table(name)), name
    parted = difference(store, tmp_path / "here")
    assert (parted.common, parted.moved) == (result.distinct, 0)
    files = {str(path.relative_to(tmp_path / "here")) for path in (tmp_path / "here").rglob("*.*")}
    root: Any = stores.place(store)
    assert {str(p.relative_to(root)) for p in root.rglob("*.*")} == files


def test_walks_in_a_store(store: str) -> None:
    """Their tables are there; a simulation of other walks is refused."""
    specmodel.simulate("kip320", walks=50, depth=10, save_walks=store)
    walks = space.open(store)
    assert walks.table("walks").num_rows == 50
    with pytest.raises(UsageError, match="holds other walks"):
        specmodel.simulate("kip320", walks=50, depth=10, seed=1, save_walks=store)


def test_what_is_in_the_way(store: str) -> None:
    """Another space, other files, no space, a file in place of a folder."""
    specmodel.check("kip320", save_space=store, **SMALL)
    with pytest.raises(UsageError, match="holds another space: constants"):
        specmodel.check("kip320", save_space=store, replicas=2, max_leader_epoch=0)
    other: Any = stores.place(f"{store}-other")
    (other / "a.txt").write_text("a")
    with pytest.raises(UsageError, match="holds other files"):
        specmodel.check("kip320", save_space=str(other), **SMALL)
    with pytest.raises(UsageError, match="there is no folder memory://"):
        space.open(f"{store}-none")
    with pytest.raises(UsageError, match=r"a\.txt is a file"):
        space.open(f"{other}/a.txt")


def test_damage_in_a_store(store: str) -> None:
    """A changed object, one that is gone, and one that nobody wrote, by name."""
    specmodel.check("kip320", save_space=store, **SMALL)
    files = RunFiles(stores.place(store))
    part = files.part("states", 3, 0)
    whole = part.read_bytes()
    part.write_bytes(whole[:-1] + b"?")
    with pytest.raises(DamagedRun, match=r"states/level=0003/shard=0000\.parquet was changed"):
        Space(store)
    part.unlink()
    with pytest.raises(DamagedRun, match=r"shard=0000\.parquet is not there"):
        Space(store)
    part.write_bytes(whole)
    files.part("states", 3, 7).write_bytes(whole)
    with pytest.raises(DamagedRun, match=r"shard=0007\.parquet is none of the files"):
        Space(store)


def test_a_put_that_fails(store: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The levels before it count, the search's result stays, the user is told, no file is left."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    puts, upload = [0], stores.upload

    def failing(part: Path, path: Path, *, first: bool = False) -> None:
        puts[0] += 1
        if puts[0] == 9:
            raise OSError("503 slow down")
        upload(part, path, first=first)

    monkeypatch.setattr("specmodel.space.writing.upload", failing)
    told: list[str] = []
    result = specmodel.check("kip320", save_space=store, remark=told.append, **SMALL)
    assert (result.verdict, result.saved) == ("holds", None)
    assert "the space is not saved in memory://" in told[-1]
    assert "503 slow down" in told[-1]
    assert list(tmp_path.iterdir()) == []
    assert 0 < len(RunFiles(stores.place(store)).committed()) < len(result.levels)
    specmodel.check("kip320", save_space=store, **SMALL)
    assert Space(store).complete


def test_a_store_that_goes_away(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the store's library, whatever is asked: the verdict stays, and the user is told;
    readers are told too, and not that anything is damaged."""
    memory: Any = pytest.importorskip("fsspec.implementations.memory")
    info = memory.MemoryFileSystem.info

    def failing(self: Any, path: str, *given: Any, **named: Any) -> Any:
        if "level=0002" in path:
            raise ThrottledError("503 slow down")
        return info(self, path, *given, **named)

    monkeypatch.setattr(memory.MemoryFileSystem, "info", failing)
    told: list[str] = []
    result = specmodel.check("kip320", save_space=store, remark=told.append, **SMALL)
    assert (result.verdict, result.saved) == ("holds", None)
    assert "the space is not saved in memory://" in told[-1]
    assert "503 slow down" in told[-1]
    monkeypatch.undo()
    specmodel.check("kip320", save_space=store, **SMALL)

    def away(self: Any, path: str, *given: Any, **named: Any) -> Any:
        raise ThrottledError("503 slow down")

    monkeypatch.setattr(memory.MemoryFileSystem, "cat_file", away)
    with pytest.raises(DamagedRun, match=r"manifest\.json cannot be read: 503 slow down$"):
        space.open(store)


def test_urls() -> None:
    """Files are paths; an unknown store, and a package that is not there, are named."""
    assert stores.place("file:///tmp/a") == stores.place("/tmp/a") == Path("/tmp/a")
    assert stores.hadoop_url(stores.place("memory://a/b")) == "memory://a/b"
    there = stores.place("memory://a/b/")
    assert stores.place(there) is there
    assert str(there) == "memory://a/b"
    with pytest.raises(UsageError, match="nowhere://a/b: no store is known by nowhere://"):
        stores.place("nowhere://a/b")
    with pytest.raises(UsageError, match="--checkpoint takes a folder of this machine, not a URL"):
        specmodel.check("kip320", checkpoint="s3://a/b", **SMALL)
    pytest.importorskip("hdfs_native", reason="pip install 'specmodel[stores]'")
    with pytest.raises(UsageError, match=r"cannot reach hdfs://nobody/a: No NameNode hosts found"):
        stores.place("hdfs://nobody/a")
    with pytest.raises(UsageError, match=r"s3:// names no folder: write s3://"):
        stores.place("s3://")
    assert str(stores.place("hdfs://name:8020/a/b/") / "c") == "hdfs://name:8020/a/b/c"


def test_a_process_that_is_forked_after_hdfs_was_asked_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """fsspec drops its file systems there, and the end of one of hdfs-native waits for threads."""
    pytest.importorskip("hdfs_native", reason="pip install 'specmodel[stores]'")
    monkeypatch.setitem(stores.OPTIONS, "hdfs", {"dfs.client.failover.max.attempts": "0"})
    with pytest.raises(OSError, match="Connection refused"):
        stores.place("hdfs://127.0.0.1:9/a").exists()
    if not (process := os.fork()):
        os._exit(0)
    until = time.monotonic() + 20
    while not (gone := os.waitpid(process, os.WNOHANG)[0]) and time.monotonic() < until:
        time.sleep(0.01)
    if not gone:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    assert gone


@pytest.mark.parametrize(
    ("url", "more"), [("s3://a/b", ""), ("gs://a/b", " and `pip install gcsfs")]
)
def test_a_store_without_its_packages(url: str, more: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has to be installed is told."""
    monkeypatch.setitem(sys.modules, "upath", None)
    with pytest.raises(UsageError, match=rf"pip install 'specmodel\[stores\]'`{more}"):
        stores.place(url)


def test_errors_of_a_library() -> None:
    """They are OSError; all others are faults of this program."""

    with pytest.raises(OSError, match="slow down"), stores.store_errors():
        raise ThrottledError("slow down")
    denied = r'RPCError("org.a.AccessControlException", "denied: inode=\"/a\":root\n\tat a.b")'
    with pytest.raises(OSError, match=r'^denied: inode="/a":root$'), stores.store_errors():
        raise RuntimeError(denied)
    with pytest.raises(OSError, match=r"^No NameNode hosts found$"), stores.store_errors():
        raise RuntimeError('InvalidArgument("No NameNode hosts found")')
    with pytest.raises(RuntimeError, match="can't start new thread"), stores.store_errors():
        raise RuntimeError("can't start new thread")
    with pytest.raises(ZeroDivisionError), stores.store_errors():
        raise ZeroDivisionError


def locked(store: str, **more: Any) -> StoreLock:
    """A lock in a store."""
    return StoreLock(stores.place(store) / "lock", "another process is using it", **more)


def test_a_lock_in_a_store(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One at a time; who waits is told; an abandoned lock is taken over, and its owner is told."""
    monkeypatch.setattr(store_lock, "RENEWED", 0.02)
    monkeypatch.setattr(store_lock, "ABANDONED", 0.3)
    monkeypatch.setattr(store_lock, "LOOKS", 0.01)
    told: list[str] = []
    first = locked(store, remark=told.append)
    with pytest.raises(UsageError, match="another process is using it"):
        locked(store, remark=told.append)
    assert [text for text in told if "is locked: looking for 0 s who has it" in text]
    first.close()
    second = locked(store)
    second._ended.set()  # as if its process had ended
    second._renewing.join()
    third = locked(store)
    second.refuse_lost()
    second._ended.clear()
    second._renew()
    with pytest.raises(UsageError, match="is lost: another process has taken it over"):
        second.refuse_lost()
    third.refuse_lost()
    second.close()
    assert third.path.exists()
    third.close()
    assert not third.path.exists()


def test_a_store_without_conditional_puts(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes would both have the lock."""

    def always(part: Path, path: Path, *, first: bool = False) -> None:
        stores.upload(part, path)

    monkeypatch.setattr(store_lock, "upload", always)
    with pytest.raises(UsageError, match="this store has no put that fails if the object is there"):
        locked(store)


def test_a_lock_that_cannot_be_written(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is lost only after the time in which no other process takes it over."""
    monkeypatch.setattr(store_lock, "RENEWED", 0.01)
    monkeypatch.setattr(store_lock, "ABANDONED", 0.2)
    lock = locked(store)

    def failing(part: Path, path: Path, *, first: bool = False) -> None:
        raise OSError("503 slow down")

    monkeypatch.setattr(store_lock, "upload", failing)
    time.sleep(0.05)
    lock.refuse_lost()
    lock._renewing.join(10)
    with pytest.raises(UsageError, match="is lost: it cannot be written: 503 slow down"):
        lock.refuse_lost()
    lock.close()


def test_a_data_node_is_away(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A file is sent to HDFS again, with other data nodes, when one is away; what is left of an
    attempt is removed; other errors are told at once."""
    pytest.importorskip("hdfs_native", reason="pip install 'specmodel[stores]'")
    hdfs: Any = importlib.import_module("specmodel.hdfs")

    class Sent(io.BytesIO):
        def __exit__(self, *_: object) -> None:
            if errors:
                raise OSError(errors.pop())

    given, there, errors = tmp_path / "given", dict[str, Sent](), list[str]()
    given.write_bytes(b"content")
    store = object.__new__(hdfs.HdfsStore)

    def begun(path: str, mode: str) -> Sent:
        there[path] = Sent()
        return there[path]

    def renamed(part: str, path: str, _: bool) -> None:
        there[path] = there.pop(part)

    monkeypatch.setattr(store, "_open", begun)
    monkeypatch.setattr(store, "rm_file", there.pop)
    monkeypatch.setattr(store, "client", SimpleNamespace(rename=renamed), raising=False)
    errors += ["Connection refused (os error 111)", "Failed to complete file in time"]
    store.put_file(str(given), "hdfs://name/a")
    assert list(there) == ["/a"]
    assert there["/a"].getvalue() == b"content"
    errors += ["No space left on device (os error 28)"]
    with pytest.raises(OSError, match="No space left"):
        store.put_file(str(given), "hdfs://name/b")
    errors += ["Connection refused (os error 111)"] * hdfs.SENDS
    with pytest.raises(OSError, match="refused"):
        store.put_file(str(given), "hdfs://name/b")
    assert list(there) == ["/a"]
