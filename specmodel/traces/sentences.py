"""A false condition in words: `replica[r1].epoch is 0, not 2`."""

from __future__ import annotations

from collections.abc import Sequence

from specmodel.domains.shapes import written
from specmodel.results.explanation import Explanation
from specmodel.traces.notation import Notation

_FAILS = {"<": "not below", "<=": "above", ">": "not above", ">=": "below"}
_HOLDS = {"<": "below", "<=": "not above", ">": "above", ">=": "not below"}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Sentences:
    """Writes conditions and their values in words."""

    def __init__(self, notation: Notation) -> None:
        self.notation = notation

    def why(self, found: Explanation) -> str:
        """Why a condition is false, or true."""
        if found.failure:
            return f"{found.text} has no value there"
        if found.operator == "refinement":
            return found.text
        if found.operator == "pick":
            return found.ground
        if found.operator in ("==", "!="):
            return self._equality(found)
        if found.operator in _FAILS and len(found.parts) == 2:
            return self._order(found)
        if found.operator == "in":
            member, group = found.parts
            word = "in" if found.value else "not in"
            return f"{self._named(member)} is {word} {self._named(group)}"
        if found.operator in ("need", "is_none"):
            return f"{found.parts[0].ground} is {self._value(found.parts[0])}"
        if found.operator == "not":
            return self.why(found.parts[0])
        if found.operator in ("and", "or", "call", "choose"):
            return self._parts(found)
        if found.operator in ("all", "any"):
            return self._quantified(found)
        if found.operator == "return":
            return self._within(found, " and ".join(map(self.why, found.parts)))
        return f"{found.ground} is {'true' if found.value else 'false'}"

    def _parts(self, found: Explanation) -> str:
        """The deciding parts in words: the first for a false `and`, all for a false `or`."""
        parts = found.parts[-1:] if found.operator == "choose" else found.parts
        deciding = [p for p in parts if p.value == found.value]
        if not deciding or (deciding[0].operator == "return" and not deciding[0].parts):
            return f"{found.ground} {'holds' if found.value else 'does not hold'}"
        one_decides = bool(found.value) == (found.operator == "or")
        if one_decides or found.operator in ("call", "choose"):
            return self.why(deciding[0])
        return " and ".join(map(self.why, deciding))

    def _quantified(self, found: Explanation) -> str:
        if not found.parts:
            word = "holds" if found.value else "does not hold"
            return f"{found.text} {word}"
        return self._within(found, self.why(found.parts[0]))

    def _within(self, found: Explanation, why: str) -> str:
        bound = ", ".join(f"{n}={self.notation.value(v)}" for n, v in found.witness.items())
        return f"for {bound}, {why}" if bound else why

    def _equality(self, found: Explanation) -> str:
        left, right = _literal_last(found.parts)
        same = found.value == (found.operator == "==")
        if (
            same
            and "constant" not in (left.operator, right.operator)
            and (_literal(left) or not _literal(right))
        ):
            return f"{self._subject(left)} and {self._subject(right)} are both {self._value(left)}"
        if same:
            return f"{self._subject(left)} is {self._value(right)}"
        if _literal(right):
            return f"{self._subject(left)} is {self._value(left)}, not {self._value(right)}"
        return f"{left.ground} is {self._value(left)} and {right.ground} is {self._value(right)}"

    def _order(self, found: Explanation) -> str:
        left, right = found.parts
        operator = found.operator
        if _literal(left) and not _literal(right):
            left, right, operator = right, left, _MIRRORED[operator]
        words = (_HOLDS if found.value else _FAILS)[operator]
        return f"{self._subject(left)} is {self._value(left)}, {words} {self._named(right)}"

    def _subject(self, operand: Explanation) -> str:
        """The name of a value; an argument is called by its name."""
        return operand.text if _literal(operand) else operand.ground

    def _named(self, operand: Explanation) -> str:
        """A value, and its name if the name is not the value."""
        if _literal(operand):
            return self._value(operand)
        return f"{operand.ground} = {self._value(operand)}"

    def _value(self, operand: Explanation) -> str:
        return self.notation.value(operand.value)


def _literal(operand: Explanation) -> bool:
    """Whether an operand is only its value, such as a number or an argument."""
    return operand.ground == written(operand.value)


def _literal_last(parts: Sequence[Explanation]) -> tuple[Explanation, Explanation]:
    left, right = parts
    return (right, left) if _literal(left) and not _literal(right) else (left, right)
