"""Whole searches: every engine and every way of searching against the interpreter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from specmodel.design import Design
from specmodel.engines import interpret, native, registry
from specmodel.errors import Disagreement, SpecError, SpecmodelError, UsageError
from specmodel.model.model import LIVENESS
from specmodel.results import Options
from tests.engines.outcomes import Failed, outcome
from tests.fuzz.fair import judged_by_search
from tests.fuzz.loaded import load_text
from tests.fuzz.verdict import Verdict, internal, refused

STATES = 300
DEPTH = 40

WAYS: dict[str, dict[str, Any]] = {
    "one worker": {"workers": 1},
    "two workers": {"workers": 2},
    "compressed": {"workers": 1, "compress": True},
    "fingerprints": {"workers": 1, "fingerprint": True},
}
"""Ways in which a native search has to find exactly what the interpreter does."""

STATE_ROLES = ("invariant", "reachable")


def compare_engines(
    design: Design, smt: bool = False, spark: bool = False, ways: int = len(WAYS)
) -> Verdict:
    """Compares whole searches, those of the engines smt and Spark too if they are wanted; `ways` of
    WAYS only. The first difference counts."""
    return next(_differences(design, smt, spark, ways), Verdict("agree"))


def _limits(design: Design, **more: Any) -> dict[str, Any]:
    temporal = any(rule.role in LIVENESS for rule in design.spec.properties)
    return {
        "keep_going": True,
        "max_states": STATES,
        "max_depth": DEPTH,
        "deadlock": None,
        **more,
    } | ({"deadlock": True} if not temporal else {})


def _differences(design: Design, smt: bool, spark: bool, ways: int) -> Iterator[Verdict]:
    limits = _limits(design)
    wanted = _said(interpret.check, design, limits, "interpret")
    if isinstance(wanted, Verdict):
        yield wanted
        return
    yield from _against_brute_force(design, wanted)
    for name, way in list(WAYS.items())[:ways]:
        yield from _compared(name, native.check, design, limits | way, wanted)
    early = limits | {"keep_going": False, "workers": 1}
    first = _said(interpret.check, design, early | {"workers": None}, "interpret")
    yield from _compared("first violation", native.check, design, early, first)
    if "symmetric=True" in design.source:
        names = tuple(r.name for r in design.spec.properties if r.role not in LIVENESS)
        together = limits | {"symmetry": True, "properties": names}
        least = _said(interpret.check, design, together, "interpret")
        if not isinstance(least, Verdict):
            yield from _compared(
                "symmetric", native.check, design, together | {"workers": 1}, least
            )
            if len(names) == len(design.spec.properties):
                yield from _same_truth("symmetry", wanted, least)
    yield from _reduced(design, limits, wanted)
    yield from _left_open(design, limits, wanted)
    if smt:
        yield from _solved(design, limits, wanted)
    if spark:
        yield from _on_spark(design, limits, wanted)


def _said(
    check: Callable[..., Any], design: Design, options: dict[str, Any], name: str
) -> dict[str, Any] | Failed | Verdict:
    """What an engine says, or how it did not come to say anything."""
    try:
        return outcome(check, design, Options(**options))
    except SpecError as error:
        return refused(error)
    except UsageError as error:
        return Verdict("unfit", str(error))
    except Disagreement as error:
        return Verdict("difference", f"{name}: the self-check", str(error))
    except SpecmodelError as error:
        return Verdict("refused", str(error), name)
    except Exception as error:
        return internal(error)


def _compared(
    name: str, check: Callable[..., Any], design: Design, options: dict[str, Any], wanted: Any
) -> Iterator[Verdict]:
    got = _said(check, design, options, name)
    if isinstance(got, Verdict):
        if got.kind != "unfit":
            yield got
    elif isinstance(wanted, Verdict):
        yield Verdict("difference", f"{name}: interpreter does not end", wanted.detail)
    elif got != wanted:
        yield _parted(name, wanted, got)


def _parted(name: str, wanted: Any, got: Any) -> Verdict:
    """In what two outcomes differ."""
    if isinstance(wanted, Failed) or isinstance(got, Failed):
        if type(wanted) is type(got):
            return Verdict("difference", f"{name}: failure", f"{wanted} is not {got}")
        which = "does not fail" if isinstance(wanted, Failed) else "fails"
        said = wanted if isinstance(wanted, Failed) else got
        return Verdict(
            "difference", f"{name}: {which}", f"{said.where}: {said.message} {said.span}"
        )
    keys = [k for k in wanted if wanted[k] != got[k]]
    if keys == ["properties"] and [p[:3] for p in wanted["properties"]] == [
        p[:3] for p in got["properties"]
    ]:
        keys = ["trace"]
    shown = {k: (wanted[k], got[k]) for k in keys if k != "trace"}
    return Verdict("difference", f"{name}: {'/'.join(keys)}", str(shown)[:600])


def _truths(said: dict[str, Any]) -> list[tuple[str, str]]:
    return [(name, verdict) for name, _, verdict, _ in said["properties"]]


def _same_truth(name: str, wanted: Any, got: Any) -> Iterator[Verdict]:
    """Whether properties have the same verdicts, where both searches came to their end."""
    if not all(isinstance(said, Failed) or said["complete"] for said in (wanted, got)):
        return
    if isinstance(wanted, Failed) or isinstance(got, Failed):
        if type(wanted) is not type(got):
            yield Verdict("difference", f"{name}: failure", f"{wanted} is not {got}"[:600])
    elif _truths(wanted) != _truths(got):
        yield Verdict("difference", f"{name}: verdicts", f"{_truths(wanted)} {_truths(got)}")


def _reduced(design: Design, limits: dict[str, Any], wanted: Any) -> Iterator[Verdict]:
    """Partial-order reduction changes no verdict on states."""
    names = tuple(r.name for r in design.spec.properties if r.role in STATE_ROLES)
    if not names or design.spec.bounds or not isinstance(wanted, dict):
        return
    options = limits | {"partial_order": True, "properties": names, "workers": 1, "deadlock": False}
    got = _said(native.check, design, options, "partial order")
    if isinstance(got, Verdict):
        if got.kind != "unfit":
            yield got
    elif isinstance(got, Failed):
        yield Verdict("difference", "partial order: fails", str(got)[:300])
    elif wanted["complete"]:
        pairs = [p for p in _truths(wanted) if p[0] in names]
        if pairs != _truths(got) or not got["complete"]:
            yield Verdict("difference", "partial order: verdicts", f"{pairs} {_truths(got)}")


_FIELD = re.compile(r"^    \w+: .*$", re.MULTILINE)
_BOUNDED_INT = re.compile(r"(?<!dict\[)Annotated\[int, Range\(-?\d+, -?\d+\)\]")


def left_open(text: str) -> str:
    """A spec that leaves the bounds of the fields of its structs to the search, but for the keys of
    maps."""

    def opened(field: re.Match[str]) -> str:
        return re.sub(r"Capacity\(\d+\)", "Capacity()", _BOUNDED_INT.sub("int", field[0]))

    classes = re.split(r"(?m)^(?=\S)", text)
    structs = {held for held in classes if re.match(r"class \w+\((Struct|[PQ])\b", held)}
    return "".join(_FIELD.sub(opened, held) if held in structs else held for held in classes)


def _left_open(design: Design, limits: dict[str, Any], wanted: Any) -> Iterator[Verdict]:
    """A design that does not fail has the same states, verdicts and traces without bounds."""
    text = left_open(design.source)
    if not isinstance(wanted, dict) or text == design.source:
        return
    if "Set[" in text and "pick(" in text:  # what is picked from slots has the name of its slot
        return
    try:
        opened = load_text(text, "opened")
    except SpecmodelError:  # as what goes through all values of a struct
        return
    native_check = registry.engine("native").check
    for found in _compared("open", native_check, opened, limits | {"workers": 1}, wanted):
        if "have no end" in found.detail:  # the initial state goes through all values of a struct
            return
        if found.kind == "difference" or not found.what.startswith("no place"):
            yield found


def _solved(design: Design, limits: dict[str, Any], wanted: Any) -> Iterator[Verdict]:
    """Within a few steps the smt engine finds the same violations, as soon."""
    from specmodel.engines import smt

    names = tuple(r.name for r in design.spec.properties if r.role not in LIVENESS)
    options = {"properties": names, "keep_going": True, "max_depth": 4, "deadlock": False}
    near = _said(interpret.check, design, options | {"max_states": None}, "interpret")
    got = _said(smt.SMT.check, design, options | {"timeout": 20.0}, "smt")
    if isinstance(got, Verdict):
        if got.kind not in ("unfit",):
            yield got
    elif isinstance(near, Failed) != isinstance(got, Failed):
        yield Verdict("difference", "smt: failure", f"{near} is not {got}"[:600])
    elif isinstance(near, dict) and isinstance(got, dict) and not got["stopped"]:
        for one, other in zip(near["properties"], got["properties"], strict=True):
            lengths = [len(p[3]) if p[3] else 0 for p in (one, other)]
            if lengths[0] != lengths[1]:
                yield Verdict("difference", "smt: trace lengths", f"{one} {other}"[:600])


def _on_spark(design: Design, limits: dict[str, Any], wanted: Any) -> Iterator[Verdict]:
    """Tasks of Spark find what the interpreter does; they decide no temporal properties."""
    from specmodel.engines import spark

    names = tuple(r.name for r in design.spec.properties if r.role not in LIVENESS)
    if not names:
        return
    if len(names) < len(design.spec.properties):
        limits = limits | {"properties": names}
        wanted = _said(interpret.check, design, limits, "interpret")
    yield from _compared("spark", spark.check, design, limits | {"workers": 2}, wanted)


def _against_brute_force(design: Design, wanted: Any) -> Iterator[Verdict]:
    """Temporal verdicts of the interpreter against a search for fair cycles."""
    temporal = [r for r in design.spec.properties if r.role in LIVENESS]
    if not temporal or not isinstance(wanted, dict) or not wanted["complete"]:
        return
    if wanted["distinct"] > 60:
        return
    judged = judged_by_search(design.spec)
    for name, _, verdict, _ in wanted["properties"]:
        if name in judged and (verdict == "violated") != judged[name]:
            yield Verdict(
                "difference", "fair cycles: verdict", f"{name}: {verdict}, {judged[name]}"
            )
