"""Parts of a configuration that are evaluated, and not compiled."""

from __future__ import annotations

from specmodel.design import Design
from specmodel.options import Options
from specmodel.tla.model import TlaModel
from specmodel.tla.symbolic.path import NotCompiled
from specmodel.tla.tlc_get import LEVEL

_WITHOUT_VIEW = (
    "compress", "fingerprint", "spill", "checkpoint", "resume", "coverage", "save_space",
)  # fmt: skip
"""The options that know nothing of a VIEW."""


def refuse_unfit(design: Design, options: Options | None = None, walks: bool = False) -> None:
    """Raises NotCompiled for parts of a configuration that only the evaluator follows.

    `options` are those of a check; None if something else is asked for. `walks` tell no states
    apart, and so follow a VIEW as well.
    """
    assert isinstance(design.spec, TlaModel)
    spec = design.spec.specification
    if spec.view is not None and not walks:
        what = LEVEL if spec.configuration.one("VIEW") is None else "VIEW"
        if options is None:
            raise NotCompiled(f"{what} is compiled for check and simulate alone")
        flags = [name for name in _WITHOUT_VIEW if getattr(options, name)]
        if flags:
            raise NotCompiled(f"{what} is not compiled with --{flags[0].replace('_', '-')}")
    only_search = options and not options.coverage and options.save_space is None
    if not only_search and spec.symmetry and any(claim.steps for claim in spec.claims):
        raise NotCompiled("step properties with SYMMETRY are not compiled for this")
    if spec.step_constraints:
        raise NotCompiled("ACTION_CONSTRAINT is not compiled")
    if not spec.actions:
        raise NotCompiled("there is no next-state action")
