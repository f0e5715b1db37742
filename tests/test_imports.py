"""An import inside a function has a reason, and is not of a module that is imported anyway."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx

from tests.docs.pages import ROOT

PACKAGE = ROOT / "specmodel"

FILES = {
    "cli/": "a command imports what it runs: `--help` and other commands do without",
    "api/": "a question imports its analysis: `check` does without",
    "notebook.py": "`import specmodel` imports it under IPython, before there is anything to show",
    "pytest_plugin.py": "pytest imports it in every run, also in projects without designs",
    "analysis/recheck.py": "a recheck imports the one kind of compiled code that it compares",
    "kernel/program.py": "symbolic execution is not needed if the code is in the cache",
}
"""Files and folders whose functions import modules, with the reason."""

MODULES = {
    "fcntl": "not on every system",
    "resource": "not on every system",
    "specmodel.engines.smt": "needs Z3, which is an extra",
    "specmodel.engines.spark": "needs Spark, which is an extra",
    "specmodel.space": "needs pyarrow, which is an extra",
}
"""Modules that other packages import inside functions, with the reason."""


def name_of(file: Path) -> str:
    """The name of the module in a file."""
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


FILE_OF = {name_of(file): file for file in sorted(PACKAGE.rglob("*.py"))}

Group = list[ast.Import | ast.ImportFrom]


@cache
def groups(module: str) -> list[tuple[bool, Group]]:
    """The imports of a module in groups of neighbours; whether each is inside a function.

    Imports for types alone are left out.
    """
    found: list[tuple[bool, Group]] = []

    def visit(node: ast.AST, inside: bool) -> None:
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        before: ast.AST | None = None
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                if not isinstance(before, ast.Import | ast.ImportFrom):
                    found.append((inside, []))
                found[-1][1].append(child)
            visit(child, inside)
            before = child

    visit(ast.parse(FILE_OF[module].read_text(encoding="utf-8")), False)
    return found


def targets(group: Group) -> Iterator[str]:
    """The modules that imports import."""
    for node in group:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            inner = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name if name in FILE_OF else node.module or "" for name in inner)


@cache
def imported_with(module: str) -> frozenset[str]:
    """The modules that importing a module imports, itself and their packages among them."""
    found, pending = set[str](), [module]
    while pending:
        name = pending.pop()
        if name and name not in found:
            found.add(name)
            pending.append(name.rpartition(".")[0])
            if name in FILE_OF:
                pending += (t for inside, g in groups(name) if not inside for t in targets(g))
    return frozenset(found)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def has_comment(file: Path, group: Group) -> bool:
    """Whether a comment stands above a group of imports, or in the lines of its first one."""
    lines, first = file.read_text(encoding="utf-8").splitlines(), group[0]
    own = lines[first.lineno - 1 : first.end_lineno]
    return lines[first.lineno - 2].strip().startswith("#") or any("#" in line for line in own)


def lazy() -> Iterator[tuple[str, Path, Group]]:
    """The groups of imports inside functions, with their module and file."""
    for module, file in FILE_OF.items():
        yield from ((module, file, group) for inside, group in groups(module) if inside)


def test_an_import_inside_a_function_says_why() -> None:
    """Imports stand at the top of a module; each other one has a reason, here or beside it."""
    bare: list[str] = []
    for module, file, group in lazy():
        listed = file.relative_to(PACKAGE).as_posix().startswith(tuple(FILES))
        known = all(
            any(within(target, name) and not within(module, name) for name in MODULES)
            for target in targets(group)
        )
        if not (listed or known or has_comment(file, group)):
            bare.append(f"{file.relative_to(ROOT)}:{group[0].lineno}")
    assert bare == []


def test_an_import_inside_a_function_saves_something() -> None:
    """A module that is imported anyway is imported at the top, unless it imports this package."""
    idle = [
        f"{file.relative_to(ROOT)}:{group[0].lineno}: {target}"
        for module, file, group in lazy()
        for target in targets(group)
        if target in imported_with(module)
        and not (target in FILE_OF and module in imported_with(target))
    ]
    assert idle == []


def test_no_modules_import_each_other() -> None:
    """Not through others either, nor inside functions: each can be read after what it imports."""
    graph: Any = nx.DiGraph()
    for module in FILE_OF:
        for _, group in groups(module):
            graph.add_edges_from((module, t) for t in targets(group) if t in FILE_OF)
    circles = [sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > 1]
    assert circles == []


def test_every_reason_is_needed() -> None:
    """A reason without an import that it is for is out of date."""
    files = [file.relative_to(PACKAGE).as_posix() for _, file, _ in lazy()]
    names = [target for _, _, group in lazy() for target in targets(group)]
    assert [part for part in FILES if not any(file.startswith(part) for file in files)] == []
    assert [name for name in MODULES if not any(within(target, name) for target in names)] == []
