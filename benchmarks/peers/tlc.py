"""TLC on public modules, which the user supplies: neither is part of this project."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.configuration import Configuration
from benchmarks.process import Finished, MeasurementError, NotPresentError, run
from benchmarks.sample import Sample

ROOT_MODULE = "Benchmark"
"""The module that TLC is given: it extends the public one."""


@dataclass(frozen=True)
class Model:
    """A public module with what TLC needs beside it.

    `module` is its file's name, `source` says where it comes from. `definitions` are added to it by
    a root module, `settings` are the .cfg text. `edit` is applied to the module's own text before.
    `stubs` stand for the modules that the public ones extend for their proofs.
    """

    module: str
    source: str
    definitions: str
    settings: str
    edit: Callable[[str], str] = str
    stubs: Mapping[str, str] = field(default_factory=dict[str, str])

    def write(self, modules: Path, folder: Path) -> None:
        """Writes the module, its neighbours and the root module into a new folder."""
        folder.mkdir()
        for file in modules.glob("*.tla"):
            shutil.copy(file, folder)
        module = folder / f"{self.module}.tla"
        module.write_text(self.edit(module.read_text(encoding="utf-8")), encoding="utf-8")
        for name, definitions in {**self.stubs, ROOT_MODULE: self.definitions}.items():
            text = f"---- MODULE {name} ----\n{definitions}====\n"
            (folder / f"{name}.tla").write_text(text, encoding="utf-8")
        (folder / f"{ROOT_MODULE}.cfg").write_text(self.settings, encoding="utf-8")


def names(prefix: str, count: int) -> str:
    """A set of model values, as a .cfg file has it."""
    return "{" + ", ".join(f"{prefix}{number}" for number in range(1, count + 1)) + "}"


def kip320(configuration: Configuration) -> Model:
    """Kip320: both ISR invariants, no deadlock check, no liveness, symmetry if asked for.

    The root module adds only the renamings that TLC takes for its symmetry. INIT and NEXT rather
    than SPECIFICATION leave out the fairness conditions of the module, which only cost time where
    no liveness property is checked.
    """
    return Model(
        module="Kip320",
        source="clone hachikuji/kafka-specification",
        definitions="EXTENDS Kip320, TLC\nRenamings == Permutations(Replicas)\n",
        settings=(
            "CONSTANTS\n"
            f"    Replicas = {names('r', configuration.replicas)}\n"
            f"    LogSize = {configuration.log_size}\n"
            f"    MaxRecords = {configuration.max_records}\n"
            f"    MaxLeaderEpoch = {configuration.max_leader_epoch}\n"
            "INIT Init\n"
            "NEXT Next\n"
            "INVARIANTS WeakIsr StrongIsr\n"
            + ("SYMMETRY Renamings\n" if configuration.symmetric else "")
        ),
    )


def prepare(
    tools: Path | None, modules: Sequence[Path], workers: int, model: Model, folder: Path
) -> Callable[[], Sample]:
    """Write the model into `folder`, which is new, and return what runs TLC on it.

    `tools` is tla2tools.jar or a folder of classes; `modules` are folders with .tla files. With
    several workers TLC does not know the exact depth. Raises NotPresentError without java, tools or
    the model's module.
    """
    command = _command(tools, modules, model, folder)
    words = [*command, "-workers", str(workers), "-metadir", "states", ROOT_MODULE]

    def measure() -> Sample:
        sample = parse(run(words, directory=folder))
        return sample if workers == 1 else replace(sample, depth=None)

    return measure


def prepare_walks(
    tools: Path | None, modules: Sequence[Path], walks: int, model: Model, folder: Path
) -> Callable[[], float]:
    """What makes random walks (`-simulate`) with one worker: seconds a million states.

    Arguments and errors as for `prepare`.
    """
    command = _command(tools, modules, model, folder)
    words = [*command, "-simulate", f"num={walks}", "-depth", "100", "-workers", "1", ROOT_MODULE]
    return lambda: parse_walks(run(words, directory=folder))


def _command(
    tools: Path | None, modules: Sequence[Path], model: Model, folder: Path
) -> list[str | Path]:
    """Writes the model into a new folder; gives the words that start TLC, but for the last."""
    if shutil.which("java") is None:
        raise NotPresentError("java: apt-get install default-jre-headless")
    if tools is None or not tools.exists():
        raise NotPresentError(
            "TLC: download tla2tools.jar of tlaplus/tlaplus and give it with --tlc"
        )
    file = f"{model.module}.tla"
    found = next((each for each in modules if (each / file).is_file()), None)
    if found is None:
        raise NotPresentError(f"{file}: {model.source} and give its folder with --tla")
    model.write(found, folder)
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
