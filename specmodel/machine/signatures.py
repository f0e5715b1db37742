"""The types of a machine function's parameters and result, from its annotations."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from specmodel.machine.language import is_structure
from specmodel.machine.operations import BOOL, I64, PTR, VOID, Kind, Pointer

TYPES = {"i64": I64, "int": I64, "bool": BOOL, "ptr": PTR, "None": VOID}


class MachineError(Exception):
    """Python that machine Python does not support, with its place."""


def signature(
    tree: ast.FunctionDef, known: Mapping[str, Any], wrong: Callable[[ast.AST, str], MachineError]
) -> tuple[list[tuple[str, Kind]], Kind]:
    """The parameters of a function with their types, and its result type.

    `known`: the meanings of names in its module.
    """

    def kind(annotation: ast.expr | None, where: ast.AST) -> Kind:
        name = ast.unparse(annotation) if annotation else "nothing"
        if name in TYPES:
            return TYPES[name]
        struct = known.get(name)
        if not is_structure(struct):
            allowed = ", ".join(TYPES)
            raise wrong(where, f"annotate with {allowed} or a structure; this has {name}")
        return Pointer(struct)

    parameters = [(a.arg, kind(a.annotation, a)) for a in tree.args.args]
    return parameters, kind(tree.returns, tree)
