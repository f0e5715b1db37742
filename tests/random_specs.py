"""Hypothesis strategies for the source text of small random specs.

Every kind of domain and most of the language turn up, nested; values leave their domains now and
then, lists are indexed past their ends and None is used as a value, since failing alike is part of
meaning the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, reject, settings
from hypothesis import strategies as st

from specmodel.errors import SpecError

DRAWN_AT_LENGTH = (
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.filter_too_much,
    HealthCheck.large_base_example,
)
"""Health checks that the text of a spec, with all its draws, would not pass."""


def few(examples: int) -> settings:
    """Settings of a test that compiles each spec: no shrinking, which would compile a thousand."""
    phases = (Phase.explicit, Phase.reuse, Phase.generate)
    return settings(many(examples), phases=phases)


def many(examples: int) -> settings:
    """Settings of a test at leisure, which shrinks what it finds."""
    return settings(max_examples=examples, deadline=None, suppress_health_check=DRAWN_AT_LENGTH)


HEADER = '''
from __future__ import annotations
import enum
from typing import Annotated
from specmodel.lang import (
    Capacity, Range, ScalarSet, Set, Spec, Struct, action, init, invariant, require, require_some,
)


class Colour(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


class Node(ScalarSet, size=2, prefix="n"):
    """An actor."""


class Pair(Struct):
    left: Annotated[int, Range(-1, 2)]
    right: Node | None


class Solo(Struct):
    left: Annotated[int, Range(0, 1)]
    who: Node


Message = Pair | Solo | Colour


def told(m: Message) -> Message:
    return m


def maybe(m: Message | None) -> Message | None:
    return m


def plus(a: int, b: int) -> int:
    if a > b:
        return a + 1
    return a + b


def agree(a: Node | None, b: Node | None) -> bool:
    for n in Node:
        if a == n and b == n:
            return True
    return a is None and b is None
'''


@dataclass(frozen=True)
class Type:
    """A type of the language as the generator sees it: `kind` and what it is made of."""

    kind: str
    text: str
    parts: tuple[Type, ...] = ()


BOOL = Type("bool", "bool")
INT = Type("int", "Annotated[int, Range(-2, 5)]")
SMALL = Type("int", "Annotated[int, Range(0, 1)]")
COLOUR = Type("colour", "Colour")
NODE = Type("node", "Node")
PAIR = Type("pair", "Pair")
SOLO = Type("solo", "Solo")
MESSAGE = Type("union", "Message")
SCALARS = (BOOL, INT, SMALL, COLOUR, NODE)


def optional(inner: Type) -> Type:
    return Type("option", f"{inner.text} | None", (inner,))


def mapping(value: Type) -> Type:
    return Type("map", f"dict[Node, {value.text}]", (NODE, value))


def collection(element: Type) -> Type:
    return Type("set", f"Set[{element.text}]", (element,))


def sequence(element: Type) -> Type:
    return Type("list", f"Annotated[list[{element.text}], Capacity(2)]", (element,))


elements = st.sampled_from([BOOL, INT, COLOUR, NODE, SMALL, PAIR, MESSAGE])
optionals = st.sampled_from([optional(t) for t in (BOOL, INT, COLOUR, NODE, PAIR, MESSAGE)])
simple = st.one_of(elements, optionals)
types = st.one_of(
    simple,
    st.builds(collection, st.one_of(elements, st.just(optional(NODE)))),
    st.builds(sequence, simple),
    st.builds(mapping, simple),
    st.builds(mapping, st.builds(sequence, elements)),
    st.builds(mapping, st.builds(collection, elements)),
)


REFUSED = ("that was replaced", "not certain which place", "can grow beyond 62 bits")
"""What the compiler says of references whose meaning under CPython it does not follow, and of ints
that it has no room for.
"""


@contextmanager
def refusals_allowed() -> Iterator[None]:
    """Rejects a drawn spec that is refused for its references or large ints, for nothing else."""
    try:
        yield
    except SpecError as error:
        if not any(text in error.message for text in REFUSED):
            raise
        reject()


class Writer:
    """Writes one spec. `paths` are expressions in scope and their types; `locals` may change.

    `nodes` are the actors that it may write down as they are.
    """

    def __init__(self, draw: st.DrawFn, nodes: list[str]) -> None:
        self.draw = draw
        self.nodes = nodes
        self.paths: list[tuple[str, Type]] = []
        self.fresh = 0

    def pick(self, options: list[str]) -> str:
        return str(self.draw(st.sampled_from(options)))

    def known(self, kind: Type) -> list[str]:
        # A name that is known to be of one class is of that type: no other class equals it.
        call = {MESSAGE: "told({})", optional(MESSAGE): "maybe({})"}.get(kind, "{}")
        return [call.format(text) for text, held in self.paths if held == kind]

    # Expressions

    def expression(self, kind: Type, depth: int) -> str:
        options = [*self.known(kind), self.constant(kind)]
        if depth <= 0:
            return self.pick(options)
        method = getattr(self, f"_{kind.kind}", None)
        choice = self.draw(st.integers(0, 5))
        if choice == 0:
            condition = self.expression(BOOL, depth - 1)
            then, other = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
            made = f"({then} if {condition} else {other})"
            return f"told({made})" if kind == MESSAGE else made
        if choice <= 3 and method is not None:
            return method(kind, depth - 1)
        return self.pick(options)

    def constant(self, kind: Type) -> str:
        if kind.kind == "bool":
            return self.pick(["True", "False"])
        if kind.kind == "int":
            return self.pick(["0", "1", "2", "-1"])
        if kind.kind == "colour":
            return self.pick(["Colour.RED", "Colour.GREEN", "Colour.BLUE"])
        if kind.kind == "node":
            return self.pick(self.nodes)
        if kind.kind == "pair":
            return f"Pair({self.constant(SMALL)}, {self.constant(optional(NODE))})"
        if kind.kind == "solo":
            return f"Solo({self.constant(SMALL)}, {self.constant(NODE)})"
        if kind.kind == "union":
            return f"told({self.constant(self.alternative())})"
        if kind.kind == "option":
            return self.pick(["None", self.constant(kind.parts[0])])
        if kind.kind == "map":
            return f"{{k: {self.constant(kind.parts[1])} for k in Node}}"
        inside = ", ".join(
            self.constant(kind.parts[0]) for _ in range(self.draw(st.integers(0, 2)))
        )
        if kind.kind == "list":
            return f"[{inside}]"
        return f"{{{inside}}}" if inside else "set()"

    def _int(self, kind: Type, depth: int) -> str:
        a, b = self.expression(INT, depth), self.expression(INT, depth)
        collections = [t for t, k in self.paths if k.kind in ("set", "list")] or [
            f"{{{self.nodes[0]}}}"
        ]
        ints = [t for t, k in self.paths if k.kind in ("set", "list") and k.parts[0].kind == "int"]
        options = [
            *(f"({a} {op} {b})" for op in "+-*"),
            f"({a} // {self.pick(['2', '3', b])})",
            f"({a} % {self.pick(['2', '3', b])})",
            f"min({a}, {b})",
            f"max({a}, {b})",
            f"abs({a})",
            f"(-{a})",
            f"plus({a}, {b})",
            f"len({self.pick(collections)})",
            f"sum(1 for n in Node if {self.expression(BOOL, 0)})",
            f"max((x for x in range({a}) if x != {b}), default={b})",
        ]
        if ints:
            options += [f"sum({self.pick(ints)})", f"min({self.pick(ints)}, default={a})"]
        lists = [t for t, k in self.paths if k.kind == "list" and k.parts[0].kind == "int"]
        if lists:
            options += [f"{self.pick(lists)}[{a}]", f"{self.pick(lists)}[-1]"]
        return self.pick(options)

    def _bool(self, kind: Type, depth: int) -> str:
        a, b = self.expression(INT, depth), self.expression(INT, depth)
        same = self.draw(st.one_of(simple, st.just(optional(NODE))))
        assert isinstance(same, Type)
        x, y = self.expression(same, depth), self.expression(same, depth)
        p, q = self.expression(BOOL, depth), self.expression(BOOL, depth)
        options = [
            f"({a} {self.pick(['<', '<=', '>', '>=', '==', '!='])} {b})",
            f"({a} <= {b} < {self.expression(INT, 0)})",
            f"({x} == {y})",
            f"({x} != {y})",
            f"({p} and {q})",
            f"({p} or {q})",
            f"(not {p})",
            f"({a} in (1, 2))",
            f"agree({self.expression(optional(NODE), 0)}, {self.expression(NODE, 0)})",
            self._quantified(),
        ]
        for text, held in self.paths:
            if held in (MESSAGE, optional(MESSAGE)):
                options += self._of_union(text)
            if held.kind == "option":
                options.append(f"({text} is {self.pick(['None', 'not None'])})")
            if held.kind == "set":
                item = self.item_of(held)
                options.append(f"({item} {self.pick(['in', 'not in'])} {text})")
                options.append(
                    f"({text} {self.pick(['<=', '==', '<'])} {self.expression(held, 0)})"
                )
            if held.kind == "list":
                options.append(f"({self.item_of(held)} in {text})")
                options.append(f"({text} == {self.expression(held, 0)})")
            if held.kind == "map":
                options.append(f"({text} == {self.expression(held, 0)})")
        return self.pick(options)

    def item_of(self, held: Type) -> str:
        """Something that may be in a collection; where None never is, perhaps None."""
        kind = held.parts[0]
        absent = kind.kind not in ("option", "map") and self.draw(st.booleans())
        return self.expression(optional(kind) if absent else kind, 0)

    def _quantified(self) -> str:
        sources = [("Node", NODE), ("Colour", COLOUR), ("range(3)", INT)]
        sources += [(t, k.parts[0]) for t, k in self.paths if k.kind in ("set", "list")]
        sources += [(f"{t}.values()", k.parts[1]) for t, k in self.paths if k.kind == "map"]
        source, held = self.draw(st.sampled_from(sources))
        self.fresh += 1
        name = f"q{self.fresh}"
        outer = list(self.paths)
        self.paths.append((name, held))
        body, condition = self.expression(BOOL, 1), self.expression(BOOL, 0)
        self.paths = outer
        word = self.pick(["all", "any"])
        only = self.pick(["", f" if {condition}"])
        return f"{word}({body} for {name} in {source}{only})"

    def _option(self, kind: Type, depth: int) -> str:
        return self.expression(kind.parts[0], depth)

    def _pair(self, kind: Type, depth: int) -> str:
        return f"Pair({self.expression(SMALL, depth)}, {self.expression(optional(NODE), depth)})"

    def _solo(self, kind: Type, depth: int) -> str:
        return f"Solo({self.expression(SMALL, depth)}, {self.expression(NODE, depth)})"

    def alternative(self) -> Type:
        return self.draw(st.sampled_from([PAIR, SOLO, COLOUR]))

    def _union(self, kind: Type, depth: int) -> str:
        return f"told({self.expression(self.alternative(), depth)})"

    def _of_union(self, text: str) -> list[str]:
        """Conditions on a value of a union, or None."""
        classes = ["Pair", "Solo", "Colour", "Pair | Colour", "(Solo, Colour)", "Message"]
        left, who = self.pick(["==", "<"]), self.expression(NODE, 0)
        return [
            f"isinstance({text}, {self.pick(classes)})",
            f"(not isinstance({text}, {self.pick(classes)}))",
            f"(isinstance({text}, Pair | Solo) and {text}.left {left} {self.expression(INT, 0)})",
            f"(isinstance({text}, Solo) and {text}.who == {who})",
            f"(not isinstance({text}, Pair) or {text}.right == {self.expression(NODE, 0)})",
            f"(maybe({text}) == {self.expression(self.alternative(), 0)})",
            f"(maybe({text}).left == 1)",
        ]

    def _match(self, indent: str, depth: int, loop: bool) -> list[str]:
        """A match on a value of a union, an optional, a name or an int; else nothing."""
        known = [(t, k) for t, k in self.paths if k in (MESSAGE, optional(MESSAGE))]
        if not known or self.draw(st.integers(0, 9)) == 0:
            known = [(t, k) for t, k in self.paths if k in (INT, COLOUR, optional(NODE))]
        subject, kind = self.draw(st.sampled_from(known or [("n", NODE)]))
        if kind in (MESSAGE, optional(MESSAGE)) and self.draw(st.booleans()):
            subject = f"maybe({subject})"
        deeper, lines = indent + "    ", [f"{indent}match {subject}:"]
        for number in range(self.draw(st.integers(1, 4))):
            pattern, captured = self._pattern(kind)
            if number == 0 and subject.startswith("maybe") and self.draw(st.booleans()):
                pattern, captured = "Colour.RED | Solo(left=1)", []
            outer = list(self.paths)
            self.paths += captured
            guard = f" if {self.expression(BOOL, 1)}" if self.draw(st.booleans()) else ""
            body = self.block(deeper + "    ", 1, depth - 1, loop)
            self.paths = outer
            lines += [f"{deeper}case {pattern}{guard}:", *body]
        if self.draw(st.booleans()):
            outer = list(self.paths)
            lines += [f"{deeper}case _:", *self.block(deeper + "    ", 1, depth - 1, loop)]
            self.paths = outer
        return lines

    def _pattern(self, kind: Type) -> tuple[str, list[tuple[str, Type]]]:
        if kind == INT:
            return self.pick(["0", "-1", "2", "1 | 2"]), []
        if kind == COLOUR:
            return self.pick(["Colour.RED", "Colour.GREEN | Colour.BLUE", "Colour()"]), []
        if kind in (NODE, optional(NODE)):
            return self.pick(["Node()", "None"] if kind != NODE else ["Node()"]), []
        self.fresh += 1
        one, two = f"v{self.fresh}", f"w{self.fresh}"
        options: list[tuple[str, list[tuple[str, Type]]]] = [
            (f"Pair({one}, right={two})", [(one, INT), (two, optional(NODE))]),
            ("Pair(1, None)", []),
            (f"Pair(right=Node() as {two})", [(two, optional(NODE))]),
            (f"Solo({one}, {two})", [(one, INT), (two, NODE)]),
            (f"Solo(left=0, who={two})", [(two, NODE)]),
            (f"Solo() as {one}", [(one, SOLO), (f"{one}.left", INT)]),
            (f"Pair() as {one}", [(one, PAIR), (f"{one}.right", optional(NODE))]),
            ("Colour()", []),
            ("Pair() | Colour()", []),
        ]
        if kind.kind == "option":
            options += [("None", []), ("None | Solo()", [])]
        return self.draw(st.sampled_from(options))

    def _set(self, kind: Type, depth: int) -> str:
        a, b = self.expression(kind, depth), self.expression(kind, depth)
        options = [f"({a} {self.pick(['|', '&', '-'])} {b})"] if "set()" not in (a, b) else []
        options.append(f"{{{self.expression(kind.parts[0], depth)}}}")
        if kind.parts[0] == NODE:
            options.append(f"{{n for n in Node if {self.expression(BOOL, 0)}}}")
        return self.pick(options)

    def _list(self, kind: Type, depth: int) -> str:
        a, item = self.expression(kind, depth), self.expression(kind.parts[0], depth)
        index = self.expression(INT, 0)
        options = [f"[{item}]", f"[{item}, {self.expression(kind.parts[0], 0)}]"]
        known = self.known(kind)
        if known:
            options += [f"{self.pick(known)}[{index}:]", f"{self.pick(known)}[:{index}]"]
            if not a.startswith("["):
                options.append(f"({self.pick(known)} + [{item}])")
        return self.pick(options)

    def _map(self, kind: Type, depth: int) -> str:
        outer = list(self.paths)
        self.paths.append(("k", NODE))
        value = self.expression(kind.parts[1], depth)
        self.paths = outer
        return f"{{k: {value} for k in Node}}"

    # Statements

    def block(self, indent: str, size: int, depth: int, loop: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(size):
            lines += self.statement(indent, depth, loop)
        return lines or [f"{indent}pass"]

    def statement(self, indent: str, depth: int, loop: bool) -> list[str]:
        kinds = ["assign", "assign", "assign", "require", "change", "change", "refer"]
        if depth > 0:
            kinds += ["if", "for", "match", "match"]
        if loop:
            kinds += ["leave"]
        kinds += ["return"]
        kind = self.pick(kinds)
        deeper = indent + "    "
        if kind == "require":
            return [f"{indent}require({self.expression(BOOL, 2)})"]
        if kind == "if":
            head = f"{indent}if {self.expression(BOOL, 2)}:"
            outer = list(self.paths)
            then = self.block(deeper, 2, depth - 1, loop)
            self.paths = list(outer)
            other = self.block(deeper, 1, depth - 1, loop)
            self.paths = outer
            return [head, *then, f"{indent}else:", *other]
        if kind == "match":
            return self._match(indent, depth, loop)
        if kind == "for":
            sources = [("Node", NODE), ("range(2)", INT)]
            sources += [(t, k.parts[0]) for t, k in self.paths if k.kind == "set"]
            source, held = self.draw(st.sampled_from(sources))
            self.fresh += 1
            name, outer = f"i{self.fresh}", list(self.paths)
            self.paths.append((name, held))
            body = self.block(deeper, 2, depth - 1, True)
            self.paths = outer
            return [f"{indent}for {name} in {source}:", *body]
        if kind == "leave":
            word = self.pick(["break", "continue"])
            return [f"{indent}if {self.expression(BOOL, 1)}:", f"{deeper}{word}"]
        if kind == "return":
            return [f"{indent}if {self.expression(BOOL, 1)}:", f"{deeper}return"]
        if kind == "refer" and (reference := self._reference(indent)):
            return [reference]
        places = [(t, k) for t, k in self.paths if t.startswith("s.") or t == "local"]
        if kind == "change":
            places += [(t, k) for t, k in self.paths if t.startswith("ref")]
        place, held = self.draw(st.sampled_from(places))
        if kind == "change":
            if held.kind == "pair":
                return [f"{indent}{place}.left = {self.expression(INT, 1)}"]
            if held.kind == "map" and not place.startswith("s."):
                value = self.expression(held.parts[1], 1)
                return [f"{indent}{place}[{self.nodes[-1]}] = {value}"]
            if held.kind == "list":
                item = self.expression(held.parts[0], 1)
                index = self.expression(INT, 0)
                return [
                    indent
                    + self.pick(
                        [
                            f"{place}.append({item})",
                            f"del {place}[{index}:]",
                            f"del {place}[:{index}]",
                        ]
                    )
                ]
            if held.kind == "set":
                item = self.expression(held.parts[0], 1)
                return [f"{indent}{place} {self.pick(['|=', '-=', '&='])} {{{item}}}"]
            if held.kind == "int":
                return [f"{indent}{place} {self.pick(['+=', '-='])} {self.expression(SMALL, 1)}"]
        return [f"{indent}{place} = {self.expression(held, 2)}"]

    def _reference(self, indent: str) -> str:
        """A name for a part of the state that can change in place, or for one of two."""
        places = [(t, k) for t, k in self.paths if k.kind in ("pair", "list", "map")]
        places = [(t, k) for t, k in places if t.startswith(("s.", "ref"))]
        if not places:
            return ""
        place, held = self.draw(st.sampled_from(places))
        text = place
        if self.draw(st.integers(0, 2)) == 0:
            other = self.pick([t for t, k in places if k == held])
            text = f"{place} if {self.expression(BOOL, 1)} else {other}"
        self.fresh += 1
        self.paths.append((f"ref{self.fresh}", held))
        return f"{indent}ref{self.fresh} = {text}"


@st.composite
def spec_sources(draw: st.DrawFn, symmetric: bool = False) -> str:
    """The text of a module with a spec named `spec`: 2 or 3 variables, 2 actions, an invariant.

    If it is to be `symmetric`, it is declared so and names no actor. It may still tell them apart
    by a loop that depends on their order.
    """
    named = ["s.who"] if symmetric else ["Node.nth(0)", "Node.nth(1)"]
    writer = Writer(draw, named)
    fields = [draw(types) for _ in range(draw(st.integers(2, 3)))]
    header = HEADER
    if symmetric:
        header = header.replace('size=2, prefix="n"', 'size=3, prefix="n", symmetric=True')
    lines = [header, "", "class State(Struct):"]
    if symmetric:
        lines.append("    who: Node")
        writer.paths.append(("s.who", NODE))
    for number, kind in enumerate(fields):
        assert isinstance(kind, Type)
        lines.append(f"    f{number}: {kind.text}")
        path = f"s.f{number}"
        writer.paths.append((path, kind))
        if kind.kind == "map":
            some = f"{path}[{named[0]}]"
            writer.paths += [(some, kind.parts[1]), (f"{path}[n]", kind.parts[1])]
        if kind.kind == "pair":
            writer.paths += [(f"{path}.left", INT), (f"{path}.right", optional(NODE))]
        if kind.kind == "map" and kind.parts[1].kind == "pair":
            writer.paths.append((f"{path}[n].left", INT))
        if kind.kind == "list" and kind.parts[0].kind == "pair":
            writer.paths.append((f"{path}[0].right", optional(NODE)))
    state = list(writer.paths)
    if symmetric:
        writer.nodes = ["first"]
    values = [f"f{i}={writer.constant(k)}" for i, k in enumerate(fields) if isinstance(k, Type)]
    parameter = "first: Node" if symmetric else ""
    values += ["who=first"] if symmetric else []
    lines += ["", "", "@init", f"def start({parameter}) -> State:"]
    lines.append(f"    return State({', '.join(values)})")
    writer.nodes = named
    for name in ("first", "second"):
        writer.paths = [*state, ("n", NODE), ("local", INT)]
        lines += [
            "",
            "",
            "@action",
            f"def {name}(s: State, n: Node) -> None:",
            "    local: int = 1",
        ]
        lines += writer.block("    ", draw(st.integers(1, 4)), 2, False)
    writer.paths = [p for p in state if "[n]" not in p[0]]
    lines += ["", "", "@invariant", "def fine(s: State) -> bool:"]
    lines.append(f"    return {writer.expression(BOOL, 3)}")
    lines += [
        "",
        "",
        "spec = Spec(state=State, init=start, actions=[first, second], invariants=[fine])",
        "",
    ]
    return "\n".join(lines)
