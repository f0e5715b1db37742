"""Loading a spec's modules with given constants.

Each load runs the spec's file and its relative imports as new modules of a private package. So one
process can have the same spec with different constants. The package has the folders of the file
system: `from ..replication.core import ...` loads a file of a folder beside the spec's folder. A
plain `import` of a spec's module, as in a unit test, is not changed: it has the default constants.

A load keeps the text that it ran. Lowering reads this text, not the file, which may have changed.
A load may also edit the source first. Then it runs the edited text under a file name of its own,
from which lowering, tracebacks and error messages get the edited text.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import itertools
import re
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from difflib import get_close_matches
from functools import partial
from pathlib import Path

from specmodel.constants import DeclaredConstant, Value, binding
from specmodel.dataclass import dataclass
from specmodel.domains import frozen
from specmodel.domains.found import bounded
from specmodel.errors import (
    BoundExceeded,
    Span,
    SpecError,
    SpecmodelError,
    UsageError,
    described,
    span_of_traceback,
    suggestion,
)
from specmodel.files import read_bytes
from specmodel.lang.annotations import import_of
from specmodel.lang.bounds import Load, bounding, widen
from specmodel.lang.packages import Edit, KeptSource, Package, packages, relative_name
from specmodel.lang.sampling import sampled
from specmodel.lang.sets import NAMES
from specmodel.lang.spec import Spec

MOST_SOURCE = 16 << 20
"""The largest file of Python that is read as a spec, in bytes."""

_serial = itertools.count(1)


@dataclass(frozen=True)
class LoadedSpec:
    """A loaded spec module: its specs by name, its constants, and its source files."""

    path: Path
    specs: Mapping[str, Spec]
    constants: Mapping[str, DeclaredConstant]
    files: tuple[Path, ...]
    again: Callable[[str], LoadedSpec] = field(repr=False)

    def spec(self, name: str) -> Spec:
        """The spec with a name. Places that declare no bounds have those that were kept of it, or
        that some walks stay within.

        Raises UsageError, with suggestions, if there is none, and SpecError for a place that grows
        without end.
        """
        if name not in self.specs:
            raise UsageError(f'{self.path} has no spec "{name}"{suggestion(name, self.specs)}')
        spec = self.specs[name]
        if bounded(spec.domain):
            return spec
        found = self._within(name)
        while not sampled(found):
            found = self._within(name)
        return found

    def _within(self, name: str) -> Spec:
        """The spec of a name with the bounds known so far, and the way to wider ones."""
        spec = self.again(name).specs[name]
        vars(spec)[_AGAIN] = lambda: self._within(name)
        return spec


_AGAIN = "_again"
"""The name of what loads a spec with the bounds known by then, in the spec."""


def fix_bounds_of(spec: Spec) -> None:
    """Leaves a spec with the bounds that it has: `widened` raises the error of a value."""
    vars(spec).pop(_AGAIN, None)


def widened(spec: Spec, wrong: BoundExceeded) -> Spec:
    """The spec, loaded again with bounds that are wide enough for a value.

    Raises the error if the spec was not loaded from a file, SpecError for a place without end.
    """
    again: Callable[[], Spec] | None = vars(spec).get(_AGAIN)
    if again is None:
        raise wrong
    widen(wrong)
    return again()


def changed(spec: Spec, change: Callable[[Spec], Spec]) -> Spec:
    """A spec with a change, which is made again when the spec is loaded with wider bounds."""
    found = change(spec)
    again: Callable[[], Spec] | None = vars(spec).get(_AGAIN)
    if again is not None:
        vars(found)[_AGAIN] = lambda: changed(again(), change)
    return found


def load_module(
    path: Path,
    given: Mapping[str, Value] | None = None,
    edits: Sequence[Edit] = (),
    spec: str = "",
) -> LoadedSpec:
    """Runs a spec's file with constants bound, and with edits to it and to its imports.

    Places without declared bounds have those known of `spec`. Raises UsageError for an unreadable
    file or wrong constants, SpecError for a mistake in the file.
    """
    if not path.is_file():
        raise UsageError(f"no such file: {path.absolute()}")
    origin = Load.of(path, given or {}, spec)
    while True:
        try:
            return _load(origin, edits)
        except BoundExceeded as wrong:  # by a value that is made while the file runs
            widen(wrong)


def _load(origin: Load, edits: Sequence[Edit]) -> LoadedSpec:
    path, given = origin.file, dict(origin.constants)
    package = Package(f"_spec{next(_serial)}", path.parent, edits)
    with binding(given) as bindings, bounding(origin), package:
        module = _run(package, path)
    if problem := bindings.unknown():
        raise problem
    specs = {name: spec for name, spec in vars(module).items() if isinstance(spec, Spec)}
    read = {str(m.__file__) for m in package.modules.values() if getattr(m, "__file__", None)}
    files = sorted(Path(_originals.get(file, file)) for file in read)
    again = partial(load_module, path, given, edits)
    return LoadedSpec(path, specs, bindings.declared, tuple(files), again)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of packages: their files during a load, and the loaded modules after it.

    It does not use byte code files: one from the same second may be of an earlier text.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        package = packages.get(fullname.partition(".")[0])
        if package is None:
            return None
        if fullname in {package.__name__, *package.modules}:
            return importlib.machinery.ModuleSpec(fullname, self)
        return self._read(package, fullname, path) if package.open else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        package = packages[spec.name.partition(".")[0]]
        return package.modules.get(spec.name, package)

    def exec_module(self, module: types.ModuleType) -> None:
        """Does nothing: the module has been run."""

    def _read(
        self, package: Package, fullname: str, path: Sequence[str] | None
    ) -> importlib.machinery.ModuleSpec | None:
        found = importlib.machinery.PathFinder.find_spec(fullname, path)
        file = (found.origin if found else None) or ""
        if not file.endswith(".py") or found is None or found.submodule_search_locations:
            return None  # Python's own finders find a folder
        text = importlib.util.decode_source(read_bytes(Path(file), MOST_SOURCE))
        mine = [edit for edit in package.edits if edit.span.file == file]
        if mine:
            text = edited_text(text, mine)
            digest = hashlib.sha256(text.encode()).hexdigest()[:8]
            name = f"{file} (edited {digest})"
            _originals[name] = file
        else:
            name = file
        package.read.add(name)
        return importlib.util.spec_from_loader(fullname, _Loader(name, text))


sys.meta_path.insert(0, _Finder())  # before the finders that would run the file again


_originals: dict[str, str] = {}
"""The original files of edited sources, by the file names of the edited texts."""


def edited_text(text: str, edits: Sequence[Edit]) -> str:
    """A file's text with edits made, which may not overlap."""
    starts = [0, *itertools.accumulate(len(line) + 1 for line in text.split("\n"))]
    for edit in sorted(edits, key=lambda e: (e.span.line, e.span.column), reverse=True):
        start = starts[edit.span.line - 1] + edit.span.column
        end = starts[edit.span.end_line - 1] + edit.span.end_column
        text = text[:start] + edit.text + text[end:]
    return text


