"""The Kafka designs against TLC's results on the public TLA+ modules they are taken from."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from specmodel.design import Design
from specmodel.engines import interpret, native
from specmodel.lang.loading import load_module
from specmodel.results import Options, Result

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "models" / "kafka"
ORACLE: list[dict[str, Any]] = json.loads((ROOT / "tests" / "oracle" / "tlc.json").read_text())

ENGINES = {
    "interpret": (interpret.check, 1),
    "native": (native.check, 1),
    "native-2": (native.check, 2),
}
"""Engines with a number of workers."""

QUICK_STATES = {"interpret": 6_500, "native": 1_000_000, "native-2": 1_000_000}
"""The most distinct states an engine explores in a few seconds; larger runs are marked long."""

SPECS = {
    "KafkaTruncateToHighWatermark": ("replication/designs.py", "truncate_to_hw"),
    "Kip101": ("replication/designs.py", "kip101"),
    "Kip279": ("replication/designs.py", "kip279"),
    "Kip320FirstTry": ("replication/designs.py", "kip320_first_try"),
    "Kip320": ("replication/designs.py", "kip320"),
    "AsyncIsr": ("async_isr/designs.py", "kip497"),
}

PROPERTIES = {
    "WeakIsr": "weak_isr",
    "StrongIsr": "strong_isr",
    "LeaderInIsr": "leader_in_isr_as_written",
    "ValidHighWatermark": "valid_high_watermark",
}

CONSTANTS = ["replicas", "log_size", "max_records", "max_leader_epoch"]
ASYNC_CONSTANTS = ["replicas", "max_offset", "version_bound"]

Setting = tuple[str, tuple[int, ...]]
"""A module and the values of its constants."""


def names_of(module: str) -> list[str]:
    return ASYNC_CONSTANTS if module == "AsyncIsr" else CONSTANTS


def setting_of(row: dict[str, Any]) -> Setting:
    return row["module"], tuple(row[name] for name in names_of(row["module"]))


WHOLE = {setting_of(row): row for row in ORACLE if row["check"] == "full"}
"""The settings whose whole state space TLC has explored."""


@cache
def run(engine: str, setting: Setting, checked: tuple[str, ...], keep_going: bool) -> Result:
    """A check on an engine; one complete run serves all the rows of its setting."""
    module, values = setting
    file, name = SPECS[module]
    loaded = load_module(MODELS / file, dict(zip(names_of(module), values, strict=True)))
    design = Design(name, loaded.spec(name), loaded.constants)
    check, workers = ENGINES[engine]
    return check(design, Options(properties=checked, keep_going=keep_going, workers=workers))


def run_for(engine: str, row: dict[str, Any]) -> Result:
    """The run that a row is compared with: complete where TLC's was, else up to its violation."""
    setting = setting_of(row)
    if setting not in WHOLE:
        return run(engine, setting, (PROPERTIES[row["check"]],), False)
    mine = {r["check"] for r in ORACLE if r["module"] == row["module"]} & PROPERTIES.keys()
    return run(engine, setting, tuple(sorted(PROPERTIES[check] for check in mine)), True)


def rows() -> list[Any]:
    """Every row of the oracle on every engine, those with symmetry apart."""
    found: list[Any] = []
    for engine, most in QUICK_STATES.items():
        for row in ORACLE:
            if "symmetry" in row["check"]:
                continue
            setting = setting_of(row)
            states = WHOLE.get(setting, row)["distinct"]
            marks = [pytest.mark.long] if states > most else []
            values = "-".join(map(str, setting[1]))
            name = f"{engine}-{row['module']}-{values}-{row['check']}"
            found.append(pytest.param(engine, row, id=name, marks=marks))
    return found


@pytest.mark.parametrize(("engine", "row"), rows())
def test_as_tlc(engine: str, row: dict[str, Any]) -> None:
    """The same reachable states, depth, verdict and length of a shortest counterexample as TLC.

    Catches a guard or an effect that differs from the public module's, and a search that is not
    exhaustive or not breadth first.
    """
    result = run_for(engine, row)
    if whole := WHOLE.get(setting_of(row)):
        assert result.complete
        assert (result.distinct, result.depth) == (whole["distinct"], whole["depth"])
    if row["check"] != "full":
        found = result[PROPERTIES[row["check"]]]
        assert (found.verdict, found.trace_length) == (row["verdict"], row["trace_len"])


@pytest.mark.parametrize("engine", ENGINES)
def test_generated_counts_enabled_bindings(engine: str) -> None:
    """A transition per enabled binding: a needless parameter would count one twice."""
    row = next(r for r in WHOLE.values() if setting_of(r) == ("Kip320", (2, 2, 2, 1)))
    assert run_for(engine, row).generated == 1_801
