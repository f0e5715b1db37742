"""The published table and the model: a client that follows a trace loses what the model says."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

from specmodel import load
from specmodel.behaviour.steps import Interpreter
from specmodel.conformance.binding import read_binding
from specmodel.conformance.kafka.__main__ import EARLIEST, main
from specmodel.conformance.kafka.subjects import consumers
from specmodel.conformance.plays import chosen_traces
from tests.docs.pages import ROOT

PAGE = ROOT / "docs/conformance/consumers.md"
BINDING = ROOT / "models/kafka/consumer/binding.py"


def cells(trace: str) -> dict[str, str]:
    """The outcomes of a trace with reset earliest, by subject."""
    table = PAGE.read_text().partition("earliest\n")[2].partition("\n##")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    names = rows[0]
    assert names == list(consumers("earliest"))
    (row,) = (row for row in rows[1:] if row[0].startswith(f"**{trace}**"))
    return dict(zip(names, row[1:], strict=True))


SCENARIOS = [
    (design, tuple(constants.items()), trace)
    for design, constants, traces in EARLIEST
    for trace in traces
    if re.fullmatch(r"S[1-4]", trace)
]


@pytest.mark.parametrize(("design", "constants", "trace"), SCENARIOS, ids=[s[2] for s in SCENARIOS])
def test_clients_that_follow_are_predicted(
    design: str, constants: tuple[tuple[str, Any], ...], trace: str
) -> None:
    """Where a client follows the whole trace, the model's last state, with what the application
    holds in it and no log line counted as a report, says whether a record was lost."""
    loaded = load(design, **dict(constants))
    binding = read_binding(BINDING)
    (found,) = chosen_traces(loaded, binding, [trace]).traces
    state = loaded.spec.domain.copy(found.trace.states[-1])
    assert binding.rebuilt is not None
    # What a reset has the model forget, the application still holds, if it was not given again.
    held: dict[str, Any] = {}
    for earlier in found.trace.states:
        held |= binding.observed(earlier)
    binding.rebuilt(state, held)
    (rule,) = loaded.stated(["no_silent_loss"])
    predicted = "followed" if Interpreter(loaded.spec).holds(rule, state) else "lost"
    whole = {name: cell for name, cell in cells(trace).items() if cell in ("followed", "lost")}
    assert len(whole) >= 2, "the table has clients that follow the design"
    assert set(whole.values()) == {predicted}


def test_the_page_names_every_version() -> None:
    """A verdict is about a version."""
    text = PAGE.read_text()
    for name in ("librdkafka", "kafka-python", "aiokafka", "KafkaConsumer", "franz-go", "sarama"):
        assert re.search(rf"^- .*{name}.* v?\d+\.\d+", text, flags=re.M), name
    assert re.search(r"Played on \d{4}-\d\d-\d\d", text)


def test_the_command_is_the_one_that_the_page_names(capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` names the page as its argument."""
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "python -m specmodel.conformance.kafka" in capsys.readouterr().out
    assert "python -m specmodel.conformance.kafka docs/conformance" in PAGE.read_text()
    assert "specmodel.conformance.kafka.__main__" in sys.modules
