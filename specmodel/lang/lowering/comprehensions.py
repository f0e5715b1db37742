"""Lowering of comprehensions and loops: what is gone through, and the names that are bound."""

from __future__ import annotations

import ast
from collections.abc import Callable

from specmodel.domains import Domain, MapDomain, SeqDomain, SetDomain, SparseMapDomain
from specmodel.ir.nodes import BOOL, INT, Apply, Each, Generator, Name, Source, Term
from specmodel.lang.lowering import narrowing
from specmodel.lang.lowering.comparisons import Comparisons
from specmodel.lang.lowering.expressions import of_field
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
        once, stored = self.once, self.stored
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
            self.once, self.stored = once, stored
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
        names = self._targets(part.target)
        if len(names) != len(kinds):
            what = f"{len(kinds)} names are bound here, not {len(names)}"
            raise self.source.wrong(part.target, what)
        self.types.update(zip(names, kinds, strict=True))
        self.stored = self.stored.difference(names) | (self.once & self._from_store(source, names))
        narrowing.forget(self, names)
        condition: Term | None = None
        if isinstance(part, ast.comprehension) and part.ifs:
            tests = list[Term]()
            for test in part.ifs:
                tests.append(self.condition(test))
                narrowing.learn(self, test, True, tests[-1])
            span = tests[0].span
            condition = tests[0] if len(tests) == 1 else Apply(BOOL, span, "and", tuple(tests))
        return Generator(names, kinds, source, condition)

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
        if isinstance(node, ast.Tuple) and all(isinstance(e, ast.Name) for e in node.elts):
            return tuple(e.id for e in node.elts if isinstance(e, ast.Name))
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
        part, span = generators[0], self.source.span(node)
        same = isinstance(node.key, ast.Name) and node.key.id == part.names[0]
        key = all_of(part.source)
        other = isinstance(wanted, MapDomain) and wanted.key != key
        if len(generators) != 1 or part.condition is not None or not same or key is None or other:
            hint = "write {key: value for key in Domain}: a map has every key"
            raise self.source.unsupported(node, "this does not make a total map", hint)
        return Each(MapDomain(key, body.type), span, "map", generators, body)
