"""Trees of tree-sitter: texts, places, parts."""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import Any, Protocol

from specmodel.errors import Span, UsageError


class SyntaxNode(Protocol):
    """A node of tree-sitter's trees, as far as it is used here."""

    @property
    def type(self) -> str: ...
    @property
    def children(self) -> Sequence[SyntaxNode]: ...
    @property
    def named_children(self) -> Sequence[SyntaxNode]: ...
    @property
    def start_byte(self) -> int: ...
    @property
    def end_byte(self) -> int: ...
    @property
    def start_point(self) -> tuple[int, int]: ...
    @property
    def end_point(self) -> tuple[int, int]: ...
    @property
    def is_named(self) -> bool: ...
    @property
    def is_error(self) -> bool: ...
    @property
    def is_missing(self) -> bool: ...
    @property
    def has_error(self) -> bool: ...
    def child_by_field_name(self, name: str, /) -> SyntaxNode | None: ...
    def children_by_field_name(self, name: str, /) -> Sequence[SyntaxNode]: ...


def tree_of(source: bytes) -> SyntaxNode:
    """The root of the tree of a text. Raises UsageError if the parser is not installed."""
    try:
        # Only TLA+ needs the parser: it takes 5 ms to import.
        parser: Any = importlib.import_module("tree_sitter")
        grammar: Any = importlib.import_module("tree_sitter_tlaplus")
    except ImportError:
        raise UsageError(
            "TLA+ modules need the packages tree-sitter and tree-sitter-tlaplus: "
            "pip install 'specmodel[tla]'"
        ) from None
    with warnings.catch_warnings():
        # The grammar hands over a number, as grammars did before tree-sitter 0.25.
        warnings.simplefilter("ignore", DeprecationWarning)
        language = parser.Language(grammar.language())
    return parser.Parser(language).parse(source).root_node


TAB_STOP = 8
"""As in SANY: the columns of conjuncts say which list they belong to."""


_UNKNOWN = re.compile(
    rb"--(?:fair[ \t]+)?algorithm\b"
    rb"|(?<![\w.])(?:Nat|Int|Real|STRING|BOOLEAN)(?=\s*(?:\|->|:(?![:=>])))"
    rb"|(?<=\.)(?:Nat|Int|Real|STRING|BOOLEAN)\b"
)
"""What tree-sitter-tlaplus does not read: PlusCal in a comment, if the grammar lacks a part of it,
and fields that have the names of sets, as in `[Nat |-> 1]` and `r.Nat`."""


def _cells(line: str) -> Sequence[str]:
    """What stands for each character of a line: spaces for a tab that is not in a string."""
    if "\t" not in line:
        return line
    cells: list[str] = []
    column, quoted, before = 0, False, ""
    for char in line:
        if char == '"' and before != "\\":
            quoted = not quoted
        tab = char == "\t" and not quoted
        cells.append(" " * (TAB_STOP - column % TAB_STOP) if tab else char)
        column += len(cells[-1])
        before = char
    return cells


class Tree:
    """A text and its tree, from `root`. tree-sitter counts bytes in a line, a place characters.

    The expressions at `dropped` places of the file are read as TRUE. Raises UsageError if the
    parser is not installed.
    """

    def __init__(self, file: str, text: str, dropped: Collection[Span] = ()) -> None:
        self.file = file
        self.given = text.split("\n")
        self.lines = [line.encode() for line in self.given]
        if "\t" in text:
            self.lines = ["".join(_cells(line)).encode() for line in self.given]
        self.source = b"\n".join(self.lines)
        self.root = tree_of(self.source)
        if self.root.has_error:
            readable = _UNKNOWN.sub(lambda found: b"x" * len(found[0]), self.source)
            if readable != self.source:  # names are still read from the source itself
                self.root = tree_of(readable)
        self.dropped = {span._replace(file=file) for span in dropped}
        self.left = set(self.dropped)
        """The places of which none has been read yet."""

    def text(self, node: SyntaxNode) -> str:
        """The text of a node."""
        return self.source[node.start_byte : node.end_byte].decode()

    def span(self, node: SyntaxNode) -> Span:
        """The place of a node."""
        (line, column), (end_line, end_column) = node.start_point, self._end(node).end_point
        return Span(
            self.file,
            line + 1,
            self._characters(line, column),
            end_line + 1,
            self._characters(end_line, end_column),
        )

    def _end(self, node: SyntaxNode) -> SyntaxNode:
        """The last node within a node that is not blank: a list of conjuncts ends in the tree where
        the next definition begins, behind the comments before it."""
        while self.source[node.end_byte - 1 : node.end_byte].isspace():
            inner = [
                c for c in node.children if c.end_byte > c.start_byte and "comment" not in c.type
            ]
            if not inner:
                break
            node = inner[-1]
        return node

    def _characters(self, line: int, column: int) -> int:
        shown = len(self.lines[line][:column].decode(errors="replace"))
        if "\t" not in self.given[line]:
            return shown
        ends = accumulate(map(len, _cells(self.given[line])))
        return sum(end <= shown for end in ends)


def part(node: SyntaxNode, field: str) -> SyntaxNode:
    """The part of a node with a name. Raises AssertionError if the grammar has none there."""
    found = node.child_by_field_name(field)
    assert found is not None, f"{node.type} without {field}"
    return found


def named(node: SyntaxNode, kind: str) -> list[SyntaxNode]:
    """The parts of a node of some kind."""
    return [child for child in node.named_children if child.type == kind]


def operands(node: SyntaxNode) -> list[SyntaxNode]:
    """The named parts of a node that are no comments and no symbols of the syntax."""
    return [child for child in node.named_children if child.type not in _SYNTAX]


_SYNTAX = {
    "comment", "block_comment", "block_comment_text", "pcal_algorithm", "langle_bracket",
    "rangle_bracket", "rangle_bracket_sub", "set_in",
    "all_map_to", "maps_to", "case_arrow", "case_box", "bullet_conj", "bullet_disj", "label_as",
    "def_eq", "gets", "placeholder", "forall", "exists", "temporal_forall", "temporal_exists",
}  # fmt: skip
