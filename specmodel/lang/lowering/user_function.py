"""A user's expression as a function like the functions of a spec, so that a search can check it.

The text is read and type-checked first (`user_expression.py`). The function has the same expression
with its fields written out: `hw > 0` becomes `state.hw > 0`.
"""

from __future__ import annotations

import ast
import hashlib
import linecache
from collections.abc import Callable
from types import FunctionType
from typing import Any

from specmodel.ir.expression import STATE
from specmodel.lang.lowering.user_expression import ExpressionReader
from specmodel.lang.lowering.written import WrittenSpec
from specmodel.lang.sets import NAMES, compiled
from specmodel.syntax import parsed_expression


def function_of(
    spec: WrittenSpec, text: str, name: str, what: str, holds: bool = True
) -> Callable[[Any], bool]:
    """The function of a state that is true where the truth of an expression is `holds`.

    `what` is its origin, for messages. Raises SpecError if the spec has no IR, and ExpressionError,
    with the place in the text.
    """
    reader = ExpressionReader(spec)
    reader.condition(text, what)
    found = parsed_expression(" ".join(text.split()))
    written = ast.unparse(_Fields(reader).visit(found))
    result = f"{holds} if {written} else {not holds}"
    source = f"def {name}({STATE}: State__) -> bool:\n    return {result}\n"
    file = f"<{what} {hashlib.sha256(source.encode()).hexdigest()[:12]}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names: dict[str, Any] = {**reader.scope.names, "State__": spec.state, **NAMES}
    exec(compiled(source, file), names)
    return names[name]


class _Fields(ast.NodeTransformer):
    """Replaces fields by `state.field`, and names of functions by calls of them."""

    def __init__(self, reader: ExpressionReader) -> None:
        self.reader = reader
        self.bound: list[str] = []

    def visit(self, node: ast.AST) -> Any:
        """The node with its parts replaced."""
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp):
            return self._comprehension(node)
        return self.generic_visit(node)

    def _name(self, node: ast.Name) -> ast.expr:
        name = node.id
        if name in self.bound:
            return node
        state = ast.Name(STATE, ast.Load())
        if name in self.reader.spec.domain.fields:
            return ast.Attribute(state, name, ast.Load())
        if name in self.reader.aliases:
            return state
        if isinstance(self.reader.scope.names.get(name), FunctionType):
            return ast.Call(node, [state], [])
        return node

    def _call(self, node: ast.Call) -> ast.expr:
        if not isinstance(node.func, ast.Name):
            node.func = self.visit(node.func)
        node.args = [self.visit(arg) for arg in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return node

    def _comprehension(self, node: Any) -> ast.expr:
        targets = [
            name.id
            for generator in node.generators
            for name in ast.walk(generator.target)
            if isinstance(name, ast.Name)
        ]
        # The first source is outside the scope: a name that is bound later may be a field in it.
        first = node.generators[0]
        first.iter = self.visit(first.iter)
        self.bound += targets
        for number, generator in enumerate(node.generators):
            if number:
                generator.iter = self.visit(generator.iter)
            generator.ifs = [self.visit(condition) for condition in generator.ifs]
        for part in ("elt", "key", "value"):
            if hasattr(node, part):
                setattr(node, part, self.visit(getattr(node, part)))
        del self.bound[len(self.bound) - len(targets) :]
        return node
