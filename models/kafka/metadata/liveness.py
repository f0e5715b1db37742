"""Does a client get to know the leader, if brokers hear of changes and the client goes on asking?

The changes are bounded, so there is a last one in every behaviour. Nothing makes the controller
change anything, or the client fetch, commit or restart. Each broker hears of every change in the
end, and the client asks each broker again and again: it may restart again and again, too.
"""

from specmodel.lang import Spec, always_eventually, weak

from .changes import System, exists
from .designs import (
    metadata_kip320,
    metadata_leader_epoch,
    metadata_partition_epoch,
    metadata_topic_id,
    metadata_unchecked,
)


@always_eventually
def knows_the_leader(s: System) -> bool:
    """Again and again the client goes by the last change, unless that is the topic's deletion."""
    return not exists(s.changes[-1]) or s.client.cached == len(s.changes) - 1


def live(design: Spec) -> Spec:
    """A design in which brokers hear of changes, and the client asks them."""
    return design.adding(
        liveness=[knows_the_leader],
        fairness=[weak("deliver", per="broker"), weak("refresh", per="broker")],
    )


metadata_unchecked_live = live(metadata_unchecked)
metadata_leader_epoch_live = live(metadata_leader_epoch)
metadata_partition_epoch_live = live(metadata_partition_epoch)
metadata_kip320_live = live(metadata_kip320)
metadata_topic_id_live = live(metadata_topic_id)
