"""Profile of a state space: values per variable, effect of each action, states per level."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import log2, prod

from specmodel.analysis.uses import Uses, uses
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.domains import Domain, IntDomain, MapDomain, SeqDomain
from specmodel.domains.renaming import scalar_sets
from specmodel.engines.native.profile_counts import Estimate, ProfileCounts, codes_of, values_of
from specmodel.engines.native.search import search, searched_with
from specmodel.errors import SpecError, TooSlow
from specmodel.ir import compile_progress
from specmodel.ir.layout import Layout, width
from specmodel.ir.symmetry.check import refuse_asymmetric
from specmodel.ir.variables import StateVariable, variables_of
from specmodel.kernel.program import Program
from specmodel.model.model import Interpreted
from specmodel.results import Options, Result, Trace

Say = Callable[[str], None]


@dataclass(frozen=True)
class VariableProfile:
    """A part of the state: the number of its distinct values, with all of its parts together.

    `without` is the number of distinct states if it is ignored. So `factor` is the factor by which
    it multiplies the space; 1 if the rest determines it. `entropy` is the average information of
    one of its leaves, in bits; `bits` is its size in a packed state.
    """

    name: str
    domain: Domain
    leaves: tuple[int, ...]
    bits: int
    values: Estimate
    without: Estimate
    entropy: float
    factor: float

    @property
    def nested(self) -> bool:
        """Whether it is a part of a variable listed before it."""
        return not self.name.isidentifier()


@dataclass(frozen=True)
class ActionEffect:
    """An action: how often it fired, and the number of states without it."""

    name: str
    fired: int
    without: int


@dataclass(frozen=True)
class Advice:
    """A property of the design that makes its space, or its states, larger."""

    about: str
    text: str


@dataclass(frozen=True)
class Profile:
    """The profile of a design's space. `result` has the sizes of the levels.

    It is `complete` unless a limit or Ctrl-C ended something early: `actions` are those whose
    search was complete, and there may be no advice.
    """

    design: Design
    result: Result
    variables: tuple[VariableProfile, ...]
    actions: tuple[ActionEffect, ...]
    advice: tuple[Advice, ...]
    complete: bool


def profile(
    design: Design, options: Options, actions: bool = True, say: Say = lambda _: None
) -> Profile:
    """Explores a design and computes its profile.

    With `actions`, the space is explored again without each action. `say` gets the present
    activity. Raises the errors of a check, and TooSlow if the time limit is reached before there is
    a state.
    """
    if isinstance(design.spec, Interpreted):

        def compiled(made: Design, left: float | None, _: Callable[[Trace], Trace]) -> Profile:
            return _profile(made, replace(options, timeout=left), actions, say, declared=False)

        return design.spec.compiled(design, options, compiled)
    return _profile(design, options, actions, say, declared=True)


def _profile(
    design: Design, options: Options, actions: bool, say: Say, *, declared: bool
) -> Profile:
    """The profile; `declared`: the author has written the domains, so there is advice on them."""
    layout = Layout(design.spec.domain)
    parts = list(variables_of(design.spec.domain))
    everything = range(len(layout.leaves))
    projections = [part.leaves for part in parts]
    projections += [tuple(set(everything) - set(leaves)) for leaves in projections]
    options = replace(options, keep_going=True)
    result, thread_profiles = searched_with(design, options, projections)
    states, _ = result.counts
    variables = tuple(
        _variable(layout, thread_profiles, states, part, place, len(parts))
        for place, part in enumerate(parts)
    )
    effects: list[ActionEffect] = []
    complete = result.complete
    if actions and result.complete:
        for rule in design.spec.rules:
            say(f"without {rule.name}")
            rest = replace(design, spec=design.spec.without(rule.name))
            without = search(rest, replace(options, properties=None))
            if without.complete:
                effects.append(
                    ActionEffect(rule.name, result.coverage[rule.name], without.counts[0])
                )
            else:
                complete = False
            if without.stopped == "interrupted":
                break
    advice: tuple[Advice, ...] = ()
    try:
        if result.complete:
            with compile_progress.Clock(options.timeout).limiting("no advice was found"):
                used = uses(Program(design.spec, design.chosen(options.properties)))
            advice = tuple(_advice(variables, used, thread_profiles if declared else None))
            if declared:
                advice = (*_of_symmetry(design, options), *advice)
    except TooSlow as wrong:
        complete = False
        if options.remark is not None:
            options.remark(str(wrong))
    return Profile(design, result, variables, tuple(effects), advice, complete)


def _variable(
    layout: Layout,
    thread_profiles: Sequence[ProfileCounts],
    states: int,
    part: StateVariable,
    place: int,
    parts: int,
) -> VariableProfile:
    leaves = part.leaves
    values, without = values_of(thread_profiles, place), values_of(thread_profiles, parts + place)
    return VariableProfile(
        part.name,
        part.domain,
        leaves,
        sum(layout.slots[leaf].bits for leaf in leaves),
        values,
        without,
        sum(_entropy(codes_of(thread_profiles, leaf)) for leaf in leaves) / len(leaves),
        max(1.0, states / without.value) if without.value else 1.0,
    )


def _entropy(counts: Sequence[int]) -> float:
    """The information of one of some values, in bits, given how often each occurs."""
    total = sum(counts)
    return sum(n / total * log2(total / n) for n in counts if n) if total else 0.0


# Advice

CLOSE = 1.05
"""A factor up to this is taken for 1: estimates are not more exact."""


def _advice(
    variables: Sequence[VariableProfile],
    used: Uses,
    thread_profiles: Sequence[ProfileCounts] | None,
) -> Iterator[Advice]:
    """Advice about variables; about their domains only if there are profiles."""
    deciding = used.behind(used.guarding)
    explaining = used.behind(used.guarding | used.judged)
    said: set[str] = set()
    for variable in variables:
        if re.split(r"[.\[]", variable.name)[0] in said:
            continue  # advice about the whole also covers its parts
        text = _of_uses(variable, used, deciding, explaining)
        if text:
            said.add(variable.name)
            yield Advice(variable.name, text)
        if thread_profiles is not None:
            yield from _of_bounds(thread_profiles, variable)


def _of_uses(
    variable: VariableProfile, used: Uses, deciding: set[int], explaining: set[int]
) -> str:
    """Advice about the use of a variable; empty if there is none."""
    leaves = set(variable.leaves)
    if not leaves & used.written:
        return "never changes: it could be a constant"
    if not leaves & explaining:
        return "is written and never read: it could go"
    times = f"; it multiplies the space by {variable.factor:.1f}" * (variable.factor > CLOSE)
    if not leaves & deciding:
        return f"is a history: properties look at it, but it decides nothing{times}"
    if variable.without.exact and variable.factor == 1.0:
        return "is determined by all else: it costs bits, not states"
    if _is_integer(variable.domain) and not leaves & used.shrinking and times:
        return f"only ever grows{times}: no run comes back to where it was smaller"
    return ""


def _is_integer(domain: Domain) -> bool:
    return isinstance(domain.value if isinstance(domain, MapDomain) else domain, IntDomain)


def _of_symmetry(design: Design, options: Options) -> Iterator[Advice]:
    """Advice about actors whose names do not matter."""
    if options.symmetry:
        return
    found = {s: s for s in scalar_sets(design.spec.domain) if s.size > 1}
    names = [rule.name for rule in design.chosen(options.properties)]
    for actors in found:
        try:
            refuse_asymmetric(design.spec.code, names, [actors])
        except SpecError:
            continue
        times = prod(range(2, actors.size + 1))
        how = "--symmetry" if actors.symmetric else "symmetric=True, and then --symmetry,"
        text = f"exchanging its {actors.size} members changes nothing: {how} takes up to {times} "
        yield Advice(actors.name, f"{text}states for one")


def _of_bounds(
    thread_profiles: Sequence[ProfileCounts], variable: VariableProfile
) -> Iterator[Advice]:
    """Advice about values at the ends of a domain that never occur."""
    domain = variable.domain
    if isinstance(domain, MapDomain):
        domain = domain.value
    if not isinstance(domain, IntDomain | SeqDomain):
        return
    step = width(domain)
    heads = variable.leaves[::step]
    counts = [codes_of(thread_profiles, leaf) for leaf in heads]
    if not all(counts):
        return
    seen = [code for held in counts for code, n in enumerate(held) if n]
    if isinstance(domain, SeqDomain):
        if max(seen) < domain.capacity:
            text = f"never has more than {max(seen)} elements, of {domain.capacity} that fit"
            yield Advice(variable.name, text)
        return
    low, high = domain.at(min(seen)), domain.at(max(seen))
    if high < domain.high or low > domain.low:
        text = f"is within {low}..{high}, never beyond, though its domain is {domain}"
        yield Advice(variable.name, text)
