"""How a consumer design appears on a real cluster: brokers of a released version of Kafka.

Only traces of writes, replication, shrinking ISRs, fail-overs and unclean elections can be played,
with two or three replicas, and r1 as the first leader. When a client hears of an election and
validates cannot be seen from outside: these actions are silent, and the client is judged by the
records that it gives the application.
`--with kafka=3.9.1` takes another version of the brokers, `--with home=FOLDER` an unpacked release;
`--with min_insync=2`, `--with elr=off`, `--with sessions=off` and `--with acks=all` change what the
topic, the controller, the brokers and the writer do.
"""

from collections.abc import Sequence
from typing import Any

from binding import SCENARIOS, number, observed, rebuilt, settled, value
from clients_binding import BROKERS, JOINING

from specmodel import Step
from specmodel.conformance import PlayBinding
from specmodel.conformance.kafka.cluster import ClusterStage
from specmodel.conformance.kafka.subjects import committing, consumers, group_members


def node(broker: Any) -> int:
    """The node of a broker of the design: the controller is node 3."""
    return {3: 4}.get(number(broker), number(broker))


def nodes(state: Any) -> Sequence[int]:
    """The nodes that hold the partition."""
    return [node(broker) for broker in state.log]


def written(step: Step, after: Any) -> tuple[int, str]:
    """The broker that a record is written to, and the record's value."""
    leader = step.arguments["leader"]
    return node(leader), value(after.log[leader][-1])


def named(step: Step) -> int:
    """The broker that a step elects, takes out of the ISR, or lets fetch."""
    return node(step.arguments.get("leader", step.arguments.get("follower")))


def cluster(
    kafka: str = "4.1.0",
    home: str = "",
    min_insync: str = "1",
    elr: str = "on",
    sessions: str = "on",
    acks: str = "1",
) -> ClusterStage:
    """A cluster of a version, or of the release in a folder."""
    return ClusterStage(kafka, written, named, nodes, home, min_insync, elr, sessions, acks)


binding = PlayBinding(
    stages={"cluster": cluster},
    subjects={
        **consumers("earliest"),
        **group_members(),
        **committing(),
        **{f"{name}-none": made for name, made in consumers("none").items()},
    },
    observed=observed,
    performs=BROKERS,
    signs={"fetch": None},
    silent=(
        *("refresh_metadata", "validate_end_offset", "out_of_range", "fetch_nothing"),
        *("reset_to_earliest", "reset_to_latest", "save_offset", *JOINING),
    ),
    rebuilt=rebuilt,
    properties=["no_silent_loss"],
    scenarios={name: SCENARIOS[name] for name in ("S2", "S5", "S7")},
    step_seconds=30.0,
    quiet_seconds=8.0,
    settled=settled,
)
