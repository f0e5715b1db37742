"""Lowering of comprehensions and loops: what is gone through, and the names that are bound."""

from __future__ import annotations

import ast
from collections.abc import Callable

from specmodel.domains import (
    Domain,
    MapDomain,
    SeqDomain,
    SetDomain,
    SparseMapDomain,
    TupleDomain,
)
from specmodel.errors import SpecError
from specmodel.ir.nodes import BOOL, INT, Apply, Each, Generator, Name, Source, Term
from specmodel.lang.lowering import narrowing
from specmodel.lang.lowering.comparisons import Comparisons
from specmodel.lang.lowering.expressions import of_field, part_of
from specmodel.lang.lowering.iterated import all_of, domain_of_class, members, most, of_kind
from specmodel.lang.lowering.source import NOT_STATIC
from specmodel.lang.lowering.types import inner_of, sparse_map, widened


class Comprehensions(Comparisons):
    """Lowers the comprehensions of one function, and what its loops go through."""

    def one(self, node: ast.Call) -> ast.expr:
        if len(node.args) != 1 or node.keywords:
            raise self.source.wrong(node, "this takes one argument")
        return node.args[0]

    def _gives(self, kind: str, part: ast.expr, wanted: Domain | None, node: ast.AST) -> Term:
        """The item that each round of a comprehension of a set, bag or list adds."""
        given = self.term(part, wanted)
        return given if kind == "list" else self.member(given, node)

    def _gathered(
        self, kind: str, generators: tuple[Generator, ...], body: Term, node: ast.AST
    ) -> Term:
        type_ = of_kind(kind, body.type, most(generators))
        return Each(type_, self.source.span(node), kind, generators, body)

    def folded(
        self, node: ast.expr, lower: Callable[[ast.expr], Term]
    ) -> tuple[tuple[Generator, ...], Term]:
        """The generators and body of a comprehension, or of a collection's elements."""
        if isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp):
            if isinstance(node, ast.SetComp):
                return self._elements_of(node)
            return self._comprehension(node.generators, lambda: lower(node.elt))
        return self._elements_of(node)

    def _elements_of(self, node: ast.expr) -> tuple[tuple[Generator, ...], Term]:
        source, kinds = self.iterated(node)
        generator = Generator(("element",), kinds[:1], source)
        return (generator,), Name(kinds[0], self.source.span(node), "element")

    def _comprehension(
        self, parts: list[ast.comprehension], body: Callable[[], Term]
    ) -> tuple[tuple[Generator, ...], Term]:
        outer, assigned = self.types, self.assigned
        facts, changes = self.facts, self.changes
        once, stored, unpacked = self.once, self.stored, self.unpacked
        self.types = dict(outer)
        own = {name for part in parts for name in self._targets(part.target)}
        try:
            generators: list[Generator] = []
            for part in parts:
                found = self.iterated(part.iter)
                if not generators:  # the first source is outside of the comprehension's scope
                    self.assigned = assigned | own
                    self.once, self.stored = once | own, stored - own
                    self.types = {n: kind for n, kind in outer.items() if n not in own}
                generators.append(self.generator(part, found))
            made = tuple(generators), body()
        finally:
            self.types, self.assigned = outer, assigned
            self.once, self.stored, self.unpacked = once, stored, unpacked
            narrowing.resume(self, facts, changes)
        if self.facts != facts:  # what a round changes, the rounds after it read
            return self._comprehension(parts, body)
        return made

    def generator(
        self,
        part: ast.comprehension | ast.For,
        found: tuple[Source, tuple[Domain, ...]] | None = None,
    ) -> Generator:
        """A generator, after its names are put in scope; `found` is its source if known."""
        source, kinds = found or self.iterated(part.iter)
        bound = self._targets(part.target)
        target = part.target
        places = target.elts if isinstance(target, ast.Tuple) and len(kinds) > 1 else [target]
        if len(places) != len(kinds):
            raise self._miscounted(target, len(kinds), len(places))
        names = tuple(map(ast.unparse, places))
        self.types.update(zip(names, kinds, strict=True))
        self.unpacked = {n: term for n, term in self.unpacked.items() if n not in bound}
        for place, name, kind in zip(places, names, kinds, strict=True):
            if not isinstance(place, ast.Name):
                self._unpack(place, Name(kind, self.source.span(place), name))
        self.stored = self.stored.difference(bound) | (self.once & self._from_store(source, names))
        narrowing.forget(self, bound)
        condition: Term | None = None
        if isinstance(part, ast.comprehension) and part.ifs:
            tests = list[Term]()
            for test in part.ifs:
                tests.append(self.condition(test))
                narrowing.learn(self, test, True, tests[-1])
            span = tests[0].span
            condition = tests[0] if len(tests) == 1 else Apply(BOOL, span, "and", tuple(tests))
        return Generator(names, kinds, source, condition)

    def _unpack(self, target: ast.expr, whole: Term) -> None:
        """Lets names stand for the parts of a tuple. Raises SpecError if it has other parts."""
        assert isinstance(target, ast.Tuple)
        kind = whole.type
        if not isinstance(kind, TupleDomain):
            raise self._miscounted(target, 1, len(target.elts))
        if len(kind.kinds) != len(target.elts):
            raise self._miscounted(target, len(kind.kinds), len(target.elts))
        for place, part in enumerate(target.elts):
            held = part_of(whole, place, self.source.span(part))
            if isinstance(part, ast.Name):
                self.types[part.id], self.unpacked[part.id] = held.type, held
            else:
                self._unpack(part, held)

    def _miscounted(self, target: ast.expr, bound: int, given: int) -> SpecError:
        what = "1 name is bound here" if bound == 1 else f"{bound} names are bound here"
        return self.source.wrong(target, f"{what}, not {given}")

    def _from_store(self, source: Source, names: tuple[str, ...]) -> set[str]:
        """The names that a source binds to keys, to members of sets, or to what a field holds."""
        if not source.terms or source.kind == "range":
            return set()
        held = source.terms[0]
        if of_field(held, self.stored):
            return set(names)
        keyed = source.kind in ("keys", "items") or isinstance(held.type, SetDomain)
        return set(names[:1]) if keyed else set()

    def _targets(self, node: ast.expr) -> tuple[str, ...]:
        if isinstance(node, ast.Name):
            return (node.id,)
        if isinstance(node, ast.Tuple):
            return tuple(name for part in node.elts for name in self._targets(part))
        raise self.source.unsupported(node, "a loop binds plain names")

    def iterated(self, node: ast.expr) -> tuple[Source, tuple[Domain, ...]]:
        """The source of an expression after `in`, and the types of the names that it binds."""
        if domain := domain_of_class(self.static(node)):
            return Source("domain", (), domain), (domain,)
        if isinstance(node, ast.Tuple):
            node = ast.copy_location(ast.List(node.elts, ast.Load()), node)
        if isinstance(node, ast.Call):
            callee = self.static(node.func)
            if callee is range:
                return Source("range", self.range_bounds(node)), (INT,)
            if callee is enumerate:
                held = self.collection(self.one(node))
                if isinstance(held.type, SeqDomain):
                    return Source("enumerate", (held,)), (INT, widened(held.type.element))
            if callee is NOT_STATIC and isinstance(node.func, ast.Attribute):
                held = self.plain(node.func.value)
                if isinstance(held.type, MapDomain | SparseMapDomain) and not node.args:
                    key, value = widened(held.type.key), widened(held.type.value)
                    if node.func.attr == "items":
                        return Source("items", (held,)), (key, value)
                    if node.func.attr == "values":
                        return Source("values", (held,)), (value,)
                    if node.func.attr == "keys":
                        return Source("keys", (held,)), (key,)
        held = self.collection(node)
        if isinstance(held.type, MapDomain | SparseMapDomain):
            return Source("keys", (held,)), (widened(held.type.key),)
        held = members(self.kept(held, node))
        if isinstance(held.type, SetDomain | SeqDomain):
            return Source("elements", (held,)), (widened(held.type.element),)
        hint = "loop over a scalar set, an enum, range(...), a set, a list or a map"
        raise self.source.unsupported(node, "this cannot be looped over", hint)

    def _setcomp(self, node: ast.SetComp, expected: Domain | None) -> Term:
        wanted = inner_of(expected) if expected else None
        element = widened(wanted.element) if isinstance(wanted, SetDomain) else None
        generators, body = self._comprehension(
            node.generators, lambda: self._gives("set", node.elt, element, node)
        )
        return self._gathered("set", generators, body, node)

    def _listcomp(self, node: ast.ListComp, expected: Domain | None) -> Term:
        wanted = inner_of(expected) if expected else None
        element = widened(wanted.element) if isinstance(wanted, SeqDomain) else None
        generators, body = self._comprehension(
            node.generators, lambda: self.term(node.elt, element)
        )
        return self._gathered("list", generators, body, node)

    def _dictcomp(self, node: ast.DictComp, expected: Domain | None) -> Term:
        wanted = inner_of(expected) if expected else None
        if isinstance(wanted, SparseMapDomain):
            kind = wanted
            generators, body = self._comprehension(
                node.generators, lambda: self.entry(node, kind, node.key, node.value)
            )
            made = sparse_map(kind.key, kind.value)
            return Each(made, self.source.span(node), "entries", generators, body)
        value = widened(wanted.value) if isinstance(wanted, MapDomain) else None
        generators, body = self._comprehension(
            node.generators, lambda: self.term(node.value, value)
        )
        span, key = self.source.span(node), _keys_of(node.key, generators)
        other = isinstance(wanted, MapDomain) and wanted.key != key
        if key is None or other:
            hint = "write {key: value for key in Domain}: a map has every key"
            raise self.source.unsupported(node, "this does not make a total map", hint)
        return Each(MapDomain(key, body.type), span, "map", generators, body)


def _keys_of(key: ast.expr, generators: tuple[Generator, ...]) -> Domain | None:
    """The domain of which generators yield every value, as a key; None if they do not.

    The key is the name of the only generator, or a tuple of the names of all, in their order.
    """
    parts = key.elts if isinstance(key, ast.Tuple) else [key]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    tupled = isinstance(key, ast.Tuple)
    if names != [generator.names[0] for generator in generators] or tupled != (len(names) > 1):
        return None
    kinds: list[Domain] = []
    for generator in generators:
        kind = all_of(generator.source)
        if kind is None or generator.condition is not None:
            return None
        kinds.append(kind)
    return TupleDomain(tuple(kinds)) if tupled else kinds[0]
