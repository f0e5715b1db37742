"""Ways through a saved space as traces, which the interpreter runs again, as all traces."""

from __future__ import annotations

from collections.abc import Sequence

from specmodel.behaviour.orbits import Orbits, least_index
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.domains.renaming import scalar_sets
from specmodel.ir.layout import Layout
from specmodel.results import Trace
from specmodel.space.run import SavedSpace
from specmodel.space.ways import SavedState


def trace_of(
    space: SavedSpace, design: Design, path: Sequence[SavedState], last: int | None = None
) -> Trace:
    """The trace through states, and then by one more binding.

    In a symmetric space it is a real behaviour through the orbits, and the last step is any step of
    the same action.
    """
    interpreter = Interpreter(design.spec)
    layout = Layout(design.spec.domain)
    states = [layout.unpack(state.words) for state in path]
    if not space.manifest.symmetry:
        return interpreter.behaviour(states, last)
    names = space.manifest.symmetry
    sets = [s for s in dict.fromkeys(scalar_sets(design.spec.domain)) if s.name in names]
    index = design.spec.domain.index
    orbits = Orbits(interpreter, lambda state: least_index(interpreter, sets, state))
    trace = orbits.behaviour(states[0], [index(state) for state in states[1:]])
    if last is None:
        return trace
    rule, _ = interpreter.bindings[last]
    goal = interpreter.successor(states[-1], last)
    return orbits.extended(trace, orbits.key_of(goal), rule)
