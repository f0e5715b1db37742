"""Producers against the double: each request waits for its answer; few plays of real clients."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

import specmodel
from specmodel.conformance import StageFailed
from specmodel.conformance.binding import read_binding
from specmodel.conformance.kafka.given import results_of_sends
from specmodel.conformance.kafka.producing import ProducersStage
from specmodel.conformance.plays import chosen_traces
from specmodel.suite.targets import load_target
from tests.docs.pages import ROOT

pytest.importorskip("kio", reason="pip install 'specmodel[conformance]'")

from specmodel.conformance.kafka.codec import record_batches
from specmodel.conformance.kafka.partition import LogEntry
from tests.conformance.kafka.wire import WireClient

BINDING = ROOT / "models/kafka/producer/binding.py"
LONGER: dict[str, Any] = {"max_records": 3, "log_size": 3, "max_leader_epoch": 1}

OUTCOMES = {
    ("librdkafka", "P1"): "parted at step 17",
    ("kafka-python", "P1"): "lost",
    ("aiokafka", "P1"): "lost",
    ("librdkafka", "no_duplicates"): "lost",
    ("kafka-python", "no_useless_refresh"): "followed",
}
"""What was measured with the versions of `clients/versions.toml`."""


@pytest.mark.parametrize(("subject", "trace"), OUTCOMES, ids=map("-".join, OUTCOMES))
def test_outcomes(subject: str, trace: str) -> None:
    """librdkafka does not go back to a leader of an earlier epoch; the others do, and a record
    that is acknowledged there is lost. A retry after a lost answer writes a record twice."""
    design = "producer-unordered-acks-one" if trace == "P1" else "producer-unfenced-acks-one"
    bounds = LONGER if trace == "P1" else {}
    report = specmodel.conform(design, BINDING, subjects=[subject], traces=[trace], **bounds)
    for name, why in report.skipped.items():
        pytest.skip(f"{name}: {why}")
    (series,) = report.series
    assert list(series.outcomes) == [OUTCOMES[subject, trace]], series.plays[0]
    assert series.predicted
    assert series.contradicts == ()


async def produced(client: WireClient, value: str) -> Mapping[str, Any]:
    """The answer to a request with one record."""
    data = {"index": 0, "records": record_batches([LogEntry(0, value)], 0)}
    topics = [{"name": "t", "partition_data": [data]}]
    answer = await client.ask(0, 9, acks=1, topic_data=topics)
    return answer["responses"][0]["partition_responses"][0]


def test_a_request_waits_for_the_trace() -> None:
    """It is answered when the trace comes to an answer, and cut off where the answer is lost. In
    the end, what is in the log already is not appended again."""
    design = load_target("producer-unfenced-acks-one", {})
    binding = read_binding(BINDING)
    (trace,) = chosen_traces(design, binding, ["no_duplicates"]).traces
    steps, states = trace.trace.steps, trace.trace.states

    async def run() -> None:
        stage = binding.stages["double"]()
        assert isinstance(stage, ProducersStage)
        await stage.open(states[0])
        try:
            number = 0

            async def go_to(action: str) -> None:
                nonlocal number
                while steps[number].action != action:
                    number += 1
                    if steps[number - 1].action != "send":
                        await stage.allow(steps[number - 1], *states[number - 1 : number + 1])

            (leader, *_) = (r for r in (1, 2) if f"leader=r{r}" in str(steps[0]))
            client = await WireClient.to(stage._double.ports[leader])
            await go_to("lose")
            asked = asyncio.create_task(produced(client, "m0"))
            await asyncio.sleep(0.1)
            assert (await stage.observe())["request"] == f"m0 at r{leader}"
            assert not asked.done()
            await stage.allow(steps[number], *states[number : number + 2])
            with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
                await asked
            with pytest.raises(StageFailed, match="no request waits for an answer"):
                await stage.allow(steps[number], *states[number : number + 2])
            again = asyncio.create_task(
                produced(await WireClient.to(stage._double.ports[leader]), "m0")
            )
            await asyncio.sleep(0.1)
            await stage.release(states[-1])
            answer = await again
            assert (answer["error_code"], answer["base_offset"]) == ("none", 1)
            seen = await stage.observe()
            assert seen[f"log of r{leader}"] == "m0@e0 m0@e0"
            assert seen["request"] == ""
        finally:
            await stage.close()

    asyncio.run(run())


def test_results_of_sends() -> None:
    """Each record is acknowledged, failed, or neither yet."""
    events = [{"acknowledged": "m0", "offset": 0}, {"failed": "m1", "error": "no"}, {"error": 1}]
    seen = results_of_sends(events)
    assert (seen["m0"], seen["m1"], seen["m2"]) == ("acknowledged", "failed", None)
