"""Writes the expressions and statements of a random spec: each kind of value, and what may change.

Values leave their domains now and then, lists are indexed past their ends and None is used as a
value, since failing alike is part of meaning the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st


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


def slotted(element: Type) -> Type:
    """A set with a capacity."""
    return Type("set", f"Annotated[Set[{element.text}], Capacity(2)]", (element,))


def bag(element: Type) -> Type:
    return Type("bag", f"Annotated[Bag[{element.text}], Capacity(3)]", (element,))


def table(key: Type, value: Type) -> Type:
    """A map with a capacity."""
    text = f"Annotated[dict[{key.text}, {value.text}], Capacity(2)]"
    return Type("table", text, (key, value))


def sequence(element: Type) -> Type:
    return Type("list", f"Annotated[list[{element.text}], Capacity(2)]", (element,))


elements = st.sampled_from([BOOL, INT, COLOUR, NODE, SMALL, PAIR, MESSAGE])
optionals = st.sampled_from([optional(t) for t in (BOOL, INT, COLOUR, NODE, PAIR, MESSAGE)])
simple = st.one_of(elements, optionals)
types = st.one_of(
    simple,
    st.builds(collection, st.one_of(elements, st.just(optional(NODE)))),
    st.builds(sequence, simple),
    st.builds(slotted, simple),
    st.builds(bag, simple),
    st.builds(mapping, simple),
    st.builds(mapping, st.builds(bag, elements)),
    st.builds(table, elements, simple),
    st.builds(table, st.sampled_from([INT, PAIR]), st.builds(sequence, elements)),
    st.builds(mapping, st.builds(sequence, elements)),
    st.builds(mapping, st.builds(collection, elements)),
)


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
        if kind.kind == "table":
            return f"{{{self.constant(kind.parts[0])}: {self.constant(kind.parts[1])}}}"
        if kind.kind == "map":
            return f"{{k: {self.constant(kind.parts[1])} for k in Node}}"
        inside = ", ".join(
            self.constant(kind.parts[0]) for _ in range(self.draw(st.integers(0, 2)))
        )
        if kind.kind in ("list", "bag"):
            return f"[{inside}]" if kind.kind == "list" else f"Bag([{inside}])"
        return f"{{{inside}}}" if inside else "set()"

    def _int(self, kind: Type, depth: int) -> str:
        a, b = self.expression(INT, depth), self.expression(INT, depth)
        many = ("set", "bag", "list", "table")
        collections = [t for t, k in self.paths if k.kind in many] or [f"{{{self.nodes[0]}}}"]
        many = [(t, k) for t, k in self.paths if k.kind in ("set", "bag", "list")]
        ints = [t for t, k in many if k.parts[0].kind == "int"]
        bags = [(t, k) for t, k in many if k.kind == "bag"]
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
        options += [f"{text}[{self.item_of(held)}]" for text, held in bags]
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
            if held.kind in ("list", "bag"):
                options.append(f"({self.item_of(held)} in {text})")
                options.append(f"({text} == {self.expression(held, 0)})")
            if held.kind == "table":
                options.append(f"({self.item_of(held)} in {text})")
            if held.kind in ("map", "table"):
                options.append(f"({text} == {self.expression(held, 0)})")
        return self.pick(options)

    def item_of(self, held: Type) -> str:
        """Something that may be in a collection; where None never is, perhaps None."""
        kind = held.parts[0]
        absent = kind.kind not in ("option", "map") and self.draw(st.booleans())
        return self.expression(optional(kind) if absent else kind, 0)

    def _quantified(self) -> str:
        sources = [("Node", NODE), ("Colour", COLOUR), ("range(3)", INT)]
        sources += [(t, k.parts[0]) for t, k in self.paths if k.kind in ("set", "bag", "list")]
        tables = [(t, k) for t, k in self.paths if k.kind == "table"]
        sources += [(t, k.parts[0]) for t, k in tables]
        maps = [(t, k) for t, k in self.paths if k.kind in ("map", "table")]
        sources += [(f"{t}.values()", k.parts[1]) for t, k in maps]
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

    def _bag(self, kind: Type, depth: int) -> str:
        a, item = self.expression(kind, depth), self.expression(kind.parts[0], depth)
        other = self.pick([f"{{{item}}}", self.expression(kind, depth)])
        return self.pick([f"({a} {self.pick(['+', '-'])} {other})", f"Bag([{item}, {item}])"])

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

    def _table(self, kind: Type, depth: int) -> str:
        key, value = (self.expression(part, depth) for part in kind.parts)
        known = self.known(kind)
        if known and self.draw(st.booleans()):
            condition = self.expression(BOOL, 0)
            return f"{{k: v for k, v in {self.pick(known)}.items() if {condition}}}"
        return f"{{{key}: {value}}}"

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
            sources += [(t, k.parts[0]) for t, k in self.paths if k.kind in ("set", "bag")]
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
            if held.kind == "table":
                return self._key_change(indent, place, held)
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
            if held.kind == "bag":
                item = self.expression(held.parts[0], 1)
                return [f"{indent}{place} {self.pick(['+=', '-='])} {{{item}}}"]
            if held.kind == "int":
                return [f"{indent}{place} {self.pick(['+=', '-='])} {self.expression(SMALL, 1)}"]
        return [f"{indent}{place} = {self.expression(held, 2)}"]

    def _key_change(self, indent: str, place: str, held: Type) -> list[str]:
        """A key of a map with a capacity comes, goes, or gets another value."""
        key, value = self.expression(held.parts[0], 0), self.expression(held.parts[1], 1)
        got = f"{place}.get({key}, {self.expression(held.parts[1], 0)})"
        return [
            indent
            + self.pick(
                [
                    f"{place}[{key}] = {value}",
                    f"{place}[{key}] = {got}",
                    f"del {place}[{key}]",
                    f"if {key} in {place}: {place}[{key}] = {value}",
                    f"{place}.clear()",
                ]
            )
        ]

    def _reference(self, indent: str) -> str:
        """A name for a part of the state that can change in place, or for one of two."""
        places = [(t, k) for t, k in self.paths if k.kind in ("pair", "list", "map", "table")]
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
