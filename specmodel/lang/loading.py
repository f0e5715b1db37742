"""Loads a spec's modules afresh with given constants.

Every load runs the spec file and its relative imports as new modules of a private package, so that
several bindings of the same spec live side by side in one process. A plain `import` of a spec
module, as in a unit test, is untouched by this and has the default constants.
"""

from __future__ import annotations

import importlib
import itertools
import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from specmodel.errors import (
    Span,
    SpecError,
    SpecmodelError,
    UsageError,
    span_of_traceback,
    suggestion,
)
from specmodel.lang.constants import Constant, Value, binding
from specmodel.lang.spec import Spec

_serial = itertools.count(1)
_OWN_FOLDER = str(Path(__file__).resolve().parent.parent)


@dataclass(frozen=True)
class Loaded:
    """A spec module instance: its specs by name, its bound constants, and its source files."""

    path: Path
    specs: Mapping[str, Spec]
    constants: Mapping[str, Constant]
    files: tuple[Path, ...]

    def spec(self, name: str) -> Spec:
        """The spec of a name. Raises UsageError with suggestions."""
        if name not in self.specs:
            raise UsageError(f'{self.path} has no spec "{name}"{suggestion(name, self.specs)}')
        return self.specs[name]


def load_module(path: Path, given: Mapping[str, Value] | None = None) -> Loaded:
    """Run a spec file with constants bound.

    Raises UsageError for an unreadable file or wrong constants, SpecError for a mistake in the
    file.
    """
    path = path.resolve()
    if not path.is_file():
        raise UsageError(f"no such file: {path}")
    package = types.ModuleType(f"_spec{next(_serial)}")
    package.__path__ = [str(path.parent)]
    sys.modules[package.__name__] = package
    with binding(given or {}) as bindings:
        module = _run(f"{package.__name__}.{path.stem}", path)
    if problem := bindings.unknown():
        raise problem
    specs = {name: spec for name, spec in vars(module).items() if isinstance(spec, Spec)}
    files = sorted(
        {
            Path(m.__file__)
            for name, m in list(sys.modules.items())
            if name.startswith(package.__name__ + ".") and m.__file__
        }
    )
    return Loaded(path, specs, bindings.declared, tuple(files))


def _run(name: str, path: Path) -> types.ModuleType:
    try:
        return importlib.import_module(name)
    except SyntaxError as wrong:
        line, column = wrong.lineno or 1, (wrong.offset or 1) - 1
        end = (wrong.end_offset or column + 2) - 1
        span = Span(wrong.filename or str(path), line, column, wrong.end_lineno or line, end)
        raise SpecError(f"not Python: {wrong.msg}", span) from None
    except SpecError as wrong:
        span = wrong.span or span_of_traceback(wrong.__traceback__, _OWN_FOLDER)
        raise SpecError(wrong.message, span, wrong.hint) from None
    except SpecmodelError:
        raise
    except ModuleNotFoundError as wrong:
        sibling = path.parent / f"{(wrong.name or '').partition('.')[0]}.py"
        hint = f"write `from .{sibling.stem} import ...`" if sibling.exists() else ""
        span = span_of_traceback(wrong.__traceback__, _OWN_FOLDER)
        raise SpecError(str(wrong), _spec_place(span, path), hint) from None
    except Exception as wrong:
        span = span_of_traceback(wrong.__traceback__, _OWN_FOLDER)
        raise SpecError(f"{type(wrong).__name__}: {wrong}", _spec_place(span, path)) from None


def _spec_place(span: Span | None, path: Path) -> Span | None:
    """A place inside the spec's folder; the import system and libraries do not help its author."""
    if span and Path(span.file).parent == path.parent:
        return span
    return Span(str(path), 1, 0, 1, 0)
