"""A design's YAML file: its spec, constants, properties to check and expectations.

Every mistake is reported with file, line and column. Unknown keys are refused: a misspelt `expect`
would otherwise be an expectation that nobody checks.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, cast

import yaml

from specmodel.constants import DeclaredConstant, Value
from specmodel.dataclass import dataclass
from specmodel.errors import Span, SpecError, suggestion
from specmodel.files import read_text
from specmodel.model.lanes import SEVERAL, Lanes

VERDICTS = ("holds", "violated", "incomplete")

ENDINGS = (".yaml", ".yml")
"""The endings of the names of design files."""

MOST_BYTES = 1 << 20
"""The largest file of a design: one with all keys and expectations has some thousand bytes."""

DEEPEST = 1000
"""The greatest nesting of values: more than a design needs, and less than the stack allows."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class TraceEntry:
    """A recorded trace (ITF) to replay on a design.

    The design can do every step of it or, with `blocked`, all steps up to the one that leads to
    state `blocked` (the initial state is 1).
    """

    file: Path
    blocked: int | None = None


@dataclass(frozen=True)
class Document:
    """The contents of a design's YAML file. `spec` is a Python file and the name of a spec in it.

    `places` has the place of every value by its path of keys: `("constants", "replicas")`.
    """

    name: str
    path: Path
    spec_file: Path
    spec_name: str
    question: str = ""
    source: str = ""
    constants: Mapping[str, Value] = field(default_factory=dict[str, Value])
    check: tuple[str, ...] = ()
    symmetry: bool = False
    expect: Mapping[str, Any] = field(default_factory=dict[str, Any])
    profiles: Mapping[str, Mapping[str, Value]] = field(
        default_factory=dict[str, Mapping[str, Value]]
    )
    traces: tuple[TraceEntry, ...] = ()
    weights: Mapping[str, int] = field(default_factory=dict[str, int])
    lanes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    places: Mapping[tuple[str, ...], Span] = field(default_factory=dict[tuple[str, ...], Span])

    def states_at(self, constants: Mapping[str, DeclaredConstant]) -> int | None:
        """The number of states of a search with these constants, if the file expects one."""
        for row in (self.expect, *self.expect.get("at", ())):
            given = {**self.constants, **row.get("constants", {})}
            alike = (given.get(name, c.default) == c.value for name, c in constants.items())
            if row.get("verdict") == "holds" and all(alike):
                return row.get("distinct")
        return None


def canonical(name: str) -> str:
    """The form of a design's name for comparisons: `kip320_first_try` is `kip320-first-try`."""
    return name.replace("_", "-")


def read_document(path: Path) -> Document:
    """Reads a design's YAML file.

    Raises UsageError if it cannot be read, SpecError with the place of a mistake in it.
    """
    return _DocumentReader(path).document(_compose(path, read_text(path, MOST_BYTES)))


def read_design(path: Path, mentioning: str = "") -> Document | None:
    """As `read_document`; None for a file that is not meant to be a design.

    Such a file has no key `design` or `spec`, or does not contain the name that is asked for. A
    file that is not YAML at all raises SpecError, so that it is reported, not overlooked.
    """
    text = read_text(path, MOST_BYTES)
    if canonical(mentioning) not in canonical(text):
        return None
    root = _compose(path, text)
    if not isinstance(root, yaml.MappingNode):
        return None
    meant = any(key.value in ("design", "spec") for key, _ in root.value)
    return _DocumentReader(path).document(root) if meant else None


def _compose(path: Path, text: str) -> Any:
    try:
        _refuse_deep(path, text)
        return cast(Any, yaml).compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as wrong:
        mark = wrong.problem_mark or wrong.context_mark
        problem = wrong.problem or wrong.context or ""
        if "nesting depth" in problem:  # newer releases of libyaml have a limit of their own
            raise _too_deep(path, mark) from None
        raise SpecError(f"not YAML: {problem}", _at(path, mark)) from None
    except yaml.YAMLError as wrong:
        problem = str(wrong).partition("\n")[0]
        raise SpecError(f"not YAML: {problem}", _at(path, None)) from None


def _at(path: Path, mark: Any) -> Span:
    """The character at a mark; the beginning of the file if there is none."""
    line, column = (mark.line, mark.column) if mark else (0, 0)
    return Span(str(path), line + 1, column, line + 1, column + 1)


def _refuse_deep(path: Path, text: str) -> None:
    """Raises SpecError for values that are nested deeper than DEEPEST; libyaml's stack is limited.

    Most files are too short to need a scan: nesting by brackets takes a bracket for each level, and
    nesting by indentation takes a column.
    """
    columns = max(map(len, text.splitlines()), default=0)
    if text.count("[") + text.count("{") + columns <= DEEPEST:
        return
    depth = 0
    for event in cast(Any, yaml).parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise _too_deep(path, event.start_mark)


