"""Compiling a spec's source so that its sets are the language's: values in a fixed order.

CPython iterates its own sets in the order of hashes, which differs from run to run, and `|=`
changes a set for all its names. In a loaded spec, set displays, set comprehensions and calls of
`set` and `frozenset` make `LocalSet`s. A plain `import` of a spec, as in a unit test, is not
changed.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from opcode import opmap
from types import CodeType
from typing import Any

from specmodel.domains import LocalSet
from specmodel.syntax import parsed

_NAME = "specmodel's set"
"""The name of `LocalSet` in compiled code; no source can have this name."""


@lru_cache(maxsize=256)
def compiled(text: str, file: str) -> CodeType:
    """The code of a spec's source; its module needs the names of `NAMES`.

    It is cached: a sweep, an ablation or a comparison loads the same files for each search, and
    compiling the files of `kip320` takes 13 ms, half the time of loading it.
    """
    code = compile(text, file, "exec", dont_inherit=True)
    if not _has_sets(code):
        return code  # rewriting takes three times as long as compiling
    tree = parsed(text, file)
    own = {name for node in ast.walk(tree) for name in _bound(node)}
    return compile(
        _SetRewriter({"set", "frozenset"} - own).visit(tree), file, "exec", dont_inherit=True
    )


def _has_sets(code: CodeType) -> bool:
    """Whether code may make a set. It may be wrong about sets: bytes can look like instructions."""
    if {"set", "frozenset"} & {*code.co_names} or _MAKES_SET & {*code.co_code[::2]}:
        return True
    consts: tuple[object, ...] = code.co_consts
    return any(
        isinstance(const, frozenset) or (isinstance(const, CodeType) and _has_sets(const))
        for const in consts
    )


_MAKES_SET = frozenset((opmap["BUILD_SET"], opmap["SET_ADD"], opmap["SET_UPDATE"]))
"""The instructions of set displays and comprehensions; sets of constants are in `co_consts`."""

NAMES: dict[str, Any] = {_NAME: LocalSet}
"""The names that the compiled code of a spec uses besides the spec's own."""


def _bound(node: ast.AST) -> tuple[str | None, ...]:
    """The names that a node binds, without the nodes within it."""
    if isinstance(node, ast.Name):
        return (node.id,) if isinstance(node.ctx, ast.Store) else ()
    if isinstance(node, ast.alias):
        return (node.asname or node.name,)
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return (node.name,)
    return (node.arg,) if isinstance(node, ast.arg) else ()


class _SetRewriter(ast.NodeTransformer):
    def __init__(self, classes: set[str]) -> None:
        self.classes = classes

    def visit_Set(self, node: ast.Set) -> ast.AST:
        self.generic_visit(node)
        return self._made(node, ast.Tuple(node.elts, ast.Load()))

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        self.generic_visit(node)
        return self._made(node, ast.GeneratorExp(node.elt, node.generators))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self.classes:
            node.func = ast.copy_location(ast.Name(_NAME, ast.Load()), node.func)
        return node

    def _made(self, node: ast.expr, elements: ast.expr) -> ast.Call:
        function = ast.copy_location(ast.Name(_NAME, ast.Load()), node)
        return ast.copy_location(ast.Call(function, [ast.copy_location(elements, node)], []), node)
