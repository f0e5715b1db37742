"""A design as it is sent to other machines: the text of its sources, and how to load them.

The text is the one that was loaded here, even if the files have changed since. The receiver
compares the digest of the model.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from specmodel.behaviour.formulas import invariants
from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.domains import ScalarDomain
from specmodel.domains.found import Bound, found_places
from specmodel.domains.renaming import scalar_sets
from specmodel.errors import SpecmodelError, UsageError
from specmodel.ir.digest import digest
from specmodel.kernel.graphs import GraphKernel
from specmodel.kernel.kernel import Kernel
from specmodel.kernel.program import Program
from specmodel.lang.bounds import Load, given
from specmodel.lang.loading import load_module
from specmodel.lang.packages import modules_beside, own_name
from specmodel.model.model import Model, Rule
from specmodel.suite.targets import spec_of


class OtherModel(SpecmodelError):  # noqa: N818 - says what the sources turned out to be
    """The sources have another meaning here than on the machine that sent them."""


@dataclass(frozen=True)
class SentDesign:
    """The parts that a kernel is made of.

    `sources` are texts by their paths, `main` is the first that is run, with `bounds` for places
    that declare none.

    `rules` are the properties that the kernel checks, in their order, `symmetric` the names of the
    sets whose members are interchangeable; `model` is the digest of the result.
    """

    main: str
    spec: str
    sources: Mapping[str, str]
    constants: Mapping[str, Value]
    bounds: Mapping[str, Bound]
    name: str
    symmetry: bool
    rules: tuple[str, ...]
    symmetric: tuple[str, ...]
    partial_order: bool
    model: str

    def kernel(self) -> Kernel:
        """The kernel, compiled here unless it is in the cache. Raises OtherModel."""
        design = self.design()
        symmetric = self._symmetric(design.spec)
        kernel = Kernel(
            design.spec,
            self.chosen(design),
            symmetric=symmetric,
            partial_order=self.partial_order,
        )
        self.refuse_other(kernel.program)
        return kernel

    def graph_kernel(self, judged: bool) -> GraphKernel:
        """The kernel that gives the binding of each step, and, if `judged`, the truth of the
        invariants; compiled here unless it is in the cache. Raises OtherModel.
        """
        design = self.design()
        wanted = invariants(self.chosen(design)) if judged else []
        kernel = GraphKernel(design.spec, wanted, symmetric=self._symmetric(design.spec))
        self.refuse_other(kernel.program)
        return kernel

    def design(self) -> Design:
        """The design, run from a copy of its sources that only this process has."""
        with tempfile.TemporaryDirectory(prefix="specmodel-sources-") as folder:
            for name, text in self.sources.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            main = Path(folder) / self.main
            given(Load.of(main, self.constants, self.spec), self.bounds)
            loaded = load_module(main, self.constants)
            spec = loaded.spec(self.spec)
        return Design(self.name, spec, loaded.constants, symmetry=self.symmetry)

    def chosen(self, design: Design) -> list[Rule]:
        """The rules of this design with these names."""
        return [r for name in self.rules for r in design.spec.properties if r.name == name]

    def refuse_other(self, program: Program) -> None:
        """Raises OtherModel unless a program is of the model that was sent."""
        found = digest(program.model)
        if found != self.model:
            raise OtherModel(
                f"{self.spec} is another model on this machine ({found[:12]}, not "
                f"{self.model[:12]}): have the same specmodel and the same packages on all machines"
            )

    def _symmetric(self, spec: Model) -> list[Any]:
        sets = dict.fromkeys(s for s in scalar_sets(spec.domain) if s.symmetric)
        return [found for name in self.symmetric for found in sets if found.name == name]


def design_to_send(
    design: Design,
    rules: Sequence[Rule],
    program: Program,
    symmetric: Sequence[ScalarDomain] = (),
) -> SentDesign:
    """A design, ready to be sent. Raises UsageError for one that was not loaded from a file."""
    modules = _modules(design)
    found = [
        (path, key)
        for path, module in modules.items()
        for key, value in vars(module).items()
        if value is design.spec
    ]
    if not found:
        raise UsageError(
            f"{design.name} cannot be sent to other machines: it was not loaded from a file"
        )
    main, spec = found[0]
    return SentDesign(
        main=main,
        spec=spec,
        sources={path: _text(module) for path, module in modules.items()},
        constants=design.values,
        bounds={p.name: bound for p, bound in found_places(design.spec.domain)},
        name=design.name,
        symmetry=design.symmetry,
        rules=tuple(rule.name for rule in rules),
        symmetric=tuple(found.name for found in symmetric),
        partial_order=program.partial_order,
        model=digest(program.model),
    )


def files_of(design: Design) -> dict[str, str]:
    """The files of a design, by their paths in a sent design."""
    return {path: str(module.__file__) for path, module in _modules(design).items()}


def _modules(design: Design) -> dict[str, ModuleType]:
    """The modules of a design's private package that come from files, by their paths."""
    return {
        _path(name, module): module
        for name, module in modules_beside(spec_of(design.spec).init.__module__).items()
        if "." in name and getattr(module, "__file__", None)
    }


def _path(name: str, module: Any) -> str:
    parts = own_name(name).split(".")
    inside = hasattr(module, "__path__")
    return "/".join([*parts, "__init__"] if inside else parts) + ".py"


def _text(module: Any) -> str:
    source = module.__loader__.get_source(module.__name__)
    return source or ""
