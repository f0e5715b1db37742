"""Specs that a test writes as text, loaded as a user's file is."""

from __future__ import annotations

from pathlib import Path

from specmodel.constants import Value
from specmodel.design import Design
from specmodel.lang.loading import load_module
from specmodel.lang.spec import Spec
from specmodel.suite.targets import spec_of as python_spec

HEADER = """\
from enum import Enum
from typing import Annotated

from specmodel.lang import (
    Bag, Capacity, Range, ScalarSet, Set, Spec, Struct, action, constant, constraint, init,
    invariant, reachable, require, require_some, transition,
)

"""
"""The first lines of a written spec: its own text starts after them."""

HEADER_LINES = HEADER.count("\n")


def written(folder: Path, text: str, name: str = "written.py") -> Path:
    """A file with the text under the header."""
    file = folder / name
    file.write_text(HEADER + text, encoding="utf-8")
    return file


def design_of(folder: Path, text: str, spec: str = "spec", **constants: Value) -> Design:
    """The design of a spec whose text, without the imports, is given."""
    loaded = load_module(written(folder, text), constants)
    return Design(spec, loaded.spec(spec), loaded.constants)


def spec_of(folder: Path, text: str, spec: str = "spec", **constants: Value) -> Spec:
    """The spec whose text, without the imports, is given."""
    return python_spec(design_of(folder, text, spec, **constants).spec)
