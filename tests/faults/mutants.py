"""Specs, designs, traces, TLA+ modules and command lines with something changed, by a seed.

Each is given to a command. It has to end with one of the documented exit codes, and with a message
where that is 2; no traceback, no internal error, no message without end. A mutant of a spec that is
still one has the same result by both engines.

    python -m tests.faults.mutants [how many of each] [seed]
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from specmodel.cli.app import application
from tests.conftest import COUNTER
from tests.tla.oracle import configurations, module_of

DESIGN = """\
design: my-counter
spec: counter.py:counter
question: Does it stay small?
constants: {most: 2}
check: [small, bounded]
expect:
  verdict: violated
  properties: {small: {verdict: violated, trace_length: 3}}
  at:
    - {constants: {most: 1}, verdict: holds, distinct: 4}
profiles: {deep: {most: 5}}
weights: {step: 2}
"""

LONGEST = 20_000
"""The characters that a message has at most: lines are bounded, and so is their number."""

NUMBERS = ["0", "-1", "1.5", "9" * 20, "9" * 5000, "1e309", "0x10", "true", "null", "''"]
ODD = ["\0", "\x1b[31m", "\u202e", "\ud800", "\t", "\r", "é", "[" * 2000, "{", "}", '"', "'", ":"]
PYTHON = ["None", "s", "lambda: 1", "[]", "{}", "set()", "Actor", "yield", "*", "@", "str", "!"]
YAML = ["&a", "*a", "!!python/object:os.system", "- ", "? ", "<<: *a", "---", "|", "[]", "{}"]
TLA = [
    "\\in",
    "\\E",
    "\\A",
    "'",
    "==",
    "/\\",
    "\\/",
    "<<",
    ">>",
    "~",
    "ENABLED",
    "UNCHANGED",
    "LET",
]
TLA += [
    "IN",
    "CHOOSE",
    "EXCEPT",
    "DOMAIN",
    "(*",
    "====",
    "----",
    "\\X",
    "[]",
    "@",
    "RECURSIVE",
    "x'",
]
TLA += ["INSTANCE", "INIT", "NEXT", "INVARIANT", "PROPERTY", "CONSTANT", "CONSTRAINT", "SYMMETRY"]
TLA += ["<-", "=", "VIEW"]
JSON = ["[]", "{}", '{"#set": []}', '{"#map": [[1]]}', '{"#bigint": "x"}', "NaN", "-Infinity", ","]

COMMANDS = ["check", "simulate", "show", "graph", "coverage", "profile", "sweep", "stats", "test"]
COMMANDS += ["trace", "replay", "why", "list", "ir", "counterexamples", "compare", "nothing", ""]
OPTIONS = ["--set", "--max-states", "--max-depth", "--timeout", "--max-memory", "--invariant"]
OPTIONS += ["--engine", "--profile", "--format", "--output", "--trace-out", "--walks", "--depth"]
OPTIONS += ["--vary", "--only", "--watch", "--step", "--show", "--by", "--around", "--hops", "--x"]
OPTIONS += ["-q", "--full", "--continue", "--symmetry", "--deadlock", "--seed", "--strategy"]
VALUES = ["most=3", "most", "=", "most=1..3", "x=1", "small", "s.at > 1", "s.at >", "()", "at", "5"]
VALUES += ["text", "json", "interpret", "10s", "-5s", "1G", "no/such/file", ".", "/", "counter.py"]
VALUES += [*NUMBERS[:5], "", " ", "\x1b[0m", "a" * 3000, "counter.py:fine", "x.itf.json", "models"]


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code, None if an exception passed it, and what it wrote."""

    words: tuple[str, ...]
    code: int | None
    out: str
    err: str

    @property
    def wrong(self) -> str:
        """What should not be; empty if all is well."""
        if self.code is None:
            return f"it raised {self.err}"
        told = self.out + self.err
        if self.code not in (0, 1, 2, 3):
            return f"exit code {self.code}"
        if "Traceback" in told or "internal error" in told:
            return "an internal error"
        if self.code == 2 and not self.err.strip() and "broken" not in self.out:
            return "exit code 2 without a message"
        if "\x1b" in told or len(self.err) > LONGEST:
            return "a message that is not fit to be read"
        return ""


