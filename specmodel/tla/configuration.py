"""Reads a configuration file (`Module.cfg`), as TLC does."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import NamedTuple

from specmodel.dataclass import dataclass
from specmodel.errors import Span, SpecError, UsageError, suggestion
from specmodel.files import read_text
from specmodel.tla.values import (
    FALSE,
    TRUE,
    EvaluationError,
    ModelValue,
    Value,
    set_of,
    text_of,
)


class Named(NamedTuple):
    """A name in a configuration, and its place."""

    name: str
    span: Span


@dataclass
class Given:
    """`name = value`, or `name(arguments) = value`."""

    name: Named
    arguments: tuple[Value, ...] | None
    value: Value
    module: str = ""


@dataclass
class Replaced:
    """`name <- other`, or `name <- [module] other`."""

    name: Named
    other: Named
    module: str = ""


@dataclass
class Configuration:
    """The statements of a configuration. `values` are its model values by name."""

    path: Path
    given: list[Given] = field(default_factory=list[Given])
    replaced: list[Replaced] = field(default_factory=list[Replaced])
    single: dict[str, Named] = field(default_factory=dict[str, Named])
    invariants: list[Named] = field(default_factory=list[Named])
    properties: list[Named] = field(default_factory=list[Named])
    constraints: list[Named] = field(default_factory=list[Named])
    action_constraints: list[Named] = field(default_factory=list[Named])
    deadlock: bool = True
    values: dict[str, ModelValue] = field(default_factory=dict[str, ModelValue])

    def giving(self, constants: Mapping[str, int | str]) -> Configuration:
        """The configuration with other values of some constants, which it gives numbers or truths.

        Raises UsageError for a constant that has no such value.
        """
        known = {g.name.name: g for g in self.given if g.arguments is None and not g.module}
        for name, value in constants.items():
            held = known.get(name)
            if held is None:
                near = suggestion(name, known)
                raise UsageError(f"{self.path.name} gives no constant {name} a value{near}")
            if value == text_of(held.value):
                continue  # the text that a design has of a set or a name: it stays
            given: Value = value
            if isinstance(value, bool):
                given = TRUE if value else FALSE
            if type(held.value) is not type(given):
                raise UsageError(
                    f"{name} is {text_of(held.value, 40)} in {self.path.name}, and "
                    f"{text_of(given)} is none of its kind: write another configuration"
                )
            held.value = given
        return self

    def one(self, keyword: str) -> Named | None:
        """The name that a statement such as INIT gives; None without this statement."""
        return self.single.get(keyword)


_LISTS = {
    "CONSTANT": "constants", "CONSTANTS": "constants",
    "INVARIANT": "invariants", "INVARIANTS": "invariants",
    "PROPERTY": "properties", "PROPERTIES": "properties",
    "CONSTRAINT": "constraints", "CONSTRAINTS": "constraints",
    "ACTION_CONSTRAINT": "action_constraints", "ACTION_CONSTRAINTS": "action_constraints",
    "ACTION-CONSTRAINT": "action_constraints", "ACTION-CONSTRAINTS": "action_constraints",
}  # fmt: skip
_SINGLE = ("SPECIFICATION", "INIT", "NEXT", "SYMMETRY", "VIEW", "ALIAS", "POSTCONDITION")
_REFUSED = ("TYPE", "TYPE_CONSTRAINT", "_PERIODIC", "_RL_REWARD")
_KEYWORDS = (*_LISTS, *_SINGLE, "CHECK_DEADLOCK", *_REFUSED)
_TOKEN = re.compile(
    r"""(?P<space>\s+|\\\*[^\n]*)
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<number>-?\d+(?![\w!]))
      | (?P<name>[A-Za-z0-9_][\w!-]*)
      | (?P<symbol><-|[={},()\[\]])""",
    re.X,
)


class _Token(NamedTuple):
    kind: str
    text: str
    span: Span


def read_configuration(path: Path, text: str | None = None) -> Configuration:
    """The configuration of a file, or of a text that `path` names. Raises UsageError, SpecError."""
    name = str(path)
    if text is None:
        text = read_text(path)
        linecache.checkcache(name)
    else:
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    return _Reader(path, list(_tokens(text, name))).read()


def _tokens(text: str, file: str) -> Iterator[_Token]:
    place, line, start = 0, 1, 0
    while place < len(text):
        if text.startswith("(*", place):
            end = _end_of_comment(text, place)
            if end < 0:
                at = Span(file, line, place - start, line, place - start + 2)
                raise SpecError("this comment has no end", at)
            line += text.count("\n", place, end)
            if "\n" in text[place:end]:
                start = text.rfind("\n", place, end) + 1
            place = end
            continue
        found = _TOKEN.match(text, place)
        column = place - start
        if found is None:
            raise SpecError(
                f"{text[place]!r} has no meaning in a configuration",
                Span(file, line, column, line, column + 1),
            )
        kind, held = found.lastgroup or "", found.group()
        if kind != "space":
            yield _Token(kind, held, Span(file, line, column, line, column + len(held)))
        line += held.count("\n")
        if "\n" in held:
            start = place + held.rfind("\n") + 1
        place = found.end()


def _end_of_comment(text: str, place: int) -> int:
    depth = 0
    for found in re.compile(r"\(\*|\*\)").finditer(text, place):
        depth += 1 if found.group() == "(*" else -1
        if not depth:
            return found.end()
    return -1


class _Reader:
    def __init__(self, path: Path, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.place = 0
        self.made = Configuration(path)

    def read(self) -> Configuration:
        while self.place < len(self.tokens):
            token = self.next()
            keyword = token.text
            if keyword not in _KEYWORDS:
                raise SpecError(
                    f"{keyword} is no statement of a configuration"
                    f"{suggestion(keyword, _KEYWORDS) if token.kind == 'name' else ''}",
                    token.span,
                )
            if keyword in _REFUSED:
                raise SpecError(f"{keyword} is not supported", token.span)
            if keyword in ("CONSTANT", "CONSTANTS"):
                while self.more():
                    self.constant()
            elif keyword in _LISTS:
                while self.more():
                    getattr(self.made, _LISTS[keyword]).append(self.name())
            elif keyword == "CHECK_DEADLOCK":
                self.made.deadlock = self.truth()
            else:
                if keyword in self.made.single:
                    raise SpecError(f"there are two statements {keyword}", token.span)
                self.made.single[keyword] = self.name()
        return self.made

    def more(self) -> bool:
        """Whether the statement goes on."""
        if self.place >= len(self.tokens):
            return False
        if self.tokens[self.place].text not in _KEYWORDS:
            return True
        following = self.tokens[self.place + 1 : self.place + 2]
        return bool(following) and following[0].text in ("=", "<-")

    def next(self, wanted: str = "") -> _Token:
        if self.place >= len(self.tokens):
            last = self.tokens[-1].span if self.tokens else None
            raise SpecError(f"the configuration ends where {wanted or 'more'} is needed", last)
        token = self.tokens[self.place]
        if wanted and token.text != wanted:
            raise SpecError(f"{wanted} is needed here, not {token.text}", token.span)
        self.place += 1
        return token

    def peek(self) -> str:
        return self.tokens[self.place].text if self.place < len(self.tokens) else ""

    def name(self) -> Named:
        token = self.next()
        if token.kind != "name":
            raise SpecError(f"a name is needed here, not {token.text}", token.span)
        return Named(token.text, token.span)

    def truth(self) -> bool:
        token = self.next()
        if token.text not in ("TRUE", "FALSE"):
            raise SpecError(f"TRUE or FALSE is needed here, not {token.text}", token.span)
        return token.text == "TRUE"

    def constant(self) -> None:
        name = self.name()
        arguments: list[Value] | None = None
        if self.peek() == "(":
            self.next("(")
            arguments = [self.value()]
            while self.peek() == ",":
                self.next(",")
                arguments.append(self.value())
            self.next(")")
        token = self.next()
        module = ""
        if self.peek() == "[":
            self.next("[")
            module = self.name().name
            self.next("]")
        if token.text == "<-" and arguments is None:
            self.made.replaced.append(Replaced(name, self.name(), module))
        elif token.text == "=":
            given = None if arguments is None else tuple(arguments)
            self.made.given.append(Given(name, given, self.value(), module))
        else:
            raise SpecError(f"= or <- is needed here, not {token.text}", token.span)

    def value(self) -> Value:
        token = self.next()
        if token.kind == "number":
            value = int(token.text)
            if value < 0 or value > 2147483647:
                raise SpecError(
                    f"TLC takes no {token.text} in a configuration",
                    token.span,
                    "define it in a module, and write Name <- Definition",
                )
            return value
        if token.kind == "string":
            return token.text[1:-1]
        if token.text in ("TRUE", "FALSE"):
            return TRUE if token.text == "TRUE" else FALSE
        if token.text == "{":
            return self.set_value(token.span)
        if token.kind == "name" and token.text not in _KEYWORDS:
            known = self.made.values
            return known.setdefault(token.text, ModelValue(token.text, len(known)))
        raise SpecError(f"a value is needed here, not {token.text}", token.span)

    def set_value(self, span: Span) -> Value:
        items: list[Value] = []
        if self.peek() == "}":
            self.next()
            return frozenset[Value]()
        while True:
            items.append(self.value())
            token = self.next()
            if token.text == "}":
                break
            if token.text != ",":
                raise SpecError(f", or }} is needed here, not {token.text}", token.span)
        try:
            return set_of(items)
        except EvaluationError as wrong:
            raise SpecError(wrong.message, span, wrong.hint) from None


def configuration_of(module: Path, given: Path | None, text: str | None = None) -> Configuration:
    """The configuration of a module: the given file, or that beside it, or a text with a name.

    Raises UsageError, SpecError.
    """
    path = given or module.with_suffix(".cfg")
    if text is not None:
        return read_configuration(path, text)
    if not path.is_file():
        if given is None:
            raise UsageError(
                f"there is no {path}: TLC's configuration of {module.name} is needed; "
                f"name another as {module.name}:Other.cfg"
            )
        raise UsageError(f"there is no file {path}")
    return read_configuration(path)
