"""The source of a spec's functions: syntax trees, places, and values of global names."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, cast, get_type_hints

from specmodel.errors import Span, SpecError, Unsupported
from specmodel.lang.annotations import import_of
from specmodel.lang.packages import source_of
from specmodel.syntax import parsed

NOT_STATIC = object()
"""The result of `Text.static` for an expression that depends on the state."""

STATIC = (ast.Constant, ast.Name, ast.Attribute)
"""The expressions that can have a static value."""

_HOLDERS = (ast.stmt, ast.ExceptHandler, ast.match_case)
"""The nodes that can contain statements."""


@lru_cache(maxsize=256)
def _definitions(text: str) -> dict[int, ast.FunctionDef]:
    """The function definitions of a source by their first line, decorators included."""
    found: dict[int, ast.FunctionDef] = {}
    pending: list[ast.AST] = [parsed(text)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef):
            found[min([node.lineno, *(d.lineno for d in node.decorator_list)])] = node
        # Expressions contain no definitions: most of the tree need not be visited.
        pending += [child for child in ast.iter_child_nodes(node) if isinstance(child, _HOLDERS)]
    return found


class Text:
    """Python source with the values of its global names."""

    def __init__(self, file: str, text: str, names: dict[str, Any]) -> None:
        self.file = file
        self.globals = names
        self._lines = () if text.isascii() else tuple(text.split("\n"))

    def span(self, node: ast.AST) -> Span:
        """The place of a node, in characters: syntax trees count bytes."""
        try:
            at = cast(ast.expr, node)
            line, offset = at.lineno, at.col_offset
            end_line, end_offset = at.end_lineno or line, at.end_col_offset or offset
        except AttributeError:  # a node that has no place of its own
            line, offset, end_line, end_offset = 1, 0, 1, 0
        if self._lines:
            offset, end_offset = self._column(line, offset), self._column(end_line, end_offset)
        return Span(self.file, line, offset, end_line, end_offset)

    def _column(self, line: int, offset: int) -> int:
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        return len(text.encode()[:offset].decode())

    def unsupported(self, node: ast.AST, what: str, hint: str = "") -> Unsupported:
        """The error for Python that is not part of the language."""
        return Unsupported(what, self.span(node), hint)

    def wrong(self, node: ast.AST, what: str, hint: str = "") -> SpecError:
        """The error for a mistake at a node."""
        return SpecError(what, self.span(node), hint)

    def static(self, node: ast.expr, local: Callable[[str], bool]) -> Any:
        """The value of a name or attribute that does not depend on the state, or NOT_STATIC."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name) and not local(node.id):
            return self.globals.get(node.id, NOT_STATIC)
        if isinstance(node, ast.Attribute):
            base = self.static(node.value, local)
            if base is not NOT_STATIC:
                return getattr(base, node.attr, NOT_STATIC)
        return NOT_STATIC


class FunctionSource(Text):
    """The source of a function: its syntax tree, its global names and its annotations."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        code = function.__code__
        text = source_of(function)
        names = vars(builtins) | function.__globals__
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            names[name] = cell.cell_contents
        super().__init__(code.co_filename, text, names)
        node = _definitions(text).get(code.co_firstlineno)
        if node is None or node.name != function.__name__:
            where = Span(self.file, code.co_firstlineno, 0, code.co_firstlineno, 0)
            raise SpecError(
                f"the source of {function.__name__} cannot be read",
                where,
                "define the functions of a spec with `def`, in a file",
            )
        self.node = node
        try:
            self.hints: dict[str, Any] = get_type_hints(function, include_extras=True)
        except NameError as wrong:
            place = next((n for n in self._annotations() if ast.unparse(n) == wrong.name), node)
            what = f"{wrong.name} is not defined"
            raise SpecError(what, self.span(place), import_of(wrong)) from None

    def _annotations(self) -> Iterator[ast.AST]:
        """All nodes of the annotations of parameters and result."""
        found = self.node.args
        held = [a.annotation for a in (*found.posonlyargs, *found.args, *found.kwonlyargs)]
        for annotation in (*held, self.node.returns):
            yield from () if annotation is None else ast.walk(annotation)

    def annotation(self, node: ast.expr) -> Any:
        """The value of an annotation written inside the function."""
        code = compile(ast.Expression(node), self.file, "eval")
        try:
            return eval(code, self.globals)  # the spec's own module, which has already been run
        except Exception as wrong:
            raise self.wrong(node, f"an annotation cannot be read: {wrong}") from None


def assigned_names(function: ast.FunctionDef | ast.For | ast.While) -> Counter[str]:
    """The names that the body of a function or a loop binds, and at how many places.

    They are local to the whole function. The names of a comprehension are its own.
    """
    found = Counter[str]()
    pending: list[ast.AST] = [*function.body]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] += 1
        elif isinstance(node, ast.MatchAs) and node.name:
            found[node.name] += 1
            pending += ast.iter_child_nodes(node)
        elif not isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp):
            pending += ast.iter_child_nodes(node)
    return found
