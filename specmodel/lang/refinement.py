"""The check that a refinement's function fits the concrete and the abstract design."""

from __future__ import annotations

import inspect
from typing import Any, get_type_hints

from specmodel.errors import SpecError
from specmodel.lang.annotations import import_of
from specmodel.lang.lowering.written import WrittenRule, WrittenSpec
from specmodel.model.model import LIVENESS, abstract_name

EXAMPLE = "@refines(design) above `def name(s: State) -> AbstractState`"


def refuse_unfit_refinement(spec: WrittenSpec, rule: WrittenRule) -> None:
    """Raises SpecError unless a refinement maps a state of the spec to an abstract state.

    And for one about liveness, if its abstract design says nothing of liveness.
    """
    abstract, name = rule.refined, rule.function.__name__
    if abstract is None:
        return
    names = list(inspect.signature(rule.function).parameters)
    if len(names) != 1:
        taken = ", ".join(names) or "nothing"
        what = f"{name} takes {taken}; a refinement takes one state and nothing else"
        raise SpecError(what, rule.span, EXAMPLE)
    try:
        hints = get_type_hints(rule.function, include_extras=True)
    except NameError as wrong:
        what = f"{name}: {wrong.name} is not defined"
        raise SpecError(what, rule.span, import_of(wrong)) from None
    taken, given = hints.get(names[0]), hints.get("return")
    if not (isinstance(taken, type) and issubclass(spec.state, taken)):
        own = spec.state.__name__
        what = f"{name} takes {_shown(taken)}, and the states of this design are {own}"
        raise SpecError(what, rule.span, f"annotate it as {names[0]}: {own}")
    if given is not abstract.state:
        design = abstract_name(abstract)
        what = f"{name} gives {_shown(given)}, and the states of {design} are "
        hint = f"annotate it as -> {abstract.state.__name__}"
        raise SpecError(f"{what}{_shown(abstract.state)}", rule.span, hint)
    own = [each for each in abstract.properties if each.role in LIVENESS and not each.refined]
    if rule.role == "refinement" and not own and not abstract.fairness:
        what = f"{abstract_name(abstract)} has neither fairness nor temporal properties"
        hint = f"list {rule.function.__name__} among the transitions alone"
        raise SpecError(f"{name} claims nothing: {what}", rule.span, hint)


def _shown(kind: Any) -> str:
    """An annotation's text in a message."""
    if kind is None:
        return "something without an annotation"
    if kind is type(None):
        return "nothing"
    return kind.__name__ if isinstance(kind, type) else str(kind)
