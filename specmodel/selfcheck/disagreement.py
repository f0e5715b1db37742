"""A difference between compiled code and CPython: its message, and a file that reproduces it."""

from __future__ import annotations

import hashlib
import json
import shlex
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from specmodel.design import Design
from specmodel.domains import Domain, SetDomain
from specmodel.errors import Disagreement, UsageError
from specmodel.ir.layout import Layout, codes_of, width
from specmodel.results import SpecFailure
from specmodel.selfcheck.packing import Words
from specmodel.selfcheck.reference import CheckDifference, Facts
from specmodel.suite.targets import target_of

DISABLED = "cannot happen"


def disagreement(
    design: Design, layout: Layout, facts: Facts, found: CheckDifference, how: Mapping[str, Any]
) -> Disagreement:
    """The error for a difference, after writing a file that reproduces it.

    `how` says how the compiled code was made: "engine", and the data for
    `specmodel.analysis.recheck`.
    """
    engine = how["engine"]
    place = f" ({found.span})" if found.span else ""
    lines = [
        f"{design.name}: the {engine} engine and CPython disagree; this is a defect of specmodel, "
        "not of the design, and no verdict of this run can be relied on",
        "  in the state",
        f"    {facts.state!r}",
        f"  {found.what}{place}",
        f"    CPython: {_text(layout, facts, found.cpython, found.compiled)}",
        f"    {engine}: {_text(layout, facts, found.compiled, found.cpython)}",
        "  until it is mended, check the design with --engine interpret: slower, and CPython alone",
    ]
    file = _written(design, facts, found, how)
    if file is not None:
        command = [Path(sys.executable).name, "-m", "specmodel.analysis.recheck", str(file)]
        lines.append(f"  please report it with {file}, which shows it: {shlex.join(command)}")
    return Disagreement("\n".join(lines))


def _text(layout: Layout, facts: Facts, outcome: Any, other: Any) -> str:
    """An outcome in words; of a state, the parts that differ from the other."""
    if outcome is None:
        return DISABLED
    if isinstance(outcome, SpecFailure):
        return f"the spec fails: {outcome.message}"
    if not isinstance(outcome, tuple):
        return str(outcome).lower() if isinstance(outcome, bool) else str(outcome)
    words: Words = cast(Words, outcome)
    beside: Words = cast(Words, other) if isinstance(other, tuple) else facts.words
    codes, others = (list(codes_of(layout.domain, layout.unpack(w))) for w in (words, beside))
    parts = [
        f"{leaf.path} = {_shown(leaf.domain, code)}"
        for leaf, code, held in zip(layout.leaves, codes, others, strict=True)
        if code != held
    ]
    return f"leads to a state with {', '.join(parts) or 'nothing changed'}"


def _shown(domain: Domain, code: int) -> str:
    """The value of a leaf, or its code if it is not a value of the leaf."""
    if domain.scalar:
        return repr(domain.at(code))
    masks = isinstance(domain, SetDomain)
    return repr(domain.at(code)) if masks and width(domain) == 1 else str(code)


def _written(
    design: Design, facts: Facts, found: CheckDifference, how: Mapping[str, Any]
) -> Path | None:
    """A file with everything that reproduces the difference; None if it cannot be written."""
    try:
        target = target_of(design)
    except UsageError:
        target = None
    content = {
        "design": target,
        "constants": dict(design.values),
        **how,
        "state": [f"{word:#x}" for word in facts.words],
        "shown": repr(facts.state),
        "what": found.what,
    }
    text = json.dumps(content, indent=2) + "\n"
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    for folder in (Path.cwd(), Path(tempfile.gettempdir())):
        file = folder / f"disagreement-{design.name}-{digest}.json"
        try:
            file.write_text(text, encoding="utf-8")
        except OSError:
            continue
        return file
    return None
