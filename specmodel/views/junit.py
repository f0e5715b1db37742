"""JUnit XML: the end of a report, which its numbers and its text have in common."""

from __future__ import annotations

from xml.etree import ElementTree


def junit_text(
    suite: ElementTree.Element, *, failures: int, errors: int, skipped: int, seconds: float
) -> str:
    """A suite whose test cases are there as a whole document."""
    numbers = {"tests": len(suite), "failures": failures, "errors": errors, "skipped": skipped}
    for name, number in numbers.items():
        suite.set(name, str(number))
    suite.set("time", f"{seconds:.3f}")
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}'
