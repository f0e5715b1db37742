"""Writes the space of a search into a folder: its states, the steps between them, what they break.

It is done after the search, out of its tables: levels in order, states by number within them. A
state's parent is its least predecessor and the binding the first that leads from there, as in
traces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.design import Design
from specmodel.engines.native.again import ExpandedAgain, NumberedStates, PredicateFailure
from specmodel.engines.native.crew import Crew
from specmodel.engines.native.findings import Findings
from specmodel.engines.native.memory import Memory
from specmodel.engines.native.stores.identity import identity_of
from specmodel.errors import UsageError
from specmodel.kernel.context import FIRST_PROPERTY
from specmodel.kernel.graphs import GraphKernel
from specmodel.kernel.kernel import Kernel
from specmodel.lang.spec import Rule
from specmodel.liveness.formulas import invariants
from specmodel.liveness.graph import Bools, Places, Poll
from specmodel.results import DEADLOCK, Options, Result
from specmodel.space.files import NONE, STATES, TRANSITIONS, VIOLATIONS, RunFiles
from specmodel.space.manifest import Manifest, manifest_of
from specmodel.space.verdicts import write_verdicts
from specmodel.space.writing import Part

Steps = tuple[Places, Places, Places]
"""Sources, targets, bindings."""


@dataclass(frozen=True)
class BrokenStep:
    """A step that breaks a transition property: the state before it, its level, the binding."""

    rule: str
    words: tuple[int, ...]
    level: int
    binding: int


def open_saver(
    design: Design, options: Options, kernel: Kernel, deadlock: bool
) -> SpaceSaver | None:
    """What the options ask for; None if that is nothing. Raises UsageError, DamagedRun."""
    folder = options.save_space
    if folder is None:
        return None
    manifest = claimed(folder, design, options, kernel, deadlock, "native", 1)
    return SpaceSaver(folder, manifest, design, kernel, design.chosen(options.properties))


def claimed(
    folder: Path,
    design: Design,
    options: Options,
    kernel: Kernel,
    deadlock: bool,
    engine: str,
    shards: int,
) -> Manifest:
    """The manifest of a space that is going to be saved in a folder, which is there by then.

    Raises UsageError if that cannot be, or would take the place of something else; DamagedRun.
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
        deadlock=deadlock,
    )
    manifest.refuse_other(folder)
    return manifest


