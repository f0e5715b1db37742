"""The start of Spark, and what interrupts it."""

from __future__ import annotations

import importlib
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from specmodel.engines.spark import session
from specmodel.engines.spark.daemon import installed


def test_ctrl_c_waits_until_java_is_up(running: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Java that nobody has waited for stays for ever; one that was ends with this process."""
    session.stop()
    pyspark: Any = importlib.import_module("pyspark")
    monkeypatch.setattr(pyspark.SparkContext, "_gateway", None)
    came_up: list[float] = []

    def launch(*_: Any, **__: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        time.sleep(0.01)
        came_up.append(time.monotonic())

    java_gateway: Any = importlib.import_module("pyspark.java_gateway")
    monkeypatch.setattr(java_gateway, "launch_gateway", launch)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        session.session(None, 2)
    assert came_up
    assert signal.getsignal(signal.SIGINT) is before


def test_the_installed_pyspark_is_used(tmp_path: Path) -> None:
    """A zip inside an installed pyspark gives way to it; Spark's own, elsewhere, does not."""
    package = tmp_path / "site-packages" / "pyspark"
    zipped = str(package / "python" / "lib" / "pyspark.zip")
    assert installed(zipped) == zipped
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    assert installed(zipped) == str(tmp_path / "site-packages")
    assert installed("/opt/elsewhere") == "/opt/elsewhere"
