"""The manifest of the folder of saved walks.

    DIR/manifest.json       the plan of the walks; written first, and last with its files
    DIR/walks.parquet       each walk: its number, its length, how it ended
    DIR/coverage.parquet    how often each binding was taken
    DIR/actions.parquet     how often each action was taken
    DIR/depths.parquet      the number of walks of each length
    DIR/novelty.parquet     the number of distinct states the first n walks visited, for several n
    DIR/violations.parquet  the violated properties
    DIR/report.json         the result of the walks

The tables count once the manifest names them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from specmodel.dataclass import dataclass
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
"""The ways in which a walk ends, in the order of the codes of `specmodel.walks.totals`, from 1."""


@dataclass(frozen=True)
class WalkManifest(Identified):
    """The manifest of saved walks.

    `identity` describes the walks, by words that messages use; equal identities give equal walks.
    `walks` and `timeout` are the limits of the plan; `actions` are those of the spec, in order.
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
    """The file with the result of the walks."""
    return folder / "report.json"


def table_file(folder: Path, name: str) -> Path:
    """The file of a table."""
    return folder / f"{name}.parquet"


def manifest_of(
    design: Design, plan: WalkPlan, engine: str, rules: Sequence[Rule], deadlock: bool
) -> WalkManifest:
    """The manifest of the walks of a plan, which check `rules`, and deadlock if asked to."""
    try:
        model = digest(design.spec.code)
    except SpecError:  # the interpreter also walks through specs that cannot be compiled
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