class SpaceSaver:
    """Saves the space of one search."""

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        design: Design,
        kernel: Kernel,
        rules: Sequence[Rule],
    ) -> None:
        self.files = RunFiles(folder)
        self.manifest = manifest
        self.labelled = invariants(rules)
        self.kernel = GraphKernel(design.spec, self.labelled, symmetric=kernel.symmetric)
        self.saved = 0
        self.actions = [binding.action for binding in manifest.bindings]

    def save(
        self,
        crew: Crew,
        levels: int,
        complete: bool,
        findings: Findings,
        memory: Memory,
        poll: Poll,
    ) -> None:
        """Writes the first `levels` levels, and the steps out of them; unless the search is
        `complete`, those out of the last are not known.

        Takes the place of what was there. Raises OSError, MemoryLimit and what `poll` does; the
        levels that are written by then count.
        """
        expanded = levels if complete else levels - 1
        broken = broken_steps(findings)
        self.files.clear()
        self.manifest.write(self.files.folder)
        states = NumberedStates(crew, self.manifest.words, levels, memory, poll)
        again = ExpandedAgain(self.kernel, states, memory, poll)
        try:
            truth = dict(zip((p.of for p in self.labelled), again.truth(), strict=True))
        except PredicateFailure:  # in a state behind the first that breaks the property
            truth = {}
        parents = np.full(states.size, NONE, np.int64)
        bound = np.full(states.size, NONE, np.int32)
        memory.taken(parents.nbytes + bound.nbytes)
        steps = again.steps(int(states.levels[expanded]))
        for level, out in enumerate(self._by_level(steps, states.levels, expanded)):
            degrees, record = self._transitions(level, states.levels, out, parents, bound)
            self._states(level, states, parents, bound)
            known = degrees if level < expanded else None
            found = self._violations(level, states, truth, known, broken)
            record["expanded"] = level < expanded
            self.files.commit(level, {**record, "violations": found})
            self.saved = level + 1

    def finish(self, result: Result) -> None:
        """Writes what the search came to. Raises OSError."""
        write_verdicts(self.files, result, self.saved)

    # The parts of a level

    def _by_level(
        self, steps: Iterator[Steps], ends: Places, expanded: int
    ) -> Iterator[Iterator[Steps]]:
        """The steps out of each level, as they come, by source and binding; none of the last."""
        ahead: list[Steps] = []

        def of_level(stop: int) -> Iterator[Steps]:
            while True:
                some = ahead.pop() if ahead else next(steps, None)
                if some is None:
                    return
                sources, targets, bindings = some
                inside = int(np.searchsorted(sources, stop))
                if inside:
                    yield sources[:inside], targets[:inside], bindings[:inside]
                if inside < len(sources):
                    ahead.append((sources[inside:], targets[inside:], bindings[inside:]))
                    return

        steps = map(_ordered, steps)
        for level in range(len(ends) - 1):
            yield of_level(int(ends[level + 1])) if level < expanded else iter(())

    def _transitions(
        self,
        level: int,
        ends: Places,
        steps: Iterator[Steps],
        parents: Places,
        bound: NDArray[np.int32],
    ) -> tuple[Places, dict[str, Any]]:
        """Writes the steps out of a level; gives how many each state has, and their account."""
        first, stop = int(ends[level]), int(ends[level + 1])
        degrees = np.zeros(stop - first, np.int64)
        fired: Counter[str] = Counter()
        with Part(self.files.part(TRANSITIONS, level, 0)) as part:
            for sources, targets, bindings in steps:
                part.add(
                    {"source": sources, "target": targets, "binding": bindings.astype(np.int32)}
                )
                degrees += np.bincount(sources - first, minlength=stop - first)
                counts = np.bincount(bindings, minlength=len(self.actions))
                for binding in np.flatnonzero(counts).tolist():
                    fired[self.actions[binding]] += int(counts[binding])
                # Of the states of the next level, the first step that leads to each counts.
                new = np.flatnonzero(targets >= stop)
                new = new[parents[targets[new]] == NONE][::-1]
                parents[targets[new]] = sources[new]
                bound[targets[new]] = bindings[new]
        return degrees, {
            "states": stop - first,
            "generated": part.rows,
            "actions": {action: fired[action] for action in self.manifest.actions},
        }

    def _states(
        self, level: int, states: NumberedStates, parents: Places, bound: NDArray[np.int32]
    ) -> None:
        first, stop = int(states.levels[level]), int(states.levels[level + 1])
        with Part(self.files.part(STATES, level, 0)) as part:
            words = states.columns[:, first:stop].view(np.int64)
            part.add(
                {
                    "id": np.arange(first, stop, dtype=np.int64),
                    **{f"w{word}": words[word] for word in range(states.words)},
                    "parent": parents[first:stop],
                    "binding": bound[first:stop],
                }
            )

    def _violations(
        self,
        level: int,
        states: NumberedStates,
        truth: Mapping[str, Bools],
        degrees: Places | None,
        broken: Sequence[BrokenStep],
    ) -> dict[str, int]:
        """Writes which states of a level break which property; gives how many do of each.

        `degrees` are None if it is not known what can happen in them.
        """
        first, stop = int(states.levels[level]), int(states.levels[level + 1])
        found: dict[str, tuple[Places, int]] = {
            name: (np.flatnonzero(~true[first:stop]) + first, NONE) for name, true in truth.items()
        }
        for step in broken:
            if step.level == level:
                mine = states.columns[:, first:stop]
                words = np.array(step.words, np.uint64)[:, None]
                found[step.rule] = np.flatnonzero((mine == words).all(0)) + first, step.binding
        if degrees is not None and DEADLOCK in self.manifest.numbers:
            found[DEADLOCK] = np.flatnonzero(degrees == 0) + first, NONE
        with Part(self.files.part(VIOLATIONS, level, 0)) as part:
            for name, (broke, binding) in found.items():
                if len(broke):
                    part.add(
                        {
                            "state": broke,
                            "property": np.full(len(broke), self.manifest.numbers[name], np.int32),
                            "binding": np.full(len(broke), binding, np.int32),
                        }
                    )
        return {name: len(broke) for name, (broke, _) in found.items() if len(broke)}


def broken_steps(findings: Findings) -> list[BrokenStep]:
    """The least step that breaks each transition property."""
    rules, found = findings.rules, list[BrokenStep]()
    for record, hit in findings.hits.items():
        rule = rules[record - FIRST_PROPERTY] if record >= FIRST_PROPERTY else None
        if rule is not None and rule.role == "transition":
            step = hit.finding
            found.append(BrokenStep(rule.name, step.words, hit.level, step.binding))
    return found


def _ordered(some: Steps) -> Steps:
    """Steps by source, then binding."""
    sources, targets, bindings = some
    order = np.lexsort((bindings, sources))
    return sources[order], targets[order], bindings[order]
