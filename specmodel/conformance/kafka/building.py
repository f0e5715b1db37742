"""Clients that are built on first use, from lock files, into the cache."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from specmodel.conformance.program import KeptProcess, Seen, SubjectProgram
from specmodel.conformance.protocol import SubjectGone
from specmodel.dataclass import dataclass
from specmodel.files import cache_folder

CLIENTS = Path(__file__).with_name("clients")

LAST_LINES = 3
"""The lines of a failed build that are shown."""


@dataclass(frozen=True)
class ClientRecipe:
    """How a client is built and run.

    `sources` is a folder of `clients`, `programs` are those that have to be on the PATH, `build`
    are commands in a copy of the folder. `run` is the command, in which `{}` is that copy.
    """

    sources: str
    programs: Sequence[str]
    build: Sequence[Sequence[str]]
    run: Sequence[str]

    @property
    def folder(self) -> Path:
        """The folder of the built client: another one for other sources."""
        digest = hashlib.sha256(repr(self.build).encode())
        for file in sorted((CLIENTS / self.sources).rglob("*")):
            if file.is_file():
                digest.update(file.name.encode() + file.read_bytes())
        return cache_folder() / "clients" / f"{self.sources}-{digest.hexdigest()[:16]}"


def _go(name: str) -> ClientRecipe:
    build = ["go", "build", "-trimpath", "-o", "built/", "./..."]
    return ClientRecipe("go", ["go"], [build], [f"{{}}/built/{name}"])


JAVA_FLAGS = ["-Xmx200m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]


def _java(name: str) -> ClientRecipe:
    return ClientRecipe(
        "java",
        ["mvn", "javac", "java"],
        [
            ["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib"],
            ["javac", "-cp", "lib/*", "-d", ".", "JavaConsumer.java", "JavaProducer.java"],
        ],
        ["java", *JAVA_FLAGS, "-cp", "{}:{}/lib/*", name],
    )


def _node(program: str) -> ClientRecipe:
    install = ["npm", "ci", "--silent", "--no-audit", "--no-fund"]
    return ClientRecipe("node", ["node", "npm"], [install], ["node", f"{{}}/{program}"])


CONSUMERS: Mapping[str, ClientRecipe] = {
    "java": _java("JavaConsumer"),
    "franz-go": _go("franz-consumer"),
    "sarama": _go("sarama-consumer"),
    "kafkajs": _node("consume_kafkajs.js"),
}
PRODUCERS: Mapping[str, ClientRecipe] = {
    "java": _java("JavaProducer"),
    "franz-go": _go("franz-producer"),
    "sarama": _go("sarama-producer"),
    "kafkajs": _node("produce_kafkajs.js"),
}


class BuiltClient(SubjectProgram):
    """A client in another language than Python."""

    def __init__(self, recipe: ClientRecipe, seen: Seen, start_with: Mapping[str, Any]) -> None:
        folder = str(recipe.folder)
        command = [word.replace("{}", folder) for word in recipe.run]
        super().__init__(command, seen, start_with=start_with)
        self.recipe = recipe

    def missing(self) -> str:
        """Whether the programs that build and run it are there."""
        lacking = [name for name in self.recipe.programs if shutil.which(name) is None]
        return f"there is no {' and no '.join(lacking)}" if lacking else ""

    async def prepare(self) -> None:
        """Builds the client if it is not in the cache. Raises SubjectGone if that fails."""
        folder = self.recipe.folder
        if folder.is_dir():
            return
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder.parent, prefix="building-") as place:
                copy = Path(place) / "client"
                shutil.copytree(CLIENTS / self.recipe.sources, copy)
                for command in self.recipe.build:
                    await _run(command, copy)
                if not folder.is_dir():  # another process may have built it meanwhile
                    copy.rename(folder)
        except OSError as wrong:
            raise SubjectGone(f"cannot build a client in {folder.parent}: {wrong}") from None


async def _run(command: Sequence[str], folder: Path) -> None:
    """Runs a command of a build. Raises SubjectGone with its last lines if it fails."""
    kept = await KeptProcess.start(
        command,
        folder=folder,
        environment={"HOME": os.environ.get("HOME", str(folder))},
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        written, _ = await kept.process.communicate()
    finally:
        await kept.end()
    if kept.process.returncode:
        lines = written.decode(errors="replace").strip().splitlines()[-LAST_LINES:]
        raise SubjectGone(f"`{' '.join(command)}` failed: {' / '.join(lines)}")
