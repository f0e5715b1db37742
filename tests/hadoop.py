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
from tests.outside import free_port, kill_naming

POM = Path(__file__).with_suffix(".xml")

STARTS_WITHIN = 120.0
"""Seconds within which the cluster has to stand."""


STARTS = 3
"""How often it starts with other ports, if one was taken meanwhile."""

TAKEN = "Address already in use"

OPENED = ("--add-opens", "java.base/java.lang=ALL-UNNAMED")

LOST = {"yarn.nm.liveness-monitor.expiry-interval-ms": "15000"}
"""A node manager that has been silent for 15 s is lost, not for ten minutes."""


@dataclass(frozen=True)
class Hadoop:
    """A running cluster. `url` names its HDFS; `conf` is a folder for HADOOP_CONF_DIR."""

    url: str
    conf: Path
    process: subprocess.Popen[bytes]


@contextmanager
def data_node(url: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A further data node of an HDFS, in a process of its own, when it is ready."""
    places = {f"dfs.datanode.{kind}address": "localhost:0" for kind in ("", "http.", "ipc.")}
    settings = {"fs.defaultFS": url, "dfs.datanode.data.dir": str(folder / "blocks"), **places}
    started = _node(
        folder / "node",
        {"hdfs-site.xml": _xml(settings)},
        "org.apache.hadoop.hdfs.server.datanode.DataNode",
        "Successfully sent block report",
    )
    with started as process:
        yield process


@contextmanager
def node_manager(conf: Path, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A node manager of YARN, in a process of its own, when it is ready. The processes that it has
    started, whose commands name the folder, are gone afterwards."""
    names = ("address", "localizer.address", "webapp.address", "collector-service.address")
    settings = {
        **{f"yarn.nodemanager.{name}": "localhost:0" for name in names},
        "yarn.nodemanager.local-dirs": str(folder / "local"),
        "yarn.nodemanager.log-dirs": str(folder / "logs"),
        "yarn.nodemanager.resource.memory-mb": "4096",
        "yarn.nodemanager.vmem-check-enabled": "false",
        "yarn.nodemanager.disk-health-checker.enable": "false",
    }
    yarn = (conf / "yarn-site.xml").read_text()
    files = {
        "core-site.xml": (conf / "core-site.xml").read_text(),
        "yarn-site.xml": yarn.replace("</configuration>", _xml(settings)[len("<configuration>") :]),
    }
    kind = "org.apache.hadoop.yarn.server.nodemanager.NodeManager"
    started = _node(folder, files, kind, "Registered with ResourceManager as")
    with started as process:
        try:
            yield process
        finally:
            kill_naming(str(folder))


@contextmanager
def _node(
    folder: Path, files: Mapping[str, str], kind: str, ready: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A Java process with these files of settings, when its log says that it is ready."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            ["java", *OPENED, "-Xmx256m", "-cp", f"{folder}:{_jars()}/*", kind],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        until = time.monotonic() + STARTS_WITHIN
        while ready not in (said := _said(folder / "log")):
            assert process.poll() is None and time.monotonic() < until, said[-2000:]
            time.sleep(0.2)
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def hadoop(folder: Path) -> Iterator[Hadoop]:
    """A cluster with two data nodes and no node manager, which is gone afterwards.

    Skips a test on a machine without Java or Maven.
    """
    for attempt in range(STARTS):
        process, settings = _cluster(folder)
        try:
            if not _stands(process, folder, last=attempt == STARTS - 1):
                continue
            conf = folder / "conf"
            conf.mkdir()
            for name in ("core-site.xml", "yarn-site.xml"):
                (conf / name).write_text(_xml(settings))
            yield Hadoop(settings["fs.defaultFS"], conf, process)
            return
        finally:
            process.kill()
            process.wait()


def _cluster(folder: Path) -> tuple[subprocess.Popen[bytes], Mapping[str, str]]:
    """The process of a cluster, and its settings."""
    ports = [free_port() for _ in range(6)]
    name, manager, *rest = (f"localhost:{port}" for port in ports)
    settings = {
        "fs.defaultFS": f"hdfs://{name}",
        "yarn.resourcemanager.hostname": "localhost",
        "yarn.resourcemanager.address": manager,
        **LOST,
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
    words += ["-datanodes", "2", "-nodemanagers", "0"]
    words += [f"-D{key}={value}" for key, value in settings.items() if key.startswith("yarn")]
    words += [f"-Dmapreduce.jobhistory.{key}.address=localhost:0" for key in ("admin", "webapp")]
    words += ["-writeConfig", str(folder / "up.xml")]
    java = ["java", *OPENED, "-Xmx1g", "-cp", f"{_jars()}/*"]
    with (folder / "hadoop.log").open("wb") as log:
        process = subprocess.Popen(
            [*java, "org.apache.hadoop.mapreduce.MiniHadoopClusterManager", *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    return process, settings


def _stands(process: subprocess.Popen[bytes], folder: Path, last: bool) -> bool:
    """Whether a cluster stands. False if another process has taken one of its ports meanwhile."""
    until = time.monotonic() + STARTS_WITHIN
    while not (folder / "up.xml").exists():
        said = _said(folder / "hadoop.log")
        if TAKEN in said and not last:
            return False  # the process does not always end
        assert process.poll() is None and time.monotonic() < until, said[-2000:]
        time.sleep(0.2)
    return True


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