def run(*words: str) -> Ended:
    """Runs a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            application(*words[:1])(list(words), prog_name="specmodel")
    except SystemExit as ended:
        return Ended(words, int(ended.code or 0), out.getvalue(), err.getvalue())
    except Exception as wrong:
        return Ended(words, None, out.getvalue(), f"{type(wrong).__name__}: {wrong}")
    return Ended(words, 0, out.getvalue(), err.getvalue())


def mutated(text: str, rng: random.Random, pieces: list[str]) -> str:
    """A text with one to three changes."""
    for _ in range(rng.randint(1, 3)):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice([0, 1, 1, 5, 40]))
        lines = text.split("\n")
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(7):
            case 0:
                text = text[:start] + text[end:]
            case 1:
                text = text[:start] + rng.choice(pieces) + text[end:]
            case 2:
                text = text[:start] + text[start:end] * 2 + text[end:]
            case 3:
                lines[at], lines[other] = lines[other], lines[at]
                text = "\n".join(lines)
            case 4:
                text = "\n".join(lines[:at] + lines[at + 1 :])
            case 5:
                words = lines[at].split(" ")
                words[rng.randrange(len(words))] = rng.choice(pieces)
                text = "\n".join([*lines[:at], " ".join(words), *lines[at + 1 :]])
            case _:
                text = text[:start] if rng.random() < 0.2 else f"{text}\n{lines[at]}"
    return text


def _write(file: str, text: str) -> None:
    Path(file).write_text(text, encoding="utf-8", errors="surrogatepass")


BOUNDS = ("--max-states", "300", "--timeout", "5s", "-q")


def specs(rng: random.Random) -> Iterator[Ended]:
    """A spec, by both engines."""
    _write("mutant.py", mutated(COUNTER, rng, [*NUMBERS, *ODD, *PYTHON]))
    found = [
        run("check", "mutant.py:fine", "--engine", e, *BOUNDS) for e in ("interpret", "native")
    ]
    yield from found
    if {ended.code for ended in found} <= {0, 1} and found[0].out != found[1].out:
        yield Ended(found[1].words, None, "", f"two results: {found[0].out}{found[1].out}")


def designs(rng: random.Random) -> Iterator[Ended]:
    """A design's file; and beside it, others are found."""
    _write("models/mutant.yaml", mutated(DESIGN, rng, [*NUMBERS, *ODD, *YAML]))
    yield run("check", "models/mutant.yaml", "--engine", "interpret", *BOUNDS)
    yield run("list", "models")
    whole = run("check", "whole", "--engine", "interpret", *BOUNDS)
    yield whole
    if whole.code != 1 and "two designs" not in whole.err:
        yield Ended(whole.words, None, "", f"another design was stopped: {whole.err}")


def traces(rng: random.Random) -> Iterator[Ended]:
    """A recorded trace."""
    _write("mutant.itf.json", mutated(Path("x.itf.json").read_text(), rng, [*NUMBERS, *ODD, *JSON]))
    for command in ("replay", "trace", "why"):
        ended = run(command, "mutant.itf.json")
        yield ended
        if ended.code == 2 and "mutant.itf.json" not in ended.err:
            yield Ended(ended.words, None, "", f"the file is not named: {ended.err}")


MODULES = sorted(module_of(configurations()[0]).parent.glob("*.tla"))