def _too_deep(path: Path, mark: Any) -> SpecError:
    return SpecError("values are nested too deeply to be a design's", _at(path, mark))


def is_module(target: str) -> bool:
    """Whether a target is a TLA+ module, `X.tla`, or one with a configuration, `X.tla:Y.cfg`."""
    return target.endswith(".tla") or ".tla:" in target


class _DocumentReader:
    """Walks the nodes of one file; every method raises SpecError at the node that is wrong."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.places: dict[tuple[str, ...], Span] = {}

    def document(self, root: Any) -> Document:
        if root is None:
            span = Span(str(self.path), 1, 0, 1, 0)
            raise SpecError("the file is empty", span, "a design has at least `design` and `spec`")
        readers: dict[str, Callable[[Any, tuple[str, ...]], Any]] = {
            "design": self.text,
            "spec": self.text,
            "question": self.text,
            "source": self.text,
            "constants": self.constants,
            "check": self.names,
            "symmetry": self.flag,
            "expect": self.expect,
            "profiles": self.profiles,
            "traces": self.traces,
            "weights": self.weights,
            "lanes": self.lanes,
        }
        held = self.fields(root, (), readers, "design", "spec")
        design, spec = held.pop("design"), held.pop("spec")
        file, colon, name = spec.rpartition(":")
        if is_module(spec):
            file, name = spec, design
        elif not colon or not file.endswith(".py") or not name:
            hint = "write file.py:name, or Module.tla"
            raise SpecError(f'"{spec}" is not a spec', self.places["spec",], hint)
        return Document(
            name=canonical(design),
            path=self.path,
            spec_file=self.path.parent / file,
            spec_name=name.replace("-", "_"),
            places=self.places,
            **held,
        )

    def span(self, node: Any) -> Span:
        start, end = node.start_mark, node.end_mark
        return Span(str(self.path), start.line + 1, start.column, end.line + 1, end.column)

    def wrong(self, node: Any, message: str, hint: str = "") -> SpecError:
        return SpecError(message, self.span(node), hint)

    def pairs(self, node: Any, at: tuple[str, ...]) -> list[tuple[str, Any, Any]]:
        """Key text, key node and value node of a mapping without repeated keys."""
        what = f'"{at[-1]}"' if at else "a design"
        if not isinstance(node, yaml.MappingNode):
            raise self.wrong(node, f"{what} is a mapping of keys to values")
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self.wrong(key, "a key is a plain name")
            if key.value in seen:
                raise self.wrong(key, f'the key "{key.value}" is given twice')
            seen.add(key.value)
        return [(key.value, key, value) for key, value in node.value]

    def items(self, node: Any, at: tuple[str, ...], what: str) -> list[tuple[str, Any]]:
        """Number, as a key of places, and node of each item of a list."""
        if not isinstance(node, yaml.SequenceNode):
            raise self.wrong(node, f'"{at[-1]}" is a list of {what}')
        return [(str(number), item) for number, item in enumerate(node.value)]

    def fields(
        self,
        node: Any,
        at: tuple[str, ...],
        readers: Mapping[str, Callable[[Any, tuple[str, ...]], Any]],
        *needed: str,
    ) -> dict[str, Any]:
        """The values that the readers make of the keys of a mapping, by key.

        Some keys are required.
        """
        held: dict[str, Any] = {}
        for name, key, value in self.pairs(node, at):
            if name not in readers:
                raise self.wrong(key, f'unknown key "{name}"{suggestion(name, readers)}')
            held[name] = readers[name](value, (*at, name))
        for name in needed:
            if name not in held:
                raise self.wrong(node, f'the key "{name}" is missing')
        return held

    def text(self, node: Any, at: tuple[str, ...]) -> str:
        self.places[at] = self.span(node)
        if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
            raise self.wrong(node, f'"{at[-1]}" is a text')
        return " ".join(node.value.split())

    def value(self, node: Any, at: tuple[str, ...]) -> Value:
        self.places[at] = self.span(node)
        tag = node.tag.rpartition(":")[2]
        if isinstance(node, yaml.ScalarNode) and tag == "bool":
            return node.value.lower() in ("true", "yes", "on")
        if isinstance(node, yaml.ScalarNode) and tag == "int":
            with contextlib.suppress(ValueError):  # also for more digits than Python reads
                return int(node.value.replace("_", ""), 0)
        raise self.wrong(node, f"constant {at[-1]} is an integer, or true or false")

    def flag(self, node: Any, at: tuple[str, ...]) -> bool:
        if not node.tag.endswith(":bool"):
            raise self.wrong(node, f'"{at[-1]}" is true or false')
        return bool(self.value(node, at))

    def constants(self, node: Any, at: tuple[str, ...]) -> dict[str, Value]:
        return {name: self.value(held, (*at, name)) for name, _, held in self.pairs(node, at)}

    def names(self, node: Any, at: tuple[str, ...]) -> tuple[str, ...]:
        found: list[str] = []
        for _, item in self.items(node, at, "property names"):
            name = self.text(item, (*at, item.value if isinstance(item.value, str) else ""))
            found.append(name.replace("-", "_"))
        return tuple(found)

    def count(self, node: Any, at: tuple[str, ...]) -> int:
        value = self.value(node, at) if node.tag.endswith(":int") else None
        if value is None or value < 0:
            raise self.wrong(node, f'"{at[-1]}" is a count: 0, 1, 2, ...')
        return int(value)

    def verdict(self, node: Any, at: tuple[str, ...]) -> str:
        verdict = self.text(node, at)
        if verdict not in VERDICTS:
            raise self.wrong(node, f'"{verdict}" is not a verdict', f"one of {', '.join(VERDICTS)}")
        return verdict

    def profiles(self, node: Any, at: tuple[str, ...]) -> dict[str, dict[str, Value]]:
        return {name: self.constants(held, (*at, name)) for name, _, held in self.pairs(node, at)}

    def properties(self, node: Any, at: tuple[str, ...]) -> dict[str, dict[str, Any]]:
        readers = {"verdict": self.verdict, "trace_length": self.count}
        found: dict[str, dict[str, Any]] = {}
        for name, key, held in self.pairs(node, at):
            self.places[*at, name] = self.span(key)
            found[name.replace("-", "_")] = self.fields(held, (*at, name), readers)
        return found

    def coverage(self, node: Any, at: tuple[str, ...]) -> dict[str, int]:
        found: dict[str, int] = {}
        for name, key, held in self.pairs(node, at):
            self.places[*at, name] = self.span(key)
            found[name.replace("-", "_")] = self.count(held, (*at, name, "least"))
        return found

    def weights(self, node: Any, at: tuple[str, ...]) -> dict[str, int]:
        return {
            name.replace("-", "_"): self.count(held, (*at, name))
            for name, _, held in self.pairs(node, at)
        }

    def lanes(self, node: Any, at: tuple[str, ...]) -> dict[str, Any]:
        """How states are drawn: the arguments of `Lanes`, with paths for all places."""
        self.places[at] = self.span(node)
        readers: dict[str, Callable[[Any, tuple[str, ...]], Any]] = {}
        for argument in dataclasses.fields(Lanes):
            readers[argument.name] = self.several if argument.name in SEVERAL else self.text
        return self.fields(node, at, {**readers, "formats": self.titled})

    def several(self, node: Any, at: tuple[str, ...]) -> tuple[str, ...] | dict[str, str]:
        """A list of paths or names, or a mapping from titles to paths."""
        if isinstance(node, yaml.MappingNode) and at[-1] not in ("messages", "sender", "receiver"):
            return self.titled(node, at)
        held = self.items(node, at, "paths of fields")
        return tuple(self.text(item, (*at, number)) for number, item in held)

    def titled(self, node: Any, at: tuple[str, ...]) -> dict[str, str]:
        return {name: self.text(held, (*at, name)) for name, _, held in self.pairs(node, at)}

    def traces(self, node: Any, at: tuple[str, ...]) -> tuple[TraceEntry, ...]:
        readers = {"file": self.text, "blocked": self.count}
        found: list[TraceEntry] = []
        for number, item in self.items(node, at, "recorded traces"):
            self.places[*at, number] = self.span(item)
            held = self.fields(item, (*at, number), readers, "file")
            if held.get("blocked", 2) < 2:
                raise self.wrong(item, '"blocked" is the number of a state, from 2')
            found.append(TraceEntry(self.path.parent / held["file"], held.get("blocked")))
        return tuple(found)

    def expect(self, node: Any, at: tuple[str, ...]) -> dict[str, Any]:
        return self.fields(node, at, {**self._outcome(), "at": self.elsewhere})

    def elsewhere(self, node: Any, at: tuple[str, ...]) -> list[dict[str, Any]]:
        readers = {"constants": self.constants, **self._outcome()}
        return [
            self.fields(item, (*at, number), readers, "constants")
            for number, item in self.items(node, at, "expectations at other constants")
        ]

    def _outcome(self) -> dict[str, Callable[[Any, tuple[str, ...]], Any]]:
        return {
            "verdict": self.verdict,
            "distinct": self.count,
            "depth": self.count,
            "properties": self.properties,
            "coverage": self.coverage,
        }
