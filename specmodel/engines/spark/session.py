"""A connection to Spark, kept for later searches of this process.

Java prints nothing on the terminal: its output goes to a file, and an error names this file.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import importlib.util
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.engines.spark.java import find_java, launched, refuse_unfit
from specmodel.engines.spark.packing import PYTHON, UNPACKED
from specmodel.errors import SpecmodelError, UsageError

MISSING = "this needs Spark for Python: run `pip install 'specmodel[spark]'`"

ANSWER_WITHIN = 5.0
"""Seconds within which a master has to answer at all."""

TABLES = "spark.specmodel.tables"
"""Spark's setting for the folder of tables."""

SPREAD = "spark.specmodel.spread"
"""Spark's setting for the least number of states for which a level is spread over tasks."""

WORTH_SPREADING = 200_000
"""The driver alone searches a smaller level in at most 0.2 s, little more than a job of Spark
takes."""

LOCAL_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""On one machine, Java would compile and collect garbage with all cores.

That took half of the time, measured on ten million states, and more at the start.
"""

_MASTERS = r"local\[.+\]|local-cluster\[.+\]|spark://.+|yarn|k8s://.+"

_REFUSAL = re.compile(r'^Exception in thread "main" [\w.$]+: (.+?)\.?$', re.MULTILINE)

ATTEMPTS = 4
"""How often a task is tried before the search fails."""


class SparkError(SpecmodelError):
    """Spark could not be started, or has given up a task."""


@dataclass(frozen=True)
class Session:
    """A running Spark. `log` is the file with the output of its Java."""

    context: Any
    master: str
    log: Path
    errors: list[str] = field(default_factory=list[str])
    """Errors so far: if there are any, the log is kept."""

    @property
    def local(self) -> bool:
        """Whether all work is done on this machine, by one process of Java."""
        return on_one_machine(self.master)

    @property
    def tables(self) -> str:
        """The user's folder for tables on each machine; empty: none."""
        return str(self.context.getConf().get(TABLES, ""))

    @property
    def spread(self) -> int:
        """The least expected number of states for which a level is spread over tasks."""
        given = str(self.context.getConf().get(SPREAD, str(WORTH_SPREADING)))
        if not given.isdigit():
            raise UsageError(f"{SPREAD} is {given}: write a number of states")
        return int(given)

    @property
    def slots(self) -> int:
        """The number of tasks that run at a time."""
        return int(self.context.defaultParallelism)

    def java_ended(self) -> bool:
        """Whether the Java that this process has started has ended, or is about to end."""
        process: Any = getattr(self.context._gateway, "proc", None)
        try:
            return process is not None and process.wait(ENDS_WITHIN) is not None
        except subprocess.TimeoutExpired:
            return False


ENDS_WITHIN = 5.0
"""Seconds after Java's last answer until it is reported as not ended."""

_current: Session | None = None


def on_one_machine(master: str | None) -> bool:
    """Whether a master is this machine: None, `local` or `local[...]`."""
    return master is None or re.fullmatch(r"local(\[.+\])?", master) is not None


def session(master: str | None, workers: int) -> Session:
    """The connection to a master: this machine's cores (`workers` of them) if None is given.

    An existing connection is used again. Raises UsageError if there is no Spark, no Java or no
    answer.
    """
    global _current
    wanted = master or f"local[{workers},{ATTEMPTS}]"
    if match := re.fullmatch(r"local(?:\[(\d+|\*)\])?", wanted):
        wanted = f"local[{match[1] or workers},{ATTEMPTS}]"
    if _current is not None and _current.master == wanted and _alive(_current):
        return _current
    if importlib.util.find_spec("pyspark") is None or importlib.util.find_spec("pyarrow") is None:
        raise UsageError(MISSING)
    if not re.fullmatch(_MASTERS, wanted):
        raise UsageError(
            f"--master {wanted}: write local[N], spark://host:port, yarn or k8s://host:port"
        )
    stop()
    _refuse_no_answer(wanted)
    _current = _start(wanted)
    return _current


def stop() -> None:
    """Ends the connection, if there is one."""
    global _current
    if _current is not None:
        with contextlib.suppress(Exception):
            _current.context.stop()
        _drop_log(_current)
    _current = None


def _drop_log(ended: Session) -> None:
    """Removes the log of a session without errors."""
    if not ended.errors:
        with contextlib.suppress(OSError):
            ended.log.unlink()


def _alive(found: Session) -> bool:
    """Whether its Java is running, and has not given up."""
    try:
        return found.context._jsc is not None and not found.context._jsc.sc().isStopped()
    except Exception:
        return False


