"""A design as graphs: the effect of each binding and the value of each property, ready to emit.

A kernel in the cache needs no graphs, so symbolic execution is imported only when a kernel is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar

from specmodel.dataclass import dataclass
from specmodel.domains import ScalarDomain
from specmodel.errors import SpecError
from specmodel.ir import compile_progress
from specmodel.ir.digest import digest
from specmodel.ir.layout import Layout, leaves_of
from specmodel.ir.nodes import Lowered
from specmodel.kernel.context import ContextLayout
from specmodel.kernel.version import CODE
from specmodel.machine import objects
from specmodel.model.model import MOST_WRITTEN, Model, Rule, refuse_unrolled

if TYPE_CHECKING:
    from specmodel.ir.symbolic.effects import Effect, Judgement
    from specmodel.ir.symbolic.graph import Graph, Node
    from specmodel.ir.symbolic.replacing import LeafReplacement
    from specmodel.ir.symmetry.swaps import RenamingWalk


T = TypeVar("T")

MOST_UNROLLED = 1 << 12
"""The bindings of an action whose code is written for each of them; more are a loop."""


MOST_REPEATED = 2_000
"""The most nodes that are written for each binding of a TLA+ module, of all bindings: of transition
properties, and of effects that differ in constants alone. Others share code, which LLVM compiles
once, and which is slower: by a tenth for small effects."""


MOST_GUARDS = 30_000
"""The most nodes of guards that are written for each binding of a loop of a TLA+ module, of all
loops with the same sizes."""


@dataclass(frozen=True)
class BoundAction:
    """One binding of an action: its number, its action's number, and its guards and effect.

    An `early_failure` does not wait for all guards; a `late_failure` needs all guards to hold.
    `after` has the leaves of the successor; an unchanged leaf is the same node as before.

    A loop is `count` bindings from that number on. Its nodes depend on parameters, which are codes
    of as many values as `sizes` has; of the next binding, the last code is the next one.
    """

    number: int
    action: int
    guard: Node
    early_failure: Node
    late_failure: Node
    after: tuple[Node, ...]
    sizes: tuple[int, ...] = ()
    function: int = -1
    """The binding whose code makes its effect, if it is not its own, and its place there."""
    instance: int = 0

    @property
    def count(self) -> int:
        """How many bindings it is."""
        return prod(self.sizes)


class Program:
    """The graphs of a spec and some properties. Raises SpecError for what cannot be compiled.

    `bindings` are as the interpreter numbers them; so are `properties`, by their place in `chosen`.
    `walk` leads through all renamings of the `symmetric` sets, if they have any but the identity.
    With `partial_order`, a kernel leaves out steps where others are enough.
    """

    def __init__(
        self,
        spec: Model,
        chosen: Sequence[Rule],
        symmetric: Sequence[ScalarDomain] = (),
        partial_order: bool = False,
    ) -> None:
        self.spec = spec
        self.chosen = tuple(chosen)
        self.layout = Layout(spec.domain)
        self.model: Lowered = spec.code
        self.bindings: list[tuple[Rule, tuple[Any, ...]]] = [
            (rule, arguments) for rule in spec.rules for arguments in rule.bindings()
        ]
        self.symmetric = tuple(symmetric)
        self.walk = self._walk(symmetric) if symmetric else None
        self.partial_order = partial_order
        self.context = ContextLayout(len(spec.rules), len(self.chosen), self.layout.words)

    def compiled(
        self,
        what: str,
        texts: Callable[[], Iterable[str]],
        target: objects.Target | None = None,
    ) -> objects.LoadedCode:
        """Code made of modules, for this machine unless another target is given; or cached code.

        `what` distinguishes it from other code of the same model and properties.
        """
        names, sets = (",".join(one.name for one in of) for of in (self.chosen, self.symmetric))
        limits = f"{MOST_UNROLLED} {MOST_REPEATED} {MOST_GUARDS}"
        how = f"symmetric {sets} partial order {self.partial_order} {limits}"
        key = f"{digest(self.model)} {names} {what} {how} {CODE}"
        made_for = target or objects.host()

        def modules() -> Iterator[objects.Module]:
            from specmodel.kernel.parts import parts  # not needed if the code is in the cache

            yield lambda: parts(self.layout.words, made_for)
            yield from texts()

        return objects.load(made_for, key, modules)

    @cached_property
    def graph(self) -> Graph:
        """The graph of all expressions."""
        from specmodel.ir.symbolic.graph import Graph

        return self.model.graph or Graph()

    @cached_property
    def leaves(self) -> list[Node]:
        """The leaves of the state, as nodes."""
        return [self.graph.leaf(i, leaf.size - 1) for i, leaf in enumerate(self.layout.leaves)]

    def moves(self, loops: bool = False) -> Iterator[BoundAction]:
        """Every binding that its constants alone do not disable, one after the other.

        With `loops`, many bindings of an action are one. Raises SpecError if there are too many
        without.
        """
        number = 0
        for action, rule in enumerate(self.spec.rules):
            for sizes, effect in self.by_bindings(rule, self._effect, loops):
                move = replace(self._move(number, action, effect), sizes=sizes)
                number += move.count
                no = self.graph.false
                if sizes or move.guard is not no or move.early_failure is not no:
                    yield move

    def by_bindings(
        self, rule: Rule, made: Callable[[Rule, Sequence[Any]], T], loops: bool = True
    ) -> Iterator[tuple[tuple[int, ...], T]]:
        """The compiled form of an action: one for each binding, or one loop with parameters.

        The sizes of the parameters come first. Raises SpecError if there are too many bindings
        without a loop.
        """
        graphed = self.model.actions[rule.name].graphed
        if loops and graphed is not None:
            for sizes, arguments in graphed.loops():
                yield sizes, made(rule, arguments)
            return
        count = prod(domain.size for domain in rule.parameters.values())
        if loops and (found := self._loop(rule, made, count)) is not None:
            yield found
            return
        refuse_unrolled(rule, count)
        for number, arguments in enumerate(rule.bindings(), 1):
            compile_progress.at(f"{rule.label(arguments)}, binding {number:,} of {count:,}")
            yield (), made(rule, arguments)

    def _loop(
        self, rule: Rule, made: Callable[[Rule, Sequence[Any]], T], count: int
    ) -> tuple[tuple[int, ...], T] | None:
        """A loop over the bindings of an action, if they are many, and codes in their order."""
        from specmodel.ir.symbolic.algebra import Algebra

        domains = rule.parameters.values()
        sizes = tuple(leaf.size for domain in domains for leaf in leaves_of(domain))
        if count <= MOST_UNROLLED or prod(sizes) != count:
            return None
        compile_progress.at(f"{rule.name}, {count:,} bindings")
        codes = iter([self.graph.parameter(i, size - 1) for i, size in enumerate(sizes)])
        algebra = Algebra(self.graph)
        try:
            return sizes, made(rule, [algebra.unpacked(domain, codes) for domain in domains])
        except SpecError:
            if count > MOST_WRITTEN:
                raise
            return None  # such as a range over a parameter, which has to be known

    def _effect(self, rule: Rule, arguments: Sequence[Any]) -> Effect:
        from specmodel.ir.symbolic.execute import run_action

        function = self.model.actions[rule.name]
        return run_action(self.model, self.graph, function, self.leaves, arguments)

    def _move(self, number: int, action: int, effect: Effect) -> BoundAction:
        graph, guards = self.graph, len(effect.guards)
        early = graph.either(*(f.node for f in effect.failures if f.guards < guards))
        late = graph.either(*(f.node for f in effect.failures if f.guards == guards))
        guard = graph.both(*(g.node for g in effect.guards))
        return BoundAction(number, action, guard, early, late, effect.leaves)

    def judged(self, role: str) -> list[tuple[int, Judgement]]:
        """The chosen state properties of a role, by their number."""
        return [
            (i, self._property(rule)) for i, rule in enumerate(self.chosen) if rule.role == role
        ]

    def stepped(self, after: Sequence[Node]) -> list[tuple[int, Judgement]]:
        """The chosen transition properties of a step to given leaves."""
        return [
            (i, self._run(self.model.properties[rule.name][1], [self.leaves, after]))
            for i, rule in enumerate(self.chosen)
            if rule.role == "transition"
        ]

    @cached_property
    def any_step(self) -> list[tuple[int, Judgement]]:
        """The chosen transition properties of any step, for code that all bindings call.

        The leaves of the second state are numbered after those of the first. There are none if code
        for each binding is short, or if the properties are those of a spec in Python, whose code is
        short for most bindings.
        """
        if self.model.graph is None or not any(r.role == "transition" for r in self.chosen):
            return []
        from specmodel.ir.symbolic.traversal import dependencies

        first = len(self.leaves)
        after = [self.graph.leaf(first + i, leaf.high) for i, leaf in enumerate(self.leaves)]
        found = self.stepped(after)
        nodes = [node for _, j in found for node in (j.node, *(f.node for f in j.failures))]
        size = sum(1 for _ in dependencies(nodes))
        return found if size * len(self.bindings) > MOST_REPEATED else []

    @cached_property
    def orbit(self) -> Sequence[Sequence[Node]]:
        """What each permutation makes of the leaves of a second state: see `Lowered`."""
        return self.model.orbit() if self.model.orbit is not None else ()

    def least(self, after: Sequence[Node]) -> Sequence[Node]:
        """The leaves of the least state of the orbit of a state, if states stand for orbits."""
        if not self.orbit:
            return after
        from specmodel.ir.symbolic.order import least_leaves

        flat, width = self._renamed.by(after), len(after)
        orbit = [flat[at : at + width] for at in range(0, len(flat), width)]
        return least_leaves(self.graph, [after, *orbit], self.layout)

    @cached_property
    def _renamed(self) -> LeafReplacement:
        from specmodel.ir.symbolic.replacing import LeafReplacement

        nodes = [node for renamed in self.orbit for node in renamed]
        return LeafReplacement(self.graph, nodes, self.leaves)

    def bounds(self) -> list[Judgement]:
        """The state constraints."""
        return [self._run(f, [self.leaves]) for f in self.model.constraints.values()]

    def _property(self, rule: Rule) -> Judgement:
        compile_progress.at(rule.name)
        return self._run(self.model.properties[rule.name][1], [self.leaves])

    def _run(self, function: Any, states: Sequence[Sequence[Node]]) -> Judgement:
        from specmodel.ir.symbolic.execute import run_property

        return run_property(self.model, self.graph, function, states)

    def _walk(self, symmetric: Sequence[ScalarDomain]) -> RenamingWalk | None:
        from specmodel.ir.symmetry.swaps import RenamingWalk

        walk = RenamingWalk.over(self.layout, symmetric)
        return walk if walk.steps else None
