"""Candidates for lemmas: simple claims over a spec's own maps, variables and helper functions.

With k (and j) a key of maps of the state, an atom is: a bool of a map, `s.inside[k]`; a helper of
the state and a key, `leads(s, k)`; an equality of a key and a variable, `s.turn == k`; a comparison
of numbers, `s.replica[k].epoch <= s.quorum.epoch`. A candidate says that an atom, or its negation,
holds for all keys, or for those that satisfy another atom or a helper of two keys. Candidates that
are false in some reachable state are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from specmodel.analysis.statespace import CompiledSpace
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.domains import (
    BoolDomain,
    Domain,
    IntDomain,
    MapDomain,
    OptionDomain,
    SeqDomain,
    StructDomain,
)
from specmodel.errors import SpecmodelError
from specmodel.ir.expression import NoValueError
from specmodel.ir.nodes import Function
from specmodel.model.model import Model

MOST_STATES = 2000
"""The number of reachable states in which a candidate is tested."""

MOST = 400
"""The greatest number of candidates."""


@dataclass(frozen=True)
class _Keys:
    """Maps with the same keys: one to run over, and the atoms about a key."""

    domain: Domain
    source: str
    truths: tuple[str, ...]
    numbers: tuple[str, ...]


def candidates(design: Design) -> list[tuple[str, str]]:
    """Names and expressions of candidates, true in the first reachable states."""
    reader = design.spec.expressions()
    space = CompiledSpace(design)
    states = [space.state(visited.key) for visited in space.visit(MOST_STATES)]
    found: list[tuple[str, str]] = []
    for text in dict.fromkeys(_texts(design.spec)):
        try:
            expression = reader.condition(text)
            true = all(expression.value(state) for state in states)
        except (SpecmodelError, NoValueError):  # of other types, or without a value somewhere
            continue
        if true:
            found.append((f"lemma_{len(found) + 1}", text))
        if len(found) == MOST:
            break
    return found


def _texts(spec: Model) -> Iterator[str]:
    fixed = list(_variables("s", spec.domain))
    helpers = spec.code.helpers
    for keys in _keys(spec.domain):
        equal = [
            f"{text} == k"
            for text, domain in fixed
            if str(keys.domain) in (str(domain), str(getattr(domain, "inner", None)))
        ]
        called = {
            count: [
                name
                for name, function in helpers.items()
                if isinstance(function.result, BoolDomain)
                and [str(d) for d in list(function.parameters.values())[1:]]
                == [str(keys.domain)] * count
                and _takes_state(function, spec)
            ]
            for count in (1, 2)
        }
        bound = [text for text, domain in fixed if isinstance(domain, IntDomain)]
        compared = [f"{x} <= {y}" for x in keys.numbers for y in [*keys.numbers, *bound] if x != y]
        atoms = [*keys.truths, *(f"{name}(s, k)" for name in called[1]), *equal, *compared]
        conditions = [*keys.truths, *(f"{name}(s, k)" for name in called[1]), *equal]
        for atom in atoms:
            yield f"all({atom} for k in {keys.source})"
        for condition, atom in ((c, a) for c in conditions for a in atoms if a != c):
            yield f"all({atom} for k in {keys.source} if {condition})"
            yield f"all(not ({atom}) for k in {keys.source} if {condition})"
        for name, (one, two) in ((n, p) for n in called[2] for p in permutations("kj")):
            both = f"for k in {keys.source} for j in {keys.source} if {name}(s, {one}, {two})"
            for number in keys.numbers:
                other = number.replace("[k]", "[j]")
                yield f"all({number} <= {other} {both})"


def _variables(path: str, domain: Domain) -> Iterator[tuple[str, Domain]]:
    """Fields that are not maps or lists, at any depth of structs."""
    if isinstance(domain, StructDomain):
        for name, inner in domain.fields.items():
            yield from _variables(f"{path}.{name}", inner)
    elif domain.scalar or (isinstance(domain, OptionDomain) and domain.inner.scalar):
        yield path, domain


def _keys(state: StructDomain) -> Iterator[_Keys]:
    """The maps of a state by their keys."""
    maps = {f"s.{n}": d for n, d in state.fields.items() if isinstance(d, MapDomain)}
    for key in dict.fromkeys(str(d.key) for d in maps.values()):
        alike = {path: d for path, d in maps.items() if str(d.key) == key}
        values = [found for path, d in alike.items() for found in _values(f"{path}[k]", d.value)]
        yield _Keys(
            next(iter(alike.values())).key,
            next(iter(alike)),
            tuple(text for text, domain in values if isinstance(domain, BoolDomain)),
            tuple(text for text, domain in values if isinstance(domain, IntDomain)),
        )


def _values(path: str, domain: Domain) -> Sequence[tuple[str, Domain]]:
    if isinstance(domain, SeqDomain):
        return [(f"len({path})", IntDomain(0, domain.capacity))]
    return list(_variables(path, domain))


def _takes_state(function: Function, spec: Model) -> bool:
    """Whether the first parameter of a function is a state of the spec, not of one it refines."""
    taken = next(iter(function.parameters.values()), None)
    return isinstance(taken, StructDomain) and issubclass(spec.domain.cls, taken.cls)
