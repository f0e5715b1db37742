"""Parses TLA+ modules with tree-sitter, and turns its trees into nodes."""

from __future__ import annotations

import linecache
from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from specmodel.errors import ExpressionError, Span, SpecError
from specmodel.files import read_text
from specmodel.tla.nodes import (
    AssumeUnit,
    ConstantUnit,
    InstanceUnit,
    ModuleUnit,
    OperatorUnit,
    Parameter,
    RecursiveUnit,
    TlaTerm,
    Unit,
    VariableUnit,
)
from specmodel.tla.terms import TermReader
from specmodel.tla.trees import SyntaxNode, Tree, named, part

_NO_MEANING = {
    "block_comment", "comment", "single_line", "use_or_hide", "assume_prove",
    "terminal_proof", "non_terminal_proof", "proof", "extramodular_text", "header_line",
    "double_line",
}  # fmt: skip


def parse_file(path: Path, dropped: Collection[Span] = ()) -> list[ModuleUnit]:
    """The modules of a file, in order, with the expressions at some places as TRUE.

    Raises UsageError if it cannot be read, SpecError for a mistake in the syntax.
    """
    text = read_text(path)
    linecache.checkcache(str(path))
    tree = Tree(str(path), text, dropped)
    root = tree.root
    if "MODULE" not in text:
        first = tree.span(root)._replace(end_line=1, end_column=1)
        raise SpecError(
            "there is no module in this file", first, f"write ---- MODULE {path.stem} ----"
        )
    if root.has_error:
        raise _mistake(tree, root)
    reader = UnitReader(tree)
    modules = [reader.module(found) for found in named(root, "module")]
    for span in tree.left:
        raise SpecError("no expression is read at this place", span)
    return modules


def parse_expression(text: str, what: str) -> TlaTerm:
    """An expression that a user gave, as `what`. Raises ExpressionError."""
    tree = Tree(what, "\n".join((*_AROUND, text, "====")))
    root = tree.root
    with in_expression(text, what):
        if root.has_error:
            raise _mistake(tree, root)
        (module,) = (UnitReader(tree).module(found) for found in named(root, "module"))
        if len(module.units) != 1 or not isinstance(module.units[0], OperatorUnit):
            raise SpecError("this is more than one expression", Span(what, 3, 0, 3, len(text)))
        return module.units[0].body


_AROUND = ("---- MODULE Expression ----", "Expression ==")


@contextmanager
def in_expression(text: str, what: str) -> Generator[None]:
    """Turns errors in an expression that a user gave into ExpressionError."""
    try:
        yield
    except SpecError as wrong:
        lines, span = text.split("\n"), wrong.span
        if span is None or span.file != what:
            raise
        starts = [sum(len(line) + 1 for line in lines[:i]) for i in range(len(lines))]
        first, last = (
            min(starts[min(max(line - len(_AROUND) - 1, 0), len(lines) - 1)] + column, len(text))
            for line, column in ((span.line, span.column), (span.end_line, span.end_column))
        )
        raise ExpressionError(what, text, wrong.message, first, last, wrong.hint) from None


def _mistake(tree: Tree, root: SyntaxNode) -> SpecError:
    """The error at the first place that the grammar does not allow."""
    worst = next(_errors(root), root)
    span = tree.span(worst)
    if worst.is_missing:
        return SpecError(f"a {worst.type!r} is missing here", span)
    if root.type == "source_file" and not any(c.type == "module" for c in root.children):
        return SpecError("there is no module here that can be read", _short(span))
    return SpecError("this is not TLA+", _short(span), "compare the text before and at the mark")


def _short(span: Span) -> Span:
    """A span cut to its first line."""
    if span.line == span.end_line:
        return span
    return span._replace(end_line=span.line, end_column=span.column + 1)


def _errors(node: SyntaxNode) -> Iterator[SyntaxNode]:
    """The smallest erroneous parts, first those that hold no others."""
    for child in node.children:
        if child.has_error or child.is_missing or child.is_error:
            yield from _errors(child)
    if node.is_error or node.is_missing:
        yield node


