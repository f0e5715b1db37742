"""Spaces and walks in stores: the same as on this machine, whole or not at all, errors told."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import specmodel
from specmodel import space, store_lock, stores
from specmodel.errors import DamagedRun, UsageError
from specmodel.space.diff import difference
from specmodel.space.files import RunFiles
from specmodel.space.space import Space
from specmodel.store_lock import StoreLock
from tests.conftest import Specmodel
from tests.outside import started, wait_for

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


@pytest.fixture(scope="module")
def s3() -> Iterator[dict[str, str]]:
    """The environment for an S3 server on loopback, with a bucket."""
    pytest.importorskip("moto", reason="pip install 'specmodel[dev]'")
    pytest.importorskip("s3fs", reason="pip install 'specmodel[stores]'")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    environment = {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        import boto3

        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            boto3.client("s3").create_bucket(Bucket="bucket")
        yield environment
    finally:
        server.kill()
        server.wait()


@pytest.fixture
def bucket(s3: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The server is what this process finds."""
    import s3fs

    for name, value in s3.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    yield
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.mark.usefixtures("bucket")
def test_s3(specmodel: Specmodel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands save to a bucket and read from it; SQL gets copies; what is wrong is said."""
    import s3fs

    def said(*words: str, code: int = 0) -> str:
        ran = specmodel(*words)
        assert ran.code == code, ran.err
        return " ".join((ran.err if code else ran.out).split())

    words = ("kip320", "--set", "replicas=2", "--set", "max_leader_epoch=1")
    said("check", *words, "--save-space", "s3://bucket/space")
    assert "957 states, 1,800 transitions" in said("stats", "s3://bucket/space")
    said("simulate", *words, "--walks", "40", "--save-walks", "s3://bucket/walks")
    assert "40 walks" in said("stats", "s3://bucket/walks")
    assert "957 states and 1,800 transitions in both" in said(
        "diff", "s3://bucket/space", "s3://bucket/space"
    )
    asked = said("query", "s3://bucket/space", "select count(*) n from transitions")
    assert asked.split()[-1] == "1800"
    refused = said("check", *words, "--save-space", "s3://no-bucket/space", code=2)
    assert "cannot save a space in s3://no-bucket/space: " in refused
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    s3fs.S3FileSystem.clear_instance_cache()
    refused = said("stats", "s3://bucket/space", code=2)
    assert "cannot read s3://bucket/space: Unable to locate credentials" in refused


@pytest.mark.usefixtures("bucket")
def test_an_object_is_read_while_it_is_replaced() -> None:
    """It is read as it was or as it is: a lock changes under those who look at it."""
    path = stores.place("s3://bucket/changing")
    going = threading.Event()
    path.write_text("0")

    def change() -> None:
        for number in range(1, 100):
            path.write_text(str(number) * (1 + number % 7))
        going.set()

    changing = threading.Thread(target=change)
    changing.start()
    seen: set[str] = set()
    while not going.is_set():
        seen.add(stores.read_text(path))
    changing.join()
    assert len(seen) > 1


@pytest.mark.usefixtures("bucket")
def test_a_run_in_s3() -> None:
    """A search on Spark goes on after kill -9 of its driver, has the counts of any other, and saves
    its space; meanwhile no other process may use the run."""
    words = ("check", "kip320", "--engine", "spark", "--workers", "2", "--quiet")
    words += ("--run", "s3://bucket/run")
    lock = locked("s3://bucket/run")
    other = started(*words)
    _, told = other.communicate()
    lock.close()
    assert other.returncode == 2
    assert "another process is using the run in s3://bucket/run" in told, told
    driver = started(*words)
    wait_for(lambda: stores.place("s3://bucket/run/levels/level=0002.json").exists(), driver)
    driver.kill()
    driver.communicate()
    again = started(*words, "--save-space", "s3://bucket/run-space")
    said, told = again.communicate()
    assert again.returncode == 0, told
    assert "s3://bucket/run is locked: looking for 20 s who has it" in told
    assert "737,794 states, depth 26, complete" in said
    saved = Space("s3://bucket/run-space", verify=False)
    assert saved.size == 737_794
    assert sum(record["generated"] for record in saved.levels) == 1_929_153
