"""HDFS and YARN on this machine's loopback: Hadoop's own small cluster, in one Java."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import time
from collections.abc import Iterator
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
            said = (folder / "hadoop.log").read_text(errors="replace")[-2000:]
            assert process.poll() is None and time.monotonic() < until, said
            time.sleep(0.2)
        conf = folder / "conf"
        conf.mkdir()
        text = "".join(
            f"<property><name>{key}</name><value>{value}</value></property>"
            for key, value in settings.items()
        )
        for name in ("core-site.xml", "yarn-site.xml"):
            (conf / name).write_text(f"<configuration>{text}</configuration>")
        yield Hadoop(settings["fs.defaultFS"], conf, process)
    finally:
        process.kill()
        process.wait()


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
