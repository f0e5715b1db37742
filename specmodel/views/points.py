"""Coverage points in words."""

from __future__ import annotations

from specmodel.results.coverage import Point


def never(point: Point) -> str:
    """The meaning of a point that was never reached: `x > 3 is never true`."""
    text = point.text
    if point.kind == "start":
        return f"{point.function} is never called"
    if point.kind == "guard":
        return f"{text} is never looked at"
    if point.kind == "body" or point.operator == "in":
        return f"there is never any {text}"
    if point.operator == "or" or point.kind == "else" or (point.kind, point.operator) == _PAST_IF:
        return f"{text} is always true"
    if point.kind == "after":
        return f"nothing ever comes past {text}"
    return f"{text} is never true"


def condition(point: Point) -> str:
    """The condition under which a point is reached."""
    if point.operator == "or" or point.kind == "else" or (point.kind, point.operator) == _PAST_IF:
        return f"not ({point.text})"
    return f"past {point.text}" if point.kind == "after" else point.text


_PAST_IF = ("after", "if")
