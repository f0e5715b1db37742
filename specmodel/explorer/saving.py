"""Saves a behaviour as a trace file, or as a test."""

from __future__ import annotations

from specmodel.design import Design
from specmodel.explorer.branch import Branch
from specmodel.explorer.reading import DesignReading
from specmodel.results import Trace
from specmodel.suite.catalog import catalog
from specmodel.traces.itf_write import itf_text, source_of
from specmodel.traces.notation import Notation


def saved(reading: DesignReading, branch: Branch, form: str) -> tuple[str, str]:
    """The name and the text of a file with a behaviour: a `test`, or else a trace.

    Raises UsageError if the design does not allow one of its steps.
    """
    trace = reading.tree.trace(branch)
    broken = _broken(reading, trace)
    design = reading.design
    if form == "test":
        return f"test_{design.name.replace('-', '_')}.py", _test(design, trace, broken)
    return f"{design.name}.itf.json", itf_text(design, trace, property_name=broken)


def _test(design: Design, trace: Trace, broken: str) -> str:
    """A pytest: the steps, and the property that is false at the end."""
    write = Notation()
    steps = "".join(f'        "{write.step(step)}",\n' for step in trace.steps)
    name = design.name.replace("-", "_")
    says = f"{broken} is false after these steps" if broken else "These steps can happen"
    options = [f'violates="{broken}"'] if broken else []
    options += [f"{key}={value!r}" for key, value in design.values.items()]
    ending = "".join(f"        {option},\n" for option in options)
    return (
        f'"""A behaviour of {design.name}, kept from the explorer."""\n\n'
        "from specmodel import assert_behaviour\n\n\n"
        f"def test_behaviour_of_{name}() -> None:\n"
        f'    """{says}."""\n'
        "    assert_behaviour(\n"
        f'        "{_target(design)}",\n'
        f"{steps}{ending}"
        "    )\n"
    )


def _target(design: Design) -> str:
    """The target in a test: the design's name, if that finds it, or else its file."""
    known = catalog().designs.get(design.name)
    found = known is not None and design.path is not None and known.path == design.path.resolve()
    return design.name if found else source_of(design)


def _broken(reading: DesignReading, trace: Trace) -> str:
    """The first property that is false at the end of a behaviour."""
    for rule in reading.rules:
        if rule.role != "reachable" and reading.rival.interpreter.found(rule, trace.states):
            return rule.name
    return ""
