"""The interface of an engine, and its capabilities. A registry lists a value for each engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from importlib import import_module
from typing import TYPE_CHECKING

from specmodel.dataclass import dataclass
from specmodel.errors import UsageError
from specmodel.options import DEFAULT_ENGINE, Options, described

if TYPE_CHECKING:
    from specmodel.design import Design
    from specmodel.model.model import Rule
    from specmodel.results import Result
    from specmodel.walks.plan import WalkPlan
    from specmodel.walks.totals import Walker


@dataclass(frozen=True)
class Engine:
    """An engine: a package, imported when it is first used, and its capabilities.

    The package has a function `check(design, options) -> Result`, which reports the least
    counterexample (see `findings`). If `walks`, it also has a module `walking` with `walker(design,
    rules, plan, ends) -> Walker`.

    `options` names the options of a check that the engine has. Any other option is refused with its
    text in `refusals`, in which `{option}` stands for its flag. `no_temporal` is the refusal of
    temporal properties by an engine that decides none; `{names}` stands for their names. `counts`:
    its results say how many states there are. `cluster`: it runs many checks as tasks of a cluster.
    `shortens` is the greatest number of states of a search for a shorter trace; with 0 the default
    engine searches. `packages` are those that pip installs with the extra of the engine's name, and
    `use` is their purpose.
    """

    name: str
    package: str
    options: frozenset[str]
    refusals: Mapping[str, str] = field(default_factory=dict[str, str])
    no_temporal: str = ""
    counts: bool = True
    walks: bool = True
    cluster: bool = False
    shortens: int = 0
    packages: tuple[str, ...] = ()
    use: str = ""

    def check(self, design: Design, options: Options) -> Result:
        """Explores a design within the options.

        Raises UsageError for an option or property that the engine does not support, and
        SpecFailure, with a trace, where the spec fails.
        """
        from specmodel.engines.base.bounds import within_bounds  # --help does without
        from specmodel.model.model import Interpreted

        if isinstance(design.spec, Interpreted):
            return design.spec.search(design, replace(options, engine=self.name))

        return within_bounds(design, options, lambda limited: self.searched(design, limited))

    def searched(self, design: Design, options: Options) -> Result:
        """As `check`; raises BoundExceeded for a value beyond the bounds that were found so far."""
        from specmodel.behaviour.formulas import is_temporal  # --help does without

        self.refuse_lacking(options)
        temporal = [rule.name for rule in design.chosen(options.properties) if is_temporal(rule)]
        if temporal and self.no_temporal:
            raise UsageError(self.no_temporal.format(names=", ".join(temporal)))
        return import_module(self.package).check(design, options)

    def refuse_lacking(self, options: Options) -> None:
        """Raises UsageError for an option that the engine does not have."""
        for name in described():
            given = getattr(options, name) not in (None, False, getattr(_NO_OPTIONS, name))
            if given and name not in self.options:
                refusal = self.refusals.get(name, f"the {self.name} engine has no {{option}}")
                raise UsageError(refusal.format(option=f"--{name.replace('_', '-')}"))

    def walker(
        self, design: Design, rules: Sequence[Rule], plan: WalkPlan, ends: frozenset[int]
    ) -> Walker:
        """A walker that makes random walks, checks `rules`, and ends a walk at the findings `ends`.

        Raises UsageError if the engine makes no walks.
        """
        if not self.walks:
            raise UsageError(f"the {self.name} engine makes no random walks: use {DEFAULT_ENGINE}")
        return import_module(f"{self.package}.walking").walker(design, rules, plan, ends)


_NO_OPTIONS = Options()


def options_but(*lacking: str) -> frozenset[str]:
    """The names of all options of a check, except some."""
    return frozenset(described()) - {*lacking}
