"""TLC on the public Kip320 module, which the user supplies: neither is part of this project."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

from benchmarks.configuration import Configuration
from benchmarks.process import Finished, MeasurementError, NotPresentError, run
from benchmarks.sample import Sample

ROOT_MODULE = "BenchmarkKip320"


def model_module() -> str:
    """A root module that adds to Kip320 only the renamings that TLC takes for its symmetry."""
    return (
        f"---- MODULE {ROOT_MODULE} ----\n"
        "EXTENDS Kip320, TLC\n"
        "Renamings == Permutations(Replicas)\n"
        "====\n"
    )


def model_configuration(configuration: Configuration) -> str:
    """The .cfg text: both ISR invariants, no deadlock check, no liveness, symmetry if asked for.

    INIT and NEXT rather than SPECIFICATION leave out the fairness conditions of the module,
    which only cost time where no liveness property is checked.
    """
    replicas = ", ".join(f"r{number}" for number in range(1, configuration.replicas + 1))
    return (
        "CONSTANTS\n"
        f"    Replicas = {{{replicas}}}\n"
        f"    LogSize = {configuration.log_size}\n"
        f"    MaxRecords = {configuration.max_records}\n"
        f"    MaxLeaderEpoch = {configuration.max_leader_epoch}\n"
        "INIT Init\n"
        "NEXT Next\n"
        "INVARIANTS WeakIsr StrongIsr\n"
        "CHECK_DEADLOCK FALSE\n" + ("SYMMETRY Renamings\n" if configuration.symmetric else "")
    )


def prepare(
    tools: Path | None,
    modules: Path | None,
    workers: int,
    configuration: Configuration,
    scratch: Path,
) -> Callable[[], Sample]:
    """Write the model in a folder of its own under `scratch` and return what runs TLC on it.

    `tools` is tla2tools.jar or a folder of classes, `modules` a folder with the .tla files.
    Raises NotPresentError without java, tools or modules.
    """
    folder = scratch / f"tlc-{workers}-{configuration}".replace(" ", "-")
    command = _command(tools, modules, configuration, folder)
    words = [*command, "-workers", str(workers), "-metadir", "states", ROOT_MODULE]
    return lambda: parse(run(words, directory=folder))


def prepare_walks(
    tools: Path | None,
    modules: Path | None,
    walks: int,
    configuration: Configuration,
    scratch: Path,
) -> Callable[[], float]:
    """What makes random walks (`-simulate`) with one worker: seconds a million states.

    Arguments and errors as for `prepare`.
    """
    folder = scratch / f"tlc-walks-{configuration}"
    command = _command(tools, modules, configuration, folder)
    words = [*command, "-simulate", f"num={walks}", "-depth", "100", "-workers", "1", ROOT_MODULE]
    return lambda: parse_walks(run(words, directory=folder))


def _command(
    tools: Path | None, modules: Path | None, configuration: Configuration, folder: Path
) -> list[str | Path]:
    """Writes the model into a new folder; gives the words that start TLC, but for the last."""
    if shutil.which("java") is None:
        raise NotPresentError("java: apt-get install default-jre-headless")
    if tools is None or not tools.exists():
        raise NotPresentError(
            "TLC: download tla2tools.jar of tlaplus/tlaplus and give it with --tlc"
        )
    if modules is None or not (modules / "Kip320.tla").is_file():
        raise NotPresentError(
            "Kip320.tla: clone hachikuji/kafka-specification and give its folder with --tla"
        )
    folder.mkdir()
    for module in modules.glob("*.tla"):
        shutil.copy(module, folder)
    (folder / f"{ROOT_MODULE}.tla").write_text(model_module(), encoding="utf-8")
    (folder / f"{ROOT_MODULE}.cfg").write_text(model_configuration(configuration), encoding="utf-8")
    return ["java", "-XX:+UseParallelGC", "-cp", tools.resolve(), "tlc2.TLC", "-deadlock"]


def parse_walks(finished: Finished) -> float:
    """Read a run of `-simulate`: seconds a million states, from the first to the last walk.

    Raises MeasurementError when it found an error or did not say how many states it visited.
    """
    first, last = "Finished computing initial states", "The number of states generated:"
    count = re.search(rf"^{last} (\d+)", finished.output, re.M)
    if count is None or int(count[1]) == 0 or "Error:" in finished.output:
        raise MeasurementError("TLC made no walks: " + " | ".join(finished.lines[-5:]))
    return (finished.arrival_of(last) - finished.arrival_of(first)) / int(count[1]) * 1e6


def parse(finished: Finished) -> Sample:
    """Read a run of TLC. Raises MeasurementError when it found an error or did not finish.

    TLC's clock shows whole seconds, so the search time is taken from the arrival of the lines
    that say that it starts and that it has completed.
    """
    done = "Model checking completed. No error has been found."
    counts = re.search(
        r"^(\d+) states generated, (\d+) distinct states found, 0 states left on queue",
        finished.output,
        re.M,
    )
    depth = re.search(
        r"^The depth of the complete state graph search is (\d+)", finished.output, re.M
    )
    if counts is None or depth is None or done not in finished.output:
        raise MeasurementError("TLC did not complete: " + " | ".join(finished.lines[-5:]))
    return Sample(
        distinct=int(counts[2]),
        generated=int(counts[1]),
        depth=int(depth[1]),
        search_seconds=finished.arrival_of(done) - finished.arrival_of("Starting..."),
        wall_seconds=finished.wall_seconds,
        peak_rss=finished.peak_rss,
    )
