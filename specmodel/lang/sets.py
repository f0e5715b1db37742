"""Makes the sets of a spec's source the sets of the language: values, in the order of their domain.

CPython's own go through their elements in the order of hashes, which differs from run to run, and
`|=` changes them for everyone who has a name for them. A spec that is loaded has its set displays,
set comprehensions and calls of `set` and `frozenset` made into `LocalSet`s. A plain `import` of a
spec, as in a unit test, is untouched by this.
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
"""A name that no source can have."""


@lru_cache(maxsize=256)
def compiled(text: str, file: str) -> CodeType:
    """The code of a spec's source. It needs the names of `NAMES`.

    It is remembered: a sweep, an ablation or a comparison loads the same files for each search, and
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
    """Whether code may make a set: a byte may look like an instruction that it is not."""
    if {"set", "frozenset"} & {*code.co_names} or _MAKES_SET & {*code.co_code[::2]}:
        return True
    consts: tuple[object, ...] = code.co_consts
    return any(
        isinstance(const, frozenset) or (isinstance(const, CodeType) and _has_sets(const))
        for const in consts
    )


_MAKES_SET = frozenset((opmap["BUILD_SET"], opmap["SET_ADD"], opmap["SET_UPDATE"]))
"""The instructions of set displays and comprehensions. Constant sets are constants."""

NAMES: dict[str, Any] = {_NAME: LocalSet}
"""What the code of a spec's source refers to besides its own names."""


def _bound(node: ast.AST) -> tuple[str | None, ...]:
    """The names that a node itself gives a meaning."""
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
