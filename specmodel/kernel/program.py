"""A design as graphs: the effect of each binding and the value of each property, ready to emit.

A kernel in the cache needs no graphs, so symbolic execution is imported only when a kernel is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from specmodel.domains import ScalarDomain
from specmodel.ir import compile_progress
from specmodel.ir.digest import digest
from specmodel.ir.layout import Layout
from specmodel.ir.nodes import Lowered
from specmodel.kernel.context import ContextLayout
from specmodel.kernel.version import CODE
from specmodel.machine import objects
from specmodel.model.model import Model, Rule

if TYPE_CHECKING:
    from specmodel.ir.symbolic.execute import Effect, Judgement
    from specmodel.ir.symbolic.graph import Graph, Node
    from specmodel.ir.symmetry.swaps import RenamingWalk


@dataclass(frozen=True)
class BoundAction:
    """One binding of an action: its number, its action's number, and its guards and effect.

    An `early_failure` does not wait for all guards; a `late_failure` needs all guards to hold.
    `after` has the leaves of the successor; an unchanged leaf is the same node as before.
    """

    number: int
    action: int
    guard: Node
    early_failure: Node
    late_failure: Node
    after: tuple[Node, ...]


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
        how = f"symmetric {sets} partial order {self.partial_order}"
        key = f"{digest(self.model)} {names} {what} {how} {CODE}"
        return objects.load(target or objects.host(), key, texts)

    @cached_property
    def graph(self) -> Graph:
        """The graph of all expressions."""
        from specmodel.ir.symbolic.graph import Graph

        return Graph()

    @cached_property
    def leaves(self) -> list[Node]:
        """The leaves of the state, as nodes."""
        return [self.graph.leaf(i, leaf.size - 1) for i, leaf in enumerate(self.layout.leaves)]

    def moves(self) -> Iterator[BoundAction]:
        """Every binding that its constants alone do not disable, one after the other."""
        from specmodel.ir.symbolic.execute import run_action

        numbers = {rule.name: i for i, rule in enumerate(self.spec.rules)}
        for number, (rule, arguments) in enumerate(self.bindings):
            function = self.model.actions[rule.name]
            compile_progress.at(
                f"{rule.label(arguments)}, binding {number + 1:,} of {len(self.bindings):,}"
            )
            effect = run_action(self.model, self.graph, function, self.leaves, arguments)
            move = self._move(number, numbers[rule.name], effect)
            if move.guard is not self.graph.false or move.early_failure is not self.graph.false:
                yield move

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
