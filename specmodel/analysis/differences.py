"""The differences between the actions of designs: by kind, in their guards and effects."""

from __future__ import annotations

from collections.abc import Sequence

from specmodel.behaviour.steps import Interpreter
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.errors import Span
from specmodel.ir.guards import Site
from specmodel.model.model import Rule


@dataclass(frozen=True)
class Version:
    """A design's action of some kind.

    `guards` are all of its guards, `own` those that some compared design does not have for the
    kind.
    """

    action: str
    summary: str
    span: Span | None
    guards: tuple[Site, ...]
    own: tuple[Site, ...]


@dataclass(frozen=True)
class ActionDifference:
    """A kind of action with its versions, a tuple for each design; empty for a design without it.

    `alike`: all designs have the same actions of the kind, whatever their names are.
    """

    kind: str
    versions: tuple[tuple[Version, ...], ...]
    alike: bool


def differences(designs: Sequence[Design]) -> tuple[ActionDifference, ...]:
    """The kinds of action of some designs, in the order of their first occurrence.

    Raises SpecError for a spec that cannot be lowered.
    """
    readers = [Interpreter.of(design.spec) for design in designs]
    kinds = dict.fromkeys(
        design.spec.kind_of(rule) for design in designs for rule in design.spec.rules
    )
    return tuple(_difference(kind, designs, readers) for kind in kinds)


def _difference(
    kind: str, designs: Sequence[Design], readers: Sequence[Interpreter]
) -> ActionDifference:
    rules = [[r for r in design.spec.rules if design.spec.kind_of(r) == kind] for design in designs]
    pairs = list(zip(rules, readers, strict=True))
    prints = {tuple(reader.digest(r) for r in of) for of, reader in pairs}
    texts = [{site.text for r in of for site in reader.sites(r)} for of, reader in pairs]
    common = set[str].intersection(*texts)
    versions = tuple(tuple(_version(r, reader, common) for r in of) for of, reader in pairs)
    return ActionDifference(kind, versions, len(prints) == 1)


def _version(rule: Rule, reader: Interpreter, common: set[str]) -> Version:
    sites = tuple({site.text: site for site in reader.sites(rule)}.values())
    own = tuple(site for site in sites if site.text not in common)
    return Version(rule.name, rule.summary, rule.span, sites, own)
