"""Finds the design of a trace file, or the design on which to replay it.

Loading a design runs its Python code, and a trace may come from anybody. So the design that a file
names is loaded only from where the user works: below the current folder, or from the folders where
designs are found by name. The user has to name any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from specmodel.analysis.recording import Recording, recording_of_file
from specmodel.constants import Value
from specmodel.design import Design
from specmodel.errors import SpecmodelError, UsageError
from specmodel.suite.catalog import folders
from specmodel.suite.documents import is_module
from specmodel.suite.targets import load_target
from specmodel.traces.itf_read import ItfFile, read_itf


def recorded_on(
    file: Path, on: str, constants: Mapping[str, Value], profile: str = ""
) -> tuple[Recording, Design]:
    """The recording in a file, and the design to replay it on: `on`, or else the file's own.

    The kinds of its actions are those of its own design, if that can be loaded, or else of the
    other. Raises UsageError for a file that is a trace of neither, and the errors of a load.
    """
    recorded, design = read_on(file, on, constants, profile)
    own = design
    if on:
        try:
            own = design_of(recorded, "", {})
        except SpecmodelError:
            own = design
    return recording_of_file(recorded, own), design


def read_on(
    file: Path, on: str, constants: Mapping[str, Value], profile: str = ""
) -> tuple[ItfFile, Design]:
    """A trace file and a design with the file's constants: `on`, or else the file's own.

    A design other than the file's own takes those of the file's constants that it has. Raises the
    errors of reading and loading.
    """
    recorded = read_itf(file)
    if not on or is_module(on):
        return recorded, design_of(recorded, on, constants, profile)
    known = load_target(on, {}).constants
    held = {name: value for name, value in recorded.constants.items() if name in known}
    return recorded, load_target(on, {**held, **constants}, profile)


def design_of(
    recorded: ItfFile,
    named: str,
    constants: Mapping[str, Value],
    profile: str = "",
    allowed_by: str = "--on",
) -> Design:
    """The named design, or else the file's own; with the file's constants.

    A TLA+ module that is named has the constants of its configuration.

    Raises UsageError if the file does not name its design, or the design does not exist here. Also
    if the design lies elsewhere than where the user works: the message says what would run, and the
    option (`allowed_by`) by which the user allows it.
    """
    target = named or _own_target(recorded, allowed_by)
    if not is_module(named):
        constants = {**recorded.constants, **constants}
    return load_target(target, constants, profile)


def _own_target(recorded: ItfFile, allowed_by: str) -> str:
    """The target that a file names, if its code may be run."""
    target = recorded.design
    if recorded.source and _file(recorded.source).exists():
        target = recorded.source
    elif _file(recorded.source).suffix == ".py":
        raise UsageError(
            f"{recorded.path} is of {recorded.source}, which is not here: name a design"
        )
    if not target:
        raise UsageError(f"{recorded.path} does not say of which design it is: name one")
    file = _file(target)
    if file.suffix in (".py", ".yaml", ".yml", ".tla") and not _is_where_one_works(file):
        raise UsageError(
            f"{recorded.path} is of {target}, which is neither below the current folder nor among"
            f" the models: its code is not run. If you trust it, run it by {allowed_by} {target}"
        )
    return target


def _is_where_one_works(file: Path) -> bool:
    """Whether a file lies below the current folder or one where designs are found by name."""
    file = file.resolve()
    return any(file.is_relative_to(folder) for folder in (Path.cwd(), *folders()))


def load_at(target: str, constants: Mapping[str, Value]) -> Design:
    """Loads a design with those of the constants that it has. Raises the errors of a load."""
    plain = load_target(target, {})
    own = {name: value for name, value in constants.items() if name in plain.constants}
    return load_target(target, own) if own else plain


def _file(source: str) -> Path:
    """The file of a target such as `models/kip320.yaml` or `spec.py:name`."""
    for suffix in (".py", ".tla"):
        file, colon, _ = source.partition(f"{suffix}:")
        if colon:
            return Path(file + suffix)
    return Path(source)
