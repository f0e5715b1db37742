"""Explains a failed case: where the design differs from its earlier version."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

from specmodel.analysis import checking
from specmodel.analysis.recording import recording_of
from specmodel.analysis.rival import Replayed, replay
from specmodel.analysis.trace_files import load_at
from specmodel.design import Design
from specmodel.errors import SpecmodelError
from specmodel.regression.expectations import Mismatch
from specmodel.regression.first_difference import FirstDifference, comparable, first_parting
from specmodel.results import Result, Step, Trace
from specmodel.traces.notation import Notation
from specmodel.traces.sentences import Sentences
from specmodel.views.replay_sentences import ReplaySentences, placed

MOST_STATES_OF_REFERENCE = 2_000_000
"""The greatest number of states searched for a counterexample of the earlier version."""


def account(
    design: Design, result: Result, wrong: Sequence[Mismatch], reference: Path
) -> tuple[str, ...]:
    """The first differing step between a design that failed and the reference, if it is found.

    An unexpected counterexample is replayed on the reference. A missing one is searched for in the
    reference and replayed here. If neither shows a difference, both designs are walked together.
    """
    try:
        before = load_at(str(reference), design.values)
        return tuple(_account_lines(design, result, wrong, before, f"{reference}"))
    except SpecmodelError as failure:
        return (f"not compared with {reference}: {str(failure).splitlines()[0]}",)


def counterexample(design: Design, trace: Trace) -> tuple[str, ...]:
    """The steps of a trace, one on each line, numbered by the state that each leads to."""
    write = Notation.of_spec(design.spec).step
    width = len(str(trace.length))
    return tuple(
        f"{number:>{width}}. {write(step)}" for number, step in enumerate(trace.steps, start=2)
    )


def _account_lines(
    design: Design, result: Result, wrong: Sequence[Mismatch], before: Design, where: str
) -> Iterator[str]:
    names = [mismatch.property for mismatch in wrong if mismatch.property]
    for here, name in itertools.product((True, False), names):
        of, onto = (design, before) if here else (before, design)
        trace = result[name].counterexample if here else _missed(name, before)
        if trace is None:
            continue
        replayed = replay(recording_of(of, trace, name), onto)
        if replayed.blocked is not None or replayed.parting is not None:
            whose = f", on the design of {where}" if here else f" of {where}, on this design"
            yield f"the counterexample to {name}{whose},"
            yield from _of_replay(replayed)
            return
    if not comparable(design, before):
        yield f"the variables are not those of {where}"
        return
    parting = first_parting(design, before)
    if parting is None:
        yield f"no step found that differs from those of {where}"
    else:
        yield from _of_parting(parting, design, before, where)


def _missed(name: str, before: Design) -> Trace | None:
    """The counterexample of the reference to a property."""
    if name not in {rule.name for rule in before.spec.properties}:
        return None
    result = checking.check(
        before, properties=[name], max_states=MOST_STATES_OF_REFERENCE, workers=1
    )
    return result[name].counterexample


def _of_replay(replayed: Replayed) -> Iterator[str]:
    sentences = ReplaySentences(replayed)
    yield f"  {sentences.headline()}"
    for depth, text in sentences.details():
        yield f"{'  ' * (depth + 2)}{text}"


def _of_parting(
    parting: FirstDifference, design: Design, before: Design, where: str
) -> Iterator[str]:
    write = Notation.of_spec(design.spec)
    after = _after(parting.steps, write)
    if parting.step is None:
        what = "a state" if parting.steps else "an initial state"
        new = parting.kind == "new"
        yield f"first difference with {where}: {what} is {'explored' if new else 'lost'}{after}"
        return
    step = write.step(parting.step)
    if parting.kind == "elsewhere":
        yield f"first difference with {where}: {step} leads elsewhere{after}"
        for change in parting.differences:
            was, now = write.value(change.before), write.value(change.after)
            yield f"  {change.path} is now {now}, was {was}"
        return
    can = "can happen, and could not" if parting.kind == "new" else "cannot happen any more"
    yield f"first difference with {where}: {step} {can}{after}"
    asked = before if parting.kind == "new" else design
    if parting.guarded is None:
        yield f"  {asked.path} has no such step"
        return
    sentences = Sentences(Notation.of_spec(asked.spec))
    for guard in parting.guarded.false:
        yield f"  {sentences.why(guard.why)}"
        yield f"    requires {guard.why.text}{placed(guard.via, guard.why.span)}"


def _after(steps: Sequence[Step], write: Notation) -> str:
    if not steps:
        return ", in an initial state"
    return f", as step {len(steps) + 1}, after {', '.join(map(write.step, steps))}"
