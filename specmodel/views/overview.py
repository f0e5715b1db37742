"""The overview of a design: constants, state, actions and guards, properties, difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path

from rich.text import Text

from specmodel.constants import DeclaredConstant
from specmodel.design import Design
from specmodel.domains import Domain, StructDomain
from specmodel.domains.found import found_places
from specmodel.ir.guards import Site, sites
from specmodel.ir.layout import Layout, leaves_of
from specmodel.model.model import LIVENESS, Model, Rule, abstract_name
from specmodel.suite.documents import canonical
from specmodel.views.forms import padded
from specmodel.views.summary import bounds_text, count, value_text


def overview(design: Design, folder: Path) -> Iterator[Text]:
    """The lines of `specmodel show`; files below `folder` are named relative to it."""
    yield Text(design.name, "bold")
    for title, text in (
        ("question", design.question),
        ("source", design.source),
        ("file", _relative(str(design.path or ""), folder)),
    ):
        if text:
            yield Text.assemble(f"  {title:<9}", text)
    yield from _section("constants", [_constant(c) for c in design.constants.values()])
    yield from _state(design.spec)
    yield from _actions(design.spec, folder)
    checked = {rule.name for rule in design.chosen(None)}
    rows = [
        (
            r.name,
            r.role,
            "" if r.name in checked else "not by default",
            _place(r, folder),
            _said(r),
        )
        for r in design.spec.properties
    ]
    yield from _section("properties", rows)
    yield from _section("fairness", _fairness(design.spec))
    bounds = [(r.name, _place(r, folder), r.summary) for r in design.spec.bounds]
    yield from _section("state constraints", bounds)
    yield from _difference(design.spec, folder)


def _fairness(spec: Model) -> list[tuple[str, ...]]:
    """The fair actions, and for each the parameters of its fairness."""
    return [
        (
            wanted.strength,
            " or ".join(wanted.names),
            f"for each {', '.join(wanted.per)}" if wanted.per else "",
        )
        for wanted in spec.fairness
    ]


def _section(title: str, rows: Sequence[tuple[str, ...]]) -> Iterator[Text]:
    if not rows:
        return
    yield Text()
    yield Text(title, "bold")
    for row in padded(rows):
        yield Text(f"  {'  '.join(filter(None, row))}".rstrip())


def _constant(constant: DeclaredConstant) -> tuple[str, ...]:
    limits = "true or false"
    if not isinstance(constant.default, bool):
        low = "" if constant.low is None else constant.low
        high = "" if constant.high is None else constant.high
        limits = f"{low}..{high}" if low != "" or high != "" else "any integer"
    default = (
        "" if constant.value == constant.default else f"default {value_text(constant.default)}"
    )
    return (constant.name, f"= {value_text(constant.value)}", limits, default, constant.doc)


def _state(spec: Model) -> Iterator[Text]:
    layout = Layout(spec.domain)
    size = f"{layout.bits} bits, packed in {count(layout.words, 'word')} of 64"
    rows = [(name, _bits(domain), str(domain)) for name, domain in spec.domain.fields.items()]
    yield from _section(f"state: {spec.domain.name}, {size}", rows)
    if found := dict(found_places(spec.domain)):
        yield Text(f"  bounds found so far, a search widens them: {bounds_text(found)}", "dim")
    below = (part for field in spec.domain.parts for part in field.nested())
    structs = {part.name: part for part in below if isinstance(part, StructDomain)}
    for struct in structs.values():
        inner = [(name, _bits(kind), str(kind)) for name, kind in struct.fields.items()]
        yield from _section(f"  struct {struct.name}", [(f"  {row[0]}", *row[1:]) for row in inner])


def _bits(domain: Domain) -> str:
    return count(sum(leaf.bits for leaf in leaves_of(domain)), "bit")


def _actions(spec: Model, folder: Path) -> Iterator[Text]:
    total = sum(_bindings(rule) for rule in spec.rules)
    model = spec.code
    yield Text()
    yield Text(f"actions: {len(spec.rules)} with {count(total, 'binding')}", "bold")
    for rule in (spec.start, *spec.rules):
        inner = ", ".join(f"{name}: {domain}" for name, domain in rule.parameters.items())
        role = " (initial states)" if rule.role == "init" else ""
        many = count(_bindings(rule), "binding")
        yield Text.assemble(
            "  ", (f"{rule.name}({inner})", "bold cyan"), f"{role}  {many}  "
        ).append(_place(rule, folder), "dim")
        if rule.summary:
            yield Text(f"      {rule.summary}")
        guards = sites(model, rule.name) if rule.role == "action" else ()
        for line in dict.fromkeys(_guard(site) for site in guards):
            yield Text(f"      {line}", "dim")


def _guard(site: Site) -> str:
    via = f"   (in {site.via[-1]})" if site.via else ""
    return f"{'in one case requires' if site.sometimes else 'requires'} {site.text}{via}"


def _bindings(rule: Rule) -> int:
    return prod(domain.size for domain in rule.parameters.values())


def _difference(spec: Model, folder: Path) -> Iterator[Text]:
    """The functions that a derived spec replaced, added and removed."""
    parent = spec.parent
    while parent is not None and parent.name in ("", spec.name) and parent.parent is not None:
        parent = parent.parent  # a step of a longer composition
    if parent is None:
        return
    mine, theirs = _listed(spec), _listed(parent)
    gone = [name for name in theirs if name not in mine]
    new = [name for name in mine if name not in theirs]
    rows: list[tuple[str, ...]] = []
    for role, old_rules, new_rules in _by_role(parent, spec):
        # A replacement has the place of the replaced function in the list.
        for old, fresh in zip(old_rules, new_rules, strict=False):
            if old.name in gone and fresh.name in new and len(old_rules) <= len(new_rules):
                rows.append(
                    ("replaced", role, f"{old.name} by {fresh.name}", _place(fresh, folder))
                )
                gone.remove(old.name)
                new.remove(fresh.name)
            elif old.name == fresh.name and old != fresh:
                rows.append(("replaced", role, fresh.name, _place(fresh, folder)))
    rows += [("added", mine[name].role, name, _place(mine[name], folder)) for name in new]
    rows += [("removed", theirs[name].role, name, "") for name in gone]
    if spec.fairness != parent.fairness:
        rows.append(("other", "fairness", ", ".join(map(str, spec.fairness)) or "none", ""))
    if spec.domain is not parent.domain:
        more = [n for n in spec.domain.fields if n not in parent.domain.fields]
        rows.append(("extended", "state", f"{spec.domain.name} with {', '.join(more)}", ""))
    yield from _section(f"differs from {canonical(parent.name) or 'its parent'}", rows)


def _listed(spec: Model) -> dict[str, Rule]:
    return {r.name: r for r in (spec.start, *spec.rules, *spec.properties, *spec.bounds)}


def _by_role(parent: Model, spec: Model) -> Iterator[tuple[str, Sequence[Rule], Sequence[Rule]]]:
    yield "init", (parent.start,), (spec.start,)
    yield "action", parent.rules, spec.rules
    for role in ("invariant", "transition", "reachable", *LIVENESS):
        yield (
            role,
            [r for r in parent.properties if r.role == role],
            [r for r in spec.properties if r.role == role],
        )
    yield "constraint", parent.bounds, spec.bounds


def _said(rule: Rule) -> str:
    """The description of a property; for a refinement, with the abstract design."""
    if rule.refined is None:
        return rule.summary
    name = abstract_name(rule.refined)
    temporal = rule.role == "refinement"
    refines = f"refines {name}" if not temporal else f"refines fairness and liveness of {name}"
    return f"{refines}: {rule.summary}" if rule.summary else refines


def _place(rule: Rule, folder: Path) -> str:
    return f"{_relative(rule.span.file, folder)}:{rule.span.line}" if rule.span else ""


def _relative(file: str, folder: Path) -> str:
    path = Path(file)
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else file
