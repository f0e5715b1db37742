"""Does what a page tells its reader to: writes its files, types its commands, runs its Python."""

from __future__ import annotations

import ast
import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.docs.pages import ROOT, Block
from tests.outside import PATIENCE

Command = Callable[[list[str]], tuple[int, str]]
"""Runs `specmodel` with arguments; gives its exit code and all it wrote."""

ELIDED = "..."


@dataclass
class Session:
    """A reader of one page, at work in a folder of their own."""

    folder: Path
    specmodel: Command
    code: int = 0
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})

    def follow(self, block: Block) -> str | None:
        """Do what a block says. Gives what it should have shown, if it shows something else."""
        if block.mark == "not run":
            return None
        if block.mark in ("file", "append", "change"):
            return self._write(block)
        if block.language == "console":
            with chdir(ROOT if block.mark == "at the root" else self.folder):
                return self._type(block)
        if block.language == "python":
            with chdir(self.folder):
                exec(compile(block.text, block.place, "exec"), self.names)
            return None
        if block.language == "pycon":
            with chdir(self.folder):
                self._converse(block)
            return None
        assert block.language in ("", "text", "json", "sh"), f"{block.place}: {block.language}?"
        return None

    def _write(self, block: Block) -> None:
        file = self.folder / block.file
        file.parent.mkdir(parents=True, exist_ok=True)
        text = block.text
        if block.mark == "append":
            text = f"{file.read_text(encoding='utf-8')}\n\n{text}"
        if block.mark == "change":
            text = changed(file.read_text(encoding="utf-8"), text)
        file.write_text(text, encoding="utf-8")

    def _type(self, block: Block) -> str | None:
        """Each command of the block, compared with the output shown below it, if any is."""
        told: list[str] = []
        for prompt, shown in commands(block.text):
            command = " ".join(prompt.removeprefix("$ ").replace("\\\n", " ").split())
            written = _unplaced(self._run(command, block.place), self.folder)
            told += [prompt, shown if not shown or matches(shown, written) else written]
        return None if "".join(told) == block.text else "".join(told)

    def _run(self, command: str, place: str) -> str:
        words = shlex.split(command)
        assignments = {}
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            name, _, value = words.pop(0).partition("=")
            assignments[name] = value
        with _environment(assignments):
            if command == "echo $?":
                return f"{self.code}\n"
            if words[:2] == ["./dev", "specmodel"]:
                words = words[1:]
            if words[0] == "specmodel":
                self.code, written = self.specmodel(words[1:])
                return written
            if words[0] in ("python", "pytest"):
                module = ["-m", "pytest", "-p", "no:cacheprovider"] if words[0] == "pytest" else []
                return self._process([sys.executable, *module, *words[1:]])
            if words[0] == "cat":
                return Path(words[1]).read_text(encoding="utf-8")
        raise AssertionError(f"{place}: there is no command {words[0]} here")

    def _process(self, arguments: list[str]) -> str:
        paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        environment.pop("PYTEST_ADDOPTS", None)
        ran = subprocess.run(
            arguments,
            capture_output=True,
            text=True,
            env=environment,
            check=False,
            timeout=PATIENCE,
        )
        self.code = ran.returncode
        return ran.stdout + ran.stderr

    def _converse(self, block: Block) -> None:
        options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        held = doctest.DocTestParser().get_doctest(
            block.text, self.names, block.place, str(block.page), block.line - 1
        )
        told: list[str] = []
        runner = doctest.DocTestRunner(optionflags=options)
        runner.run(held, out=told.append, clear_globs=False)
        self.names.update(held.globs)
        assert not runner.failures, f"{block.place}\n{''.join(told)}"


def commands(text: str) -> list[tuple[str, str]]:
    """The lines of each command (one goes on after a `\\` at its end) and those shown below."""
    parts = re.split(r"^(\$ (?:.*\\\n)*.*\n)", text, flags=re.M)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def matches(shown: str, written: str) -> bool:
    """Whether output is as shown: `...` stands for any lines, and measures do not count."""
    parts = [
        [line.rstrip() for line in part.splitlines()]
        for part in re.split(rf"^ *{re.escape(ELIDED)}\n", unmeasured(shown), flags=re.M)
    ]
    lines = [line.rstrip() for line in unmeasured(written).splitlines()]
    first, last = parts[0], parts[-1]
    if len(parts) == 1:
        return first == lines
    if lines[: len(first)] != first:
        return False
    at = len(first)
    for part in parts[1:-1]:
        while lines[at : at + len(part)] != part:
            at += 1
            if at + len(part) > len(lines):
                return False
        at += len(part)
    return len(lines) - len(last) >= at and lines[len(lines) - len(last) :] == last


def unmeasured(text: str) -> str:
    """Without what differs from run to run and from machine to machine."""
    text = re.sub(r"[\d.]+ s \([\d,]+ states/s\)", "TIME", text)
    text = re.sub(r"^[\d.]+ s, (?=(native|smt)\b)", "TIME, ", text, flags=re.M)
    tail = r"(, \d+ workers?)?(, (compiled|formulas made) in [\d.]+ s)?(, [\d,]+ MB)?$"
    text = re.sub(tail, "", text, flags=re.M)
    text = re.sub(r'("(?:(?:compile_)?seconds|memory|workers)"): [\d.]+', r"\1: 0", text)
    return re.sub(r"in [\d.]+s\b", "in TIME", text)


def changed(text: str, functions: str) -> str:
    """A file's text with some of its functions replaced by those of the same name."""
    lines = text.splitlines()
    new = {f.name: f for f in ast.parse(functions).body if isinstance(f, ast.FunctionDef)}
    for old in reversed(ast.parse(text).body):
        if isinstance(old, ast.FunctionDef) and old.name in new:
            lines[_first(old) - 1 : old.end_lineno] = functions.splitlines()[
                _first(new[old.name]) - 1 : new[old.name].end_lineno
            ]
            del new[old.name]
    assert not new, f"nothing to change: {', '.join(new)}"
    return "\n".join(lines) + "\n"


def _first(function: ast.FunctionDef) -> int:
    return min([function.lineno, *(d.lineno for d in function.decorator_list)])


def _unplaced(text: str, folder: Path) -> str:
    """Output without the folder that it happened in."""
    return text.replace(f"{folder}{os.sep}", "")


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """With these variables set."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