def _start(master: str) -> Session:
    spark: Any = importlib.import_module("pyspark")
    active = spark.SparkContext._active_spark_context
    if active is not None:
        raise UsageError(
            f"this process is connected to another Spark ({active.master}): stop that first"
        )
    handle, name = tempfile.mkstemp(prefix="specmodel-spark-", suffix=".log")
    log = Path(name)
    logging.getLogger().addFilter(_told_elsewhere)
    try:
        with _own_interrupts(), os.fdopen(handle, "ab") as file:
            conf = _configured(spark.SparkConf(loadDefaults=False), master)
            gateway = spark.SparkContext._gateway or _java(conf, file)
            context = spark.SparkContext(conf=conf, gateway=gateway)
            context.pythonExec = _python(context.getConf())
            # It prints a traceback when Java is gone. The next call to Java raises the same error.
            context._accumulatorServer.handle_error = _told_by_others
    except (UsageError, KeyboardInterrupt):
        log.unlink()
        raise
    except Exception as wrong:
        raise SparkError(
            f"Spark does not start on {master}: {_why(wrong, log)}; its log is {log}"
        ) from None
    made = Session(context, master, log)
    atexit.register(_drop_log, made)
    return made


def _told_by_others(request: object, client: object) -> None:
    """Suppresses errors between Java and Spark's server of accumulators."""


def _told_elsewhere(record: logging.LogRecord) -> bool:
    """Suppresses the tracebacks that py4j logs before it raises the same errors."""
    return not (record.exc_info and record.module in ("java_gateway", "clientserver"))


def _configured(conf: Any, master: str) -> Any:
    """The settings that a search requires; all others are the user's choice, in his own files."""
    conf.setMaster(master).setAppName("specmodel")
    settings = {
        "spark.ui.showConsoleProgress": "false",
        "spark.python.worker.reuse": "true",
        "spark.python.daemon.module": "specmodel.engines.spark.daemon",
        "spark.python.unix.domain.socket.enabled": "true",
        "spark.speculation": "false",
        "spark.shuffle.reduceLocality.enabled": "false",
    }
    if on_one_machine(master):
        settings["spark.driver.defaultJavaOptions"] = LOCAL_JAVA
        settings["spark.shuffle.compress"] = "false"  # nothing goes over a network
        settings["spark.driver.host"] = settings["spark.driver.bindAddress"] = "127.0.0.1"
    if master == "yarn":  # a container's own folder has a longer name than a socket may have
        settings["spark.python.unix.domain.socket.dir"] = "/tmp"
    for name, value in settings.items():
        conf.set(name, value)
    return conf


def _python(conf: Any) -> str:
    """The Python of tasks: that of the user's settings, that of an archive, or this one."""
    given = os.environ.get("PYSPARK_PYTHON") or str(conf.get("spark.pyspark.python", ""))
    packed = re.search(rf"#{UNPACKED}(,|$)", str(conf.get("spark.archives", "")))
    return given or (PYTHON if packed else sys.executable)


def _java(conf: Any, log: Any) -> Any:
    """Starts Java."""
    java = find_java()
    if java.home is not None:
        os.environ["JAVA_HOME"] = str(java.home)
    refuse_unfit(java)
    return launched(java, conf, log)


@contextmanager
def _own_interrupts() -> Generator[None]:
    """Keeps the handler of Ctrl-C: Spark would replace it with its own."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _refuse_no_answer(master: str) -> None:
    """Raises UsageError if a master of Spark's own kind does not answer; Spark tries for long."""
    match = re.fullmatch(r"spark://(.+)", master)
    if not match:
        return
    problems: list[str] = []
    for place in match[1].split(","):
        host, _, port = place.rpartition(":")
        if not host or not port.isdigit():
            raise UsageError(f"--master {master}: write spark://host:port, as in spark://m1:7077")
        try:
            with socket.create_connection((host.strip("[]"), int(port)), ANSWER_WITHIN):
                return
        except OSError as wrong:
            problems.append(f"{place} ({wrong.strerror or wrong})")
    raise UsageError(f"no Spark master answers: {', '.join(problems)}")


def _why(wrong: BaseException, log: Path) -> str:
    """The reason that Java wrote before it ended, which Python is not told; else the error's."""
    written = _REFUSAL.search(log.read_text(encoding="utf-8", errors="replace"))
    return written[1] if written is not None else _first_line(wrong)


def _first_line(wrong: BaseException) -> str:
    java = getattr(wrong, "java_exception", None)
    text = str(java if java is not None else wrong).strip()
    return text.partition("\n")[0] or type(wrong).__name__
