"""Finds the design of a target: a name, a YAML file, or a spec in a Python file."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from specmodel.constants import Value
from specmodel.design import Design
from specmodel.errors import BoundExceeded, SpecError, UsageError, suggestion
from specmodel.lang.loading import LoadedSpec, fix_bounds_of, load_module, widened
from specmodel.lang.packages import Edit
from specmodel.lang.sampling import growing as growing_places
from specmodel.lang.spec import Spec
from specmodel.model.model import Model
from specmodel.results import DEADLOCK
from specmodel.suite.catalog import find
from specmodel.suite.documents import Document, canonical, is_module, read_document
from specmodel.suite.drawn import with_lanes


def load_target(
    target: str,
    constants: Mapping[str, Value],
    profile: str = "",
    edits: Sequence[Edit] = (),
) -> Design:
    """The design of a target, with constants bound and edits made to its source.

    Raises UsageError for a wrong name, path, profile or constant, SpecError for a mistake in a
    file.
    """
    if is_module(target):
        if profile:
            raise UsageError(f"{target} is a TLA+ module, which has no profiles")
        return _load_module(target, constants, edits)
    file, spec_name = _python_file(target)
    if file is None:
        document = _document(target)
        return load_document(document, constants, profile, edits)
    if profile:
        raise UsageError(f"{target} has no profiles: they are written in a design's YAML file")
    loaded = load_module(file, constants, edits)
    name = spec_name.replace("-", "_") or _only_spec(loaded)
    return Design(
        name=canonical(name),
        spec=loaded.spec(name),
        constants=loaded.constants,
        path=loaded.path,
        files=loaded.files,
    )


_MODULES = "specmodel.tla.loading"
"""The front end for TLA+, which is above this package: it is imported by its name."""


def target_of(design: Design) -> str:
    """The target of a loaded design for other processes: its file, and the spec in a Python file.

    Raises UsageError for a design that was not loaded from a file.
    """
    if design.path is None:
        raise UsageError(f"{design.name} was not loaded from a file")
    path = design.path.resolve()
    if path.suffix == ".py":
        return f"{path}:{design.name}"
    config = design.files[-1].resolve() if design.files else path
    if path.suffix == ".tla" and config != path.with_suffix(".cfg"):
        return f"{path}:{config}"
    return str(path)


def load_document(
    document: Document,
    constants: Mapping[str, Value],
    profile: str = "",
    edits: Sequence[Edit] = (),
) -> Design:
    """The design of a YAML file: its constants, overridden by a profile, overridden by the user."""
    if profile and profile not in document.profiles:
        known = suggestion(profile, document.profiles)
        raise UsageError(f'{document.name} has no profile "{profile}"{known}')
    own = {**document.constants, **document.profiles.get(profile, {})}
    if is_module(str(document.spec_file)):
        spec = _module_of(document, own, constants, edits)
    else:
        spec = _python_spec_of(document, own, constants, edits)
    design = replace(
        spec,
        name=document.name,
        checks=document.check,
        symmetry=document.symmetry or spec.symmetry,
        question=document.question,
        source=document.source,
        path=document.path,
        expect=document.expect,
        profiles=document.profiles,
        states=document.states_at(spec.constants),
        weights=document.weights,
    )
    _refuse_unknown_names(document, design)
    return design


def _python_spec_of(
    document: Document,
    own: Mapping[str, Value],
    given: Mapping[str, Value],
    edits: Sequence[Edit],
) -> Design:
    loaded = _load_with(document, own, given, edits)
    if document.spec_name not in loaded.specs:
        known = suggestion(document.spec_name, loaded.specs)
        raise SpecError(
            f'{document.spec_file.name} has no spec "{document.spec_name}"{known}',
            document.places["spec",],
        )
    spec = with_lanes(document, loaded.spec(document.spec_name))
    return Design(document.name, spec, loaded.constants, files=loaded.files)


def _load_module(target: str, constants: Mapping[str, Value], edits: Sequence[Edit]) -> Design:
    """The design of a TLA+ module, in which expressions are edited to be true."""
    return import_module(_MODULES).load_target(target, constants, [edit.span for edit in edits])


def load_configured(target: str, name: Path, text: str) -> Design:
    """The design of a TLA+ module with a configuration that is a text, which messages name.

    Raises UsageError, SpecError.
    """
    if not target.endswith(".tla"):
        raise UsageError(f"{name} is for a TLA+ module (Module.tla), and {target} is none")
    return import_module(_MODULES).load_module(Path(target), name, text=text)


def _module_of(
    document: Document,
    own: Mapping[str, Value],
    given: Mapping[str, Value],
    edits: Sequence[Edit],
) -> Design:
    """The design of the TLA+ module that a YAML file names."""
    for key, instead in (("lanes", ""), ("symmetry", "write SYMMETRY in the configuration")):
        if getattr(document, key):
            what = f"{key} is not supported for a TLA+ module"
            raise SpecError(what, document.places[key,], instead)
    target = str(document.spec_file)
    try:
        return _load_module(target, {**own, **given}, edits)
    except UsageError:
        _blame_constant(document, given, lambda held: _load_module(target, held, edits))
        raise


def _python_file(target: str) -> tuple[Path | None, str]:
    """The file and spec name of `file.py:name` or `file.py`; no file for any other target."""
    if target.endswith(".py"):
        return Path(target), ""
    file, colon, name = target.rpartition(":")
    if colon and file.endswith(".py"):
        return Path(file), name
    return None, ""


def _document(target: str) -> Document:
    if target.endswith((".yaml", ".yml")):
        return read_document(Path(target))
    with contextlib.suppress(OSError):  # if a name is too long for a file
        if Path(target).is_dir():
            raise UsageError(f'{target} is a folder; "specmodel list {target}" names its designs')
        if "/" in target or "\\" in target or Path(target).is_file():
            raise UsageError(f"{target} is not a design: give a name, a .yaml file or file.py:spec")
    return find(target)


def _only_spec(loaded: LoadedSpec) -> str:
    """The name of a file's one spec."""
    if not loaded.specs:
        raise UsageError(f"{loaded.path} has no spec: nothing in it is a Spec(...)")
    if len(loaded.specs) > 1:
        names = ", ".join(sorted(loaded.specs))
        raise UsageError(
            f"{loaded.path} has several specs: write {loaded.path.name}:NAME ({names})"
        )
    return next(iter(loaded.specs))


