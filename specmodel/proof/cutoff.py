"""How large a constant has to be for a proof at it to hold for all larger values.

Leader epochs and record ids are only compared with each other, and made by adding 1 to one that is
there. A step, or a claim about all of them, so depends on the order of those few that it can come
across: those in the state, an argument, a new one, and one for each "for all" of the claim. Were
there a counterexample to induction for a larger bound, then what is left of it when only these are
kept, numbered anew in their order, would be one for the smaller bound. Whether values are used in
that way only is decided on the IR, at two values of the constant: what differs there is where these
values lie.

Let T be the constant. The last value, -1 (for none yet) and 0 keep their places. A map that has
such values for its keys may say anything of each of them, but of no others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from specmodel.design import Design
from specmodel.domains import (
    Domain,
    IntDomain,
    MapDomain,
    OptionDomain,
    SeqDomain,
    StructDomain,
)
from specmodel.engines.interpret.steps import Interpreter
from specmodel.errors import SpecError, UsageError
from specmodel.ir.lowering import lower
from specmodel.lang.constants import Value
from specmodel.proof.claims import Plan
from specmodel.proof.order import OrderOnly, Pair, refuse
from specmodel.proof.result import Window
from specmodel.suite.targets import load_target, target_of


def widened(design: Design, plan: Plan, every: Sequence[str]) -> Design:
    """The design with constants large enough for a proof to hold for all larger ones, too.

    It is the same one if they are. Raises SpecError, with the place, where the spec does more than
    to compare such values, and UsageError for what is no such constant.
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
    """The constants that a proof of a design that `widened` gave holds for all larger values of."""
    return tuple(Window(name, int(design.values[name])) for name in every)


def _with(design: Design, changed: Mapping[str, Value]) -> Design:
    return load_target(target_of(design), {**design.values, **changed})


def _least(design: Design, name: str, claims: Sequence[str]) -> int:
    """The least value that is enough."""
    if isinstance(design.values[name], bool):
        raise UsageError(f"{name} is true or false: there is nothing larger")
    if design.spec.bounds:
        raise UsageError(f"{design.name} has state constraints: it has no proof for every {name}")
    value = max(int(design.values[name]), 1)
    small, large = _with(design, {name: value}), _with(design, {name: value + 1})
    one, other = lower(small.spec), lower(large.spec)
    state = Pair(small.spec.domain, large.spec.domain)
    held = _held(state, value)
    if not held:
        raise UsageError(f"no variable of {design.name} has a bound that is {name}")
    _refuse_other_starts(small, large, name, value)
    look = OrderOnly(one, other, value)
    most = 0
    actions = [look.action(rule.name) for rule in small.spec.rules]
    for claim in claims:
        wanted = look.claim(claim)
        most = max([most, *(held + used + wanted for used in actions)])
    # Beside these the last value and 0 keep their places; the last of n values is n - 1.
    return most + 2 - 1


def _held(pair: Pair, value: int) -> int:
    """How many such values a state holds, other than as keys. Raises UsageError for odd places."""
    one, other = pair.one, pair.other
    if isinstance(one, IntDomain):
        return int(pair.moves(value))
    if isinstance(one, OptionDomain) and isinstance(other, OptionDomain):
        return _held(_part(one.inner, other.inner, value), value)
    if isinstance(one, StructDomain) and isinstance(other, StructDomain):
        parts = zip(one.fields.values(), other.fields.values(), strict=True)
        return sum(_held(Pair(a, b), value) for a, b in parts)
    if isinstance(one, SeqDomain) and isinstance(other, SeqDomain):
        if one.capacity != other.capacity:
            refuse(f"the capacity of a list depends on it: {one}")
        return one.capacity * _held(_part(one.element, other.element, value), value)
    if isinstance(one, MapDomain) and isinstance(other, MapDomain):
        inner = _held(_part(one.value, other.value, value), value)
        if Pair(one.key, other.key).moves(value):
            if inner:
                refuse(f"a map has such values both for keys and in what they lead to: {one}")
            return 0
        return len(one.keys) * inner
    if (str(one), one.size) != (str(other), other.size):  # two loads have no domain in common
        refuse(f"it changes {one} to {other}")
    return 0


def _part(one: Domain, other: Domain, value: int) -> Pair:
    """What a container holds. Raises SpecError for such values themselves.

    They are followed as fields of structs, where each is stored by itself.
    """
    pair = Pair(one, other)
    if pair.moves(value):
        refuse(f"a container holds {one}: make it a field of a struct")
    return pair


def _refuse_other_starts(small: Design, large: Design, name: str, value: int) -> None:
    """Raises UsageError unless the initial states are the same for both, keys aside."""
    starts = [list(Interpreter(design.spec).initial()) for design in (small, large)]
    pair = Pair(small.spec.domain, large.spec.domain)
    if len(starts[0]) != len(starts[1]) or not all(
        _alike(pair, value, a, b) for a, b in zip(*starts, strict=True)
    ):
        raise UsageError(f"initial states depend on {name}: there is no proof for every value")


def _alike(pair: Pair, value: int, one: Any, other: Any) -> bool:
    """Whether values are the same, and those of a map with more keys for one are all alike."""
    a, b = pair.one, pair.other
    if isinstance(a, StructDomain) and isinstance(b, StructDomain):
        return all(
            _alike(Pair(a.fields[f], b.fields[f]), value, getattr(one, f), getattr(other, f))
            for f in a.fields
        )
    if isinstance(a, OptionDomain) and isinstance(b, OptionDomain):
        if one is None or other is None:
            return one is other
        return _alike(Pair(a.inner, b.inner), value, one, other)
    if isinstance(a, SeqDomain) and isinstance(b, SeqDomain):
        inner = Pair(a.element, b.element)
        return len(one) == len(other) and all(
            _alike(inner, value, x, y) for x, y in zip(one, other, strict=True)
        )
    if isinstance(a, MapDomain) and isinstance(b, MapDomain):
        inner = Pair(a.value, b.value)
        if Pair(a.key, b.key).moves(value):
            pairs = [(one[a.keys[0]], other[key]) for key in b.keys]
            same = all(one[key] == one[a.keys[0]] for key in a.keys)
        else:
            pairs = [(one[x], other[y]) for x, y in zip(a.keys, b.keys, strict=True)]
            same = True
        return same and all(_alike(inner, value, x, y) for x, y in pairs)
    if pair.moves(value):
        return one == other and one in (-1, 0)
    return repr(one) == repr(other)  # two loads have no actors in common
