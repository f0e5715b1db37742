"""The colours of drawings: everyone can distinguish them, and a sign always repeats their meaning.

They are those of Masataka Okabe and Kei Ito, Color Universal Design, 2008.
"""

from __future__ import annotations

SHADES = ("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#0072b2")
"""For values without an order of rank, such as leader epochs or actions: strong colours."""


def shade(value: int) -> str:
    """The colour of a value; the colours repeat."""
    return SHADES[value % len(SHADES)]
