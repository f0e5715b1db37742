"""HDFS and YARN on this machine's loopback: Hadoop's own small cluster, in one Java."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from specmodel.files import cache_folder
from tests.outside import free_port

POM = Path(__file__).with_suffix(".xml")

STARTS_WITHIN = 120.0
"""Seconds within which the cluster has to stand."""


@dataclass(frozen=True)
class Hadoop:
    """A running cluster. `url` names its HDFS; `conf` is a folder for HADOOP_CONF_DIR."""

    url: str
    conf: Path
    process: subprocess.Popen[bytes]


@contextmanager
def data_node(url: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A further data node of an HDFS, in a process of its own, when it is ready."""
    own = {"fs.defaultFS": url, "dfs.datanode.data.dir": str(folder / "blocks")}
    places = {f"dfs.datanode.{kind}address": "localhost:0" for kind in ("", "http.", "ipc.")}
    (folder / "node").mkdir()
    (folder / "node" / "hdfs-site.xml").write_text(_xml({**own, **places}))
    path = f"{folder / 'node'}:{_jars()}/*"
    with (folder / "node.log").open("wb") as log:
        process = subprocess.Popen(
            ["java", "-Xmx256m", "-cp", path, "org.apache.hadoop.hdfs.server.datanode.DataNode"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        until = time.monotonic() + STARTS_WITHIN
        while "Successfully sent block report" not in (said := _said(folder / "node.log")):
            assert process.poll() is None and time.monotonic() < until, said[-2000:]
            time.sleep(0.2)
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def hadoop(folder: Path) -> Iterator[Hadoop]:
    """A cluster with two data nodes and two node managers, which is gone afterwards.

    Skips a test on a machine without Java or Maven.
    """
    ports = [free_port() for _ in range(6)]
    name, manager, *rest = (f"localhost:{port}" for port in ports)
    settings = {
        "fs.defaultFS": f"hdfs://{name}",
        "yarn.resourcemanager.hostname": "localhost",
        "yarn.resourcemanager.address": manager,
        **dict(
            zip(
                (
                    "yarn.resourcemanager.scheduler.address",
                    "yarn.resourcemanager.resource-tracker.address",
                    "yarn.resourcemanager.admin.address",
                    "yarn.resourcemanager.webapp.address",
                ),
                rest,
                strict=True,
            )
        ),
    }
    words = ["-nnport", str(ports[0]), "-rmport", str(ports[1]), "-format"]
    words += ["-datanodes", "2", "-nodemanagers", "2"]
    words += [f"-D{key}={value}" for key, value in settings.items() if key.startswith("yarn")]
    words += [f"-Dmapreduce.jobhistory.{key}.address=localhost:0" for key in ("admin", "webapp")]
    words += ["-writeConfig", str(folder / "up.xml")]
    opened = ["--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Xmx1g"]
    java = ["java", *opened, "-cp", f"{_jars()}/*"]
    with (folder / "hadoop.log").open("wb") as log:
        process = subprocess.Popen(
            [*java, "org.apache.hadoop.mapreduce.MiniHadoopClusterManager", *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        until = time.monotonic() + STARTS_WITHIN
        while not (folder / "up.xml").exists():
            said = _said(folder / "hadoop.log")[-2000:]
            assert process.poll() is None and time.monotonic() < until, said
            time.sleep(0.2)
        conf = folder / "conf"
        conf.mkdir()
        for name in ("core-site.xml", "yarn-site.xml"):
            (conf / name).write_text(_xml(settings))
        yield Hadoop(settings["fs.defaultFS"], conf, process)
    finally:
        process.kill()
        process.wait()


def _said(log: Path) -> str:
    return log.read_text(errors="replace")


def _xml(settings: Mapping[str, str]) -> str:
    """A file of Hadoop's with these settings."""
    text = "".join(
        f"<property><name>{key}</name><value>{value}</value></property>"
        for key, value in settings.items()
    )
    return f"<configuration>{text}</configuration>"


def _jars() -> Path:
    """The folder of its jars, fetched once."""
    if not shutil.which("java") or not shutil.which("mvn"):
        pytest.skip("this needs Java and Maven")
    digest = hashlib.sha256(POM.read_bytes()).hexdigest()[:16]
    made = cache_folder() / "tests" / f"hadoop-{digest}"
    if not made.is_dir():
        part = made.with_suffix(".part")
        goal = ["dependency:copy-dependencies", f"-DoutputDirectory={part}"]
        subprocess.run(["mvn", "-q", "-B", "-f", str(POM), *goal], check=True, capture_output=True)
        part.rename(made)
    return made
