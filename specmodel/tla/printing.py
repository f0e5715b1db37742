"""Values in TLA+'s notation."""

from __future__ import annotations

import re

from specmodel.tla.values import FunctionValue, Value, order_key, ordered

_NAME = re.compile(r"\w*[A-Za-z]\w*")
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f"}


def text_of(value: Value, most: int | None = None) -> str:
    """A value as TLA+ writes it; at most so many characters."""
    try:
        text = _text(value)
    except RecursionError:
        text = "..."
    return text if most is None or len(text) <= most else f"{text[: most - 3]}..."


def quoted(text: str) -> str:
    """A string as TLA+ writes it."""
    return '"' + "".join(_ESCAPED.get(c, c) for c in text) + '"'


def _text(value: Value) -> str:
    if isinstance(value, str):
        return quoted(value)
    if value.__class__ is frozenset:
        return f"{{{', '.join(map(_text, ordered(value)))}}}"
    if value.__class__ is tuple:
        items: tuple[Value, ...] = value
        return f"<<{', '.join(map(_text, items))}>>"
    if isinstance(value, FunctionValue):
        pairs = value.pairs
        if all(isinstance(key, str) and _NAME.fullmatch(key) for key in pairs):
            return f"[{', '.join(f'{key} |-> {_text(held)}' for key, held in pairs.items())}]"
        keys = sorted(pairs, key=order_key)
        return f"({' @@ '.join(f'{_text(key)} :> {_text(pairs[key])}' for key in keys)})"
    return repr(value)
