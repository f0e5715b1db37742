"""What `specmodel show` says of a TLA+ module: its constants, and the types of its variables."""

from __future__ import annotations

from collections.abc import Sequence

from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.ir.layout import Layout, leaves_of
from specmodel.options import Options
from specmodel.tla.checking import beginning
from specmodel.tla.constants import constants_of
from specmodel.tla.model import TlaModel
from specmodel.tla.recursion import deep_stack, deeply
from specmodel.tla.symbolic.model import CompiledModel, compiled_model
from specmodel.tla.symbolic.notation import type_text
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.symbolic.sampling import TypeFinder
from specmodel.tla.symbolic.unfit import refuse_unfit
from specmodel.tla.values import text_of


@dataclass(frozen=True)
class ModuleVariable:
    """A variable, the type of its values so far, and its bits in a compiled state."""

    name: str
    type: str
    bits: int | None


@dataclass(frozen=True)
class ModuleOverview:
    """A module with its configuration, as far as a sample of its states shows it.

    `constants` are names and values. `steps` has the number of possible steps of each action in
    compiled code, None if the module is evaluated: `evaluated` says why then. `states` is the size
    of the sample, `complete` whether these are all states.
    """

    constants: tuple[tuple[str, str], ...]
    variables: tuple[ModuleVariable, ...]
    words: int | None
    steps: tuple[tuple[str, int | None], ...]
    states: int
    complete: bool
    evaluated: NotCompiled | None


def overview_of(design: Design) -> ModuleOverview:
    """The overview of a module. Raises SpecFailure where an expression has no value."""
    assert isinstance(design.spec, TlaModel)
    spec = design.spec.specification
    first = beginning(design)
    with deep_stack():
        complete = not first.run().stopped
    states = [state for state, _ in first.seen.values()]
    finder = TypeFinder(spec)
    initial = list(deeply(lambda: list(first.initial_states())))
    finder.take([*initial, *states])
    model: CompiledModel | None = None
    why: NotCompiled | None = None
    try:
        refuse_unfit(design, Options())
        model = deeply(lambda: compiled_model(finder, initial))
    except NotCompiled as wrong:
        why = wrong
    places = zip(spec.variables, finder.types, _bits(model, len(spec.variables)), strict=True)
    counts = dict(model.binding_counts) if model else {}
    names = [rule.name for rule in design.spec.rules]
    return ModuleOverview(
        tuple((name, text_of(value)) for name, value in constants_of(spec.resolver).items()),
        tuple(ModuleVariable(name, type_text(held), bits) for name, held, bits in places),
        Layout(model.domain).words if model else None,
        tuple((name, counts.get(name)) for name in names),
        len(states),
        complete,
        why,
    )


def _bits(model: CompiledModel | None, count: int) -> Sequence[int | None]:
    """The bits of each variable in a state of compiled code."""
    if model is None:
        return [None] * count
    fields = model.domain.fields.values()
    return [sum(leaf.bits for leaf in leaves_of(domain)) for domain in fields]
