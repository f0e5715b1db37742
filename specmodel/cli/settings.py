"""Values of options: constants, sizes of memory, durations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from specmodel.constants import MOST_DIGITS, Value, integer, value_of
from specmodel.errors import UsageError
from specmodel.options import MOST

MOST_BYTES = 1 << 60
MOST_SECONDS = 10_000 * 86400

if TYPE_CHECKING:
    from specmodel.results import SelfChecked

_BYTES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SECONDS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def constants(settings: Sequence[str]) -> dict[str, Value]:
    """The constants of `--set name=value` options: integers, true and false.

    Raises UsageError for anything else, and for a name with two values.
    """
    found: dict[str, Value] = {}
    for name, text in _parts("--set", settings, 'name=value, as in "--set replicas=3"'):
        value = _value(name, text)
        if found.setdefault(name, value) != value:
            raise UsageError(f"--set gives {name} two values: {found[name]} and {value}")
    return found


def weights(settings: Sequence[str]) -> dict[str, int]:
    """The weights of `--weight action=number` options. Raises UsageError for anything else."""
    found: dict[str, int] = {}
    example = 'action=number, as in "--weight fetch=3"'
    for name, text in _parts("--weight", settings, example):
        if (number := integer(text)) is None or number < 0:
            raise UsageError(f"--weight {name}={text}: write {example}")
        if name in found:
            raise UsageError(f"--weight gives {name} twice")
        found[name] = number
    return found


def stage_settings(settings: Sequence[str]) -> dict[str, str]:
    """The texts of `--with name=text` options; the last counts. Raises UsageError without a `=`."""
    return dict(_parts("--with", settings, 'name=value, as in "--with kafka=3.9.1"'))


def _parts(option: str, settings: Sequence[str], example: str) -> Iterator[tuple[str, str]]:
    """The name and the text of each `name=text`. Raises UsageError for anything else."""
    for setting in settings:
        name, equals, text = setting.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name:
            raise UsageError(f"{option} {setting}: write {example}")
        yield name, text.strip()


MOST_VALUES = 1000
"""The longest range of values that is not taken for a typing error."""


def ranges(settings: Sequence[str]) -> dict[str, tuple[Value, ...]]:
    """The values of `--vary name=1..3` and `--vary name=1,2,5` options.

    Raises UsageError for anything else, for none, and for a name given twice.
    """
    if not settings:
        raise UsageError('nothing varies: write --vary name=low..high, as in "replicas=2..3"')
    found: dict[str, tuple[Value, ...]] = {}
    for name, text in _parts("--vary", settings, 'name=low..high, as in "replicas=2..3"'):
        if name in found:
            raise UsageError(f"--vary gives {name} twice: write {name}=1,2,5 for single values")
        found[name] = tuple(v for part in text.split(",") for v in _values(name, part.strip()))
    return found


def _values(name: str, text: str) -> Sequence[Value]:
    first, dots, last = text.partition("..")
    low, high = integer(first), integer(last)
    if not dots or low is None or high is None:
        return (_value(name, text, "--vary"),)
    if low > high or high - low >= MOST_VALUES:
        wrong = "it goes down" if low > high else f"more than {MOST_VALUES} values"
        raise UsageError(f"--vary {name}={text}: {wrong}")
    return range(low, high + 1)


def _value(name: str, text: str, option: str = "--set") -> Value:
    if (value := value_of(text)) is not None:
        return value
    if re.fullmatch(r"[+-]?\d+", text):
        raise UsageError(f"{option} {name}={text}: more than {MOST_DIGITS} digits")
    raise UsageError(f'{option} {name}={text}: "{text}" is neither an integer nor true or false')


def self_check(text: str | None) -> SelfChecked:
    """The number of `50` or `10k`, or "all". Raises UsageError for anything else."""
    return "all" if text == "all" else amount(text, "500, all or 0")


def memory(text: str | None) -> int | None:
    """Bytes of `4G`, `500M`, `4GiB`: multiples of 1024. Raises UsageError for anything else."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if not match:
        raise UsageError(f'"{text}" is no size of memory: write 4G or 500M')
    size = float(match[1]) * _BYTES[match[2].upper()]
    if size >= MOST_BYTES:
        raise UsageError(f'"{text}" is no size of memory: no machine has as much')
    return int(size)


def amount(text: str | None, examples: str = "5000, 200k or 10M") -> int | None:
    """The number of `5000`, `200k`, `10M`. Raises UsageError for anything else."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]?)", text.strip(), re.IGNORECASE)
    if not match or ("." in match[1] and not match[2]):
        raise UsageError(f'"{text}" is no number: write {examples}')
    number = round(Decimal(match[1]) * 1000 ** " KMG".index(match[2].upper() or " "))
    if number > MOST:
        raise UsageError(f'"{text}" is more than {MOST:,}')
    return number


def duration(text: str | None) -> float | None:
    """Seconds of `60s`, `5m`, `1.5h` or plain `60`. Raises UsageError for anything else."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|)", text.strip())
    if not match:
        raise UsageError(f'"{text}" is no duration: write 60s, 5m or 1h')
    seconds = float(match[1]) * _SECONDS[match[2]]
    if seconds > MOST_SECONDS:
        raise UsageError(f'"{text}" is longer than {MOST_SECONDS // 86400:,} days')
    return seconds