class _Loader(KeptSource):
    """Runs a text, and names the specs in it."""

    def exec_module(self, module: types.ModuleType) -> None:
        vars(module).update(NAMES)
        super().exec_module(module)
        for name, value in vars(module).items():
            frozen(value)
            if isinstance(value, Spec):
                value.held_by(name)


def _run(package: Package, path: Path) -> types.ModuleType:
    name = f"{package.home}.{path.stem}"

    def place(wrong: BaseException) -> Span:
        """The innermost place of an exception in the spec's files, not in a library."""
        span = span_of_traceback(wrong.__traceback__, package.read.__contains__)
        return span or Span(str(path), 1, 0, 1, 0)

    try:
        return importlib.import_module(name)
    except SyntaxError as wrong:
        line, column = wrong.lineno or 1, (wrong.offset or 1) - 1
        end = (wrong.end_offset or column + 2) - 1
        span = Span(wrong.filename or str(path), line, column, wrong.end_lineno or line, end)
        raise SpecError(f"not Python: {wrong.msg}", span) from None
    except SpecError as wrong:
        raise SpecError(wrong.message, wrong.span or place(wrong), wrong.hint) from None
    except SpecmodelError:
        raise
    except ImportError as wrong:
        missing, told = wrong.name or "", str(wrong)
        if missing.startswith(f"{package.__name__}."):
            told = told.replace(missing, relative_name(missing, name))
        sibling = path.parent / f"{missing.partition('.')[0]}.py"
        hint = f"write `from .{sibling.stem} import ...`" if sibling.exists() else ""
        raise SpecError(told, place(wrong), hint or _near(wrong)) from None
    except KeyboardInterrupt:
        raise
    except BaseException as wrong:  # SystemExit too: the spec raised it, not the command
        hint = import_of(wrong) if isinstance(wrong, NameError) else ""
        raise SpecError(described(wrong), place(wrong), hint) from None


def _near(wrong: ImportError) -> str:
    """A hint at the names that a module has, if it lacks the one that was imported."""
    asked = re.match(r"cannot import name '(\w+)' from ", str(wrong))
    module = sys.modules.get(wrong.name or "")
    if asked is None or module is None:
        return ""
    names = getattr(module, "__all__", vars(module))
    near = get_close_matches(asked[1], names, cutoff=0.5)
    return f"did you mean {' or '.join(near)}?" if near else ""