def modules(rng: random.Random) -> Iterator[Ended]:
    """A TLA+ module or its configuration, by both engines."""
    configuration = rng.choice(configurations())
    for path in MODULES:  # others may extend or instantiate it
        shutil.copy(path, path.name)
    module = module_of(configuration).name
    texts = {module: Path(module).read_text(), "M.cfg": configuration.read_text()}
    for name in [module, "M.cfg"] if rng.random() < 0.3 else [rng.choice([module, "M.cfg"])]:
        if rng.random() < 0.6:
            texts[name] = tokens_changed(texts[name], rng)
        else:
            texts[name] = mutated(texts[name], rng, [*NUMBERS, *ODD, *TLA])
    for name, text in texts.items():
        _write(name, text)
    for engine in ("interpret", "native"):
        ended = run("check", module, "--config", "M.cfg", "--engine", engine, *BOUNDS)
        yield ended
        if ended.code == 2 and not re.search(r"\.(tla|cfg)(:\d|\b)", ended.err):
            yield Ended(ended.words, None, "", f"no file is named: {ended.err}")


def tokens_changed(text: str, rng: random.Random) -> str:
    """A text with one or two words left out, doubled or in the place of others."""
    found = re.split(r"(\s+|\b)", text)
    words = [place for place, word in enumerate(found) if word.strip()]
    for _ in range(rng.randint(1, 2)):
        at, other = rng.choice(words), rng.choice(words)
        match rng.randrange(4):
            case 0:
                found[at] = ""
            case 1:
                found[at] += f" {found[at]}"
            case 2:
                found[at], found[other] = found[other], found[at]
            case _:
                found[at] = found[other]
    return "".join(found)


def options(rng: random.Random) -> Iterator[Ended]:
    """A command line."""
    words = [rng.choice(COMMANDS)]
    if rng.random() < 0.8:
        words.append(rng.choice(["whole", "counter.py:fine", "x.itf.json", rng.choice(VALUES)]))
    for _ in range(rng.randint(0, 4)):
        words.append(rng.choice(OPTIONS))
        if rng.random() < 0.8:
            words.append(rng.choice(VALUES))
    if words[0] == "test":  # of designs named by chance, not of all that come with specmodel
        words.insert(1, "models/whole.yaml")
    yield run(*words)


KINDS: dict[str, Callable[[random.Random], Iterator[Ended]]] = {
    "specs": specs,
    "design files": designs,
    "traces": traces,
    "TLA+ modules": modules,
    "command lines": options,
}


@contextlib.contextmanager
def workplace() -> Iterator[None]:
    """A folder with a spec, a design and a trace of it, as the current one."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            _write("counter.py", COUNTER)
            Path("models").mkdir()
            _write("models/counter.py", COUNTER)
            _write("models/whole.yaml", DESIGN.replace("my-counter", "whole"))
            run("check", "whole", "--engine", "interpret", "--trace-out", "x.itf.json")
            yield
        finally:
            os.chdir(before)


def tried(kind: str, number: int, seed: int) -> Iterator[tuple[int, Ended]]:
    """Mutants of a kind, by their numbers, and how the commands ended that were given them."""
    for which in range(number):
        with workplace() if kind == "command lines" else contextlib.nullcontext():
            for ended in KINDS[kind](random.Random(f"{kind} {seed} {which}")):
                yield which, ended


def main() -> int:
    """Tries many of each kind, and prints a row for each."""
    number, seed = (int(word) for word in (sys.argv[1:] + ["300", "1"][len(sys.argv) - 1 :]))
    failures = 0
    for kind in KINDS:
        codes: dict[int | None, int] = {}
        bad: set[int] = set()
        with workplace():
            for which, ended in tried(kind, number, seed):
                codes[ended.code] = codes.get(ended.code, 0) + 1
                if ended.wrong:
                    bad.add(which)
                    print(f"{kind} {which}: {ended.wrong}: {ended.words}\n{ended.err[-600:]}")  # noqa: T201
        failures += len(bad)
        counted = ", ".join(f"{n} x {code}" for code, n in sorted(codes.items(), key=str))
        print(f"| {kind} | {number} | {number - len(bad)} | exit codes {counted} |")  # noqa: T201
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
