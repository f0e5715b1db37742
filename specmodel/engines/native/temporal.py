"""Temporal properties on the states of a finished search."""

from __future__ import annotations

from collections.abc import Sequence

from specmodel.design import Design
from specmodel.engines.interpret.failures import failure_after
from specmodel.engines.interpret.steps import Interpreter
from specmodel.engines.native.again import NumberedStates, PredicateFailure
from specmodel.engines.native.crew import Crew
from specmodel.engines.native.graph import GraphBuilder
from specmodel.engines.native.memory import Memory
from specmodel.engines.native.self_check import SearchChecker
from specmodel.lang.spec import Rule
from specmodel.liveness.graph import Poll
from specmodel.liveness.verdicts import verdicts
from specmodel.results import PropertyResult, SpecFailure


def judged(
    design: Design,
    rules: Sequence[Rule],
    crew: Crew,
    depth: int,
    memory: Memory,
    poll: Poll,
    checker: SearchChecker | None = None,
) -> dict[str, PropertyResult]:
    """The results of temporal properties by name, after a complete search of `depth` levels.

    `checker` is told of states in which each part of a property is true, and false.

    Raises SpecFailure, with a trace, where a property fails; MemoryLimit; what `poll` does.
    """
    interpreter = Interpreter(design.spec)
    builder = GraphBuilder(design.spec, rules, memory, poll)
    layout = builder.kernel.program.layout
    if checker is not None:
        checker.look_at_graph(builder.kernel)
    states = NumberedStates(crew, layout.words, depth, memory, poll)
    if states.size != crew.distinct:
        raise AssertionError(f"of {crew.distinct} states only {states.size} are in the table")
    try:
        graph = builder.build(states)
    except PredicateFailure as failed:
        if checker is not None:
            checker.look_at(failed.finding.words)
        path = crew.path(failed.finding.words, failed.level)
        trace = interpreter.behaviour([layout.unpack(words) for words in path])
        part = builder.wanted[failed.finding.binding]
        try:
            interpreter.holds(part.rule, trace.states[-1], *part.arguments)
        except SpecFailure as failure:
            raise failure_after(trace, failure) from None
        raise AssertionError(f"only the kernel fails in {part.rule.name}") from None
    if checker is not None and graph.size:
        for truth in graph.truth.values():
            for places in (truth.argmax(), truth.argmin()):  # the first true one, the first false
                checker.look_at(states[int(places)])
    return verdicts(graph, rules, interpreter, lambda n: layout.unpack(states[n]), poll)
