"""Writes a trace as ITF. The same trace gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os.path import relpath
from pathlib import Path
from typing import Any

from specmodel.design import Design
from specmodel.domains import Domain
from specmodel.results import Trace
from specmodel.suite.catalog import shipped
from specmodel.traces.itf_values import encode, type_of
from specmodel.traces.notation import Notation

DESCRIPTION_URL = "https://apalache-mc.org/docs/adr/015adr-trace.html"


def itf_object(
    design: Design,
    trace: Trace,
    *,
    property_name: str = "",
    engine: str = "",
    description: str = "",
) -> dict[str, Any]:
    """A trace as the ITF object, of plain JSON values. It has the variables of its states.

    `#meta` has the data for loading the design again, as strings: the design's name, the file it
    was loaded from (with the spec's name if that is a Python file), its constants as JSON, the
    engine and the property. Each state's `#meta` has its index and the action that led to it.
    """
    fields: Mapping[str, Domain] = trace.states[0].__domain__.fields
    known = dict[str, Any](design.values)  # those of a TLA+ module may be texts
    types = {name: type_of(domain) for name, domain in fields.items()}
    write = Notation()
    meta: dict[str, Any] = {
        "format": "ITF",
        "format-description": DESCRIPTION_URL,
        "source": source_of(design),
        "description": description or f"trace of {design.name}",
        "design": design.name,
        "constants": json.dumps({n: v for n, v in known.items() if isinstance(v, int)}),
        "engine": engine,
        "property": property_name,
        **({"varTypes": dict(types)} if all(types.values()) else {}),
    }
    written: list[dict[str, Any]] = []
    for index, state in enumerate(trace.states):
        held = {name: encode(domain, vars(state)[name]) for name, domain in fields.items()}
        about: dict[str, Any] = {"index": index}
        if index:
            about["action"] = write.step(trace.steps[index - 1])
        written.append({"#meta": about, **held})
    found: dict[str, Any] = {"#meta": meta, "vars": list(types), "states": written}
    if trace.loop is not None:
        found["loop"] = trace.loop
        if trace.back is not None:
            meta["loop-action"] = write.step(trace.back)
    return found


def itf_text(
    design: Design,
    trace: Trace,
    *,
    property_name: str = "",
    engine: str = "",
    description: str = "",
) -> str:
    """A trace as the text of an ITF file (`x.itf.json`), a line a state."""
    return _text(
        itf_object(
            design, trace, property_name=property_name, engine=engine, description=description
        )
    )


def _text(found: Mapping[str, Any]) -> str:
    parts: list[str] = []
    for key, value in found.items():
        text = json.dumps(value, ensure_ascii=False, indent=2 if key == "#meta" else None)
        if key == "states":
            lines = ",\n".join(json.dumps(state, ensure_ascii=False) for state in value)
            text = f"[\n{lines}\n]"
        parts.append(f"{json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def source_of(design: Design) -> str:
    """The target that loads the design: a YAML file, or a spec in a Python file.

    Relative to the current directory, or to that of the shipped models, so that it means the same
    elsewhere.
    """
    if design.path is None:
        return ""
    path = design.path.resolve()
    shown = path
    for folder in (shipped().parent, Path.cwd()):
        if path.is_relative_to(folder):
            shown = path.relative_to(folder)
    if path.suffix == ".py":
        return f"{shown.as_posix()}:{design.name}"
    config = design.files[-1].resolve() if design.files else path
    if path.suffix == ".tla" and config != path.with_suffix(".cfg"):
        return f"{shown.as_posix()}:{relpath(config, path.parent)}"
    return shown.as_posix()