class UnitReader:
    """Turns the units of modules into nodes."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.terms = TermReader(tree, self)

    def module(self, node: SyntaxNode) -> ModuleUnit:
        """A module with its units."""
        extends: list[tuple[str, Span]] = []
        for clause in named(node, "extends"):
            for name in named(clause, "identifier_ref"):
                extends.append((self.tree.text(name), self.tree.span(name)))
        name = part(node, "name")
        units = [unit for child in node.named_children[1:] for unit in self.units(child)]
        return ModuleUnit(self.tree.span(name), self.tree.text(name), tuple(extends), tuple(units))

    def units(self, node: SyntaxNode, local: bool = False) -> Iterator[Unit]:
        """The units of a node: none of a comment or theorem."""
        kind, tree, terms = node.type, self.tree, self.terms
        span = tree.span(node)
        if kind == "constant_declaration":
            yield ConstantUnit(span, tuple(terms.parameters(node.named_children)))
        elif kind == "variable_declaration":
            yield VariableUnit(span, tuple(terms.parameters(node.named_children)))
        elif kind == "recursive_declaration":
            yield RecursiveUnit(span, tuple(terms.parameters(node.named_children)))
        elif kind == "local_definition":
            for child in node.named_children:
                yield from self.units(child, local=True)
        elif kind == "operator_definition":
            yield self._operator(node, local)
        elif kind == "function_definition":
            name = part(node, "name")
            bounds = terms.bounds(node)
            body = terms.term(part(node, "definition"))
            yield OperatorUnit(tree.span(name), tree.text(name), (), body, local, bounds)
        elif kind == "module_definition":
            name = part(node, "name")
            parameters = terms.parameters(node.children_by_field_name("parameter"))
            yield self._instance(part(node, "definition"), tree.text(name), parameters, local)
        elif kind == "instance":
            yield self._instance(node, "", [], local)
        elif kind == "assumption":
            named_so = node.child_by_field_name("name")
            name = tree.text(named_so) if named_so is not None else ""
            if named(node, "assume_prove"):
                return
            body = terms.term([c for c in node.named_children if c.type != "comment"][-1])
            yield AssumeUnit(span, name, body)
        elif kind == "theorem":
            yield from self._theorem(node)
        elif kind == "module":
            yield self.module(node)
        elif kind == "pcal_algorithm" or kind in _NO_MEANING or kind == "extends":
            return
        elif kind not in ("identifier", "identifier_ref"):
            raise SpecError(f"{kind.replace('_', ' ')} is not supported here", _short(span))

    def _theorem(self, node: SyntaxNode) -> Iterator[Unit]:
        """The name of a theorem stands for its formula."""
        name = node.child_by_field_name("name")
        if name is None or named(node, "assume_prove"):
            return
        after = [c for c in node.named_children if c.start_byte > name.start_byte]
        formulas = [c for c in after if c.type not in _NO_MEANING and c.type != "def_eq"]
        if formulas:
            body = self.terms.term(formulas[0])
            yield OperatorUnit(self.tree.span(name), self.tree.text(name), (), body)

    def _operator(self, node: SyntaxNode, local: bool) -> OperatorUnit:
        name = part(node, "name")
        nodes = [c for c in node.children_by_field_name("parameter") if c.is_named]
        text = self.tree.text(name)
        if name.type.endswith("_symbol"):
            text = self.terms.symbol(name)
        body = self.terms.term(part(node, "definition"))
        parameters = tuple(self.terms.parameters(nodes))
        return OperatorUnit(self.tree.span(name), text, parameters, body, local)

    def _instance(
        self, node: SyntaxNode, name: str, parameters: list[Parameter], local: bool
    ) -> InstanceUnit:
        module = named(node, "identifier_ref")[0]
        substitutions = [
            (self.terms.operator_name(first), self.terms.argument(last))
            for found in named(node, "substitution")
            for first, *_, last in [[c for c in found.named_children if c.type != "comment"]]
        ]
        span = self.tree.span(module)
        text = self.tree.text(module)
        return InstanceUnit(span, name, tuple(parameters), text, tuple(substitutions), local)
