"""kafka-python's producer as a subject: JSON lines on standard input and output."""

import json
import os
import sys
import threading

import kafka
from kafka import KafkaProducer
from subject_lines import acknowledgements, say, start

given = start()
producer = KafkaProducer(
    bootstrap_servers=given["brokers"],
    acks=acknowledgements(given["acks"]),
    enable_idempotence=False,
    max_in_flight_requests_per_connection=1,
    retry_backoff_ms=400,
    metadata_max_age_ms=500,
    reconnect_backoff_max_ms=200,
)
say(ready=True, version=f"kafka-python {kafka.__version__}")


def send(value):
    """Waits in a thread of its own: metadata may name no leader yet."""
    try:
        found = producer.send(given["topic"], value.encode(), partition=0).get(60)
        say(acknowledged=value, offset=found.offset)
    except Exception as wrong:
        say(failed=value, error=f"{type(wrong).__name__}: {wrong}")


for line in sys.stdin:
    threading.Thread(target=send, args=(json.loads(line)["send"],), daemon=True).start()
os._exit(0)
