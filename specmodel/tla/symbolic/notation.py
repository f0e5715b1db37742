"""Types of TLA+ values as sets that TLA+ could write."""

from __future__ import annotations

from specmodel.tla.symbolic.types import (
    MapType,
    NameType,
    NumberType,
    ProductType,
    SequenceType,
    SetType,
    TlaType,
    TruthType,
    UnionType,
)
from specmodel.tla.values import text_of

MOST_OPTIONS = 12
"""The most values that are written out; further ones are counted."""


def type_text(held: TlaType | None) -> str:
    """A type as the text of a set: `1..3`, `[to: {"a", "b"}]`, `SUBSET {r1, r2}`.

    None is the type of a place without values.
    """
    match held:
        case None:
            return "{}"
        case TruthType():
            return "BOOLEAN"
        case NumberType(low, high):
            return f"{low}..{high}"
        case NameType(options):
            return _listed([text_of(option) for option in options])
        case ProductType():
            return _product(held)
        case MapType(_, part, most) if held.in_pairs():
            return f"[up to {most} of {_within(held.argument())} -> {type_text(part)}]"
        case MapType(keys, part):
            return f"[some of {_listed(list(map(text_of, keys)))} -> {type_text(part)}]"
        case SequenceType(item, capacity):
            return f"Seq({type_text(item)}) of up to {capacity}" if item else "<<>>"
        case SetType(member, _, most):
            return f"SUBSET {_within(member)} of up to {most}" if member else "{{}}"
        case UnionType(parts):
            return " \\cup ".join(map(type_text, parts))
        case _:
            raise AssertionError(held)


def _within(held: TlaType) -> str:
    """A type as a part of a longer text: in parentheses unless it is one word or in brackets."""
    text = type_text(held)
    whole = " " not in text or isinstance(held, NameType | MapType)
    whole = whole or (isinstance(held, ProductType) and text.startswith("["))
    return text if whole else f"({text})"


def _product(held: ProductType) -> str:
    texts = list(map(type_text, held.parts))
    if all(isinstance(key, str) for key in held.keys):
        pairs = zip(held.keys, texts, strict=True)
        return f"[{', '.join(f'{key}: {text}' for key, text in pairs)}]"
    if len(set(texts)) == 1:
        return f"[{_listed(list(map(text_of, held.keys)))} -> {texts[0]}]"
    if held.keys == tuple(range(1, len(texts) + 1)):
        return " \\X ".join(map(_within, held.parts))
    return f"[{', '.join(f'{text_of(k)}: {t}' for k, t in zip(held.keys, texts, strict=True))}]"


def _listed(texts: list[str]) -> str:
    more = f", ... ({len(texts):,} in all)" if len(texts) > MOST_OPTIONS else ""
    return f"{{{', '.join(texts[:MOST_OPTIONS])}{more}}}"
