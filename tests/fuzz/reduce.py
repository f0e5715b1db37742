"""Makes a spec smaller while it still ends the same way: delta debugging on its syntax tree."""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator

Keeps = Callable[[str], bool]


def reduced(text: str, keeps: Keeps, seconds: float = 60.0) -> str:
    """The smallest text found, within a time, of which `keeps` is true as it is of the text."""
    until = time.monotonic() + seconds
    best = ast.unparse(ast.parse(text))
    if not keeps(best):
        return text
    again = True
    while again and time.monotonic() < until:
        again = False
        for candidates in (_fewer_functions, _fewer_statements, _fewer_parts, _simpler):
            place = 0
            while time.monotonic() < until:
                found, place = _next(best, candidates, place, keeps, until)
                if found is None:
                    break
                best, again = found, True
    return best + "\n"


def _next(
    text: str,
    candidates: Callable[[ast.Module], Iterator[Callable[[], None]]],
    place: int,
    keeps: Keeps,
    until: float,
) -> tuple[str | None, int]:
    """The first smaller text from a place among the candidates on, and the place to go on from."""
    number = -1
    for number, _ in enumerate(candidates(ast.parse(text))):
        if number < place or time.monotonic() > until:
            continue
        tree = ast.parse(text)
        for i, change in enumerate(candidates(tree)):
            if i == number:
                change()
                break
        try:
            smaller = ast.unparse(ast.fix_missing_locations(tree))
            ast.parse(smaller)
        except (SyntaxError, ValueError, AttributeError, TypeError):
            continue
        if smaller != text and len(smaller) <= len(text) and keeps(smaller):
            return smaller, number
    return None, 0


def _fewer_functions(tree: ast.Module) -> Iterator[Callable[[], None]]:
    """Functions, classes and constants left out, and their names in the lists of the spec."""
    for statement in list(tree.body):
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            yield lambda name=statement.name: _without_function(tree, name)


def _without_function(tree: ast.Module, name: str) -> None:
    tree.body = [s for s in tree.body if getattr(s, "name", "") != name]
    for node in ast.walk(tree):
        if isinstance(node, ast.List):
            node.elts = [e for e in node.elts if name not in ast.unparse(e)]


def _bodies(tree: ast.AST) -> Iterator[tuple[str, list[ast.stmt]]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            held = getattr(node, name, None)
            if isinstance(held, list) and held:
                yield name, held


def _fewer_statements(tree: ast.Module) -> Iterator[Callable[[], None]]:
    """Statements left out, from the last one on; compound ones replaced by what is in them."""
    for name, body in _bodies(tree):
        for i in reversed(range(len(body))):
            statement = body[i]
            if isinstance(statement, ast.Pass) and len(body) == 1:
                continue

            def leave_out(body: list[ast.stmt] = body, i: int = i, name: str = name) -> None:
                del body[i]
                if not body and name == "body":
                    body.append(ast.Pass())

            yield leave_out
            if isinstance(statement, (ast.If, ast.For, ast.While, ast.Try, ast.With)):

                def unfold(body: list[ast.stmt] = body, i: int = i) -> None:
                    inner = body[i]
                    body[i : i + 1] = inner.body  # type: ignore[attr-defined]

                yield unfold
            if isinstance(statement, ast.Match):
                for number in range(len(statement.cases)):

                    def only(body: list[ast.stmt] = body, i: int = i, number: int = number) -> None:
                        inner = body[i]
                        body[i : i + 1] = inner.cases[number].body  # type: ignore[attr-defined]

                    yield only


def _fewer_parts(tree: ast.Module) -> Iterator[Callable[[], None]]:
    """Elements of lists, arguments, fields and parameters left out, where that leaves something."""
    for name in sorted(
        {f.arg for n in ast.walk(tree) if isinstance(n, ast.Call) for f in n.keywords if f.arg}
    ):
        yield lambda name=name: _without_field(tree, name)
    for node in ast.walk(tree):
        for attribute in (
            "keywords",
            "elts",
            "args",
            "values",
            "cases",
            "patterns",
            "ifs",
            "generators",
            "decorator_list",
        ):
            held = getattr(node, attribute, None)
            if isinstance(held, list):
                for i in reversed(range(len(held))):
                    yield lambda held=held, i=i: held.__delitem__(i)
        if isinstance(node, ast.match_case) and node.guard is not None:
            yield lambda node=node: setattr(node, "guard", None)
        if isinstance(node, ast.FunctionDef):
            for i in reversed(range(len(node.args.args))):
                yield lambda node=node, i=i: _without_parameter(tree, node, i)
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            yield lambda node=node: _without_last(node)


def _without_last(node: ast.Compare) -> None:
    node.ops.pop()
    node.comparators.pop()


def _without_field(tree: ast.Module, name: str) -> None:
    """Leaves a field out: where it is declared, and where it is given by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            node.body = [
                s
                for s in node.body
                if not (isinstance(s, ast.AnnAssign) and getattr(s.target, "id", "") == name)
            ] or [ast.Pass()]
        if isinstance(node, ast.Call):
            node.keywords = [k for k in node.keywords if k.arg != name]


def _without_parameter(tree: ast.Module, function: ast.FunctionDef, place: int) -> None:
    del function.args.args[place]
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == function.name
            and place < len(node.args)
        ):
            del node.args[place]


def _simpler(tree: ast.Module) -> Iterator[Callable[[], None]]:
    """Expressions replaced by a part of them, or by a small literal."""
    for node in ast.walk(tree):
        for attribute, value in ast.iter_fields(node):
            held = value if isinstance(value, list) else [value]
            for i, inner in enumerate(held):
                if not isinstance(inner, ast.expr) or isinstance(inner, (ast.Name, ast.Starred)):
                    continue
                if isinstance(getattr(inner, "ctx", None), (ast.Store, ast.Del)):
                    continue
                for other in _replacements(inner):
                    yield lambda node=node, a=attribute, v=value, i=i, o=other: _put(
                        node, a, v, i, o
                    )


def _replacements(node: ast.expr) -> Iterator[ast.expr]:
    for small in ("0", "1", "True", "False"):
        if len(small) < len(ast.unparse(node)) and not isinstance(node, ast.Constant):
            yield ast.parse(small, mode="eval").body
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value not in (0, 1):
        yield ast.Constant(0)
        yield ast.Constant(1)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield copy.deepcopy(child)


def _put(node: ast.AST, attribute: str, value: object, place: int, other: ast.expr) -> None:
    if isinstance(value, list):
        value[place] = other
    else:
        setattr(node, attribute, other)
