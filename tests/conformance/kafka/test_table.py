"""The published tables and the models: each cell is an end that the client's design allows."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

import pytest

from specmodel.conformance.binding import read_binding
from specmodel.conformance.kafka.__main__ import main
from specmodel.conformance.kafka.table import TABLES, PlayedTraces, client_name, traces_of
from specmodel.conformance.player import Player
from specmodel.conformance.prediction import Predictor
from specmodel.conformance.subject_designs import subject_design
from specmodel.conformance.verdicts import ALL_ENDS
from specmodel.suite.targets import load_target
from tests.docs.pages import ROOT

PAGE = ROOT / "docs/conformance/clients.md"


def rows(title: str) -> list[list[str]]:
    """The rows of a table, the title of its trace first in each."""
    table = PAGE.read_text().partition(f"## {title}\n")[2].partition("\n##")[0]
    found = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    assert found[0] == [client_name(subject) for subject in TABLES[title].subjects]
    return found[1:]


def ends(cell: str) -> set[str]:
    """The ends in a cell, where outcomes with their numbers may stand."""
    outcomes = [re.sub(r" \(\d+\)$", "", one) for one in cell.split("; ")]
    words = {outcome.split(",")[0].split(" ")[0] for outcome in outcomes} - {"cannot"}
    return {word if word in ("lost", "told") else "kept" for word in words}


def predictions(played: PlayedTraces, subjects: Sequence[str]) -> Iterator[list[Sequence[str]]]:
    """For each trace the ends that the designs of the subjects allow."""
    design = load_target(played.target, played.constants)
    binding = read_binding(played.binding)
    player = Player(design, binding)
    made = [
        Predictor(
            player,
            binding.designs[name],
            subject_design(design, binding.designs[name]),
            binding.withholding[played.stage],
        )
        if name in binding.designs
        else None
        for name in subjects
    ]
    for trace in traces_of(played, design, binding).traces:
        yield [made_of.predicted(trace) if made_of else ALL_ENDS for made_of in made]


@pytest.mark.parametrize("title", TABLES)
def test_every_cell_is_predicted(title: str) -> None:
    """What a client did is what its design lets it do; the designs do not allow everything."""
    subjects = TABLES[title].subjects
    allowed = [row for played in TABLES[title].rows for row in predictions(played, subjects)]
    measured = rows(title)
    assert len(measured) == len(allowed)
    for (title, *cells), designs in zip(measured, allowed, strict=True):
        for name, cell, may in zip(subjects, cells, designs, strict=True):
            assert ends(cell) <= {*may}, f"{name} on {title}: {cell}; predicted: {may}"
    for row in allowed:
        for name, may in zip(subjects, row, strict=True):
            # a group member may have joined anew, or not yet
            assert may is ALL_ENDS or len(may) <= 1 + name.startswith("kafkajs"), f"{name}: {may}"


def test_ends_of_cells() -> None:
    """Outcomes as a cell has them: one, or several with numbers."""
    assert ends("followed") == ends("parted at step 3") == {"kept"}
    assert ends("lost, parted at step 12") == {"lost"}
    assert ends("told (2); parted at step 4 (1)") == {"told", "kept"}
    assert ends("cannot be compared (1); lost (19)") == {"lost"}


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
