"""Saved spaces that several tests look at, and what the interpreter knows of the same designs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import specmodel
from specmodel.behaviour.steps import Interpreter
from specmodel.design import Design
from specmodel.traces.notation import Notation


@dataclass(frozen=True)
class Known:
    """All of a space by running the spec: states by level, and steps between their texts."""

    levels: list[list[Any]]
    steps: list[tuple[str, str, str]]

    @property
    def states(self) -> dict[str, int]:
        """The depth of each state."""
        return {text(s): depth for depth, level in enumerate(self.levels, 1) for s in level}


def text(state: Any) -> str:
    """A state in words; equal states have equal ones."""
    return Notation().value(state)


def known(design: Design) -> Known:
    """What the interpreter finds."""
    interpreter = Interpreter(design.spec)
    levels = [list({text(s): s for s in interpreter.initial()}.values())]
    seen = {text(s) for s in levels[0]}
    steps: list[tuple[str, str, str]] = []
    while levels[-1]:
        found: list[Any] = []
        for source in levels[-1]:
            for number, target in interpreter.successors(source):
                steps.append((text(source), str(interpreter.step(number)), text(target)))
                if text(target) not in seen:
                    seen.add(text(target))
                    found.append(target)
        levels.append(found)
    return Known(levels[:-1], steps)


def saved(folder: Path, target: str, **constants: Any) -> Design:
    """Save a whole space, past violations."""
    design = specmodel.load(target, **constants)
    result = specmodel.check(design, keep_going=True, save_space=folder)
    assert result.saved is not None
    return design


def actions(steps: list[tuple[str, str, str]]) -> Counter[str]:
    """How often each action is taken."""
    return Counter(step.partition("(")[0] for _, step, _ in steps)
