"""The expectations of a YAML file, and how a result differs from them.

An expectation lists several properties of one run, so the run explores past violations; `distinct`
and `depth` are those of the whole space. A property that is not listed is expected to hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.results import DEADLOCK, PropertyResult, Result


@dataclass(frozen=True)
class ExpectedRow:
    """The expectations with some constants set over the design's own.

    `where` is the place in the YAML file, as keys.
    """

    constants: Mapping[str, Value]
    expected: Mapping[str, Any]
    where: tuple[str, ...]


@dataclass(frozen=True)
class Mismatch:
    """A difference between a result and its expectation.

    `text` describes it; `where` are the keys in the row that hold the expectation, and `value` is
    the value that the result has (None: no value can correct the row). `property` is empty unless
    the mismatch is in the outcome of one.
    """

    text: str
    where: tuple[str, ...] = ()
    value: Any = None
    property: str = ""


def rows(expect: Mapping[str, Any]) -> list[ExpectedRow]:
    """The rows of `expect`: first the one with no constants set, then each of `at`.

    A design with expectations only in `at` has no row of the first kind.
    """
    own = {key: held for key, held in expect.items() if key != "at"}
    elsewhere = [
        ExpectedRow(at["constants"], at, ("expect", "at", str(number)))
        for number, at in enumerate(expect.get("at", []))
    ]
    first = ExpectedRow({}, own, ("expect",))
    return [first, *elsewhere] if says_something(own) or not elsewhere else elsewhere


def says_something(expected: Mapping[str, Any]) -> bool:
    """Whether a row expects a verdict."""
    return "verdict" in expected or bool(expected.get("properties"))


def judged(design: Design, expected: Mapping[str, Any]) -> tuple[str, ...]:
    """The properties to check: those that the design checks, and those that the row lists."""
    listed = [name for name in expected.get("properties", {}) if name != DEADLOCK]
    return tuple(dict.fromkeys([*(rule.name for rule in design.chosen(None)), *listed]))


def whole(expected: Mapping[str, Any], properties: Sequence[str]) -> bool:
    """Whether the comparison with a row needs the whole space, past the first violation."""
    counted = "distinct" in expected or "depth" in expected or "coverage" in expected
    return counted or len(properties) > 1 or expected.get("verdict") != "violated"


def mismatches(result: Result, expected: Mapping[str, Any]) -> tuple[Mismatch, ...]:
    """The differences between a result and a row of expectations."""
    if not says_something(expected):
        return tuple(_unsaid(result))
    return (
        *_of_properties(result, expected),
        *_of_figures(result, expected),
        *_of_coverage(result, expected),
    )


def described(found: Mapping[str, Any]) -> str:
    """`violated in 13 states`, `holds`."""
    length = found.get("trace_length")
    if length is None:
        return str(found["verdict"])
    reached = "reached " if found["verdict"] == "holds" else ""
    return f"{found['verdict']}, {reached}in {length} {'state' if length == 1 else 'states'}"


def _unsaid(result: Result) -> Iterator[Mismatch]:
    """For a row that expects no verdict: the verdict that it could state."""
    yield Mismatch(f"no verdict is expected; it is: {result.verdict}", ("verdict",), result.verdict)
    if result.complete:
        yield Mismatch(
            f"nor how many states; found: {result.distinct:,}", ("distinct",), result.distinct
        )
        yield Mismatch(f"nor a depth; found: {result.depth}", ("depth",), result.depth)
    for found in result.properties:
        if found.verdict == "violated":
            seen = _seen(found)
            text = f"{found.name}: {described(seen)}; nothing is expected"
            yield Mismatch(text, ("properties", found.name), seen, found.name)


def _of_properties(result: Result, expected: Mapping[str, Any]) -> Iterator[Mismatch]:
    properties: Mapping[str, Mapping[str, Any]] | None = expected.get("properties")
    verdict = expected.get("verdict")
    if verdict not in (None, result.verdict):
        text = f"verdict: {result.verdict}, expected {verdict}"
        yield Mismatch(text, ("verdict",), result.verdict)
    if properties is None and verdict != "holds":
        return  # the row does not say which properties are violated
    for found in result.properties:
        wanted = (properties or {}).get(found.name, {})
        length = wanted.get("trace_length", found.trace_length)
        if (found.verdict, found.trace_length) != (wanted.get("verdict", "holds"), length):
            if verdict == "incomplete" and not wanted and found.verdict == "incomplete":
                continue
            seen = _seen(found)
            if found.verdict == "holds" and "trace_length" in wanted and found.trace_length:
                seen["trace_length"] = found.trace_length
            text = f"{found.name}: {described(seen)}; expected: {described(_whole(wanted))}"
            yield Mismatch(text, ("properties", found.name), seen, found.name)


def _whole(wanted: Mapping[str, Any]) -> dict[str, Any]:
    return {"verdict": "holds", **wanted}


def _seen(found: PropertyResult) -> dict[str, Any]:
    seen: dict[str, Any] = {"verdict": found.verdict}
    if found.verdict == "violated" and found.trace_length is not None:
        seen["trace_length"] = found.trace_length
    return seen


def _of_figures(result: Result, expected: Mapping[str, Any]) -> Iterator[Mismatch]:
    if not result.complete:
        return  # how far a search came says nothing of the space; its verdict is what is wrong
    for key, what in (("distinct", "states"), ("depth", "depth")):
        wanted, found = expected.get(key), getattr(result, key)
        if wanted not in (None, found):
            share = f" ({growth(wanted, found)})" if wanted else ""
            yield Mismatch(f"{what}: {found:,}, expected {wanted:,}{share}", (key,), found)


def _of_coverage(result: Result, expected: Mapping[str, Any]) -> Iterator[Mismatch]:
    for action, least in expected.get("coverage", {}).items():
        fired = result.coverage.get(action, 0)
        if fired < least:
            text = f"{action}: fired {fired:,} times, expected at least {least:,}"
            yield Mismatch(text, ("coverage", action), fired)


def growth(before: int, after: int) -> str:
    """The growth of a count: `+14 %`, `-0.3 %`, with at least one significant digit."""
    percent = 100 * (after - before) / before
    digits = 0 if abs(percent) >= 10 else 1 if abs(percent) >= 1 else 2
    return f"{percent:+.{digits}f} %"
