"""Repeats a comparison in which compiled code and CPython differed.

    python -m specmodel.analysis.recheck FILE

A run that found a difference wrote the file. Exit codes: 4 the difference is still there, 0
compiled code and CPython agree about the state, 2 the file cannot be read.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from specmodel.behaviour.formulas import formulas, is_temporal, predicates
from specmodel.behaviour.orbits import interchangeable
from specmodel.design import Design
from specmodel.errors import SpecmodelError, UsageError
from specmodel.model.model import Rule
from specmodel.selfcheck.reference import Reference
from specmodel.selfcheck.run import Compiled, compare
from specmodel.suite.targets import load_target


def again(file: Path) -> str:
    """Compares the state of a file once more; says that they agree. Raises Disagreement."""
    try:
        recorded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        target, constants, words = recorded["design"], recorded["constants"], recorded["state"]
    except (OSError, ValueError, KeyError, TypeError) as wrong:
        raise UsageError(f"cannot read {file}: {wrong}") from None
    if target is None:
        raise UsageError(f"{file} is of a design that was not loaded from a file")
    design = load_target(target, constants)
    rules = design.chosen(recorded["properties"]) if recorded["properties"] else ()
    temporal = [rule for rule in rules if is_temporal(rule)]
    parts = predicates(formula for rule in temporal for formula in formulas(rule))
    reference = Reference(design.spec, [rule for rule in rules if rule not in temporal], parts)
    compiled = compiled_of(design, rules, reference, recorded)
    state = tuple(int(word, 16) for word in words)
    done = compare(design, reference, [compiled], 1, None, lambda wanted: [state], 0.0)
    return f"compiled code and CPython agree about this state and the {done.steps} steps from it"


def compiled_of(
    design: Design, rules: tuple[Rule, ...], reference: Reference, how: dict[str, Any]
) -> Compiled:
    """The compiled code that `how` describes, compiled again."""
    if how["code"] == "walks":
        from specmodel.engines.native.compiled_walks import CompiledWalks
        from specmodel.kernel.walking import WalkKernel

        return CompiledWalks(WalkKernel(design.spec, rules), reference.interpreter, how["engine"])
    if how["code"] == "graph":
        from specmodel.engines.native.compiled_graph import CompiledGraph
        from specmodel.kernel.graphs import GraphKernel

        kernel = GraphKernel(design.spec, reference.predicates)
        return CompiledGraph(kernel, reference.interpreter)
    if how["code"] == "formulas":
        from specmodel.engines.smt.self_check import CompiledFormulas
        from specmodel.smt.encoding import Encoding
        from specmodel.smt.logic import Logic
        from specmodel.smt.relation import Relation

        return CompiledFormulas(Encoding(Relation(design.spec), Logic()), reference, rules)
    from specmodel.engines.native.compiled_search import CompiledSearch
    from specmodel.kernel.kernel import Kernel

    symmetric = interchangeable(design, rules) if how["symmetry"] else ()
    kernel = Kernel(design.spec, rules, symmetric=symmetric, partial_order=how["partial_order"])
    return CompiledSearch(kernel, reference, how["engine"])


def main(arguments: list[str]) -> int:
    """Compares the state of the file that is the only argument."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m specmodel.analysis.recheck FILE\n")
        return UsageError.exit_code
    try:
        sys.stdout.write(again(Path(arguments[0])) + "\n")
    except SpecmodelError as wrong:
        sys.stderr.write(f"error: {wrong}\n")
        return wrong.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
