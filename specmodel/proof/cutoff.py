"""Finds the value of a constant at which a proof holds for all larger values, too.

Leader epochs and record ids are only compared with each other, and made by adding 1 to an existing
one. So a step, or a claim about all of them, depends only on the order of the few values involved:
those in the state, an argument, a new one, and one for each "for all" of the claim. Suppose there
is a counterexample to induction for a larger bound. If only these values are kept, and numbered
anew in their order, the rest is a counterexample for the smaller bound. The IR, at two values of
the constant, shows whether values are used in this way only: the differences are the places of
these values.

Let T be the constant. The last value, -1 (for none yet) and 0 keep their places. A map with such
values as keys may have any value for each of them, and none for others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from specmodel.behaviour.steps import Interpreter
from specmodel.constants import Value
from specmodel.design import Design
from specmodel.domains import IntDomain, MapDomain, OptionDomain, SeqDomain, StructDomain
from specmodel.errors import SpecError, UsageError
from specmodel.proof.claims import ProofPlan
from specmodel.proof.order import DomainPair, OrderOnly, refuse
from specmodel.proof.result import Window
from specmodel.suite.targets import load_target, target_of


def widened(design: Design, plan: ProofPlan, every: Sequence[str]) -> Design:
    """The design with constants large enough for a proof to hold for all larger values, too.

    It is the same design if they are large enough. Raises SpecError, with the place, where the spec
    does more than compare such values, and UsageError for a constant of another kind.
    """
    claims = [rule.name for rule in plan.rules]
    for name in every:
        if name not in design.values:
            raise UsageError(f'{design.name} has no constant "{name}"')
        try:
            least = _least(design, name, claims)
        except SpecError as wrong:
            why = f"no proof for every {name}: {wrong.message}"
            raise SpecError(why, wrong.span, wrong.hint) from None
        high = design.constants[name].high
        if high is not None and least > high:
            raise UsageError(
                f"a proof for every {name} takes {name}={least}, and it is at most {high}: raise "
                "that where the constant is declared, or make other constants smaller"
            )
        if least > int(design.values[name]):
            design = _with(design, {name: least})
    return design


def windows(design: Design, every: Sequence[str]) -> tuple[Window, ...]:
    """The constants, and their least values, for which a proof of a widened design holds."""
    return tuple(Window(name, int(design.values[name])) for name in every)


def _with(design: Design, changed: Mapping[str, Value]) -> Design:
    return load_target(target_of(design), {**design.values, **changed})


def _least(design: Design, name: str, claims: Sequence[str]) -> int:
    """The least sufficient value."""
    if isinstance(design.values[name], bool):
        raise UsageError(f"{name} is true or false: there is nothing larger")
    if design.spec.bounds:
        raise UsageError(f"{design.name} has state constraints: it has no proof for every {name}")
    value = max(int(design.values[name]), 1)
    small, large = _with(design, {name: value}), _with(design, {name: value + 1})
    one, other = small.spec.code, large.spec.code
    state = DomainPair(small.spec.domain, large.spec.domain, value)
    held = _held(state)
    if not held:
        raise UsageError(f"no variable of {design.name} has a bound that is {name}")
    starts = [list(Interpreter(design.spec).initial()) for design in (small, large)]
    if len(starts[0]) != len(starts[1]) or not all(map(partial(_alike, state), *starts)):
        raise UsageError(f"initial states depend on {name}: there is no proof for every value")
    look = OrderOnly(one, other, value)
    most = 0
    actions = [look.action(rule.name) for rule in small.spec.rules]
    for claim in claims:
        wanted = look.claim(claim)
        most = max([most, *(held + used + wanted for used in actions)])
    # Beside these the last value and 0 keep their places; the last of n values is n - 1.
    return most + 2 - 1


def _held(pair: DomainPair) -> int:
    """The number of such values in a state, except keys. Raises UsageError for other places."""
    one, other = pair.one, pair.other
    match one:
        case IntDomain():
            return int(pair.moves)
        case StructDomain():
            return sum(map(_held, pair.parts))
        case OptionDomain():
            return _held_inside(pair)
        case SeqDomain():
            assert isinstance(other, SeqDomain)
            if one.capacity != other.capacity:
                refuse(f"the capacity of a list depends on it: {one}")
            return one.capacity * _held_inside(pair)
        case MapDomain():
            inner = _held_inside(pair)
            if not pair.parts[0].moves:
                return len(one.keys) * inner
            if inner:
                refuse(f"a map has such values both for keys and in what they lead to: {one}")
        case _:
            if (str(one), one.size) != (str(other), other.size):
                refuse(f"it changes {one} to {other}")  # two loads have no domain in common
    return 0


def _held_inside(pair: DomainPair) -> int:
    """The number of such values in an element of a container. Raises SpecError for bare values.

    They are followed as fields of structs, where each is stored by itself.
    """
    inner = pair.parts[-1]
    if inner.moves:
        refuse(f"a container holds {inner.one}: make it a field of a struct")
    return _held(inner)


def _alike(pair: DomainPair, one: Any, other: Any) -> bool:
    """Whether values are the same, and all entries of a map with more keys for one are equal."""
    a, b = pair.one, pair.other
    if one is None or other is None:
        return one is other
    if isinstance(a, MapDomain) and isinstance(b, MapDomain):
        if pair.parts[0].moves:
            same = all(one[key] == one[a.keys[0]] for key in a.keys)
            keys = [(a.keys[0], key) for key in b.keys]
        else:
            same, keys = True, list(zip(a.keys, b.keys, strict=True))
        return same and all(_alike(pair.parts[1], one[x], other[y]) for x, y in keys)
    if isinstance(a, StructDomain):
        return all(
            _alike(part, getattr(one, name), getattr(other, name))
            for name, part in zip(a.fields, pair.parts, strict=True)
        )
    if isinstance(a, OptionDomain):
        return _alike(pair.parts[0], one, other)
    if isinstance(a, SeqDomain):
        (inner,) = pair.parts
        return len(one) == len(other) and all(map(partial(_alike, inner), one, other))
    if pair.moves:
        return one == other and one in (-1, 0)
    return repr(one) == repr(other)  # the actors of two loads are different objects
