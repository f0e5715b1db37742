"""A behaviour to be kept: as a trace file, or as a test."""

from __future__ import annotations

from specmodel.design import Design
from specmodel.explorer.branch import Branch
from specmodel.explorer.reading import Reading
from specmodel.results import Trace
from specmodel.suite.catalog import catalog
from specmodel.views.itf.write import itf_text, source_of
from specmodel.views.notation import Notation


def saved_trace(reading: Reading, branch: Branch) -> str:
    """A behaviour as the text of an ITF file, with the property that is false at its end.

    Raises UsageError if a step of it is none of the design's.
    """
    trace = reading.lines.trace(branch)
    return itf_text(reading.design, trace, property_name=_broken(reading, trace))


def saved_test(reading: Reading, branch: Branch) -> str:
    """A behaviour as a pytest: the steps, and the property that is false at the end.

    Raises UsageError if a step of it is none of the design's.
    """
    design = reading.design
    trace = reading.lines.trace(branch)
    broken = _broken(reading, trace)
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
    """What a test loads the design by: its name, if that finds it, or else its file."""
    known = catalog().designs.get(design.name)
    found = known is not None and design.path is not None and known.path == design.path.resolve()
    return design.name if found else source_of(design)


def _broken(reading: Reading, trace: Trace) -> str:
    """The first property that is false at the end of a behaviour."""
    for rule in reading.rules:
        if rule.role == "reachable" or rule.states > trace.length:
            continue
        if not reading.rival.interpreter.holds(rule, *trace.states[-rule.states :]):
            return rule.name
    return ""
