"""Writes the space of a search into a folder: its states, the steps between them, the violations.

The space is written after the search, from its tables: levels in order, states by number within
them. A state's parent is its least predecessor, and the binding is the first that leads from there,
as in traces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.behaviour.formulas import invariants
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.engines.base.findings import Findings
from specmodel.engines.native.loop.memory import Memory
from specmodel.engines.native.numbered_steps import NumberedStates, NumberedSteps, PredicateFailure
from specmodel.engines.native.worker_pool import WorkerPool
from specmodel.errors import UsageError
from specmodel.ir.layout import Layout
from specmodel.kernel.context import FIRST_PROPERTY
from specmodel.kernel.graphs import GraphKernel
from specmodel.kernel.kernel import Kernel
from specmodel.liveness.graph import Places, Poll
from specmodel.results import DEADLOCK, Options, Result
from specmodel.space.files import NONE, STATES, TRANSITIONS, VIOLATIONS, RunFiles
from specmodel.space.identity import identity_of
from specmodel.space.manifest import Manifest, manifest_of
from specmodel.space.verdicts import write_verdicts
from specmodel.space.writing import Part

Steps = tuple[Places, Places, Places]
"""Sources, targets, bindings."""
Broken = tuple[int, Places, int]
"""The number of a property, places of states that violate it, the binding that violates it."""


@dataclass(frozen=True)
class BrokenStep:
    """A step that violates a transition property (by its number in the space): the state before it,
    its level, the binding.
    """

    number: int
    words: tuple[int, ...]
    level: int
    binding: int


def claimed(
    folder: Path,
    design: Design,
    options: Options,
    kernel: Kernel,
    engine: str,
    shards: int,
) -> Manifest:
    """The manifest of a space that is going to be saved in a folder, which exists afterwards.

    Raises UsageError if the space cannot be saved there, or would replace other files; DamagedRun.
    """
    if options.partial_order or options.fingerprint:
        what = "--partial-order leaves out steps" if options.partial_order else ""
        what = what or "--fingerprint keeps no whole states"
        raise UsageError(f"{what}: a space is saved without it")
    manifest = manifest_of(
        design,
        identity_of(design, options, kernel),
        design.chosen(options.properties),
        engine,
        shards,
        steps=True,
        deadlock=design.spec.deadlock if options.deadlock is None else options.deadlock,
    )
    manifest.refuse_other(folder)
    return manifest


class SpaceSaver:
    """Saves the space of one search: `saved` of its `levels` whole levels are written."""

    def __init__(
        self,
        folder: Path,
        design: Design,
        options: Options,
        kernel: Kernel,
        engine: str,
        shards: int,
    ) -> None:
        """Compiles the kernel for the steps; creates the folder. Raises as `claimed` does."""
        self.manifest = claimed(folder, design, options, kernel, engine, shards)
        self.files = RunFiles(folder)
        self.design = design
        self.labelled = invariants(design.chosen(options.properties))
        self.kernel = GraphKernel(design.spec, self.labelled, symmetric=kernel.symmetric)
        self.saved = 0
        self.levels = 0

    @property
    def later(self) -> str:
        """The advice to a user if not all levels could be saved."""
        return ""

    def account(self, fired: Iterable[int], violations: Mapping[int, int]) -> dict[str, Any]:
        """The steps of a level by binding and its violations by property, for its record."""
        actions = dict.fromkeys(self.manifest.actions, 0)
        for binding, times in zip(self.manifest.bindings, fired, strict=False):
            actions[binding.action] += times
        names = [found.name for found in self.manifest.properties]
        return {
            "generated": sum(actions.values()),
            "actions": actions,
            "violations": {names[number]: states for number, states in violations.items()},
        }

    def finish(self, result: Result) -> None:
        """Writes the result of the search. Raises OSError."""
        write_verdicts(self.files, result, self.saved)


class TableSaver(SpaceSaver):
    """Saves a space from the tables of a search."""

    def save(
        self,
        worker_pool: WorkerPool,
        levels: int,
        complete: bool,
        findings: Findings,
        memory: Memory,
        poll: Poll,
    ) -> None:
        """Writes the first `levels` levels, and the steps out of them.

        Unless the search is `complete`, the steps out of the last level are not known. Replaces an
        earlier space. Raises OSError, MemoryLimit and the errors of `poll`; the levels written so
        far then count.
        """
        self.levels = levels
        expanded = levels if complete else levels - 1
        broken = broken_steps(findings, self.manifest.numbers)
        self.files.clear()
        self.manifest.write(self.files.folder)
        states = NumberedStates(worker_pool, self.manifest.words, levels, memory, poll)
        with closing(NumberedSteps(self.kernel, states, memory, poll)) as again:
            try:
                truth = dict(zip((p.of for p in self.labelled), again.truth(), strict=True))
            except PredicateFailure:  # the predicate fails in a state after the first violation
                truth = {}
            parents = np.full(states.size, NONE, np.int64)
            bound = np.full(states.size, NONE, np.int32)
            memory.taken(parents.nbytes + bound.nbytes)
            for level, (first, stop) in enumerate(pairwise(states.levels.tolist())):
                known = level < expanded
                degrees, fired = self._transitions(
                    level, again.steps(first, stop if known else first), first, stop, parents, bound
                )
                words = states.columns[:, first:stop]
                with Part(self.files.part(STATES, level, 0)) as part:
                    part.add(state_rows(first, words, parents[first:stop], bound[first:stop]))
                found = [
                    (self.manifest.numbers[name], np.flatnonzero(~true[first:stop]), NONE)
                    for name, true in truth.items()
                ]
                found += states_of(broken, level, words)
                if known and DEADLOCK in self.manifest.numbers:
                    dead = np.flatnonzero(degrees == 0)
                    found.append((self.manifest.numbers[DEADLOCK], dead, NONE))
                violations: dict[int, int] = {}
                with Part(self.files.part(VIOLATIONS, level, 0)) as part:
                    add_violations(part, first, found, violations)
                account = self.account(fired, violations)
                self.files.commit(level, {"states": stop - first, **account, "expanded": known})
                self.saved = level + 1

    def _transitions(
        self,
        level: int,
        steps: Iterable[Steps],
        first: int,
        stop: int,
        parents: Places,
        bound: NDArray[np.int32],
    ) -> tuple[Places, list[int]]:
        """Writes the steps out of the states of a level, from `first` to `stop`; returns how many
        each state has, and each binding.
        """
        degrees = np.zeros(stop - first, np.int64)
        fired = np.zeros(len(self.manifest.bindings), np.int64)
        with Part(self.files.part(TRANSITIONS, level, 0)) as part:
            for some in steps:
                sources, targets, bindings = _ordered(some)
                part.add(
                    {"source": sources, "target": targets, "binding": bindings.astype(np.int32)}
                )
                degrees += np.bincount(sources - first, minlength=stop - first)
                fired += np.bincount(bindings, minlength=len(fired))
                # Of the steps that lead to a state of the next level, the first one counts.
                new = np.flatnonzero(targets >= stop)
                new = new[parents[targets[new]] == NONE][::-1]
                parents[targets[new]] = sources[new]
                bound[targets[new]] = bindings[new]
        return degrees, fired.tolist()


def state_rows(
    first: int, words: NDArray[np.uint64], parents: Places, bindings: NDArray[np.int32]
) -> dict[str, Any]:
    """Packed states in columns as rows of a space, with ids from `first` on."""
    return {
        "id": np.arange(first, first + len(parents), dtype=np.int64),
        **{f"w{word}": column.view(np.int64) for word, column in enumerate(words)},
        "parent": parents,
        "binding": bindings,
    }


def add_violations(part: Part, first: int, found: Iterable[Broken], counts: dict[int, int]) -> None:
    """Writes which states violate which properties, and counts them; `first` is the first state's
    id.

    Raises OSError.
    """
    for number, places, binding in found:
        if len(places):
            part.add(
                {
                    "state": places + first,
                    "property": np.full(len(places), number, np.int32),
                    "binding": np.full(len(places), binding, np.int32),
                }
            )
            counts[number] = counts.get(number, 0) + len(places)


def states_of(
    broken: Iterable[BrokenStep], level: int, words: NDArray[np.uint64]
) -> Iterator[Broken]:
    """The places of the states, in columns of words, that the violating steps start from."""
    for step in broken:
        if step.level == level:
            same = (words == np.array(step.words, np.uint64)[:, None]).all(0)
            yield step.number, np.flatnonzero(same), step.binding


def broken_steps(findings: Findings, numbers: Mapping[str, int]) -> tuple[BrokenStep, ...]:
    """The least step that breaks each transition property, of these numbers; an initial state that
    breaks a refinement goes without a binding."""
    rules = dict(enumerate(findings.rules, FIRST_PROPERTY))
    pack = Layout(findings.interpreter.domain).pack
    begun = tuple(BrokenStep(numbers[n], words, 0, NONE) for n, words in findings.misbegun(pack))
    return begun + tuple(
        BrokenStep(numbers[rules[record].name], words, level, binding)
        for record, words, binding, level in findings.noted()
        if record in rules
        and rules[record].role == "transition"
        and rules[record].name not in findings.begun
    )


def _ordered(some: Steps) -> Steps:
    """Steps by source, then binding."""
    sources, targets, bindings = some
    order = np.lexsort((bindings, sources))
    return sources[order], targets[order], bindings[order]
