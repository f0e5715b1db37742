"""Forms of statements, each an action of one spec: what compiled code makes of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from specmodel.engines import interpret, native
from specmodel.kernel.kernel import Kernel
from specmodel.results import Options
from tests.engines.outcomes import outcome
from tests.ir.test_symbolic import Graphs
from tests.kernel.backends import FAST
from tests.kernel.reference import Reference, mixed_states, reachable_states
from tests.written import design_of


def actions_of(forms: Sequence[str]) -> str:
    """An action of each form, over the state `s` with a parameter `n`."""
    lines: list[str] = []
    for number, form in enumerate(forms):
        body = "".join(f"\n    {line}" for line in form.splitlines())
        lines.append(f"\n@action\ndef form{number}(s: State, n: Node) -> None:{body}\n")
    names = ", ".join(f"form{number}" for number in range(len(forms)))
    lines.append(f"\nspec = Spec(state=State, init=start, actions=[{names}])\n")
    return "\n".join(lines)


def assert_agree(folder: Path, text: str, forms: Sequence[str], states: int = 60) -> None:
    """Asserts that the forms do as graphs, under the kernel and in searches what CPython does.

    Graphs and the kernel are asked for states from near the initial ones and from anywhere;
    searches start at the initial states and go two steps far.
    """
    design = design_of(folder, text + actions_of(forms))
    spec, draw = design.spec, random.Random(8)
    near = reachable_states(spec, states)
    anywhere = [spec.domain.at(draw.randrange(spec.domain.size)) for _ in range(states)]
    everywhere = [*near, *mixed_states(spec, near, states, draw), *anywhere]
    graphs = Graphs(spec)
    for state in everywhere[:: max(1, len(everywhere) // 60)]:
        graphs.compare(state)
    Reference(Kernel(spec, spec.properties, FAST)).compare(everywhere)
    wanted = outcome(interpret.check, design, Options(max_depth=2))
    for workers in (1, 2):
        found = outcome(native.check, design, Options(max_depth=2, workers=workers))
        assert found == wanted, workers