def _load_with(
    document: Document,
    own: Mapping[str, Value],
    given: Mapping[str, Value],
    edits: Sequence[Edit],
) -> LoadedSpec:
    if not document.spec_file.is_file():
        raise SpecError(f"no such file: {document.spec_file}", document.places["spec",])
    try:
        return load_module(document.spec_file, {**own, **given}, edits)
    except UsageError:
        _blame_constant(document, given, lambda held: load_module(document.spec_file, held))
        raise


def _blame_constant(
    document: Document,
    given: Mapping[str, Value],
    load: Callable[[Mapping[str, Value]], object],
) -> None:
    """Raises at its place in the YAML file if one of the file's own constants is wrong."""
    for where, place in document.places.items():
        if where[0] == "constants":
            group: Mapping[str, Value] = document.constants
        elif where[0] == "profiles":
            group = document.profiles[where[1]]
        else:
            continue
        name = where[-1]
        if name in given:
            continue
        try:
            load({name: group[name]})
        except UsageError as wrong:
            raise SpecError(str(wrong), place) from None


def _refuse_unknown_names(document: Document, design: Design) -> None:
    """Raises at its place in the YAML file for a property or action that the spec does not have."""
    properties = {rule.name for rule in design.spec.properties}
    actions = {rule.name for rule in design.spec.rules}
    for where, place in document.places.items():
        name = "".join(where[-1:]).replace("-", "_")
        what, known = "property", properties
        if where[-2:-1] == ("coverage",) or where[:-1] == ("weights",):
            what, known = "action", actions
        elif where[-2:-1] == ("properties",):
            known = properties | {DEADLOCK}
        elif where[:1] != ("check",) or len(where) < 2:
            continue
        if name not in known:
            raise SpecError(f'{design.name} has no {what} "{name}"{suggestion(name, known)}', place)


def growing(design: Design) -> list[str]:
    """The places without declared bounds that grow with the length of random walks; none for a
    design that no Python file declares."""
    return growing_places(design.spec) if isinstance(design.spec, Spec) else []


def widen(design: Design, wrong: BoundExceeded) -> None:
    """Gives a design bounds that are wide enough for a value.

    Raises the error if they are fixed, or of another front end than Python's, and SpecError for a
    place that grows without end.
    """
    if not isinstance(design.spec, Spec):
        raise wrong
    design.replace_spec(widened(design.spec, wrong))


def fix_bounds(design: Design) -> None:
    """Leaves a design with the bounds that it has: a value beyond them raises BoundExceeded."""
    if isinstance(design.spec, Spec):
        fix_bounds_of(design.spec)


def spec_of(model: Model) -> Spec:
    """The spec of a model. Raises UsageError for a model that is not written in Python."""
    if not isinstance(model, Spec):
        raise UsageError(f"this takes a design that is written in Python, and {model.name} is not")
    return model
