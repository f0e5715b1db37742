"""Collects cases from paths: every row that a design's file expects, every recorded trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.errors import Span, SpecmodelError, UsageError
from specmodel.files import files_below
from specmodel.regression.expectations import ExpectedRow, rows
from specmodel.suite.catalog import catalog, find, shipped
from specmodel.suite.documents import (
    ENDINGS,
    Document,
    TraceEntry,
    read_design,
    read_document,
)

DEFAULT_FOLDERS = ("models", "traces")

TRACES = ".itf.json"


@dataclass(frozen=True)
class RunCase:
    """A row of expectations of a design's file.

    `reference` is the file of a design with the same name, which explains a failure, if there is
    one.
    """

    name: str
    document: Document
    row: ExpectedRow
    reference: Path | None = None

    @property
    def place(self) -> Span:
        """The place of the row in the YAML file."""
        return _place(self.document, self.row.where)

    @property
    def size(self) -> int:
        """The expected number of states; 0 if none is expected."""
        return int(self.row.expected.get("distinct", 0))


@dataclass(frozen=True)
class TraceCase:
    """A recorded trace: one that a design's file lists (`where` in it), or one found as a file."""

    name: str
    entry: TraceEntry
    document: Document | None = None
    where: tuple[str, ...] = ()

    @property
    def place(self) -> Span:
        """The place where the trace is listed, or the file itself."""
        if self.document is None:
            return Span(str(self.entry.file), 1, 0, 1, 0)
        return _place(self.document, self.where)


@dataclass(frozen=True)
class CoverageCase:
    """The case that every action of a design fires in some run of its file."""

    name: str
    document: Document

    @property
    def place(self) -> Span:
        """The place of the expectations in the file."""
        return _place(self.document, ("expect",))


Case = RunCase | TraceCase | CoverageCase


@dataclass(frozen=True)
class Suites:
    """The cases and broken files below some paths; cases are in the order of their names."""

    documents: Mapping[str, Document]
    cases: tuple[Case, ...]
    broken: tuple[SpecmodelError, ...] = ()


def collect(paths: Sequence[str | Path], against: Path | None = None) -> Suites:
    """The cases below files and folders (default: `models` and `traces` of the current directory).

    A path is a folder, a design's YAML file, a trace (`x.itf.json`) or a design's name. `against`
    is a folder with the earlier versions of the designs; by default these are the designs shipped
    with specmodel, because a tested design may be a changed copy of one. Files that cannot be read
    are in `broken`, and do not affect the rest. Raises UsageError if there is nothing at all.
    """
    found = _Collector(against)
    if not paths:
        paths = [folder for folder in DEFAULT_FOLDERS if Path(folder).is_dir()]
        if not paths:
            raise UsageError('nothing to test: there is no folder "models" here; name a path')
    for path in paths:
        found.add(path)
    if not found.documents and not found.traces and not found.broken:
        raise UsageError(f"nothing to test: no designs in {', '.join(map(str, paths))}")
    return found.suites()


def cases_of(document: Document, reference: Path | None = None) -> Iterator[Case]:
    """The cases of one design's file: its rows in order, their coverage, the traces it lists."""
    for row in rows(document.expect):
        constants = ",".join(f"{name}={_text(value)}" for name, value in row.constants.items())
        name = f"{document.name}:{constants}" if constants else document.name
        yield RunCase(name, document, row, reference)
    yield CoverageCase(f"{document.name}:coverage", document)
    for number, entry in enumerate(document.traces):
        name = f"{document.name}:{entry.file.name}"
        yield TraceCase(name, entry, document, ("traces", str(number)))


def selected(cases: Sequence[Case], patterns: Sequence[str]) -> tuple[Case, ...]:
    """The cases whose name contains one of the patterns, or matches it if it has `*` or `?`."""
    if not patterns:
        return tuple(cases)
    return tuple(c for c in cases if any(_matches(c.name, p) for p in patterns))


def _matches(name: str, pattern: str) -> bool:
    if "*" in pattern or "?" in pattern:
        return fnmatchcase(name, pattern)
    return pattern.lower() in name.lower()


def _place(document: Document, where: tuple[str, ...]) -> Span:
    """The place of a key, or else of the value that contains it, or else the file."""
    for depth in range(len(where), 0, -1):
        for keys, place in document.places.items():
            if keys[:depth] == where[:depth]:
                return place
    return Span(str(document.path), 1, 0, 1, 0)


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class _Collector:
    def __init__(self, against: Path | None) -> None:
        if against is not None and not against.is_dir():
            raise UsageError(f"{against} is not a folder")
        self.before = catalog((against or shipped(),)).designs
        self.documents: dict[str, Document] = {}
        self.traces: dict[Path, Path] = {}
        self.broken: list[SpecmodelError] = []
        self.seen: set[Path] = set()

    def add(self, path: str | Path) -> None:
        place = Path(path)
        if place.is_dir():
            for file in files_below(place, *ENDINGS):
                self._document(file, read_design)
            for file in files_below(place, TRACES):
                self.traces.setdefault(file.resolve(), file)
        elif place.is_file() and place.name.endswith(ENDINGS):
            self._document(place)
        elif place.is_file() and place.name.endswith(TRACES):
            self.traces.setdefault(place.resolve(), place)
        elif place.is_file():
            self.broken.append(
                UsageError(f"{place} is neither a design's .yaml file nor a trace (x.itf.json)")
            )
        else:
            self._named(str(path))

    def _named(self, name: str) -> None:
        if "/" in name or "." in name:
            self.broken.append(UsageError(f"there is no file or folder {name}"))
            return
        try:
            self._keep(find(name))
        except SpecmodelError as wrong:
            self.broken.append(wrong)

    def _document(
        self, file: Path, read: Callable[[Path], Document | None] = read_document
    ) -> None:
        try:
            document = read(file)
            if document is not None:
                self._keep(document)
        except SpecmodelError as wrong:
            self.broken.append(wrong)

    def _keep(self, document: Document) -> None:
        if document.path.resolve() in self.seen:
            return
        self.seen.add(document.path.resolve())
        first = self.documents.setdefault(document.name, document)
        if first is not document:
            self.broken.append(
                UsageError(
                    f'two designs are called "{document.name}": {first.path} and {document.path}'
                )
            )

    def suites(self) -> Suites:
        cases: list[Case] = []
        for name in sorted(self.documents):
            document = self.documents[name]
            before = self.before.get(name)
            other = before is not None and before.path.resolve() != document.path.resolve()
            cases += cases_of(document, before.path if before and other else None)
        listed = {entry.file.resolve() for d in self.documents.values() for entry in d.traces}
        for file in sorted(self.traces.values()):
            if file.resolve() not in listed:
                cases.append(TraceCase(str(file), TraceEntry(file)))
        return Suites(self.documents, tuple(cases), tuple(self.broken))
