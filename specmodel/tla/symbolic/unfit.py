"""Parts of a configuration that are evaluated, and not compiled."""

from __future__ import annotations

from specmodel.design import Design
from specmodel.tla.model import TlaModel
from specmodel.tla.symbolic.path import NotCompiled


def refuse_unfit(design: Design, only_search: bool = False) -> None:
    """Raises NotCompiled for parts of a configuration that only the evaluator follows.

    With `only_search`, nothing is asked for but verdicts and numbers of states.
    """
    assert isinstance(design.spec, TlaModel)
    spec = design.spec.specification
    if spec.view is not None:
        raise NotCompiled("VIEW is not compiled")
    if not only_search and spec.symmetry and any(claim.steps for claim in spec.claims):
        raise NotCompiled("step properties with SYMMETRY are not compiled for this")
    if spec.step_constraints:
        raise NotCompiled("ACTION_CONSTRAINT is not compiled")
    if not spec.actions:
        raise NotCompiled("there is no next-state action")
