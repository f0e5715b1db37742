"""What saved walks are of: the manifest of their folder.

    DIR/manifest.json       what was walked, and how; written first, and last with its files
    DIR/walks.parquet       each walk: its number, how long it was, how it ended
    DIR/coverage.parquet    how often each binding was taken
    DIR/actions.parquet     how often each action was
    DIR/depths.parquet      how many walks were how long
    DIR/novelty.parquet     what was known of the space after how many walks
    DIR/violations.parquet  what was violated
    DIR/report.json         what the walks came to

The tables count once the manifest names them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from specmodel.design import Design
from specmodel.errors import SpecError
from specmodel.ir.digest import digest
from specmodel.model.model import Rule
from specmodel.space.manifest import (
    WALKS,
    Binding,
    Identified,
    Property,
    bindings_of,
    properties_of,
)
from specmodel.walks.plan import WalkPlan

TABLES = ("walks", "coverage", "actions", "depths", "novelty", "violations")

ENDS = ("depth", "no successor", "no weight", "constraint", "violation")
"""How a walk ends, in the order of the codes in `specmodel.walks.totals`, which begin with 1."""


@dataclass(frozen=True)
class WalkManifest(Identified):
    """The manifest of saved walks.

    `identity` says what was walked, by words that messages use; the same identity gives the same
    walks. `walks` and `timeout` say when the walks were to end; `actions` are those of the spec, in
    order.
    """

    kind = WALKS
    what = "walks"
    missing = "saved walks"
    another = "other walks"
    unlike = "a state space, and no walks"
    same = ()

    walks: int | None
    timeout: float | None
    actions: Sequence[str]
    bindings: tuple[Binding, ...]
    properties: tuple[Property, ...]


def report_file(folder: Path) -> Path:
    """The file that says what the walks came to."""
    return folder / "report.json"


def table_file(folder: Path, name: str) -> Path:
    """The file of a table."""
    return folder / f"{name}.parquet"


def manifest_of(
    design: Design, plan: WalkPlan, engine: str, rules: Sequence[Rule], deadlock: bool
) -> WalkManifest:
    """The manifest of the walks of a plan, which look at `rules`, and with `deadlock` at that."""
    try:
        model = digest(design.spec.code)
    except SpecError:  # the interpreter walks through what cannot be compiled as well
        model = ""
    properties = properties_of(rules, deadlock)
    actions = tuple(rule.name for rule in design.spec.rules)
    weights = dict(zip(actions, plan.weights_of(design), strict=True))
    return WalkManifest(
        engine=engine,
        identity={
            "design": design.name,
            "constants": design.values,
            "properties": [found.name for found in properties],
            "strategy": str(plan.strategy),
            "seed": plan.seed,
            "depth": plan.depth,
            "order": plan.order if plan.changes else None,
            "weights": weights if plan.strategy == "weighted" else None,
            "model": model,
        },
        walks=plan.most_walks,
        timeout=plan.timeout,
        actions=actions,
        bindings=bindings_of(design),
        properties=properties,
    )
