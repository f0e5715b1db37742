"""librdkafka's producer, through confluent-kafka, as a subject: JSON lines on standard input."""

import json
import sys
import threading

import confluent_kafka
from confluent_kafka import Producer
from subject_lines import say, start


def answered(error, message):
    value = message.value().decode()
    if error is None:
        say(acknowledged=value, offset=message.offset())
    else:
        say(failed=value, error=str(error))


given = start()
producer = Producer(
    {
        "bootstrap.servers": given["bootstrap"],
        "acks": given["acks"],
        "enable.idempotence": False,
        "max.in.flight.requests.per.connection": 1,
        "linger.ms": 0,
        "retry.backoff.ms": 400,
        "topic.metadata.refresh.interval.ms": 500,
        "reconnect.backoff.max.ms": 200,
        "log_level": 0,
    }
)
library = confluent_kafka.libversion()[0]
version = f"confluent-kafka {confluent_kafka.__version__} (librdkafka {library})"


def poll():
    while True:
        producer.poll(0.05)


threading.Thread(target=poll, daemon=True).start()
producer.list_topics(given["topic"], 10)
say(ready=True, version=version)
for line in sys.stdin:
    value = json.loads(line)["send"]
    producer.produce(given["topic"], value.encode(), partition=0, on_delivery=answered)
